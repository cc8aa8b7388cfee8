#include "shared_pages.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/room.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace tridap::mpi {

namespace {

[[noreturn]] void refuse_memory(Index bytes, const char* of_what, int error) {
  refuse_shared("this process needs " + std::to_string(bytes) + " bytes of " + of_what + " on " + node_name(),
                "but the system says '" + std::generic_category().message(error) + "'");
}

std::shared_ptr<std::byte> owned(void* memory, Index bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  return {static_cast<std::byte*>(memory), [length](std::byte* begin) { munmap(begin, length); }};
}

// A file of POSIX shared memory.
class File {
 public:
  File(const std::string& name, int flags) : number_(shm_open(name.c_str(), flags | O_RDWR | O_CLOEXEC, 0600)) {}
  ~File() {
    if (number_ >= 0) close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return number_ >= 0; }
  // Returns 0, or the error number.
  int allocate(Index bytes) const {
    int status = EINTR;
    while (status == EINTR) status = posix_fallocate(number_, 0, static_cast<off_t>(bytes));
    return status;
  }
  std::shared_ptr<std::byte> map(Index bytes) const {
    void* const memory = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, number_, 0);
    if (memory == MAP_FAILED) refuse_memory(bytes, "shared memory", errno);
    return owned(memory, bytes);
  }

 private:
  int number_;
};

}  // namespace

void refuse_shared(std::string fault, std::string must) {
  refuse(std::move(fault), std::move(must),
         "allocate less, release shared arrays, give " + node_name() + " a larger /dev/shm, or use tridap::allocate()",
         {}, Rule::process_failure);
}

std::optional<Index> shared_bytes_left() { return bytes_left("/dev/shm"); }

Index page_bytes() {
  static const Index asked = sysconf(_SC_PAGESIZE);
  return asked > 0 ? asked : 65536;  // the largest page size, a multiple of all others
}

std::shared_ptr<std::byte> own_pages(Index bytes) {
  void* const memory =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) refuse_memory(bytes, "memory", errno);
  return owned(memory, bytes);
}

SharedPages::SharedPages(std::string name, Index bytes) : name_(std::move(name)) {
  const File file(name_, O_CREAT | O_EXCL);
  if (!file.is_open()) refuse_memory(bytes, "shared memory", errno);
  try {
    if (const int status = file.allocate(bytes); status != 0) refuse_memory(bytes, "shared memory", status);
    memory_ = file.map(bytes);
    if (!touch(memory_.get(), bytes)) refuse_memory(bytes, "shared memory", ENOMEM);
  } catch (...) {
    shm_unlink(name_.c_str());
    throw;
  }
}

SharedPages::~SharedPages() { shm_unlink(name_.c_str()); }

std::shared_ptr<std::byte> open_pages(const std::string& name, Index bytes) {
  const File file(name, 0);
  if (!file.is_open())
    refuse("this process cannot open the shared memory of another process on " + node_name(),
           "the system says '" + std::generic_category().message(errno) + "'",
           "let all processes of a node use one /dev/shm", {}, Rule::process_failure);
  return file.map(bytes);
}

}  // namespace tridap::mpi
