#include "create.hpp"

#include "attributes.hpp"
#include "file.hpp"
#include "lists.hpp"
#include "memory_type.hpp"
#include "steps.hpp"
#include "xdmf.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/text.hpp>
#include <tridap/version.hpp>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace tridap::hdf5 {

namespace {

constexpr Index chunk_bytes = Index{1} << 22;

[[noreturn]] void refuse_file(const std::string& what) {
  refuse(what + ": " + std::generic_category().message(errno), "", "give a file in a folder with enough room");
}

// A file of the system, closed at the end.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : id_(::open(path.c_str(), flags | O_CLOEXEC)) {
    if (id_ < 0) refuse_file("the file " + clean(path) + " cannot be opened");
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(id_); }

  int get() const { return id_; }
  Index bytes() const {
    struct stat found {};
    return ::fstat(id_, &found) == 0 ? static_cast<Index>(found.st_size) : 0;
  }

 private:
  int id_;
};

// Chunks of about 4 MiB: the outermost axes are cut first.
std::vector<Index> chunks_like(const std::vector<Index>& shape, Index element_bytes) {
  std::vector<Index> chunks;
  for (const Index extent : shape) chunks.push_back(std::max<Index>(extent, 1));
  for (Index& extent : chunks) {
    const Index all = checked_multiply(checked_product(chunks).value_or(chunk_bytes), element_bytes).value_or(0);
    if (all > 0 && all <= chunk_bytes) break;
    Index inside = element_bytes;
    for (const Index& other : chunks)
      if (&other > &extent) inside = checked_multiply(inside, other).value_or(chunk_bytes);
    extent = std::clamp<Index>(chunk_bytes / std::max<Index>(inside, 1), 1, extent);
  }
  return chunks;
}

std::vector<hsize_t> chunks_of(const Plan& plan, const SaveOptions& options) {
  const auto bytes = static_cast<Index>(H5Tget_size(plan.type.id()));
  std::vector<Index> chunks = options.chunks ? *options.chunks : chunks_like(plan.shape, bytes);
  if (chunks.size() != plan.shape.size())
    refuse_key(
        "chunks", std::to_string(chunks.size()) + " extents",
        "must have one for each of the " + std::to_string(plan.shape.size()) + " axes of '" + clean(plan.name) + "'",
        "give one extent for each axis, without the steps");
  std::vector<hsize_t> all;
  if (options.step) all.push_back(1);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i] < 1) refuse_key("chunks", std::to_string(chunks[i]), "must be at least 1", "give positive extents");
    all.push_back(static_cast<hsize_t>(std::min(chunks[i], std::max<Index>(plan.shape[i], 1))));
  }
  return all;
}

bool is_empty(const Plan& plan) { return std::count(plan.shape.begin(), plan.shape.end(), Index{0}) > 0; }

// Early allocation, so that a full disk is found before any other process opens the file.
Handle creation_list(Plan& plan, const SaveOptions& options) {
  Handle list = made("H5Pcreate", &H5Pclose, [] { return H5Pcreate(H5P_DATASET_CREATE); });
  call("H5Pset_alloc_time", [&] { return H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY); });
  call("H5Pset_obj_track_times", [&] { return H5Pset_obj_track_times(list, false); });
  const bool wanted = options.step || options.chunks || options.compression > 0;
  if (!wanted || (plan.shape.empty() && !options.step) || (is_empty(plan) && !options.step)) {
    call("H5Pset_fill_time", [&] { return H5Pset_fill_time(list, H5D_FILL_TIME_NEVER); });
    return list;
  }
  const std::vector<hsize_t> chunks = chunks_of(plan, options);
  plan.chunked = true;
  call("H5Pset_chunk", [&] { return H5Pset_chunk(list, static_cast<int>(chunks.size()), chunks.data()); });
  if (options.compression > 0) {
    plan.filtered = true;
    call("H5Pset_shuffle", [&] { return H5Pset_shuffle(list); });
    call("H5Pset_deflate", [&] { return H5Pset_deflate(list, static_cast<unsigned>(options.compression)); });
  }
  return list;
}

Handle dataset_space(const Plan& plan, const SaveOptions& options) {
  std::vector<hsize_t> extents, most;
  if (options.step) {
    extents.push_back(static_cast<hsize_t>(*options.step) + 1);
    most.push_back(H5S_UNLIMITED);
  }
  for (const Index extent : plan.shape) {
    extents.push_back(static_cast<hsize_t>(extent));
    most.push_back(static_cast<hsize_t>(extent));
  }
  if (extents.empty()) return made("H5Screate", &H5Sclose, [] { return H5Screate(H5S_SCALAR); });
  return made("H5Screate_simple", &H5Sclose,
              [&] { return H5Screate_simple(static_cast<int>(extents.size()), extents.data(), most.data()); });
}

