#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace tridap::mpi {

/// A file that gets its name when it is complete. Until then it has another name in the same folder. So the name always
/// refers to the whole new file, or to the file that was there before. All functions are local, and throw an Error with
/// the file's name and the system's reason.
class NewFile {
 public:
  /// Throws an Error if the path is not a name for a regular file, or if the folder cannot be written.
  explicit NewFile(const std::string& path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();  ///< removes the file if it is not complete

  /// The name of the incomplete file, which others may open and write.
  const std::string& incomplete_name() const { return beside_; }
  /// The file that the path refers to, which complete() replaces.
  const std::string& target() const { return target_; }
  bool replaces() const { return mode_ >= 0; }  ///< there was such a file before

  void write(const char* bytes, std::size_t count);
  void write(const std::string& text) { write(text.data(), text.size()); }
  void complete();  ///< gives the file its name; the last call

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void find_target();
  void open();

  std::string path_;    // as the caller wrote it, for messages
  std::string target_;  // the file that the path refers to
  std::string beside_;  // the name until the file is complete; empty: there is no such file
  int mode_ = -1;       // the permissions of the file that was there before; -1: there was none
  std::FILE* file_ = nullptr;
};

}  // namespace tridap::mpi
