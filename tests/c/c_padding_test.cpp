#include "calls.hpp"

using namespace c;

namespace {

// The value of the element that local memory repeats: axes of `size` with padding of 1 at the ends, which mirror the
// other end if they are periodic.
double repeated(const std::int64_t* global, std::int64_t size0, std::int64_t size1, bool periodic) {
  std::int64_t at[] = {global[0], global[1]};
  const std::int64_t size[] = {size0, size1};
  for (int i = 0; i < 2 && periodic; ++i) {
    if (at[i] == 0) at[i] = size[i] - 2;
    if (at[i] == size[i] - 1) at[i] = 1;
  }
  return Field::value(at);
}

void expect_filled(Field& of, std::int64_t size0, std::int64_t size1, bool periodic) {
  of.for_part(TRIDAP_LOCAL, [&](double& element, const std::int64_t* global) {
    EXPECT_EQ(element, repeated(global, size0, size1, periodic)) << global[0] << ", " << global[1];
  });
}

void forget_padding(Field& of) {
  of.memory.assign(of.memory.size(), -5);
  of.for_part(TRIDAP_OWNED, [](double& element, const std::int64_t* global) { element = Field::value(global); });
}

}  // namespace

TEST(CPadding, IsFilledFromTheOwners) {
  const std::int64_t size = 4 * processes() + 3;
  for (const bool periodic : {false, true}) {
    Field u({size, 9}, "b,b", 1, periodic);
    for (int i = 0; i < 3; ++i) {
      forget_padding(u);
      OK(tridap_update_padding(u.array));
      expect_filled(u, size, 9, periodic);
    }
  }
}

TEST(CPadding, OfSeveralArraysIsFilledInOneCall) {
  const std::int64_t size = 4 * processes() + 3;
  Field u({size, 9}, "b,b", 1), v({9, size}, "*,b", 1), w({size, 7}, "b,*", 1, true);
  const tridap_array all[] = {u.array, v.array, w.array};
  for (int i = 0; i < 2; ++i) {
    for (Field* each : {&u, &v, &w}) forget_padding(*each);
    OK(tridap_update_paddings(3, all));
    expect_filled(u, size, 9, false);
    expect_filled(v, 9, size, false);
    expect_filled(w, size, 7, true);
  }
  const tridap_array others[] = {u.array, w.array};
  for (Field* each : {&u, &v, &w}) forget_padding(*each);
  const std::vector<double> before = v.memory;
  OK(tridap_update_paddings(2, others));
  expect_filled(u, size, 9, false);
  expect_filled(w, size, 7, true);
  EXPECT_EQ(v.memory, before);
  const tridap_array other_order[] = {rank() == 0 ? u.array : v.array, rank() == 0 ? v.array : u.array};
  if (processes() > 1) {
    EXPECT_REFUSED(tridap_update_paddings(2, other_order), "different");
  }
  OK(tridap_update_paddings(0, nullptr));
}

TEST(CPadding, IsAddedToTheOwners) {
  const std::int64_t size = 4 * processes() + 2;
  Field u({size, 5}, "b,*", 1);
  u.memory.assign(u.memory.size(), 1);
  OK(tridap_sum_padding(u.array));
  std::int64_t begin[2], end[2];
  OK(tridap_bounds(u.layout, TRIDAP_HERE, TRIDAP_OWNED, begin, end));
  for (std::int64_t i = begin[0]; i < end[0]; ++i) {
    const bool low = i == begin[0] && rank() > 0, high = i == end[0] - 1 && rank() < processes() - 1;
    EXPECT_EQ(u.memory[static_cast<std::size_t>(i * u.local[1] + 2)], 1.0 + (low ? 1 : 0) + (high ? 1 : 0)) << i;
  }
}

TEST(CPadding, APlanStartsAndWaits) {
  const std::int64_t size = 4 * processes() + 3;
  Field u({size, 9}, "b,b", 1);
  tridap_padding plan{};
  OK(tridap_padding_make(1, &u.array, 0, &plan));
  for (int i = 0; i < 2; ++i) {
    forget_padding(u);
    OK(tridap_padding_start(plan));
    OK(tridap_padding_wait(plan));
    expect_filled(u, size, 9, false);
  }
  EXPECT_REFUSED(tridap_padding_wait(plan), "no update is in progress");
  OK(tridap_release(plan.number));
}

TEST(CPadding, GhostsGetAndGiveValues) {
  const int p = processes();
  const tridap_distribution layout = distributed({3 * p}, "b");
  const std::int64_t ids[] = {(3 * rank() + 3) % (3 * p), (3 * rank() + 3 * p - 1) % (3 * p)};
  const std::int64_t count = p > 1 ? 2 : 0;
  std::vector<double> memory = {10.0 * rank(), 10.0 * rank() + 1, 10.0 * rank() + 2, -1, -1};
  tridap_memory of{};
  of.data = memory.data();
  of.type = TRIDAP_FLOAT64;
  tridap_ghosts ghosts{};
  OK(tridap_ghosts_make(layout, &of, count, ids, &ghosts));
  OK(tridap_update_ghosts(ghosts));
  if (p > 1) {
    EXPECT_EQ(memory[3], 10.0 * ((rank() + 1) % p));
    EXPECT_EQ(memory[4], 10.0 * ((rank() + p - 1) % p) + 2);
    memory = {1, 1, 1, 5, 7};
    OK(tridap_ghosts_start(ghosts, 1));
    OK(tridap_ghosts_wait(ghosts));
    EXPECT_EQ(memory, (std::vector<double>{6, 1, 8, 5, 7}));
  }
  OK(tridap_release(ghosts.number));
  const std::int64_t wrong[] = {3 * p + 4, 0};
  EXPECT_REFUSED(tridap_ghosts_make(layout, &of, 2, wrong, &ghosts), "");
  OK(tridap_release(layout.number));
}

TEST(CPadding, GhostsOfSeveralAxesHaveNumbersInTheMemorysOrder) {
  const int p = processes();
  const tridap_distribution layout = distributed({2 * p, 3}, "b,*");
  for (const tridap_order order : {TRIDAP_ROW_MAJOR, TRIDAP_COLUMN_MAJOR}) {
    const auto number = [&](int i, int j) { return order == TRIDAP_ROW_MAJOR ? 3 * i + j : i + 2 * p * j; };
    std::vector<double> memory(6 + 2, -1);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        memory[static_cast<std::size_t>(order == TRIDAP_ROW_MAJOR ? 3 * i + j : i + 2 * j)] = number(2 * rank() + i, j);
    const int next = 2 * ((rank() + 1) % p);
    const std::int64_t ids[] = {number(next, 2), number(next + 1, 0)}, count = p > 1 ? 2 : 0, extents[] = {6 + count};
    tridap_memory of{};
    of.data = memory.data();
    of.type = TRIDAP_FLOAT64;
    of.ndim = 1;
    of.extents = extents;
    of.order = order;
    tridap_ghosts ghosts{};
    OK(tridap_ghosts_make(layout, &of, count, ids, &ghosts));
    OK(tridap_update_ghosts(ghosts));
    for (std::int64_t k = 0; k < count; ++k)
      EXPECT_EQ(memory[static_cast<std::size_t>(6 + k)], static_cast<double>(ids[k]));
    OK(tridap_release(ghosts.number));
  }
  OK(tridap_release(layout.number));
}
