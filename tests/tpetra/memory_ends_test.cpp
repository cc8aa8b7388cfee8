#include "support/memory_ends.hpp"

#include <tridap/make.hpp>
#include <tridap/tpetra.hpp>

#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

// Memory ends on one process at each allocation that we make in each collective call: nobody waits for ever. What
// Trilinos itself allocates does not count: between its own messages nothing of ours can guard it.
namespace {

using namespace tridap;
using tpetra::ArrayMap;
using tpetra::ArrayMapOptions;
using tpetra::Map;

// Where the code of Trilinos' libraries is.
struct Code {
  std::uintptr_t begin, end;
};

std::vector<Code> find_trilinos() {
  std::vector<Code> found;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* to) {
        if (std::strstr(library->dlpi_name, "libtrilinos") == nullptr) return 0;
        for (int i = 0; i < library->dlpi_phnum; ++i) {
          const auto& part = library->dlpi_phdr[i];
          const std::uintptr_t begin = library->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0)
            static_cast<std::vector<Code>*>(to)->push_back({begin, begin + part.p_memsz});
        }
        return 0;
      },
      &found);
  return found;
}

const std::vector<Code> trilinos = find_trilinos();

bool is_ours() {
  void* calls[64];
  const int depth = backtrace(calls, 64);
  return std::none_of(calls, calls + depth, [](const void* at) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    return std::any_of(trilinos.begin(), trilinos.end(),
                       [&](const Code& code) { return code.begin <= address && address < code.end; });
  });
}

DistArray part_of(const Distribution& distribution, MPI_Comm comm) {
  const Index process = on::rank(comm);
  DistArray part;
  part.dim_data = distribution.dim_data(process);
  part.buffer = allocate(element_type<double>(), distribution.local_shape(process));
  std::fill_n(static_cast<double*>(part.buffer.data), element_count(part.buffer), 1.0);
  return part;
}

DistArray dealt(const std::vector<Index>& shape, const std::vector<AxisSpec>& specs, MPI_Comm comm) {
  std::vector<Index> grid(shape.size(), 1);
  grid[0] = on::processes(comm);
  return part_of(Distribution::make(shape, specs, grid), comm);
}

DistArray column_major(DistArray array) {
  array.buffer.strides = column_major_strides(array.buffer.shape, array.buffer.type.bytes);
  return array;
}

// Four elements on each process, and one of the next process as a ghost.
GhostedArray ghosted(MPI_Comm comm) {
  const Index next = 4 * ((on::rank(comm) + 1) % on::processes(comm));
  return make_ghosted(allocate(element_type<double>(), {5}), {next}, comm);
}

// Arrays of every kind of map: of one range that is uniform or not or was asked for, and of lists.
struct Arrays {
  explicit Arrays(MPI_Comm with)
      : comm(with),
        rows(4 * on::processes(comm)),
        blocks(dealt({rows}, {block()}, comm)),
        uneven(dealt({rows - 1}, {block(5)}, comm)),
        dealt_out(dealt({rows}, {cyclic()}, comm)),
        padded(dealt({rows, 4}, {padded_block(1), padded_block(1, true)}, comm)),
        columns(column_major(dealt({rows, 3}, {block(), whole()}, comm))),
        table(dealt({rows, 3}, {cyclic(), whole()}, comm)),
        wrong(blocks),
        turned(blocks),
        with_ghosts(ghosted(comm)) {
    MPI_Comm_dup(comm, &fresh);
    uneven.dim_data[0].extras.push_back({"unit", "\"m\""});
    if (on::rank(comm) == 0) std::get<Block>(wrong.dim_data[0].dist).stop += 1;
    const Distribution all = Distribution::make({rows}, {block()}, {on::processes(comm)});
    turned.dim_data = all.dim_data(on::processes(comm) - 1 - on::rank(comm));
    const tpetra::Communicator kept(comm);  // has made what it makes once
  }
  Arrays(const Arrays&) = delete;
  ~Arrays() { MPI_Comm_free(&fresh); }

  MPI_Comm comm, fresh = MPI_COMM_NULL;
  Index rows;
  DistArray blocks, uneven, dealt_out, padded, columns, table, wrong, turned;
  GhostedArray with_ghosts;
};

