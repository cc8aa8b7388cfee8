#include "calls.hpp"

#include <functional>

using namespace c;

namespace {

// Each process but one makes a call as it should be; the last one gives handles that are wrong.
struct Wrong {
  Field rows{{12, 10}, "b,*"}, columns{{12, 10}, "*,b"};
  tridap_plan plan{};
  tridap_array out{};
  bool here = rank() == processes() - 1;

  Wrong() { EXPECT_EQ(tridap_plan_make(rows.layout, columns.layout, TRIDAP_FLOAT64, nullptr, &plan), TRIDAP_OK); }
  ~Wrong() { tridap_release(plan.number); }
};

using Call = std::function<int(Wrong&, tridap_array, tridap_plan, tridap_distribution)>;

const std::pair<const char*, Call> calls[] = {
    {"update_padding",
     [](Wrong&, tridap_array a, tridap_plan, tridap_distribution) { return tridap_update_padding(a); }},
    {"sum_padding", [](Wrong&, tridap_array a, tridap_plan, tridap_distribution) { return tridap_sum_padding(a); }},
    {"padding_make",
     [](Wrong&, tridap_array a, tridap_plan, tridap_distribution) {
       tridap_padding made{};
       return tridap_padding_make(1, &a, 0, &made);
     }},
    {"gather", [](Wrong& w, tridap_array a, tridap_plan, tridap_distribution) { return tridap_gather(a, 0, &w.out); }},
    {"allgather",
     [](Wrong& w, tridap_array a, tridap_plan, tridap_distribution) { return tridap_allgather(a, &w.out); }},
    {"gather_into",
     [](Wrong&, tridap_array a, tridap_plan, tridap_distribution) {
       std::vector<double> all(120);
       tridap_memory memory{};
       memory.data = all.data();
       memory.type = TRIDAP_FLOAT64;
       return tridap_gather_into(a, 0, rank() == 0 ? &memory : nullptr);
     }},
    {"scatter",
     [](Wrong&, tridap_array a, tridap_plan, tridap_distribution) {
       std::vector<double> all(120);
       tridap_memory memory{};
       memory.data = all.data();
       memory.type = TRIDAP_FLOAT64;
       return tridap_scatter(rank() == 0 ? &memory : nullptr, 0, a);
     }},
    {"sum",
     [](Wrong&, tridap_array a, tridap_plan, tridap_distribution) {
       double result = 0;
       return tridap_sum(a, &result);
     }},
    {"dot",
     [](Wrong& w, tridap_array a, tridap_plan, tridap_distribution) {
       double result = 0;
       return tridap_dot(w.rows.array, a, &result);
     }},
    {"norm",
     [](Wrong&, tridap_array a, tridap_plan, tridap_distribution) {
       double result = 0;
       return tridap_norm(a, &result);
     }},
    {"max",
     [](Wrong&, tridap_array a, tridap_plan, tridap_distribution) {
       double result = 0;
       return tridap_max(a, &result);
     }},
    {"redistribute", [](Wrong& w, tridap_array a, tridap_plan,
                        tridap_distribution to) { return tridap_redistribute(a, to, nullptr, &w.out); }},
    {"redistribute_into",
     [](Wrong& w, tridap_array a, tridap_plan, tridap_distribution) {
       return tridap_redistribute_into(a, w.columns.array, nullptr, nullptr);
     }},
    {"plan_make",
     [](Wrong& w, tridap_array, tridap_plan, tridap_distribution to) {
       tridap_plan made{};
       return tridap_plan_make(w.rows.layout, to, TRIDAP_FLOAT64, nullptr, &made);
     }},
    {"plan_move", [](Wrong& w, tridap_array a, tridap_plan,
                     tridap_distribution) { return tridap_plan_move(w.plan, a, w.columns.array, nullptr); }},
    {"plan_move without a plan",
     [](Wrong& w, tridap_array, tridap_plan p, tridap_distribution) {
       return tridap_plan_move(p, w.rows.array, w.columns.array, nullptr);
     }},
    {"plan_new",
     [](Wrong& w, tridap_array a, tridap_plan, tridap_distribution) { return tridap_plan_new(w.plan, a, &w.out); }},
    {"plan_new without room for its result",
     [](Wrong& w, tridap_array, tridap_plan, tridap_distribution) {
       return tridap_plan_new(w.plan, w.rows.array, w.here ? nullptr : &w.out);
     }},
    {"plan_start", [](Wrong& w, tridap_array a, tridap_plan,
                      tridap_distribution) { return tridap_plan_start(w.plan, a, w.columns.array, nullptr); }},
    {"plan_reversed",
     [](Wrong&, tridap_array, tridap_plan p, tridap_distribution) {
       tridap_plan back{};
       return tridap_plan_reversed(p, &back);
     }},
    {"write_capture",
     [](Wrong&, tridap_array a, tridap_plan, tridap_distribution) { return tridap_write_capture(a, "never.json"); }},
    {"ghosts_make",
     [](Wrong& w, tridap_array, tridap_plan, tridap_distribution to) {
       tridap_memory memory{};
       memory.data = w.columns.memory.data();
       memory.type = TRIDAP_FLOAT64;
       memory.ndim = 2;
       tridap_ghosts made{};
       return tridap_ghosts_make(to, &memory, 0, nullptr, &made);
     }},
};

}  // namespace

