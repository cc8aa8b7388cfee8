#include "file.hpp"
#include "lists.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/hdf5/stored.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/state.hpp>
#include <tridap/text.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace tridap::hdf5 {

namespace {

[[noreturn]] void refuse_file(const std::string& path, const std::string& why, const std::string& remedy) {
  refuse("the file " + (path.empty() ? "\"\"" : clean(path)) + " cannot be read: " + why, "", remedy);
}

herr_t add_dataset(hid_t, const char* name, const H5O_info_t* info, void* names) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  try {
    if (is_name_of_lists(name)) return 0;
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  } catch (...) {  // no exception may pass through HDF5's C functions
    return -1;
  }
  return 0;
}

// Whether every group on the way to an object, and itself, exist.
bool exists(hid_t file, const std::string& name) {
  for (std::size_t end = name.find('/', 1); end != std::string::npos; end = name.find('/', end + 1))
    if (H5Lexists(file, name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  return name == "/" || H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
}

// MPI's hints, which it has copied when it uses them.
class Hints {
 public:
  Hints() {
    mpi::must_succeed(MPI_Info_create(&info_), "MPI_Info_create");
    MPI_Info_set(info_, "cb_buffer_size", "8388608");  // bytes that MPI collects on a process
  }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;
  ~Hints() { MPI_Info_free(&info_); }
  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

}  // namespace

void need_access(const std::string& path, bool write) {
  const int file = ::open(path.c_str(), (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    refuse_file(path, std::generic_category().message(errno), "give the name of a file that every process may read");
  ::close(file);
}

void need_descriptors() {
  std::array<int, 16> copies{};
  std::size_t made = 0;
  while (made < copies.size() && (copies[made] = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0) ++made;
  const int why = errno;
  for (std::size_t i = 0; i < made; ++i) ::close(copies[i]);
  if (made < copies.size() && why == EMFILE)
    refuse("this process can open " + std::to_string(made) + " more files",
           "must be at least " + std::to_string(copies.size()),
           "close files, or raise the limit (ulimit -n) before the program starts");
}

Handle open_alone(const std::string& path) {
  if (path.find('\0') != std::string::npos) refuse_file("", "the name contains a zero byte", "give another name");
  need_access(path, false);
  const QuietErrors errors;
  if (H5Fis_hdf5(path.c_str()) <= 0) refuse_file(path, "it is no file of HDF5", "give the name of a file of HDF5");
  return made("H5Fopen", &H5Fclose, [&] { return H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT); });
}

Handle open_object(hid_t file, const std::string& name) {
  {
    const QuietErrors errors;
    if (!exists(file, name)) refuse("the file has no '" + clean(name) + "'", "", "give the name of a dataset in it");
  }
  return made("H5Oopen", &H5Oclose, [&] { return H5Oopen(file, name.c_str(), H5P_DEFAULT); });
}

Handle open_dataset(hid_t file, const std::string& name) {
  Handle object = open_object(file, name);
  if (H5Iget_type(object) != H5I_DATASET) refuse("'" + clean(name) + "' is a group", "", "give the name of a dataset");
  return object;
}

Handle open_together(const std::string& path, bool write, bool same, MPI_Comm of_hdf5) {
  const Hints hints;
  const Handle list = made("H5Pcreate", &H5Pclose, [] { return H5Pcreate(H5P_FILE_ACCESS); });
  call("H5Pset_all_coll_metadata_ops", [&] { return H5Pset_all_coll_metadata_ops(list, same); });
  call("H5Pset_coll_metadata_write", [&] { return H5Pset_coll_metadata_write(list, same); });
  call("H5Pset_fapl_mpio", [&] { return H5Pset_fapl_mpio(list, of_hdf5, hints.get()); });
  return made("H5Fopen", &H5Fclose, [&] { return H5Fopen(path.c_str(), write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, list); });
}

bool is_in_other_files(hid_t creation_list) {
  const QuietErrors errors;
  return H5Pget_layout(creation_list) == H5D_VIRTUAL || H5Pget_external_count(creation_list) > 0;
}

void need_name(const std::string& name) {
  const auto wrong = [&](const std::string& why) {
    refuse_key("name", "'" + clean(name) + "'", why, "give a name such as \"temperature\" or \"fields/temperature\"");
  };
  if (name.empty()) wrong("must not be empty");
  if (name.find('\0') != std::string::npos) wrong("must not contain a zero byte");
  if (is_name_of_lists(name)) wrong("must not begin with '" + std::string(lists_group) + "', the group of lists");
  std::string part;
  for (std::size_t at = 0; at <= name.size(); ++at) {
    if (at < name.size() && name[at] != '/') {
      part += name[at];
      continue;
    }
    if (part.empty() || part == "." || part == "..") wrong("must have names between its slashes");
    part.clear();
  }
}

std::vector<std::string> dataset_names(const std::string& path) {
  const mpi::Inside inside(mpi::Library::hdf5);
  const Handle file = open_alone(path);
  std::vector<std::string> names;
  call("H5Ovisit", [&] { return H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add_dataset, &names); });
  return names;
}

}  // namespace tridap::hdf5
