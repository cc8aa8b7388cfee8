#include "shared_file.hpp"

#include "mpi/support.hpp"
#include <tridap/internal/shared_allocation.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>
#include <string>

// The program is linked with --wrap=open: while `closed` is true, this process cannot open files of other processes.
namespace {

using tridap::Index;
using tridap::mpi::allocate_shared_bytes;
using tridap::mpi::FileAddress;
using tridap::mpi::FileMaker;
using tridap::mpi::remove_abandoned_files;
using tridap::mpi::SharedFile;

bool closed = false, watched = false;
std::set<std::string> seen;  // the files in /dev/shm that this process has mapped while MPI communicates

void look() {
  if (!watched) return;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const std::size_t at = line.find("/dev/shm/"); at != std::string::npos) seen.insert(line.substr(at + 9));
}

/// The files among `seen` that TriDAP has made: with a name, or without.
std::set<std::string> ours(bool named) {
  const std::string begin = named ? "tridap-" : "#";
  const std::string end = " (deleted)";
  std::set<std::string> found;
  for (const std::string& file : seen) {
    const bool deleted = file.size() > end.size() && file.compare(file.size() - end.size(), end.size(), end) == 0;
    if (file.compare(0, begin.size(), begin) == 0 && deleted != named) found.insert(file);
  }
  return found;
}

bool exists(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0;
}

/// Every process writes to the memory of all processes of its node, and finds what they wrote in its own.
void expect_shared(MPI_Comm comm) {
  const int here = on::rank(comm), all = on::processes(comm);
  const auto memory = allocate_shared_bytes(1000 * all, comm);
  for (const int to : on::ranks_of_node(comm)) std::memset(memory->base(to) + 1000 * here, 1 + here, 1000);
  MPI_Barrier(comm);
  for (const int from : on::ranks_of_node(comm))
    for (int at = 0; at < 1000; ++at)
      ASSERT_EQ(memory->base(here)[1000 * from + at], static_cast<std::byte>(1 + from)) << from << " " << at;
  MPI_Barrier(comm);
}

/// expect_shared() on a communicator of its own, while MPI's calls look at the files of this process.
void share_watched() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  seen.clear();
  watched = true;
  expect_shared(comm);
  watched = false;
  MPI_Comm_free(&comm);
}

bool is_alone() { return on::ranks_of_node(MPI_COMM_WORLD).size() == 1; }

/// A process that makes a file with a name and writes the name to a pipe; it then waits until it is killed.
class Maker {
 public:
  explicit Maker(int rank) {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) return;
    const FileMaker maker{static_cast<std::uint64_t>(getpid()), rank};
    process_ = fork();
    if (process_ == 0) {
      const Index number = 7;
      const SharedFile made = SharedFile::make(maker, number);
      if (write(ends[1], &number, sizeof(number)) != sizeof(number)) _exit(1);
      for (;;) pause();
    }
    Index number = -1;
    if (process_ > 0 && read(ends[0], &number, sizeof(number)) == sizeof(number))
      path_ = "/dev/shm/tridap-" + std::to_string(maker.id) + "-" + std::to_string(rank) + "-" + std::to_string(number);
    close(ends[0]);
    close(ends[1]);
  }
  Maker(const Maker&) = delete;
  ~Maker() {
    end();
    unlink(path_.c_str());
  }
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }
  const std::string& path() const { return path_; }

 private:
  pid_t process_ = -1;
  std::string path_;
};

}  // namespace

extern "C" {

int __real_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : mode_t{0};
  va_end(more);
  if (closed && std::strncmp(path, "/proc/", 6) == 0 && std::strstr(path, "/fd/") != nullptr) {
    errno = EACCES;
    return -1;
  }
  return __real_open(path, flags, mode);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  look();
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Allgather(const void* in, int n, MPI_Datatype t, void* out, int m, MPI_Datatype u, MPI_Comm comm) {
  look();
  return PMPI_Allgather(in, n, t, out, m, u, comm);
}

}  // extern "C"