TEST(CWrongProcess, FailsEachCallOnAllProcesses) {
  for (const auto& [name, call] : calls) {
    Wrong w;
    for (int kind = 0; kind < 3; ++kind) {  // released, never made, of another type
      tridap_array array = w.rows.array;
      tridap_plan plan = w.plan;
      tridap_distribution to = w.columns.layout;
      if (w.here && kind == 0) {
        const tridap_distribution gone = distributed({12}, "b");
        ASSERT_EQ(tridap_release(gone.number), TRIDAP_OK);
        array = {gone.number}, plan = {gone.number}, to = {gone.number};
      } else if (w.here && kind == 1) {
        array = {0}, plan = {0}, to = {0};
      } else if (w.here) {
        array = {w.plan.number}, plan = {w.rows.array.number}, to = {w.rows.array.number};
      }
      EXPECT_NE(call(w, array, plan, to), TRIDAP_OK) << name << " " << kind;
      const std::string text = tridap_message();
      EXPECT_NE(text.find("(rank " + std::to_string(processes() - 1) + ")"), std::string::npos) << name << ": " << text;
    }
    double sum = 0;
    ASSERT_EQ(tridap_sum(w.rows.array, &sum), TRIDAP_OK) << name << ": " << tridap_message();  // the next call works
  }
}

TEST(CWrongProcess, HandlesOfTwoCommunicatorsAreRefused) {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(world, &other);
  Wrong w;
  const std::int64_t shape[] = {12, 10};
  tridap_distribution there{};
  tridap_array made{};
  double result = 0;
  OK(tridap_distribute(2, shape, "b,*", other, nullptr, &there));
  OK(tridap_allocate(there, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &made));
  EXPECT_REFUSED(tridap_dot(w.rows.array, made, &result), "different communicators");
  EXPECT_REFUSED(tridap_redistribute(w.rows.array, there, nullptr, &w.out), "different communicators");
  EXPECT_REFUSED(tridap_redistribute_into(w.rows.array, made, nullptr, nullptr), "different communicators");
  EXPECT_REFUSED(tridap_plan_move(w.plan, w.rows.array, made, nullptr), "different communicators");
  OK(tridap_release(made.number));
  OK(tridap_release(there.number));
  MPI_Comm_free(&other);
}

TEST(CWrongProcess, APlanInProgressMayBeReleased) {
  Wrong w;
  tridap_plan plan{};
  OK(tridap_plan_make(w.rows.layout, w.columns.layout, TRIDAP_FLOAT64, nullptr, &plan));
  double value = 1 + rank();
  for (double& each : w.rows.memory) each = value++;
  OK(tridap_plan_start(plan, w.rows.array, w.columns.array, nullptr));
  OK(tridap_release(plan.number));  // it ends with the next collective call
  double sum = 0, moved = 0;
  OK(tridap_sum(w.rows.array, &sum));
  OK(tridap_sum(w.columns.array, &moved));
  EXPECT_EQ(moved, sum);
}

TEST(CWrongProcess, OtherCallsAreNamedOnAllProcesses) {
  if (processes() == 1) GTEST_SKIP() << "one process makes one call";
  Wrong w;
  double result = 0;
  if (w.here)
    EXPECT_REFUSED(tridap_sum(w.rows.array, &result), "tridap_sum");
  else
    EXPECT_REFUSED(tridap_norm(w.rows.array, &result), "tridap_norm");
}
