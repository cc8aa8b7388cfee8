#include "tpetra/support.hpp"

#include <limits>
#include <set>

using namespace tpetra_test;
using oracle::List;
using tridap::Copy;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::ArrayMapOptions;
using tridap::tpetra::export_array;

// Whatever one process brings to a collective call, all processes throw the same text, and none waits for ever:
// mpiexec's limit on time would end the test.
namespace {

constexpr Index huge = std::numeric_limits<Index>::max();

struct Fault {
  const char* name;
  std::function<void(tridap::DistArray&)> make;
  bool beside = false;  // the dim_data alone are right
};

tridap::Block& block(tridap::DistArray& array, std::size_t axis) {
  return std::get<tridap::Block>(array.dim_data[axis].dist);
}

std::vector<Fault> faults() {
  using Array = tridap::DistArray;
  return {
      {"nothing at all", [](Array& a) { a = {}; }},
      {"no dim_data", [](Array& a) { a.dim_data.clear(); }},
      {"one axis too few", [](Array& a) { a.dim_data.pop_back(); }},
      {"no version", [](Array& a) { a.version.clear(); }, true},
      {"a version of tomorrow", [](Array& a) { a.version = "1.0.0"; }, true},
      {"a stop too far", [](Array& a) { block(a, 1).stop += 1; }},
      {"a negative start", [](Array& a) { block(a, 1).start = std::numeric_limits<Index>::min(); }},
      {"a huge stop", [](Array& a) { block(a, 1).stop = huge; }},
      {"another size", [](Array& a) { a.dim_data[1].size += 1; }},
      {"a huge size", [](Array& a) { a.dim_data[1].size = huge; }},
      {"a negative size", [](Array& a) { a.dim_data[0].size = -1; }},
      {"no processes", [](Array& a) { a.dim_data[0].proc_grid_size = 0; }},
      {"more processes than there are", [](Array& a) { a.dim_data[0].proc_grid_size = huge; }},
      {"a process that is not there", [](Array& a) { a.dim_data[0].proc_grid_rank = huge; }},
      {"huge padding",
       [](Array& a) {
         block(a, 1).padding = std::array<Index, 2>{huge, huge};
       }},
      {"negative padding",
       [](Array& a) {
         block(a, 1).padding = std::array<Index, 2>{-1, 0};
       }},
      {"a block of nothing", [](Array& a) { std::get<tridap::Cyclic>(a.dim_data[0].dist).block_size = 0; }},
      {"a huge block",
       [](Array& a) {
         a.dim_data[0].dist = tridap::Cyclic{1, huge};
       }},
      {"another kind",
       [](Array& a) {
         a.dim_data[1].dist = tridap::Cyclic{1, 7};
       }},
      {"indices that are nowhere",
       [](Array& a) {
         tridap::Buffer indices = tridap::allocate(tridap::element_type<Index>(), {3});
         indices.data = nullptr;
         a.dim_data[1].dist = tridap::Unstructured{indices, false};
       }},
      {"an uninitialised element type", [](Array& a) { a.buffer.type = {}; }, true},
      {"elements of negative length", [](Array& a) { a.buffer.type.bytes = -8; }, true},
      {"elements at no address", [](Array& a) { a.buffer.data = nullptr; }, true},
      {"no shape", [](Array& a) { a.buffer.shape.clear(); }, true},
      {"no strides", [](Array& a) { a.buffer.strides.clear(); }, true},
      {"a shape too many", [](Array& a) { a.buffer.shape.push_back(1); }, true},
      {"another extent", [](Array& a) { a.buffer.shape[0] += 1; }, true},
      {"a negative extent", [](Array& a) { a.buffer.shape[1] = -3; }, true},
      {"a huge extent", [](Array& a) { a.buffer.shape[1] = huge; }, true},
      {"huge strides",
       [](Array& a) {
         a.buffer.strides = {huge, huge};
       },
       true},
  };
}

// Each axis distributed or not, so that every call has an array it would take; column-major, for the MultiVectors.
oracle::Array good() { return oracle::Array({oracle::cyclic(2 * processes(), 1, processes()), oracle::block({3})}); }

tridap::DistArray good_part() {
  tridap::DistArray part = stamped(good());
  part.buffer.strides = tridap::column_major_strides(part.buffer.shape, 8);
  return part;
}

ArrayMapOptions with(bool reorder, std::optional<Index> vectors_axis = {}) {
  ArrayMapOptions options;
  options.reorder = reorder;
  options.vectors_axis = vectors_axis;
  return options;
}

struct Call {
  const char* name;
  std::function<void(const tridap::DistArray&)> make;
};

std::vector<Call> calls_with_a_communicator() {
  using Array = tridap::DistArray;
  std::vector<Call> calls;
  for (const bool reorder : {false, true}) {
    calls.push_back({"ArrayMap", [=](const Array& a) { ArrayMap(a, MPI_COMM_WORLD, with(reorder)); }});
    calls.push_back({"ArrayMap of vectors", [=](const Array& a) { ArrayMap(a, MPI_COMM_WORLD, with(reorder, 1)); }});
    calls.push_back({"make_map", [=](const Array& a) { tridap::tpetra::make_map(a, MPI_COMM_WORLD, with(reorder)); }});
    calls.push_back({"import_padded", [=](const Array& a) {
                       tridap::tpetra::import_padded<double>(a, MPI_COMM_WORLD, Copy::if_needed, with(reorder));
                     }});
    for (const Copy copy : {Copy::never, Copy::always}) {
      calls.push_back({"import_vector", [=](const Array& a) {
                         tridap::tpetra::import_vector<double>(a, MPI_COMM_WORLD, copy, with(reorder));
                       }});
      calls.push_back({"import_multivector", [=](const Array& a) {
                         tridap::tpetra::import_multivector<double>(a, MPI_COMM_WORLD, copy, with(reorder));
                       }});
    }
    calls.push_back({"import_block_vector", [=](const Array& a) {
                       tridap::tpetra::import_block_vector<double>(a, MPI_COMM_WORLD, Copy::if_needed, with(reorder));
                     }});
  }
  return calls;
}

std::vector<Call> calls_with_a_layout() {
  using Array = tridap::DistArray;
  const ArrayMap layout(good_part(), MPI_COMM_WORLD), vectors(good_part(), MPI_COMM_WORLD, with(false, 1));
  const tridap::tpetra::PaddedArrayMap padded(good_part(), MPI_COMM_WORLD);
  return {{"import_vector", [=](const Array& a) { tridap::tpetra::import_vector<double>(a, layout, Copy::if_needed); }},
          {"import_multivector",
           [=](const Array& a) { tridap::tpetra::import_multivector<double>(a, vectors, Copy::if_needed); }},
          {"PaddedVector", [=](const Array& a) { tridap::tpetra::PaddedVector<double>(a, padded, Copy::if_needed); }}};
}

void expect_refused(const std::vector<Call>& calls) {
  for (const Call& call : calls) {
    tridap::DistArray part = good_part();
    part.buffer.owner.reset();  // somebody else keeps it: no fault
    const auto kept = good_part();
    part.buffer.data = kept.buffer.data;
    call.make(part);
    for (const Fault& fault : faults())
      for (const Index bad : std::set<Index>{0, processes() - 1}) {
        tridap::DistArray given = good_part();
        if (rank() == bad) fault.make(given);
        SCOPED_TRACE(std::string(call.name) + ", " + fault.name + " on rank " + std::to_string(bad));
        refusal([&] { call.make(given); });
      }
  }
}

}  // namespace