// Says with which distribution an array is saved.
void write_layout(hid_t file, hid_t dataset, const Plan& plan) {
  write_text(dataset, version_attribute, stamp(Version::v0_10));
  write_text(dataset, dim_data_attribute, layout_text(plan.layout));
  std::vector<std::vector<Index>> bounds, padding;
  for (const AxisLayout& axis : plan.layout) {
    bounds.push_back(axis.bounds);
    padding.push_back(axis.padding);
  }
  write_number_lists(dataset, bounds_attribute, bounds);
  write_number_lists(dataset, padding_attribute, padding);
  write_lists(file, plan.layout, plan.distribution);
}

void make_dataset(hid_t file, Plan& plan, const SaveOptions& options) {
  const Handle groups = made("H5Pcreate", &H5Pclose, [] { return H5Pcreate(H5P_LINK_CREATE); });
  call("H5Pset_create_intermediate_group", [&] { return H5Pset_create_intermediate_group(groups, 1); });
  const Handle list = creation_list(plan, options), space = dataset_space(plan, options);
  const Handle dataset = made("H5Dcreate", &H5Dclose, [&] {
    return H5Dcreate2(file, plan.name.c_str(), plan.type.id(), space, groups, list, H5P_DEFAULT);
  });
  write_layout(file, dataset, plan);
  if (options.step) write_text(dataset, steps_attribute, steps_text(with_step({}, *options.step)));
}

// The steps of a dataset that has `count` of them; all, if it has no record of them.
std::vector<Range> saved_steps(hid_t dataset, Index count) {
  if (has_attribute(dataset, steps_attribute)) return read_steps(read_text(dataset, steps_attribute), count);
  return count > 0 ? std::vector<Range>{{0, count}} : std::vector<Range>{};
}

// Gives a dataset that exists room for a step.
void extend_dataset(hid_t file, Plan& plan, Index step) {
  const Handle dataset = open_dataset(file, plan.name);
  const Handle space = made("H5Dget_space", &H5Sclose, [&] { return H5Dget_space(dataset); });
  const int ndim = call("H5Sget_simple_extent_ndims", [&] { return H5Sget_simple_extent_ndims(space); });
  std::vector<hsize_t> extents(static_cast<std::size_t>(ndim)), most(extents.size());
  call("H5Sget_simple_extent_dims", [&] { return H5Sget_simple_extent_dims(space, extents.data(), most.data()); });
  const std::vector<Index> shape(extents.begin() + (ndim > 0 ? 1 : 0), extents.end());
  if (ndim == 0 || most[0] != H5S_UNLIMITED || shape != plan.shape)
    refuse("the file has a dataset '" + clean(plan.name) + "' that is not the steps of an array of this shape", "",
           "give another name, or save without step, which makes a new file");
  const Datatype stored(call("H5Dget_type", [&] { return H5Dget_type(dataset); }));
  if (H5Tequal(stored.id(), plan.type.id()) <= 0)
    refuse("the dataset '" + clean(plan.name) + "' has " + stored_text(stored) + ", and the array others",
           "must be the same", "convert the array first");
  const Handle list = made("H5Dget_create_plist", &H5Pclose, [&] { return H5Dget_create_plist(dataset); });
  if (is_in_other_files(list))
    refuse("the dataset '" + clean(plan.name) + "' is in other files (a virtual dataset, or external files)",
           "steps are added to datasets in chunks", "give another name, or save without step, which makes a new file");
  plan.filtered = call("H5Pget_nfilters", [&] { return H5Pget_nfilters(list); }) > 0;
  plan.chunked = true;
  const std::vector<Range> steps = with_step(saved_steps(dataset, static_cast<Index>(extents[0])), step);
  extents[0] = std::max(extents[0], static_cast<hsize_t>(step) + 1);
  call("H5Dset_extent", [&] { return H5Dset_extent(dataset, extents.data()); });
  write_layout(file, dataset, plan);
  write_text(dataset, steps_attribute, steps_text(steps));
}

// Throws Error if the file has a dataset with the name of a group that this one needs.
void need_groups(hid_t file, const std::string& name) {
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
    const std::string group = name.substr(0, end);
    if (H5Oexists_by_name(file, group.c_str(), H5P_DEFAULT) <= 0) return;
    const Handle object = open_object(file, group);
    if (H5Iget_type(object) != H5I_GROUP)
      refuse("the file has '" + clean(group) + "', which is no group",
             "'" + clean(name) + "' needs a group of this name",
             "give another name, or save without step, which makes a new file");
  }
}