ArrayMapOptions reordered() {
  ArrayMapOptions options;
  options.reorder = true;
  return options;
}

ArrayMapOptions with_vectors() {
  ArrayMapOptions options;
  options.vectors_axis = 1;
  return options;
}

using ArrayCall = memory_ends::Call<Arrays>;
const std::vector<ArrayCall> calls_with_arrays = {
    {"Communicator", [](const Arrays& with) { tpetra::Communicator(with.fresh); }},
    {"ArrayMap", [](const Arrays& with) { ArrayMap(with.blocks, with.comm); }},
    {"ArrayMap of uneven blocks", [](const Arrays& with) { ArrayMap(with.uneven, with.comm); }},
    {"ArrayMap of cyclic rows", [](const Arrays& with) { ArrayMap(with.table, with.comm); }},
    {"ArrayMap that asks", [](const Arrays& with) { ArrayMap(with.columns, with.comm); }},
    {"ArrayMap of vectors", [](const Arrays& with) { ArrayMap(with.columns, with.comm, with_vectors()); }},
    {"ArrayMap reordered", [](const Arrays& with) { ArrayMap(with.turned, with.comm, reordered()); }},
    {"ArrayMap of what is wrong", [](const Arrays& with) { ArrayMap(with.wrong, with.comm); }},
    {"ArrayMap of what is wrong, reordered", [](const Arrays& with) { ArrayMap(with.wrong, with.comm, reordered()); }},
    {"make_map", [](const Arrays& with) { tpetra::make_map(with.dealt_out, with.comm); }},
    {"make_map of dim_data", [](const Arrays& with) { tpetra::make_map(with.uneven.dim_data, with.comm); }},
    {"PaddedArrayMap", [](const Arrays& with) { tpetra::PaddedArrayMap(with.padded, with.comm); }},
    {"import_vector", [](const Arrays& with) { tpetra::import_vector<double>(with.blocks, with.comm); }},
    {"import_vector of a copy",
     [](const Arrays& with) { tpetra::import_vector<double>(with.dealt_out, with.comm, Copy::always); }},
    {"import_multivector", [](const Arrays& with) { tpetra::import_multivector<double>(with.columns, with.comm); }},
    {"import_block_vector", [](const Arrays& with) { tpetra::import_block_vector<double>(with.table, with.comm); }},
    {"GhostedVector", [](const Arrays& with) { tpetra::GhostedVector<double>(with.with_ghosts, with.comm); }},
    {"import_padded", [](const Arrays& with) { tpetra::import_padded<double>(with.blocks, with.comm, Copy::always); }}};

// What is in Tpetra already.
struct Vectors : Arrays {
  explicit Vectors(MPI_Comm with)
      : Arrays(with),
        layout(blocks, comm),
        dealt_layout(dealt_out, comm),
        columns_layout(columns, comm, with_vectors()),
        padded_vector(tpetra::import_padded<double>(padded, comm)),
        vector(tpetra::import_vector<double>(blocks, layout).vector),
        listed(tpetra::import_vector<double>(dealt_out, dealt_layout).vector),
        multivector(tpetra::import_multivector<double>(columns, columns_layout).multivector),
        uneven_vector(tpetra::import_vector<double>(uneven, comm).vector),
        ghosted_vector(with_ghosts, comm) {}

  ArrayMap layout, dealt_layout, columns_layout;
  mutable tpetra::PaddedVector<double> padded_vector;
  Teuchos::RCP<tpetra::Vector<double>> vector, listed;
  Teuchos::RCP<tpetra::MultiVector<double>> multivector;
  Teuchos::RCP<tpetra::Vector<double>> uneven_vector;
  mutable tpetra::GhostedVector<double> ghosted_vector;
};

