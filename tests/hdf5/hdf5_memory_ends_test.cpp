#include "hdf5_support.hpp"
#include "support/memory_ends.hpp"

#include <optional>

// Memory ends on one process at each allocation of what is as large as data: every process throws or none, and none
// waits for ever. A process that has no memory for anything smaller ends the job. What HDF5 and MPI allocate themselves
// does not end.
namespace {

using namespace hdf5_test;

constexpr Index length = 1024;  // elements of an array on each process

struct Case {
  explicit Case(MPI_Comm with)
      : comm(with),
        file(with),
        columns(Distribution::make({on::processes(with), length}, {tridap::block(), tridap::whole()},
                                   {on::processes(with), 1})),
        lists(Distribution::make({length * on::processes(with)}, {tridap::unstructured(dealt(with))},
                                 {on::processes(with)})) {
    for (auto [array, distribution] : {std::pair(&in_columns, &columns), std::pair(&listed, &lists)}) {
      array->buffer = tridap::allocate(tridap::element_type<double>(),
                                       tridap::IndexList(distribution->local_shape(on::rank(with))));
      array->dim_data = distribution->dim_data(on::rank(with));
    }
    h5::save(file.path(), {{"a", in_columns}, {"lists", listed}}, comm);
    stored.emplace(h5::find(file.path(), "lists", comm));
  }

  // Descending, so that elements pass through memory of our own.
  static std::vector<List> dealt(MPI_Comm comm) {
    std::vector<List> lists(static_cast<std::size_t>(on::processes(comm)));
    for (Index i = length * on::processes(comm); i-- > 0;)
      lists[static_cast<std::size_t>(i % on::processes(comm))].push_back(i);
    return lists;
  }

  MPI_Comm comm;
  TemporaryFile file;
  Distribution columns, lists;
  DistArray in_columns, listed;
  std::optional<h5::Stored> stored;
};

using Call = memory_ends::Call<Case>;
const std::vector<Call> calls = {
    {"save of lists",
     [](const Case& with) {
       h5::save(with.file.path(), {{"a", with.listed, with.lists}}, with.comm);
     }},
    {"load", [](const Case& with) { h5::load(with.file.path(), "a", with.comm); }},
    {"load of lists", [](const Case& with) { h5::load(with.file.path(), "lists", with.comm, with.lists); }},
    {"load_into", [](const Case& with) {
       h5::load_into(with.listed.buffer, with.file.path(), *with.stored, with.lists, with.comm);
     }}};

TEST(Hdf5MemoryEnds, NoProcessWaitsForOneWithoutMemory) {
  memory_meter::least_bytes = length * sizeof(double);
  memory_ends::expect_no_wait(calls);
}

}  // namespace