TEST(OneBadProcess, FailsEveryProcessInEveryCallThatMakesALayout) { expect_refused(calls_with_a_communicator()); }

TEST(OneBadProcess, FailsEveryProcessInEveryCallThatIsGivenALayout) { expect_refused(calls_with_a_layout()); }

TEST(OneBadProcess, FailsEveryProcessWhereDimDataAloneMakeAMap) {
  for (const bool reorder : {false, true})
    for (const Fault& fault : faults()) {
      if (fault.beside) continue;
      tridap::DistArray few = good_part();
      fault.make(few);
      if (processes() == 1 && few.dim_data.size() < 2) continue;  // another array, and a whole one
      for (Index bad = 0; bad < processes(); ++bad) {
        tridap::DistArray part = good_part();
        if (rank() == bad) fault.make(part);
        SCOPED_TRACE(fault.name);
        refusal([&] { tridap::tpetra::make_map(part.dim_data, MPI_COMM_WORLD, with(reorder)); });
      }
    }
}

TEST(OneBadProcess, FailsEveryProcessInExportsByALayout) {
  const ArrayMap layout(good_part(), MPI_COMM_WORLD), vectors(good_part(), MPI_COMM_WORLD, with(false, 1));
  for (Index bad = 0; bad < processes(); ++bad) {
    auto vector = tridap::tpetra::import_vector<double>(good_part(), layout).vector;
    auto columns = tridap::tpetra::import_multivector<double>(good_part(), vectors).multivector;
    auto blocks = Teuchos::rcp_const_cast<const tridap::tpetra::Vector<double>>(vector);
    if (rank() == bad) vector.reset(), columns.reset(), blocks.reset();
    expect_refused([&] { export_array(vector, layout); }, "(rank " + std::to_string(bad) + ")");
    expect_refused([&] { export_array(columns, vectors, Copy::always); }, "the vector is null");
    expect_refused([&] { export_array(blocks, layout, Copy::if_needed); }, "the vector is null");
  }
}

TEST(OneBadProcess, WithoutAnOwnerIsNoFault) {
  const tridap::DistArray kept = good_part();
  tridap::DistArray part = kept;
  if (rank() == 0) part.buffer.owner.reset();
  const ArrayMap layout(part, MPI_COMM_WORLD);
  const auto imported = tridap::tpetra::import_vector<double>(part, layout);
  EXPECT_TRUE(imported.receipt.shared);
  EXPECT_EQ(export_array(imported.vector, layout).array.buffer.data, kept.buffer.data);
  EXPECT_EQ(export_array(imported.vector).array.buffer.data, kept.buffer.data);
  EXPECT_TRUE(tridap::tpetra::import_padded<double>(part, MPI_COMM_WORLD).receipt().shared);
  EXPECT_TRUE(tridap::tpetra::import_multivector<double>(part, MPI_COMM_WORLD).receipt.shared);
}
