// Every kind of distributed array is converted to Tpetra and back. dim_data becomes a Tpetra map and a vector over the
// array's memory; dim_data is then found again from the map's ids and the array's shape. If Global Arrays is installed,
// each array is also converted to a Global Array and back, if Global Arrays can represent it.
//
//   mpiexec -n 4 06_conversions
//
// Prints for each kind the array's distribution, its map, the receipts of both conversions, and the distribution found.
// Exits non-zero if an element was copied for Tpetra, or more than once for Global Arrays, or the ownership changed.

#include "support/arrays.hpp"
#include "support/kinds.hpp"
#include "support/program.hpp"
#include "support/through_global_arrays.hpp"
#include <tridap/compare.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/tpetra.hpp>

namespace {

// To Tpetra and back. The map contains the whole buffer, with ids for the padding.
void convert(const std::string& name, const tridap::Distribution& distribution, examples::Claims& claims) {
  const tridap::DistArray array = examples::make_array(distribution, claims.process());
  const auto there = tridap::tpetra::import_padded<double>(array, claims.comm());
  const auto& map = *there.array_map().overlap_map();
  const tridap::tpetra::Reshape how{distribution.shape(), distribution.proc_grid_shape()};
  const auto back = tridap::tpetra::export_array(there.overlap(), how);
  const tridap::Distribution found = tridap::mpi::gather_distribution(back.array, claims.comm());
  const tridap::Comparison compared = tridap::compare(distribution, found);
  const bool same = compared.same_owners && compared.same_places && back.array.buffer.shape == array.buffer.shape;

  claims.note(there.receipt(), array.buffer.data, there.overlap()->getData().get());
  claims.note(back.receipt, array.buffer.data, back.array.buffer.data);
  claims.say("%s", name.c_str());
  claims.say("  there      %s", tridap::describe(distribution).c_str());
  claims.say("  map        %lld ids in %s; %s", static_cast<long long>(map.getGlobalNumElements()),
             map.isContiguous() ? "one range" : "lists", there.receipt().text().c_str());
  claims.say("  back       %s; %s", tridap::describe(found).c_str(), back.receipt.text().c_str());
  claims.say("  ownership  %s", same ? "the same" : ("another: " + compared.difference).c_str());
  claims.require(same, name + ": the ownership changed");
  examples::through_global_arrays(array, distribution, claims);
}

void convert_all(examples::Claims& claims) {
  const auto global_arrays = examples::start_global_arrays();
  for (const auto& [name, distribution] : examples::every_kind(claims.processes())) convert(name, distribution, claims);
  claims.say("Tpetra     %s", claims.copies().c_str());
  claims.require_no_copies();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run(argc, argv, "Every kind of array is converted to a Tpetra map and back.", {}, convert_all);
}
