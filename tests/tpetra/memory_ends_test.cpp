#include "support/memory_ends.hpp"

#include "support/parts.hpp"
#include <tridap/make.hpp>
#include <tridap/tpetra.hpp>

#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

// Memory ends on one process at each allocation that is as large as an array in each collective call: nobody waits for
// ever. What Trilinos itself allocates does not count: between its own messages nothing of ours can guard it.
namespace {

using namespace tridap;
using tpetra::ArrayMap;
using tpetra::ArrayMapOptions;

constexpr Index rows_of_each = 600;             // of the arrays on each process
constexpr std::size_t as_large_as_data = 4000;  // bytes: less than a number for each row

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
  DistArray part = on::part_of(distribution, process);
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

struct Arrays {
  explicit Arrays(MPI_Comm with)
      : comm(with),
        rows(rows_of_each * on::processes(comm)),
        blocks(dealt({rows}, {block()}, comm)),
        uneven(dealt({rows - 1}, {block(rows_of_each + 1)}, comm)),
        dealt_out(dealt({rows}, {cyclic()}, comm)),
        padded(dealt({rows, 4}, {padded_block(1), padded_block(1, true)}, comm)),
        columns(column_major(dealt({rows, 3}, {block(), whole()}, comm))),
        table(dealt({rows, 3}, {cyclic(), whole()}, comm)),
        turned(blocks) {
    uneven.dim_data[0].extras.push_back({"unit", "\"m\""});
    const Distribution all = Distribution::make({rows}, {block()}, {on::processes(comm)});
    turned.dim_data = all.dim_data(on::processes(comm) - 1 - on::rank(comm));
    const tpetra::Communicator kept(comm);  // has made what it makes once
  }

  MPI_Comm comm;
  Index rows;
  DistArray blocks, uneven, dealt_out, padded, columns, table, turned;
};

ArrayMapOptions with_vectors() {
  ArrayMapOptions options;
  options.vectors_axis = 1;
  return options;
}

using ArrayCall = memory_ends::Call<Arrays>;
const std::vector<ArrayCall> calls_with_arrays = {
    {"import_vector of a copy",
     [](const Arrays& with) { tpetra::import_vector<double>(with.dealt_out, with.comm, Copy::always); }},
    {"import_multivector of a copy",
     [](const Arrays& with) { tpetra::import_multivector<double>(with.columns, with.comm, Copy::always); }},
    {"import_block_vector of a copy",
     [](const Arrays& with) { tpetra::import_block_vector<double>(with.table, with.comm, Copy::always); }},
    {"import_padded", [](const Arrays& with) { tpetra::import_padded<double>(with.blocks, with.comm, Copy::always); }}};

// What is in Tpetra already.
struct Vectors : Arrays {
  explicit Vectors(MPI_Comm with)
      : Arrays(with),
        layout(blocks, comm),
        columns_layout(columns, comm, with_vectors()),
        padded_vector(tpetra::import_padded<double>(padded, comm)),
        multivector(tpetra::import_multivector<double>(columns, columns_layout).multivector),
        uneven_vector(tpetra::import_vector<double>(uneven, comm).vector) {}

  ArrayMap layout, columns_layout;
  mutable tpetra::PaddedVector<double> padded_vector;
  Teuchos::RCP<tpetra::MultiVector<double>> multivector;
  Teuchos::RCP<tpetra::Vector<double>> uneven_vector;
};

using VectorCall = memory_ends::Call<Vectors>;
const std::vector<VectorCall> calls_with_vectors = {
    {"import_vector of a copy by a layout",
     [](const Vectors& with) { tpetra::import_vector<double>(with.blocks, with.layout, Copy::always); }},
    {"importer", [](const Vectors& with) { with.padded_vector.array_map().importer(); }},
    {"update_padding", [](const Vectors& with) { with.padded_vector.update_padding(); }},
    {"sum_padding", [](const Vectors& with) { with.padded_vector.sum_padding(); }},
    {"export_array of a MultiVector by a layout",
     [](const Vectors& with) { tpetra::export_array(with.multivector, with.columns_layout, Copy::always); }},
    {"export_array of uneven blocks",
     [](const Vectors& with) { tpetra::export_array(with.uneven_vector, tpetra::Reshape{}, Copy::always); }}};

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
    memory_meter::least_bytes = as_large_as_data;
  }
  ~TpetraMemoryEnds() override {
    memory_meter::counts = nullptr;
    memory_meter::least_bytes = 0;
  }
};

TEST_F(TpetraMemoryEnds, NoProcessWaitsInImportsOfCopies) { memory_ends::expect_no_wait(calls_with_arrays); }

TEST_F(TpetraMemoryEnds, NoProcessWaitsInCallsWithVectors) { memory_ends::expect_no_wait(calls_with_vectors); }

TEST_F(TpetraMemoryEnds, NoProcessWaitsInPlansToAndFromVectors) { memory_ends::expect_no_wait(calls_with_plans); }

}  // namespace