void add_dataset(hid_t file, Plan& plan, const SaveOptions& options) {
  const QuietErrors errors;
  if (options.step) need_groups(file, plan.name);
  const bool there = options.step && H5Oexists_by_name(file, plan.name.c_str(), H5P_DEFAULT) > 0;
  if (there)
    extend_dataset(file, plan, *options.step);
  else
    make_dataset(file, plan, options);
}

[[noreturn]] void refuse_room(Index bytes) {
  refuse_file("the disk has no room for the " + std::to_string(bytes) + " bytes of the file");
}

// Throws Error if a file cannot have so many bytes. HDF5 cannot close a file that does not fit.
void need_room(const std::string& path, Index bytes) {
  const Descriptor file(path, O_RDWR);
  const Index before = file.bytes();
  if (::ftruncate(file.get(), bytes) != 0) refuse_room(bytes);
  if (::ftruncate(file.get(), before) != 0) refuse_file("the file " + clean(path) + " cannot be written");
  struct statvfs disk {};
  if (::fstatvfs(file.get(), &disk) != 0 || disk.f_blocks == 0) return;  // the system does not say
  errno = ENOSPC;
  if (static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) < static_cast<double>(bytes - before))
    refuse_room(bytes);
}

// Allocates the first bytes of a file. Without it, a write finds out that the disk is full on one process, in the
// middle of a collective call.
void allocate_bytes(const std::string& path, Index bytes) {
  const Descriptor file(path, O_RDWR);
  bytes = std::max(bytes, file.bytes());
  if (bytes == 0 || ::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, bytes) == 0) return;
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINTR) refuse_room(bytes);
}

// About the bytes that a dataset adds to a file, before it is compressed.
Index bytes_of(const Plan& plan, const SaveOptions& options) {
  constexpr Index spare = 1 << 16;
  Index bytes = static_cast<Index>(H5Tget_size(plan.type.id()));
  const bool chunked = options.step || options.chunks || options.compression > 0;
  const std::vector<hsize_t> chunks =
      chunked && !plan.shape.empty() ? chunks_of(plan, options) : std::vector<hsize_t>{};
  for (std::size_t i = 0; i < plan.shape.size(); ++i) {
    const Index chunk = chunks.empty() ? 1 : static_cast<Index>(chunks[i + (options.step ? 1 : 0)]);
    const Index whole = (plan.shape[i] + chunk - 1) / chunk;
    bytes = checked_multiply(checked_multiply(bytes, whole).value_or(0), chunk).value_or(0);
  }
  for (const AxisLayout& axis : plan.layout) {
    const auto numbers = static_cast<Index>(axis.bounds.size() + axis.padding.size());
    const Index all = checked_add(numbers, axis.dist_type == 'u' ? axis.total() : 0).value_or(0);
    bytes = checked_add(bytes, checked_multiply(all, Index{sizeof(Index)}).value_or(0) + spare).value_or(bytes);
  }
  return bytes + spare;
}

Index bytes_of(const std::vector<Plan>& plans, const SaveOptions& options, bool all) {
  Index bytes = 0;
  for (const Plan& plan : plans)
    if (all || plan.filtered) bytes += bytes_of(plan, options);
  return bytes;
}

}  // namespace

void create(const std::string& path, bool exists, std::vector<Plan>& plans, const SaveOptions& options) {
  const Index before = exists ? Descriptor(path, O_RDONLY).bytes() : 0;
  need_room(path, before + bytes_of(plans, options, true));
  const Handle access = made("H5Pcreate", &H5Pclose, [] { return H5Pcreate(H5P_FILE_ACCESS); });
  Handle file = exists ? made("H5Fopen", &H5Fclose, [&] { return H5Fopen(path.c_str(), H5F_ACC_RDWR, access); })
                       : made("H5Fcreate", &H5Fclose,
                              [&] { return H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access); });
  for (Plan& plan : plans) add_dataset(file, plan, options);
  {
    const Handle root = open_object(file, "/");
    for (const Attribute& attribute : options.attributes) write_attribute(root, attribute);
    if (options.step) write_time(file, *options.step, options.time);
  }
  file.close("H5Fclose");
  allocate_bytes(path, Descriptor(path, O_RDONLY).bytes() + bytes_of(plans, options, false));
}

void copy_file(const std::string& from, const std::string& to) {
  const Descriptor source(from, O_RDONLY), target(to, O_WRONLY);
  if (::ioctl(target.get(), FICLONE, source.get()) == 0) return;
  for (Index rest = source.bytes(); rest > 0;) {
    const ssize_t copied =
        ::copy_file_range(source.get(), nullptr, target.get(), nullptr, static_cast<std::size_t>(rest), 0);
    if (copied < 0) refuse_file("the file " + clean(from) + " cannot be copied");
    if (copied == 0) break;
    rest -= copied;
  }
}

}  // namespace tridap::hdf5
