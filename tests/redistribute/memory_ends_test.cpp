#include "support/memory_meter.hpp"
#include <tridap/infer/infer_dim_data.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/allocate_shared.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/ids.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/redistribute/relabel.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

// Memory ends on one process at each allocation of each collective call: nobody waits for ever.
namespace {

using namespace tridap;

constexpr unsigned most_seconds = 20;  // of one call; it takes less than a millisecond

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

DistArray part_of(const Distribution& distribution, MPI_Comm comm) {
  const Index process = rank_in(comm);
  DistArray part;
  part.dim_data = distribution.dim_data(process);
  part.buffer = allocate(element_type<double>(), distribution.local_shape(process));
  return part;
}

Distribution dealt(const AxisSpec& spec, MPI_Comm comm) {
  const Index processes = size_of(comm);
  return Distribution::make({processes * 6}, {spec}, {processes});
}

Distribution listed(MPI_Comm comm) {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(size_of(comm)));
  for (Index i = 0; i < size_of(comm) * 6; ++i) lists[static_cast<std::size_t>(i * 5 % size_of(comm))].push_back(i);
  return Distribution::make({size_of(comm) * 6}, {unstructured(lists, true)}, {size_of(comm)});
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
        rows(Distribution::make({size_of(comm), 3}, {block(), whole()}, {size_of(comm), 1})),
        columns(Distribution::make({3, size_of(comm)}, {block(), whole()}, {size_of(comm), 1})),
        of_records(of_blocks),
        of_padded_records(of_padded) {
    for (DistArray* const array : {&of_records, &of_padded_records})
      array->buffer.type = {ElementType::Kind::opaque, 8, true, "a description that is too long to be held in place"};
    for (Index i = 0; i < 6; ++i) ids.push_back((rank_in(comm) + i * size_of(comm) + 1) % (size_of(comm) * 6));
    wrong = of_blocks;
    if (rank_in(comm) == 0) std::get<Block>(wrong.dim_data[0].dist).stop += 1;
  }
  GlobalIds own_ids() const { return {static_cast<Index>(ids.size()), ids.data(), 0}; }

  MPI_Comm comm;
  redistribute::PlacedDistribution blocks, dealt_out, padded, lists;
  DistArray of_blocks, of_dealt, of_padded, of_lists, wrong;
  redistribute::PlacedDistribution rows, columns;
  DistArray of_records, of_padded_records;
  std::vector<Index> ids;
};

void move(const Case& with, redistribute::Path path) {
  redistribute::Options options;
  options.path = path;
  redistribute::Redistribution plan(with.blocks, with.dealt_out, 8, with.comm, options);
  plan(with.of_blocks, with.of_dealt);
}

struct Call {
  const char* name;
  void (*call)(const Case&);
};

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
       mpi::min_max({1, rank_in(with.comm)}, with.comm);
     }},
    {"exchange",
     [](const Case& with) {
       std::vector<Message> parcels;
       mpi::collectively(with.comm, [&] {
         for (Index to = 0; to < size_of(with.comm); ++to) parcels.push_back({rank_in(with.comm), to, {1, 2, 3}});
       });
       mpi::MpiCollectives(with.comm).exchange(std::move(parcels));
     }},
    {"check", [](const Case& with) { mpi::check(with.of_padded, with.comm); }},
    {"check lists", [](const Case& with) { mpi::check(with.of_lists, with.comm); }},
    {"check what is wrong", [](const Case& with) { mpi::check(with.wrong, with.comm); }},
    {"check trusting extents", [](const Case& with) { mpi::check(with.of_padded, with.comm, Reading{true}); }},
    {"gather", [](const Case& with) { mpi::gather_distribution(with.of_padded, with.comm); }},
    {"gather lists", [](const Case& with) { mpi::gather_distribution(with.of_lists, with.comm); }},
    {"gather what is wrong", [](const Case& with) { mpi::gather_distribution(with.wrong, with.comm); }},
    {"infer_dim_data of a shape",
     [](const Case& with) {
       infer::InferenceHints hints;
       mpi::collectively(with.comm, [&] {
         hints = {std::vector<Index>{size_of(with.comm) * 6}, {}, Order::row_major, 0};
       });
       infer::infer_dim_data(with.own_ids(), with.comm, hints);
     }},
    {"infer_dim_data", [](const Case& with) { infer::infer_dim_data(with.own_ids(), with.comm); }},
    {"allocate_shared", [](const Case& with) { mpi::allocate_shared(element_type<double>(), {100}, with.comm); }},
    {"move", [](const Case& with) { move(with, redistribute::Path::automatic); }},
    {"move by messages", [](const Case& with) { move(with, redistribute::Path::messages); }},
    {"move to what is made",
     [](const Case& with) {
       redistribute::Redistribution plan(with.blocks, with.dealt_out, 8, with.comm);
       plan(with.of_blocks);
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

char doing[200];

extern "C" void waited_too_long(int) {
  std::fprintf(stderr, "a process still waits: %s\n", doing);
  std::_Exit(1);
}

// Whether the call throws here, where memory ends on one process after so many allocations. `ended`: it did.
bool throws(const Call& call, const Case& with, int failing, long allocations, bool& ended) {
  const bool here = rank_in(with.comm) == failing;
  memory_meter::allocations_left = here ? allocations : -1;
  bool thrown = false;
  try {
    call.call(with);
  } catch (const std::exception&) {
    thrown = true;
  }
  ended = here && memory_meter::allocations_left <= (memory_meter::ends_for_good ? 0 : -1);
  memory_meter::allocations_left = -1;
  return thrown;
}

void expect_no_wait(const Call& call, int failing, bool for_good) {
  const int all = size_of(MPI_COMM_WORLD);
  bool over = false;
  for (long allocations = 0; !over; ++allocations) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    {
      const Case with(comm);
      std::snprintf(doing, sizeof(doing), "%s, rank %d has memory for %ld allocations%s", call.name, failing,
                    allocations, for_good ? "" : ", and then again");
      memory_meter::ends_for_good = for_good;
      alarm(most_seconds);
      bool ended = false;
      int thrown = throws(call, with, failing, allocations, ended) ? 1 : 0, sum = 0, any = ended ? 1 : 0;
      MPI_Allreduce(&thrown, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      alarm(0);
      EXPECT_TRUE(sum == 0 || sum == all) << doing << ": " << sum << " processes threw";
      over = any == 0;
    }
    MPI_Comm_free(&comm);
  }
}

TEST(MemoryEnds, NobodyWaitsForWhoHasNone) {
  std::signal(SIGALRM, waited_too_long);
  const char* const only = std::getenv("TRIDAP_TEST_CALL");
  for (const Call& call : calls)
    for (const int failing : {0, size_of(MPI_COMM_WORLD) - 1})
      for (const bool for_good : {false, true})
        if (only == nullptr || std::string(call.name) == only) expect_no_wait(call, failing, for_good);
}

}  // namespace
