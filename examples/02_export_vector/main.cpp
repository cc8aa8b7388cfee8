// A Tpetra vector on a user's own map is exported as a distributed array, and passed to a component in plain C that
// includes no header of TriDAP except tridap/dap.h. The component reads and writes the vector's memory, and keeps it
// alive after the vector and its map are destroyed.
//
//   mpiexec -n 4 02_export_vector [--size N]
//
// Prints the distribution that was found from the map, what was copied (0 bytes), what the component received, and the
// sums on both sides, before and after the vector is destroyed. Exits non-zero if one of these is wrong.

#include "02_export_vector/component.h"
#include "support/program.hpp"
#include <tridap/c_array.hpp>
#include <tridap/compare.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/tpetra.hpp>

namespace {

using Vector = Tpetra::Vector<double>;

// Pairs of elements distributed cyclically, by a list of ids on each process; element `id` has the value `id`.
Teuchos::RCP<Vector> make_vector(int size, const examples::Claims& claims) {
  std::vector<tridap::tpetra::Map::global_ordinal_type> ids;
  for (int id = 0; id < size; ++id)
    if (id / 2 % claims.processes() == claims.process()) ids.push_back(id);
  const auto comm = Teuchos::rcp(new Teuchos::MpiComm<int>(claims.comm()));
  const auto map = Teuchos::rcp(new tridap::tpetra::Map(size, Teuchos::arrayViewFromVector(ids), 0, comm));
  const auto vector = Teuchos::rcp(new Vector(map));
  for (const auto id : ids) vector->replaceGlobalValue(id, static_cast<double>(id));
  return vector;
}

void export_vector(int size, examples::Claims& claims) {
  // 1. The vector is exported as the simplest array that its map allows, and this array as a C struct.
  Teuchos::RCP<Vector> vector = make_vector(size, claims);
  auto [array, receipt] = tridap::tpetra::export_array(vector);
  claims.say("vector    %d elements, %s", size,
             tridap::describe(tridap::mpi::gather_distribution(array, claims.comm())).c_str());
  const std::weak_ptr<void> memory = array.buffer.owner;
  char text[200] = "";
  component* const taken = tridap::mpi::collectively(claims.comm(), [&, &array = array] {
    component* const made = component_take(tridap::to_c(std::move(array)).release(), text, sizeof(text));
    if (made == nullptr) throw std::runtime_error(text);
    return made;
  });

  // 2. The component's array has the vector's address.
  claims.note(receipt, vector->getData().getRawPtr(), component_address(taken));
  component_describe(taken, text, sizeof(text));
  claims.say("export    %s", claims.copies().c_str());
  claims.say("component %s", text);

  // 3. The vector has the values that the component writes.
  component_scale(taken, 2);
  const double seen = vector->norm1();
  claims.say("written   the component doubles its elements: the vector's sum is %.0f", seen);

  // 4. The vector and its map are destroyed. The component keeps the memory until it releases the array.
  vector = Teuchos::null;
  const bool alive = !memory.expired();
  const double kept = claims.sum(component_sum(taken));
  component_close(taken);
  claims.say("destroyed the vector and its map: the component's sum is %.0f", kept);
  claims.say("release   the component is closed: the memory is %s", memory.expired() ? "freed" : "NOT freed");

  const double expected = static_cast<double>(size) * (size - 1);
  claims.require_no_copies();
  claims.require(seen == expected && kept == expected, "a sum is not what it must be");
  claims.require(alive && memory.expired(), "the memory was freed before its last user released it, or not at all");
}

}  // namespace

int main(int argc, char** argv) {
  int size = 1000;
  return examples::run(argc, argv, "A Tpetra vector is exported, and a component in C reads and writes it.",
                       {{"--size", "elements of the vector", &size}},
                       [&](examples::Claims& claims) { export_vector(size, claims); });
}
