#include "file.hpp"
#include "first.hpp"
#include "layout.hpp"
#include "memory_type.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/hdf5/stored.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/hdf5_steps.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/text.hpp>
#include <tridap/value.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace tridap::hdf5 {

namespace {

std::string only_name(const std::string& path) {
  const std::vector<std::string> names = dataset_names(path);
  if (names.size() == 1) return names[0];
  std::string all;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 10); ++i)
    all += (i > 0 ? ", '" : "'") + clean(names[i]) + "'";
  if (names.size() > 10) all += ", ...";
  refuse("the file " + clean(path) + " has " + std::to_string(names.size()) + " datasets" +
             (names.empty() ? "" : ": " + all),
         "", "give the name of one");
}

std::string encoded(hid_t dataset, const std::string& name) {
  const Datatype type(call("H5Dget_type", [&] { return H5Dget_type(dataset); }));
  memory_type(type, "the elements of '" + clean(name) + "'");  // refuses those that no array can have
  std::size_t bytes = 0;
  call("H5Tencode", [&] { return H5Tencode(type.id(), nullptr, &bytes); });
  std::string code(bytes, '\0');
  call("H5Tencode", [&] { return H5Tencode(type.id(), code.data(), &bytes); });
  return code;
}

// The width of the communication padding of a block axis, if it is the same everywhere.
Index width_of(const BlockKind& block) {
  Index width = 0;
  for (Index c = 0; c + 1 < block.grid(); ++c) {
    const Index right = block.communication(c)[1], left = block.communication(c + 1)[0];
    if (left != right || (c > 0 && right != width)) return 0;
    width = right;
  }
  return width;
}

AxisSpec spec_like(const Axis& axis, bool padded) {
  if (const auto* cyclic = std::get_if<CyclicKind>(&axis.kind())) return tridap::cyclic(cyclic->block_size());
  const auto* block = std::get_if<BlockKind>(&axis.kind());
  if (block == nullptr) return tridap::block();
  BlockSpec spec;
  spec.edges = block->is_padded() ? block->edges() : std::array<Index, 2>{0, 0};
  spec.periodic = axis.periodic();
  if (padded) spec.padding = width_of(*block);
  return spec;
}

std::vector<AxisSpec> specs_like(const Distribution& distribution, bool padded) {
  std::vector<AxisSpec> specs;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const bool alone = axis.proc_grid_size() == 1 && distribution.processes() > 1 && axis.dist_type() == 'b';
    const auto* block = std::get_if<BlockKind>(&axis.kind());
    specs.push_back(alone && !block->is_padded() && !axis.periodic() ? AxisSpec{whole()} : spec_like(axis, padded));
  }
  return specs;
}

}  // namespace

void Search::read_alone(const std::string& path, const std::string& wanted, bool stepped) {
  const Handle file = open_alone(path);
  name_ = wanted.empty() ? only_name(path) : wanted;
  const Handle dataset = open_dataset(file, name_);
  type_ = encoded(dataset, name_);
  const Handle space = made("H5Dget_space", &H5Sclose, [&] { return H5Dget_space(dataset); });
  const int ndim = call("H5Sget_simple_extent_ndims", [&] { return H5Sget_simple_extent_ndims(space); });
  if (H5Sget_simple_extent_type(space) == H5S_NULL)
    refuse("the dataset '" + clean(name_) + "' is empty", "", "give the name of a dataset with a shape");
  std::vector<hsize_t> extents(static_cast<std::size_t>(ndim)), most(extents.size());
  call("H5Sget_simple_extent_dims", [&] { return H5Sget_simple_extent_dims(space, extents.data(), most.data()); });
  shape_.assign(extents.begin(), extents.end());
  const Handle list = made("H5Dget_create_plist", &H5Pclose, [&] { return H5Dget_create_plist(dataset); });
  chunked_ = H5Pget_layout(list) == H5D_CONTIGUOUS ? 0 : 1;
  in_other_files_ = is_in_other_files(list) ? 1 : 0;
  if (has_attribute(dataset, dim_data_attribute) && has_attribute(dataset, version_attribute)) {
    version_ = read_text(dataset, version_attribute);
    dim_data_ = read_text(dataset, dim_data_attribute);
  }
  const bool unlimited = !most.empty() && most[0] == H5S_UNLIMITED;
  const bool ours = !dim_data_.empty() && read_json(dim_data_).list_size() != shape_.size();
  if (unlimited && (ours || (stepped && dim_data_.empty()))) {
    steps_ = shape_[0];
    shape_.erase(shape_.begin());
    if (has_attribute(dataset, steps_attribute)) saved_steps_ = read_text(dataset, steps_attribute);
  }
}

Stored Search::understood() const {
  Stored stored;
  stored.name = name_;
  stored.shape = shape_;
  stored.chunked = chunked_ != 0;
  stored.in_other_files = in_other_files_ != 0;
  if (steps_ >= 0) stored.steps = steps_;
  if (!saved_steps_.empty()) stored.saved_steps = read_steps(saved_steps_, steps_);
  stored.type = Datatype(call("H5Tdecode", [&] { return H5Tdecode(type_.data()); }));
  if (!dim_data_.empty()) {
    Distribution read = read_layout(version_, dim_data_);
    if (read.shape() != stored.shape)
      refuse("the attribute 'dim_data' of '" + clean(name_) + "' is of another shape than the dataset", "",
             "save the array again, or remove the attribute");
    stored.distribution = std::move(read);
  }
  return stored;
}

Search::Search(const std::string& path, const std::string& name, MPI_Comm comm, bool stepped, bool is_other) {
  const std::string all = from_first(comm, [&] {
    if (is_other) return std::string();
    read_alone(path, name, stepped);
    Written found;
    for (const Index number : {static_cast<Index>(shape_.size()), steps_, chunked_, in_other_files_})
      found.number(number);
    for (const Index extent : shape_) found.number(extent);
    found.text(std::filesystem::absolute(path).string());
    for (const std::string* text : {&name_, &type_, &version_, &dim_data_, &saved_steps_}) found.text(*text);
    return found.take();
  });
  if (all.empty()) return;
  ToRead found(all);
  shape_.resize(static_cast<std::size_t>(found.number()));
  for (Index* number : {&steps_, &chunked_, &in_other_files_}) *number = found.number();
  for (Index& extent : shape_) extent = found.number();
  for (std::string* text : {&file_, &name_, &type_, &version_, &dim_data_, &saved_steps_}) *text = found.text();
}

Stored find(const std::string& path, const std::string& name, MPI_Comm comm, bool stepped) {
  const mpi::Call call(comm, "hdf5::find", mpi::Library::hdf5);
  return call.run([&] {
    const Search search(path, name, call.comm(), stepped);
    return mpi::collectively(call.comm(), [&] { return search.understood(); });
  });
}

Distribution default_distribution(const Stored& stored, Index processes) {
  if (stored.distribution && stored.distribution->processes() == processes) return *stored.distribution;
  if (stored.distribution)
    for (const bool padded : {true, false}) try {
        const std::vector<AxisSpec> specs = specs_like(*stored.distribution, padded);
        return Distribution::make(stored.shape, specs, default_grid(processes, specs));
      } catch (const Error&) {  // its padding does not fit this number of processes
      }
  const std::vector<AxisSpec> blocks(stored.shape.size(), block());
  return Distribution::make(stored.shape, blocks, default_grid(processes, blocks));
}

}  // namespace tridap::hdf5
