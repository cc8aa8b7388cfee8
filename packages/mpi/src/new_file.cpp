#include <tridap/internal/new_file.hpp>
#include <tridap/report.hpp>
#include <tridap/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

namespace tridap::mpi {

namespace {

constexpr int most_names = 100;

std::string system_reason() { return std::generic_category().message(errno == 0 ? EIO : errno); }

}  // namespace

NewFile::NewFile(const std::string& path) : path_(path) {
  find_target();
  open();
}

NewFile::~NewFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void NewFile::refuse(const std::string& why) const {
  throw Error(Finding{Rule::process_failure,
                      {},
                      {},
                      "",
                      "the file " + (path_.empty() ? "\"\"" : clean(path_)) + " cannot be written: " + why,
                      "",
                      "give a name for a file in a folder that this process may write to"});
}

// If the path is a link, the file is written beside the file that the link refers to, and the link remains.
void NewFile::find_target() {
  if (path_.find('\0') != std::string::npos) refuse("the name contains a zero byte");
  target_ = path_;
  struct stat found {};
  if (::stat(path_.c_str(), &found) != 0) {
    if (errno != ENOENT || path_.empty()) refuse(system_reason());
    if (::lstat(path_.c_str(), &found) == 0) refuse("it is a link to a file that does not exist");
    return;
  }
  if (!S_ISREG(found.st_mode)) refuse(S_ISDIR(found.st_mode) ? "it is a folder" : "it is not a regular file");
  mode_ = static_cast<int>(found.st_mode & 0777U);
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path_.c_str(), nullptr), &std::free);
  if (!real) refuse(system_reason());
  target_ = real.get();
}

void NewFile::open() {
  int descriptor = -1;
  for (int n = 0; n < most_names && descriptor < 0; ++n) {
    beside_ = target_ + "." + std::to_string(::getpid()) + "-" + std::to_string(n) + ".part";
    descriptor = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) {
    const std::string why = system_reason();
    beside_.clear();
    refuse(why);
  }
  file_ = ::fdopen(descriptor, "wb");
  if (file_ != nullptr) return;
  const std::string why = system_reason();
  ::close(descriptor);
  ::unlink(beside_.c_str());
  refuse(why);
}

void NewFile::write(const char* bytes, std::size_t count) {
  errno = 0;
  if (std::fwrite(bytes, 1, count, file_) != count) refuse(system_reason());
}

void NewFile::complete() {
  errno = 0;
  if (std::fflush(file_) != 0) refuse(system_reason());
  if (mode_ >= 0 && ::fchmod(::fileno(file_), static_cast<mode_t>(mode_)) != 0) refuse(system_reason());
  std::FILE* const file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0 || std::rename(beside_.c_str(), target_.c_str()) != 0) refuse(system_reason());
  beside_.clear();
}

}  // namespace tridap::mpi
