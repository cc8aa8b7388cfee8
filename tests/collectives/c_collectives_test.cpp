#include "collectives/counted.hpp"
#include <tridap/c_array.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/tridap.h>

// C makes as many collectives as C++, or fewer.

namespace {

using counted::Counts;
using counted::part_of;
using counted::second;
using tridap::Distribution;
using tridap::Index;
using tridap::redistribute::Redistribution;

const MPI_Comm world = MPI_COMM_WORLD;

class CollectivesOfC : public counted::OfKind {
 protected:
  CollectivesOfC() {
    EXPECT_EQ(tridap_array_from_dap(tridap::to_c(x).release(), world, &array), TRIDAP_OK) << tridap_message();
    EXPECT_EQ(tridap_distribution_of(array, &layout), TRIDAP_OK);
    const Index shape[] = {distribution.axis(0).size(), 8};
    const int ndim = static_cast<int>(distribution.ndim());
    EXPECT_EQ(tridap_distribute(ndim, shape, ndim == 1 ? "c:3" : "c:3,*", world, nullptr, &other), TRIDAP_OK);
    EXPECT_EQ(tridap_allocate(other, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &target), TRIDAP_OK);
  }
  ~CollectivesOfC() override {
    for (const std::uint64_t each : {array.number, layout.number, other.number, target.number}) tridap_release(each);
  }

  // The collectives of a call that succeeds.
  template <class Call>
  static Counts of(const Call& call) {
    return second([&] { EXPECT_EQ(call(), TRIDAP_OK) << tridap_message(); });
  }

  tridap_array array{}, target{};
  tridap_distribution layout{}, other{};
};

TEST_P(CollectivesOfC, MovesAndPlans) {
  EXPECT_EQ(of([&] {
              tridap_plan plan{};
              const int status = tridap_plan_make(layout, other, TRIDAP_FLOAT64, nullptr, &plan);
              tridap_release(plan.number);
              return status;
            }),
            (Counts{1, 0}));
  tridap_plan plan{};
  ASSERT_EQ(tridap_plan_make(layout, other, TRIDAP_FLOAT64, nullptr, &plan), TRIDAP_OK);
  EXPECT_EQ(of([&] { return tridap_plan_move(plan, array, target, nullptr); }), (Counts{1, 0}));
  EXPECT_EQ(of([&] {
              const int status = tridap_plan_start(plan, array, target, nullptr);
              return status == TRIDAP_OK ? tridap_plan_wait(plan) : status;
            }),
            (Counts{1, 0}));
  const Index n = distribution.axis(0).size();
  const Distribution to =
      distribution.ndim() == 1
          ? Distribution::make({n}, {tridap::cyclic(3)}, {counted::processes()})
          : Distribution::make({n, 8}, {tridap::cyclic(3), tridap::whole()}, {counted::processes(), 1});
  const auto moved = second([&] { Redistribution(distribution, to, 8, world)(x, part_of(to)); });
  EXPECT_EQ(of([&] { return tridap_redistribute_into(array, target, nullptr, nullptr); }), moved);
  tridap_release(plan.number);
}

TEST_P(CollectivesOfC, GathersAndReductions) {
  const auto gathered = second([&] { return tridap::redistribute::gather(x, distribution, world); });
  EXPECT_EQ(of([&] {
              tridap_array whole{};
              const int status = tridap_gather(array, 0, &whole);
              tridap_release(whole.number);
              return status;
            }),
            gathered);
  double result = 0;
  EXPECT_EQ(of([&] { return tridap_sum(array, &result); }), (Counts{1, 0}));
  EXPECT_EQ(of([&] { return tridap_dot(array, array, &result); }), (Counts{1, 0}));
  EXPECT_EQ(of([&] { return tridap_norm(array, &result); }), (Counts{1, 0}));
  EXPECT_EQ(of([&] { return tridap_max(array, &result); }), (Counts{1, 0}));
}

TEST_P(CollectivesOfC, UpdatesAndChecks) {
  EXPECT_EQ(of([&] { return tridap_update_padding(array); }), (Counts{1, 0}));  // the plan is kept
  tridap_padding plan{};
  ASSERT_EQ(tridap_padding_make(1, &array, 0, &plan), TRIDAP_OK) << tridap_message();
  EXPECT_EQ(of([&] {
              const int status = tridap_padding_start(plan);
              return status == TRIDAP_OK ? tridap_padding_wait(plan) : status;
            }),
            (Counts{0, 0}));
  tridap_release(plan.number);

  const auto checked = second([&] { return tridap::mpi::check(x, world); });
  const tridap::CArray given = tridap::to_c(x);
  std::int64_t errors = 0;
  EXPECT_EQ(of([&] { return tridap_check(given.get(), world, &errors, nullptr, 0, nullptr); }), checked);
  const auto made = second([&] { return tridap::mpi::gather_distribution(x, world); });
  EXPECT_EQ(of([&] {
              tridap_array again{};
              const int status = tridap_array_from_dap(tridap::to_c(x).release(), world, &again);
              tridap_release(again.number);
              return status;
            }),
            made);
}

INSTANTIATE_TEST_SUITE_P(, CollectivesOfC, testing::ValuesIn(counted::kinds), counted::name_of);

}  // namespace
