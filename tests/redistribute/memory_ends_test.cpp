#include "support/memory_ends.hpp"

#include <tridap/infer/infer_dim_data.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/allocate_shared.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/mpi/write_capture.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/ids.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/redistribute/relabel_collectively.hpp>

// Memory ends on one process at each allocation of each collective call: nobody waits for ever.
namespace {

using namespace tridap;

DistArray part_of(const Distribution& distribution, MPI_Comm comm) {
  const Index process = on::rank(comm);
  DistArray part;
  part.dim_data = distribution.dim_data(process);
  part.buffer = allocate(element_type<double>(), distribution.local_shape(process));
  return part;
}

// The same part in memory with gaps behind each element.
DistArray strided(const DistArray& array) {
  DistArray part = array;
  std::vector<Index> wider = array.buffer.shape;
  wider.back() *= 2;
  part.buffer = allocate(array.buffer.type, wider);
  part.buffer.shape = array.buffer.shape;
  part.buffer.strides.back() *= 2;
  return part;
}

Distribution dealt(const AxisSpec& spec, MPI_Comm comm) {
  const Index processes = on::processes(comm);
  return Distribution::make({processes * 6}, {spec}, {processes});
}

Distribution listed(MPI_Comm comm) {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(on::processes(comm)));
  for (Index i = 0; i < on::processes(comm) * 6; ++i)
    lists[static_cast<std::size_t>(i * 5 % on::processes(comm))].push_back(i);
  return Distribution::make({on::processes(comm) * 6}, {unstructured(lists, true)}, {on::processes(comm)});
}

// A call, and what it is made with, which does not count.
struct Case {
  explicit Case(MPI_Comm with)
      : comm(with),
        blocks(dealt(block(), comm)),
        dealt_out(dealt(cyclic(), comm)),
        padded(dealt(padded_block(1), comm)),
        lists(listed(comm)),
        of_blocks(part_of(blocks.distribution, comm)),
        of_dealt(part_of(dealt_out.distribution, comm)),
        of_padded(part_of(padded.distribution, comm)),
        of_lists(part_of(lists.distribution, comm)),
        rows(Distribution::make({on::processes(comm), 3}, {block(), whole()}, {on::processes(comm), 1})),
        columns(Distribution::make({3, on::processes(comm)}, {block(), whole()}, {on::processes(comm), 1})),
        rows_turned(Distribution::make({on::processes(comm), 3}, {cyclic(1, on::processes(comm) - 1), whole()},
                                       {on::processes(comm), 1})),
        of_rows(part_of(rows.distribution, comm)),
        of_rows_turned(part_of(rows_turned.distribution, comm)),
        of_rows_strided(strided(of_rows)),
        of_rows_turned_strided(strided(of_rows_turned)),
        of_records(of_blocks),
        of_padded_records(of_padded) {
    for (DistArray* const array : {&of_records, &of_padded_records})
      array->buffer.type = {ElementType::Kind::opaque, 8, true, "a description that is too long to be held in place"};
    for (Index i = 0; i < 6; ++i)
      ids.push_back((on::rank(comm) + i * on::processes(comm) + 1) % (on::processes(comm) * 6));
    wrong = of_blocks;
    if (on::rank(comm) == 0) std::get<Block>(wrong.dim_data[0].dist).stop += 1;
  }
  ~Case() { std::remove(capture.c_str()); }
  Case(const Case&) = delete;
  GlobalIds own_ids() const { return {static_cast<Index>(ids.size()), ids.data(), 0}; }

  MPI_Comm comm;
  redistribute::PlacedDistribution blocks, dealt_out, padded, lists;
  DistArray of_blocks, of_dealt, of_padded, of_lists, wrong;
  redistribute::PlacedDistribution rows, columns;
  redistribute::PlacedDistribution rows_turned;
  DistArray of_rows, of_rows_turned, of_rows_strided, of_rows_turned_strided;
  DistArray of_records, of_padded_records;
  std::vector<Index> ids;
  std::string capture = "/tmp/tridap-memory-ends-" + std::to_string(getppid());  // one name for all processes
};

void move(const Case& with, redistribute::Path path) {
  redistribute::Options options;
  options.path = path;
  redistribute::Redistribution plan(with.blocks, with.dealt_out, 8, with.comm, options);
  plan(with.of_blocks, with.of_dealt);
}

using Call = memory_ends::Call<Case>;

