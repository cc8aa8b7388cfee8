#include "calls.hpp"

#include <complex>

using namespace c;

namespace {

// Expects that each owned element of a field is scale * (1000 i + j) + shift.
void expect_values(Field& of, double scale = 1, double shift = 0) {
  of.for_part(TRIDAP_OWNED, [&](double& element, const std::int64_t* global) {
    EXPECT_EQ(element, scale * Field::value(global) + shift) << global[0] << ", " << global[1];
  });
}

void clear(Field& of) { of.memory.assign(of.memory.size(), 7); }

}  // namespace

TEST(CMove, BringsEachElementToItsPlace) {
  Field rows({12, 10}, "b,*"), columns({12, 10}, "*,c:3");
  clear(columns);
  OK(tridap_redistribute_into(rows.array, columns.array, nullptr, nullptr));
  expect_values(columns);
  tridap_array made{};
  OK(tridap_redistribute(rows.array, columns.layout, nullptr, &made));
  tridap_memory memory;
  OK(tridap_array_memory(made, &memory));
  ASSERT_EQ(memory.extents[1], columns.local[1]);
  for (std::size_t i = 0; i < columns.memory.size(); ++i)
    EXPECT_EQ(static_cast<double*>(memory.data)[i], columns.memory[i]);
  OK(tridap_release(made.number));
}

TEST(CMove, APlanMovesManyTimesAndBack) {
  Field rows({12, 10}, "b,*"), columns({12, 10}, "*,b"), again({12, 10}, "b,*");
  tridap_plan plan{}, back{};
  OK(tridap_plan_make(rows.layout, columns.layout, TRIDAP_FLOAT64, nullptr, &plan));
  OK(tridap_plan_reversed(plan, &back));
  for (int i = 0; i < 3; ++i) {
    clear(columns);
    OK(tridap_plan_move(plan, rows.array, columns.array, nullptr));
    expect_values(columns);
    clear(again);
    OK(tridap_plan_move(back, columns.array, again.array, nullptr));
    expect_values(again);
  }
  std::int64_t sent = -1, received = -1, kept = -1, all[3];
  OK(tridap_plan_bytes(plan, &sent, &received, &kept));
  const std::int64_t here[] = {sent, received, kept};
  MPI_Allreduce(here, all, 3, MPI_INT64_T, MPI_SUM, world);
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0] + all[2], 12 * 10 * 8);
  char text[1000];
  OK(tridap_plan_explain(plan, text, sizeof text, nullptr));
  EXPECT_GT(std::string(text).size(), 20u);
  OK(tridap_release(plan.number));
  OK(tridap_release(back.number));
}

TEST(CMove, ScalesAndAdds) {
  Field rows({12, 10}, "b,*"), columns({12, 10}, "*,b");
  tridap_plan plan{};
  OK(tridap_plan_make(rows.layout, columns.layout, TRIDAP_FLOAT64, nullptr, &plan));
  columns.memory.assign(columns.memory.size(), 10);
  tridap_scaling scaling{{2, 0}, {3, 0}};
  OK(tridap_plan_move(plan, rows.array, columns.array, &scaling));
  expect_values(columns, 2, 30);
  OK(tridap_release(plan.number));
}

TEST(CMove, FactorsMayBeComplex) {
  using Number = std::complex<double>;
  const tridap_distribution from = distributed({12}, "b"), to = distributed({12}, "c");
  tridap_array source{}, target{};
  OK(tridap_allocate(from, TRIDAP_COMPLEX128, TRIDAP_ROW_MAJOR, &source));
  OK(tridap_allocate(to, TRIDAP_COMPLEX128, TRIDAP_ROW_MAJOR, &target));
  tridap_memory in, out;
  OK(tridap_array_memory(source, &in));
  OK(tridap_array_memory(target, &out));
  for (std::int64_t i = 0; i < in.extents[0]; ++i) static_cast<Number*>(in.data)[i] = {1, 2};
  for (std::int64_t i = 0; i < out.extents[0]; ++i) static_cast<Number*>(out.data)[i] = {1, 0};
  const tridap_scaling scaling{{0, 1}, {0, -1}};
  OK(tridap_redistribute_into(source, target, nullptr, &scaling));
  for (std::int64_t i = 0; i < out.extents[0]; ++i) EXPECT_EQ(static_cast<Number*>(out.data)[i], Number(-2, 0));
  for (const std::uint64_t each : {source.number, target.number, from.number, to.number}) OK(tridap_release(each));
}