using VectorCall = memory_ends::Call<Vectors>;
const std::vector<VectorCall> calls_with_vectors = {
    {"import_vector by a layout", [](const Vectors& with) { tpetra::import_vector<double>(with.blocks, with.layout); }},
    {"import_multivector by a layout",
     [](const Vectors& with) { tpetra::import_multivector<double>(with.columns, with.columns_layout); }},
    {"PaddedVector",
     [](const Vectors& with) { tpetra::PaddedVector<double>(with.padded, with.padded_vector.array_map()); }},
    {"importer", [](const Vectors& with) { with.padded_vector.array_map().importer(); }},
    {"update_padding", [](const Vectors& with) { with.padded_vector.update_padding(); }},
    {"sum_padding", [](const Vectors& with) { with.padded_vector.sum_padding(); }},
    {"update_ghosts", [](const Vectors& with) { with.ghosted_vector.update_ghosts(); }},
    {"sum_ghosts", [](const Vectors& with) { with.ghosted_vector.sum_ghosts(); }},
    {"export_ghosted",
     [](const Vectors& with) {
       tpetra::export_ghosted(with.ghosted_vector.overlap(), with.ghosted_vector.owned()->getMap());
     }},
    {"export_array by a layout", [](const Vectors& with) { tpetra::export_array(with.vector, with.layout); }},
    {"export_array of a MultiVector by a layout",
     [](const Vectors& with) { tpetra::export_array(with.multivector, with.columns_layout, Copy::always); }},
    {"export_array by a padded layout",
     [](const Vectors& with) { tpetra::export_array(with.padded_vector.overlap(), with.padded_vector.array_map()); }},
    {"export_array", [](const Vectors& with) { tpetra::export_array(with.vector); }},
    {"export_array of uneven blocks",
     [](const Vectors& with) { tpetra::export_array(with.uneven_vector, tpetra::Reshape{}, Copy::always); }},
    {"export_array of a list", [](const Vectors& with) { tpetra::export_array(with.listed); }},
    {"export_array of a MultiVector", [](const Vectors& with) { tpetra::export_array(with.multivector); }},
    {"dim_data", [](const Vectors& with) { tpetra::dim_data(*with.uneven_vector->getMap()); }}};

// The ends of a plan.
struct Ends : Arrays {
  explicit Ends(MPI_Comm with)
      : Arrays(with),
        line(Teuchos::rcp(new tpetra::Vector<double>(tpetra::make_map(blocks, comm)))),
        list(Teuchos::rcp(new tpetra::Vector<double>(tpetra::make_map(dealt_out, comm)))),
        placed(Distribution::make({rows}, {block()}, {on::processes(comm)})) {}

  Teuchos::RCP<tpetra::Vector<double>> line, list;
  redistribute::PlacedDistribution placed;
};

tpetra::RedistributeOptions plan_reordered() {
  tpetra::RedistributeOptions options;
  options.reorder = true;
  return options;
}

using PlanCall = memory_ends::Call<Ends>;
const std::vector<PlanCall> calls_with_plans = {
    {"plan_to", [](const Ends& with) { tpetra::plan_to(with.line->getMap(), with.placed, 8); }},
    {"plan_to a list", [](const Ends& with) { tpetra::plan_to(with.list->getMap(), with.placed, 8); }},
    {"plan_from", [](const Ends& with) { tpetra::plan_from(with.list->getMap(), with.placed, 8); }},
    {"redistribute_to",
     [](const Ends& with) { tpetra::redistribute_to<double>(with.line->getMap(), with.turned, plan_reordered()); }},
    {"redistribute_from", [](const Ends& with) { tpetra::redistribute_from(with.line, with.placed); }}};

class TpetraMemoryEnds : public testing::Test {
 protected:
  TpetraMemoryEnds() {
    is_ours();  // libgcc allocates in the first one
    memory_meter::counts = is_ours;
  }
  ~TpetraMemoryEnds() override { memory_meter::counts = nullptr; }
};

TEST_F(TpetraMemoryEnds, NoProcessWaitsInCallsThatMakeMaps) { memory_ends::expect_no_wait(calls_with_arrays); }

TEST_F(TpetraMemoryEnds, NoProcessWaitsInCallsWithVectors) { memory_ends::expect_no_wait(calls_with_vectors); }

TEST_F(TpetraMemoryEnds, NoProcessWaitsInPlansToAndFromVectors) { memory_ends::expect_no_wait(calls_with_plans); }

}  // namespace
