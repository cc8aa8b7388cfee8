#include "calls.hpp"

#include <atomic>
#include <set>
#include <thread>

using namespace c;

TEST(CHandles, CopiesAreTheSameNumberAndReleaseIsOnce) {
  const std::int64_t before = tridap_held();
  const tridap_distribution layout = distributed({12, 5}, "b,*");
  const tridap_distribution copy = layout;
  EXPECT_EQ(tridap_held(), before + 1);
  int ndim = 0;
  OK(tridap_ndim(copy, &ndim));
  EXPECT_EQ(ndim, 2);
  OK(tridap_release(copy.number));
  EXPECT_EQ(tridap_held(), before);
  EXPECT_REFUSED(tridap_ndim(layout, &ndim), "must be a handle that was made, and not released");
  EXPECT_REFUSED(tridap_release(layout.number), "is not in use");
  OK(tridap_release(0));
}

TEST(CHandles, ANumberIsNotGivenAgain) {
  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 5000; ++i) {
    const tridap_distribution layout = distributed({12}, "b");
    EXPECT_TRUE(numbers.insert(layout.number).second);
    OK(tridap_release(layout.number));
  }
}

TEST(CHandles, AnOldNumberIsNotThatOfANewHandle) {
  std::vector<tridap_distribution> old, made;
  for (int i = 0; i < 2000; ++i) old.push_back(distributed({12}, "b"));
  for (const tridap_distribution each : old) OK(tridap_release(each.number));
  for (int i = 0; i < 1500; ++i) made.push_back(distributed({12}, "b"));  // in places of the others
  int ndim = 0;
  for (const tridap_distribution each : old) EXPECT_NE(tridap_ndim(each, &ndim), TRIDAP_OK);
  for (const tridap_distribution each : made) OK(tridap_release(each.number));
}

TEST(CHandles, AHandleOfAnotherTypeIsRefused) {
  const tridap_distribution layout = distributed({12}, "b");
  const tridap_array wrong{layout.number};
  tridap_memory memory;
  EXPECT_REFUSED(tridap_array_memory(wrong, &memory), "a tridap_array has the number of a tridap_distribution");
  EXPECT_REFUSED(tridap_array_memory(tridap_array{0}, &memory), "a tridap_array has the number 0");
  EXPECT_REFUSED(tridap_array_memory(tridap_array{12345}, &memory), "is not in use");
  OK(tridap_release(layout.number));
}

TEST(CHandles, OtherThreadsRelease) {
  const tridap_distribution layout = distributed({12}, "b");
  std::thread([&] { EXPECT_EQ(tridap_release(layout.number), TRIDAP_OK); }).join();
  int ndim = 0;
  EXPECT_NE(tridap_ndim(layout, &ndim), TRIDAP_OK);
}

TEST(CHandles, ThreadsMakeAndReleaseWhileOthersCompute) {
  static std::atomic<int> released;
  released = 0;
  const Field field({12, 10}, "b,*");
  std::atomic<bool> ends{false};
  std::atomic<int> made{0};
  const auto work = [&] {
    while (!ends) {
      double element = 0;
      tridap_memory memory{};
      memory.data = &element;
      memory.type = TRIDAP_FLOAT64;
      memory.ndim = 2;
      const std::int64_t extents[2] = {0, 10};
      memory.extents = extents;
      memory.release = [](void*) { ++released; };
      tridap_distribution of{};
      tridap_array array{};
      std::int64_t begin[2], end[2];
      if (tridap_distribution_of(field.array, &of) != TRIDAP_OK) break;
      tridap_array_of(of, &memory, &array);  // refused where this process has rows: the memory is released
      tridap_interior(field.array, begin, end);
      tridap_release(array.number);
      tridap_release(of.number);
      ++made;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work);
  double sum = 0, again = 0;
  OK(tridap_sum(field.array, &sum));
  for (int i = 0; i < 100; ++i) {
    OK(tridap_sum(field.array, &again));
    EXPECT_EQ(again, sum);
  }
  while (made < 100) std::this_thread::yield();
  ends = true;
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(released, made);
}

TEST(CHandles, MemoryIsReleasedOnceWhenNothingUsesIt) {
  static int released;
  released = 0;
  const tridap_distribution layout = distributed({4 * processes()}, "b");
  std::vector<double> elements(4);
  tridap_memory memory{};
  memory.data = elements.data();
  memory.type = TRIDAP_FLOAT64;
  memory.owner = &released;
  memory.release = [](void* owner) { ++*static_cast<int*>(owner); };
  tridap_array array{};
  OK(tridap_array_of(layout, &memory, &array));
  OK(tridap_release(layout.number));
  EXPECT_EQ(released, 0);
  dap_array* handed = nullptr;
  OK(tridap_array_to_dap(array, &handed));
  OK(tridap_release(array.number));
  EXPECT_EQ(released, 0);  // the dap_array has it
  dap_array_release(handed);
  EXPECT_EQ(released, 1);

  memory.type = static_cast<tridap_type>(77);
  EXPECT_REFUSED(tridap_array_of(layout, &memory, &array), "");  // the distribution is released
  EXPECT_EQ(released, 2);
}

TEST(CHandles, AHandleOfAFailedCallHasItsText) {
  const tridap_distribution layout = distributed({6 * processes()}, "b");
  std::vector<double> elements(6);
  tridap_memory memory{};
  memory.data = elements.data();
  memory.type = TRIDAP_FLOAT64;
  const std::int64_t extents[] = {rank() == processes() - 1 ? 5 : 6};
  memory.ndim = 1;
  memory.extents = extents;
  tridap_array array{};
  const int status = tridap_array_of(layout, &memory, &array);
  EXPECT_EQ(status == TRIDAP_OK, rank() != processes() - 1) << tridap_message();
  EXPECT_NE(array.number, 0u);
  double sum = 0;
  EXPECT_REFUSED(tridap_sum(array, &sum), "the memory has 5 elements, must have 6 elements");  // on all processes
  OK(tridap_release(array.number));
  OK(tridap_release(layout.number));
}