const std::vector<Call> calls = {
    {"throw_together", [](const Case& with) { mpi::throw_together({}, with.comm); }},
    {"agree",
     [](const Case& with) {
       Report report;
       mpi::collectively(with.comm, [&] { report.add({Rule::grid_product, {}, {}, "", "a fault", "", ""}); });
       mpi::agree(std::move(report), with.comm);
     }},
    {"spread",
     [](const Case& with) {
       mpi::min_max({1, on::rank(with.comm)}, with.comm);
     }},
    {"exchange",
     [](const Case& with) {
       std::vector<Message> parcels;
       mpi::collectively(with.comm, [&] {
         for (Index to = 0; to < on::processes(with.comm); ++to)
           parcels.push_back({on::rank(with.comm), to, {1, 2, 3}});
       });
       mpi::MpiCollectives(with.comm).exchange(std::move(parcels));
     }},
    {"check", [](const Case& with) { mpi::check(with.of_padded, with.comm); }},
    {"check lists", [](const Case& with) { mpi::check(with.of_lists, with.comm); }},
    {"check what is wrong", [](const Case& with) { mpi::check(with.wrong, with.comm); }},
    {"check trusting extents", [](const Case& with) { mpi::check(with.of_padded, with.comm, Reading{true}); }},
    {"gather", [](const Case& with) { mpi::gather_distribution(with.of_padded, with.comm); }},
    {"gather lists", [](const Case& with) { mpi::gather_distribution(with.of_lists, with.comm); }},
    {"write_capture", [](const Case& with) { mpi::write_capture(with.of_lists, with.capture, with.comm); }},
    {"gather what is wrong", [](const Case& with) { mpi::gather_distribution(with.wrong, with.comm); }},
    {"infer_dim_data of a shape",
     [](const Case& with) {
       infer::InferenceHints hints;
       mpi::collectively(with.comm, [&] {
         hints = {std::vector<Index>{on::processes(with.comm) * 6}, {}, Order::row_major, 0};
       });
       infer::infer_dim_data(with.own_ids(), with.comm, hints);
     }},
    {"infer_dim_data", [](const Case& with) { infer::infer_dim_data(with.own_ids(), with.comm); }},
    {"allocate_shared", [](const Case& with) { mpi::allocate_shared(element_type<double>(), {100}, with.comm); }},
    {"move", [](const Case& with) { move(with, redistribute::Path::automatic); }},
    {"move by messages", [](const Case& with) { move(with, redistribute::Path::messages); }},
    {"move by derived types", [](const Case& with) { move(with, redistribute::Path::derived_types); }},
    {"move again after a failure",
     [](const Case& with) {
       redistribute::Redistribution plan(with.rows, with.rows_turned, 8, with.comm);
       plan(with.of_rows, with.of_rows_turned);
       plan(with.of_rows_strided, with.of_rows_turned_strided);
       std::vector<redistribute::Move> both;
       mpi::collectively(with.comm, [&] {
         both = {{with.of_rows, with.of_rows_turned}, {with.of_rows_strided, with.of_rows_turned_strided}};
       });
       try {
         plan(both);
       } catch (const std::exception&) {  // on every process
       }
       plan(both);
     }},
    {"move arrays of several layouts",
     [](const Case& with) {
       redistribute::Redistribution plan(with.rows, with.rows_turned, 8, with.comm);
       for (int repeat = 0; repeat < 2; ++repeat) {
         std::vector<redistribute::Move> moves;
         mpi::collectively(with.comm, [&] {
           moves = {{with.of_rows, with.of_rows_turned}, {with.of_rows_strided, with.of_rows_turned_strided}};
         });
         plan(moves);
       }
     }},
    {"move to what is made",
     [](const Case& with) {
       redistribute::Redistribution plan(with.blocks, with.dealt_out, 8, with.comm);
       plan(with.of_blocks);
     }},
    {"move to what is made, again",
     [](const Case& with) {
       redistribute::Redistribution plan(with.blocks, with.dealt_out, 8, with.comm);
       for (int repeat = 0; repeat < 3; ++repeat) plan(with.of_blocks);
     }},
    {"start and wait",
     [](const Case& with) {
       redistribute::Redistribution plan(with.lists, with.dealt_out, 8, with.comm);
       std::vector<redistribute::Move> moves;
       mpi::collectively(with.comm, [&] { moves = {{with.of_lists, with.of_dealt}, {with.of_lists, with.of_dealt}}; });
       plan.start(std::move(moves));
       plan.wait();
     }},
    {"reversed",
     [](const Case& with) {
       redistribute::Redistribution plan(with.blocks, with.dealt_out, 8, with.comm);
       plan.reversed()(with.of_dealt, with.of_blocks);
     }},
    {"reversed of permuted axes",
     [](const Case& with) {
       redistribute::Options options;
       mpi::collectively(with.comm, [&] { options.mapping.axes = {1, 0}; });
       redistribute::Redistribution(with.rows, with.columns, 8, with.comm, options).reversed();
     }},
    {"move records to what is made",
     [](const Case& with) {
       redistribute::Redistribution(with.blocks, with.dealt_out, 8, with.comm)(with.of_records);
     }},
    {"to_ids", [](const Case& with) { redistribute::to_ids(with.blocks, with.own_ids(), 8, with.comm).reversed(); }},
    {"from_ids", [](const Case& with) { redistribute::from_ids(with.own_ids(), with.blocks, 8, with.comm); }},
    {"gather the whole", [](const Case& with) { redistribute::gather(with.of_padded, with.comm); }},
    {"allgather", [](const Case& with) { redistribute::allgather(with.of_lists, with.comm); }},
    {"scatter",
     [](const Case& with) {
       const DistArray whole = redistribute::gather(with.of_blocks, with.comm);
       redistribute::scatter(whole, with.dealt_out.distribution, with.comm);
     }},
    {"scatter records",
     [](const Case& with) {
       const DistArray whole = redistribute::gather(with.of_records, with.comm);
       redistribute::scatter(whole, with.dealt_out.distribution, with.comm);
     }},
    {"update_padding of records",
     [](const Case& with) { redistribute::update_padding(with.of_padded_records, with.comm); }},
    {"update_padding", [](const Case& with) { redistribute::update_padding(with.of_padded, with.comm); }},
    {"relabel", [](const Case& with) {
       auto made = redistribute::relabel_collectively(with.blocks, with.dealt_out, 8, with.comm);
       MPI_Comm_free(&made.comm);
     }}};

TEST(MemoryEnds, NoProcessWaitsForOneWithoutMemory) { memory_ends::expect_no_wait(calls); }

}  // namespace
