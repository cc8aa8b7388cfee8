#include <tridap/internal/room.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <vector>

namespace {

using tridap::Index;

/// New pages, which the system has promised and not allocated.
class NewPages {
 public:
  explicit NewPages(std::size_t count) : count_(count) {
    memory_ = mmap(nullptr, count * page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    madvise(memory_, count * page(), MADV_NOHUGEPAGE);
  }
  NewPages(const NewPages&) = delete;
  NewPages& operator=(const NewPages&) = delete;
  ~NewPages() { munmap(memory_, count_ * page()); }

  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  unsigned char* at(std::size_t byte) const { return static_cast<unsigned char*>(memory_) + byte; }

  /// Which pages are allocated.
  std::vector<bool> allocated() const {
    std::vector<unsigned char> states(count_);
    EXPECT_EQ(mincore(memory_, count_ * page(), states.data()), 0);
    std::vector<bool> all;
    for (const unsigned char state : states) all.push_back((state & 1) != 0);
    return all;
  }

 private:
  std::size_t count_;
  void* memory_ = nullptr;
};

TEST(Room, TouchAllocatesEachPageOfTheRangeAndNoOther) {
  const NewPages pages(8);
  const std::size_t page = NewPages::page();
  const std::vector<bool> none(8, false);
  if (pages.allocated() != none) GTEST_SKIP() << "this system does not say which pages are allocated";
  EXPECT_TRUE(tridap::mpi::touch(pages.at(page), 0));
  EXPECT_EQ(pages.allocated(), none);
  EXPECT_TRUE(tridap::mpi::touch(pages.at(2 * page - 1), static_cast<Index>(3 * page + 2)));  // ends on page 5
  EXPECT_EQ(pages.allocated(), (std::vector<bool>{false, true, true, true, true, true, false, false}));
  EXPECT_EQ(std::count(pages.at(0), pages.at(8 * page), 0), static_cast<std::ptrdiff_t>(8 * page));
}

TEST(Room, TouchReportsThatItCannotAllocateAPage) {
#ifdef MADV_POPULATE_WRITE
  const std::size_t page = NewPages::page();
  const int file = memfd_create("one page", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, static_cast<off_t>(page)), 0);
  void* const two_pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  ASSERT_NE(two_pages, MAP_FAILED);
  if (madvise(two_pages, page, MADV_POPULATE_WRITE) == 0) {
    EXPECT_TRUE(tridap::mpi::touch(two_pages, static_cast<Index>(page)));
    EXPECT_FALSE(tridap::mpi::touch(two_pages, static_cast<Index>(2 * page)));
    munmap(two_pages, 2 * page);
  } else {
    munmap(two_pages, 2 * page);
    GTEST_SKIP() << "the system has no call that allocates pages";
  }
#else
  GTEST_SKIP() << "the system's headers have no call that allocates pages";
#endif
}

}  // namespace