TEST(CMove, SeveralArraysMoveTogether) {
  Field a({12, 10}, "b,*"), b({12, 10}, "b,*"), c({12, 10}, "*,b"), d({12, 10}, "*,b");
  for (double& element : b.memory) element = -element;
  tridap_plan plan{};
  OK(tridap_plan_make(a.layout, c.layout, TRIDAP_FLOAT64, nullptr, &plan));
  clear(c);
  clear(d);
  const tridap_array sources[] = {a.array, b.array}, targets[] = {c.array, d.array};
  OK(tridap_plan_move_all(plan, 2, sources, targets, nullptr));
  expect_values(c);
  expect_values(d, -1);
  OK(tridap_release(plan.number));
}

TEST(CMove, StartsTestsAndWaits) {
  Field rows({12, 10}, "b,*"), columns({12, 10}, "*,b");
  tridap_plan plan{};
  OK(tridap_plan_make(rows.layout, columns.layout, TRIDAP_FLOAT64, nullptr, &plan));
  EXPECT_REFUSED(tridap_plan_wait(plan), "no move is in progress");
  clear(columns);
  OK(tridap_plan_start(plan, rows.array, columns.array, nullptr));
  int done = -1;
  OK(tridap_plan_test(plan, &done));
  EXPECT_TRUE(done == 0 || done == 1);
  OK(tridap_plan_wait(plan));
  expect_values(columns);
  OK(tridap_release(plan.number));
}

TEST(CMove, ConvertsElementsIfItIsAskedTo) {
  Field rows({12, 10}, "b,*"), columns({12, 10}, "*,b");
  tridap_move_options options{};
  tridap_plan plan{};
  options.convert = 1;
  options.type = TRIDAP_FLOAT32;
  OK(tridap_plan_make(rows.layout, columns.layout, TRIDAP_FLOAT64, &options, &plan));
  tridap_array made{};
  OK(tridap_plan_new(plan, rows.array, &made));
  tridap_memory memory;
  OK(tridap_array_memory(made, &memory));
  EXPECT_EQ(memory.type, TRIDAP_FLOAT32);
  for (std::size_t i = 0; i < columns.memory.size(); ++i)
    EXPECT_EQ(static_cast<float*>(memory.data)[i], static_cast<float>(columns.memory[i]));
  OK(tridap_release(made.number));

  OK(tridap_allocate(columns.layout, TRIDAP_FLOAT32, TRIDAP_ROW_MAJOR, &made));
  EXPECT_REFUSED(tridap_redistribute_into(rows.array, made, nullptr, nullptr), "convert");
  OK(tridap_release(made.number));
  OK(tridap_release(plan.number));
}

TEST(CMove, AxesAreExchanged) {
  Field rows({12, 10}, "b,*");
  const tridap_distribution turned = distributed({10, 12}, "b,*");
  const std::int64_t axes[] = {1, 0};
  tridap_move_options options{};
  options.axes = axes;
  tridap_array made{};
  OK(tridap_redistribute(rows.array, turned, &options, &made));
  tridap_memory memory;
  OK(tridap_array_memory(made, &memory));
  for (std::int64_t i = 0; i < memory.extents[0]; ++i)
    for (std::int64_t j = 0; j < memory.extents[1]; ++j) {
      const std::int64_t local[] = {i, j};
      std::int64_t global[2];
      OK(tridap_global_index(turned, TRIDAP_HERE, local, global));
      EXPECT_EQ(static_cast<double*>(memory.data)[i * memory.extents[1] + j],
                static_cast<double>(1000 * global[1] + global[0]));
    }
  OK(tridap_release(made.number));
  OK(tridap_release(turned.number));
}
