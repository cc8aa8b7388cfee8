#include "shared_file.hpp"

#include <tridap/internal/digest.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace tridap::mpi {

namespace {

using Text = std::array<char, 80>;

constexpr const char* shared_folder = "/dev/shm";
constexpr int most_attempts = 100;

Text name_of(const FileMaker& maker, Index number) {
  Text text{};
  std::snprintf(text.data(), text.size(), "/tridap-%llu-%d-%lld", static_cast<unsigned long long>(maker.id), maker.rank,
                static_cast<long long>(number));
  return text;
}

bool is_name(const char* text) {
  unsigned long long id = 0;
  int rank = 0, end = 0;
  long long number = 0;
  return std::sscanf(text, "tridap-%llu-%d-%lld%n", &id, &rank, &number, &end) == 3 && text[end] == '\0';
}

// A number that no other running system has; 0: unknown.
Index number_of_kernel() {
  Text text{};
  const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const auto length = file < 0 ? 0 : ::read(file, text.data(), text.size());
  if (file >= 0) ::close(file);
  Digest digest;
  for (int i = 0; i < static_cast<int>(length); ++i) digest.add(Index{text[static_cast<std::size_t>(i)]});
  return length > 0 ? digest.value() : 0;
}

}  // namespace

SharedFile::~SharedFile() {
  if (name_[0] != '\0') ::shm_unlink(name_.data());
  if (descriptor_ >= 0) ::close(descriptor_);
}

SharedFile SharedFile::make() {
  SharedFile made;
#ifdef O_TMPFILE
  made.descriptor_ = ::open(shared_folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (made.descriptor_ < 0) made.error_ = errno;
#else
  made.error_ = ENOTSUP;
#endif
  return made;
}

SharedFile SharedFile::make(const FileMaker& maker, Index number) {
  const Text name = name_of(maker, number);
  for (int attempt = 1;; ++attempt) {
    SharedFile made;
    made.descriptor_ = ::shm_open(name.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made.descriptor_ < 0) {
      made.error_ = errno;
      return made;
    }
    made.name_ = name;
    // Until it is locked, remove_abandoned_files() of another process may remove it. Some file systems have no locks.
    struct stat found {};
    const bool locked = ::flock(made.descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if ((locked && ::fstat(made.descriptor_, &found) == 0 && found.st_nlink > 0) || attempt == most_attempts)
      return made;
  }
}

SharedFile SharedFile::open(const FileAddress& address) {
  SharedFile opened;
  Text path{};
  std::snprintf(path.data(), path.size(), "/proc/%lld/fd/%lld", static_cast<long long>(address.process),
                static_cast<long long>(address.number));
  struct stat found {};
  if (address.number < 0 || ::stat(path.data(), &found) != 0)
    opened.error_ = address.number < 0 ? ENOENT : errno;
  else if (static_cast<Index>(found.st_dev) != address.device ||
           (address.inode != 0 && static_cast<Index>(found.st_ino) != address.inode))
    opened.error_ = ENOENT;  // here another process has this number
  else if ((opened.descriptor_ = ::open(path.data(), O_RDWR | O_CLOEXEC)) < 0)
    opened.error_ = errno;
  return opened;
}

SharedFile SharedFile::open(const FileMaker& maker, Index number) {
  SharedFile opened;
  opened.descriptor_ = ::shm_open(name_of(maker, number).data(), O_RDWR | O_CLOEXEC, 0600);
  if (opened.descriptor_ < 0) opened.error_ = errno;
  return opened;
}

SharedFile SharedFile::again() const {
  SharedFile other;
  other.descriptor_ = descriptor_ < 0 ? -1 : ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (other.descriptor_ < 0) other.error_ = descriptor_ < 0 ? error_ : errno;
  return other;
}

bool SharedFile::show_as(const SharedFile& slot) const {
  return descriptor_ >= 0 && slot.descriptor_ >= 0 && ::dup3(descriptor_, slot.descriptor_, O_CLOEXEC) >= 0;
}

Index SharedFile::bytes() const {
  struct stat found {};
  return descriptor_ < 0 || ::fstat(descriptor_, &found) != 0 ? -1 : static_cast<Index>(found.st_size);
}

FileAddress SharedFile::address() const {
  static const Index kernel = number_of_kernel();
  struct stat found {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &found) != 0) return {};
  return {::getpid(), descriptor_, static_cast<Index>(found.st_dev), static_cast<Index>(found.st_ino), kernel};
}

void remove_abandoned_files() {
  DIR* const folder = ::opendir(shared_folder);
  if (folder == nullptr) return;
  while (const dirent* const entry = ::readdir(folder)) {
    if (!is_name(entry->d_name)) continue;
    const int file = ::openat(::dirfd(folder), entry->d_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    struct stat found {};
    if (::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid() &&
        ::flock(file, LOCK_EX | LOCK_NB) == 0)
      ::unlinkat(::dirfd(folder), entry->d_name, 0);
    ::close(file);
  }
  ::closedir(folder);
}

}  // namespace tridap::mpi
