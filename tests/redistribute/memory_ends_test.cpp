#include "support/memory_ends.hpp"

#include "support/parts.hpp"
#include <tridap/infer/infer_dim_data.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/mpi/write_capture.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/ids.hpp>
#include <tridap/redistribute/redistribution.hpp>

// Memory ends on one process at each allocation that is as large as data, of each collective call: nobody waits for
// ever. Calls that allocate nothing of this size are left out.
namespace {

using namespace tridap;

constexpr Index each = 3000;  // elements of a process, 24 KB

DistArray part_of(const Distribution& distribution, MPI_Comm comm) { return on::part_of(distribution, on::rank(comm)); }

Distribution dealt(const AxisSpec& spec, MPI_Comm comm) {
  const Index processes = on::processes(comm);
  return Distribution::make({processes * each}, {spec}, {processes});
}

Distribution listed(MPI_Comm comm) {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(on::processes(comm)));
  for (Index i = 0; i < on::processes(comm) * each; ++i)
    lists[static_cast<std::size_t>(i * 5 % on::processes(comm))].push_back(i);
  return Distribution::make({on::processes(comm) * each}, {unstructured(lists, true)}, {on::processes(comm)});
}

// A call, and what it is made with, which does not count.
struct Case {
  explicit Case(MPI_Comm with)
      : comm(with),
        blocks(dealt(block(), comm)),
        dealt_out(dealt(cyclic(), comm)),
        padded(dealt(padded_block(1), comm)),
        lists(listed(comm)),
        of_blocks(part_of(blocks.distribution(), comm)),
        of_dealt(part_of(dealt_out.distribution(), comm)),
        of_padded(part_of(padded.distribution(), comm)),
        of_lists(part_of(lists.distribution(), comm)),
        of_records(of_blocks) {
    of_records.buffer.type = {ElementType::Kind::opaque, 8, true, "a description that is too long to be held in place"};
    for (Index i = 0; i < each; ++i)
      ids.push_back((on::rank(comm) + i * on::processes(comm) + 1) % (on::processes(comm) * each));
  }
  ~Case() { std::remove(capture.c_str()); }
  Case(const Case&) = delete;
  GlobalIds own_ids() const { return {static_cast<Index>(ids.size()), ids.data(), 0}; }

  MPI_Comm comm;
  redistribute::PlacedDistribution blocks, dealt_out, padded, lists;
  DistArray of_blocks, of_dealt, of_padded, of_lists, of_records;
  std::vector<Index> ids;
  std::string capture = "/tmp/tridap-memory-ends-" + std::to_string(getppid());  // one name for all processes
};

using Call = memory_ends::Call<Case>;

const std::vector<Call> calls = {
    {"check lists", [](const Case& with) { mpi::check(with.of_lists, with.comm); }},
    {"gather lists", [](const Case& with) { mpi::gather_distribution(with.of_lists, with.comm); }},
    {"write_capture", [](const Case& with) { mpi::write_capture(with.of_lists, with.capture, with.comm); }},
    {"infer_dim_data of a shape",
     [](const Case& with) {
       infer::InferenceHints hints;
       mpi::collectively(with.comm, [&] {
         hints = {std::vector<Index>{on::processes(with.comm) * each}, {}, Order::row_major, 0};
       });
       infer::infer_dim_data(with.own_ids(), with.comm, hints);
     }},
    {"infer_dim_data", [](const Case& with) { infer::infer_dim_data(with.own_ids(), with.comm); }},
    {"start and wait",
     [](const Case& with) {
       redistribute::Redistribution plan(with.lists, with.dealt_out, 8, with.comm);
       std::vector<redistribute::Move> moves;
       mpi::collectively(with.comm, [&] { moves = {{with.of_lists, with.of_dealt}, {with.of_lists, with.of_dealt}}; });
       plan.start(std::move(moves));
       plan.wait();
     }},
    {"to_ids", [](const Case& with) { redistribute::to_ids(with.blocks, with.own_ids(), 8, with.comm).reversed(); }},
    {"from_ids", [](const Case& with) { redistribute::from_ids(with.own_ids(), with.blocks, 8, with.comm); }},
    {"gather the whole", [](const Case& with) { redistribute::gather(with.of_padded, with.comm); }},
    {"allgather", [](const Case& with) { redistribute::allgather(with.of_lists, with.comm); }},
    {"scatter",
     [](const Case& with) {
       const DistArray whole = redistribute::gather(with.of_blocks, with.comm);
       redistribute::scatter(whole, with.dealt_out.distribution(), with.comm);
     }},
    {"scatter records", [](const Case& with) {
       const DistArray whole = redistribute::gather(with.of_records, with.comm);
       redistribute::scatter(whole, with.dealt_out.distribution(), with.comm);
     }}};

TEST(MemoryEnds, NoProcessWaitsForOneWithoutMemory) { memory_ends::expect_no_wait(calls); }

}  // namespace