namespace {

TEST(SharedFile, HasNoNameAtAnyCallOfMpi) {
  if (is_alone()) GTEST_SKIP() << "needs 2 processes on a node";
  share_watched();
  EXPECT_EQ(ours(true), std::set<std::string>{});
  EXPECT_NE(ours(false), std::set<std::string>{}) << "the memory is in /dev/shm";
}

TEST(SharedFile, HasANameIfAProcessCannotOpenTheOthers) {
  if (is_alone()) GTEST_SKIP() << "needs 2 processes on a node";
  const std::vector<int> node = on::ranks_of_node(MPI_COMM_WORLD);
  const int here = on::rank(MPI_COMM_WORLD);
  for (const int wrong : {node.front(), node.back(), -1}) {  // -1: all
    closed = wrong < 0 || wrong == here;
    share_watched();
    closed = false;
    EXPECT_NE(ours(true), std::set<std::string>{}) << wrong;
    for (const std::string& name : ours(true)) EXPECT_FALSE(exists("/dev/shm/" + name)) << name;
  }
}

TEST(SharedFile, TheNextStartRemovesNamesOfKilledProcesses) {
  if (is_alone()) GTEST_SKIP() << "needs 2 processes on a node";
  Maker killed(2 * on::rank(MPI_COMM_WORLD)), living(2 * on::rank(MPI_COMM_WORLD) + 1);
  killed.end();
  EXPECT_TRUE(exists(killed.path())) << "else the test shows nothing";
  MPI_Barrier(MPI_COMM_WORLD);
  closed = true;
  share_watched();
  closed = false;
  EXPECT_FALSE(exists(killed.path())) << killed.path();
  EXPECT_TRUE(exists(living.path())) << living.path();
}

TEST(SharedFile, OnlyOurNamesAreRemoved) {
  const std::string begin = "/dev/shm/tridap-1-" + std::to_string(getpid());
  const std::string abandoned = begin + "-2";
  const std::vector<std::string> others{begin, begin + "-x", begin + "-2-", begin + "-2.txt"};
  for (const std::string& path : others) std::ofstream(path) << "kept";
  std::ofstream(abandoned) << "abandoned";
  remove_abandoned_files();
  EXPECT_FALSE(exists(abandoned));
  for (const std::string& path : others) EXPECT_TRUE(exists(path)) << path;
  for (const std::string& path : others) unlink(path.c_str());
}

TEST(SharedFile, IsOpenedByItsAddressAlone) {
  const SharedFile made = SharedFile::make();
  const FileAddress address = made.address();
  ASSERT_GE(made.descriptor(), 0) << std::strerror(made.error());
  EXPECT_EQ(SharedFile::open(address).address().inode, address.inode);
  FileAddress other = address;
  ++other.inode;  // as if another process had the number of the maker
  EXPECT_EQ(SharedFile::open(other).descriptor(), -1);
  EXPECT_EQ(SharedFile::open(other).error(), ENOENT);
  EXPECT_EQ(SharedFile::open(FileAddress{}).descriptor(), -1);
}

TEST(SharedFile, IsShownAtAnAddressThatOthersKnow) {
  const SharedFile empty = SharedFile::make(), slot = empty.again();
  FileAddress known = slot.address();
  EXPECT_EQ(known.inode, empty.address().inode);
  {
    const SharedFile made = SharedFile::make();
    ASSERT_EQ(ftruncate(made.descriptor(), 12), 0);
    ASSERT_TRUE(made.show_as(slot));
    EXPECT_EQ(SharedFile::open(known).error(), ENOENT) << "it is another file";
    known.inode = 0;
    EXPECT_EQ(SharedFile::open(known).address().inode, made.address().inode);
  }
  EXPECT_EQ(SharedFile::open(known).bytes(), 12) << "the slot keeps it open";
  ASSERT_TRUE(empty.show_as(slot));
  EXPECT_EQ(SharedFile::open(known).bytes(), 0);
  EXPECT_FALSE(SharedFile().show_as(slot));
}

}  // namespace
