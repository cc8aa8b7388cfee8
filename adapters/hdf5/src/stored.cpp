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
  if (const auto* cyclic = axis.cyclic()) return tridap::cyclic(cyclic->block_size());
  const auto* block = axis.block();
  if (block == nullptr) return tridap::block();
  BlockSpec spec;
  spec.edges = axis.edges();
  spec.periodic = axis.periodic();
  if (padded) spec.padding = width_of(*block);
  return spec;
}

std::vector<AxisSpec> specs_like(const Distribution& distribution, bool padded) {
  std::vector<AxisSpec> specs;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const bool alone = axis.proc_grid_size() == 1 && distribution.processes() > 1 && axis.dist_type() == 'b';
    const auto* block = axis.block();
    specs.push_back(alone && !block->is_padded() && !axis.periodic() ? AxisSpec{whole()} : spec_like(axis, padded));
  }
  return specs;
}

// What a file says of a dataset, in a form that can be sent.
struct Said {
  std::string file, name, type, version, dim_data, saved_steps;
  std::vector<Index> shape;
  Index steps = -1, chunked = 0, in_other_files = 0;
};

Said read_alone(const std::string& path, const std::string& wanted, bool stepped) {
  const Handle file = open_alone(path);
  Said said;
  said.file = std::filesystem::absolute(path).string();
  said.name = wanted.empty() ? only_name(path) : wanted;
  const Handle dataset = open_dataset(file, said.name);
  said.type = encoded(dataset, said.name);
  const Handle space = made("H5Dget_space", &H5Sclose, [&] { return H5Dget_space(dataset); });
  const int ndim = call("H5Sget_simple_extent_ndims", [&] { return H5Sget_simple_extent_ndims(space); });
  if (H5Sget_simple_extent_type(space) == H5S_NULL)
    refuse("the dataset '" + clean(said.name) + "' is empty", "", "give the name of a dataset with a shape");
  std::vector<hsize_t> extents(static_cast<std::size_t>(ndim)), most(extents.size());
  call("H5Sget_simple_extent_dims", [&] { return H5Sget_simple_extent_dims(space, extents.data(), most.data()); });
  said.shape.assign(extents.begin(), extents.end());
  const Handle list = made("H5Dget_create_plist", &H5Pclose, [&] { return H5Dget_create_plist(dataset); });
  said.chunked = H5Pget_layout(list) == H5D_CONTIGUOUS ? 0 : 1;
  said.in_other_files = is_in_other_files(list) ? 1 : 0;
  if (has_attribute(dataset, dim_data_attribute) && has_attribute(dataset, version_attribute)) {
    said.version = read_text(dataset, version_attribute);
    said.dim_data = read_text(dataset, dim_data_attribute);
  }
  const bool unlimited = !most.empty() && most[0] == H5S_UNLIMITED;
  const bool ours = !said.dim_data.empty() && read_json(said.dim_data).list_size() != said.shape.size();
  if (unlimited && (ours || (stepped && said.dim_data.empty()))) {
    said.steps = said.shape[0];
    said.shape.erase(said.shape.begin());
    if (has_attribute(dataset, steps_attribute)) said.saved_steps = read_text(dataset, steps_attribute);
  }
  return said;
}

std::string written(const Said& said) {
  Written all;
  for (const std::string* text : {&said.file, &said.name, &said.type, &said.version, &said.dim_data, &said.saved_steps})
    all.text(*text);
  for (const Index number : {static_cast<Index>(said.shape.size()), said.steps, said.chunked, said.in_other_files})
    all.number(number);
  for (const Index extent : said.shape) all.number(extent);
  return all.take();
}

Said read(const std::string& sent) {
  ToRead all(sent);
  Said said;
  for (std::string* text : {&said.file, &said.name, &said.type, &said.version, &said.dim_data, &said.saved_steps})
    *text = all.text();
  said.shape.resize(static_cast<std::size_t>(all.number()));
  for (Index* number : {&said.steps, &said.chunked, &said.in_other_files}) *number = all.number();
  for (Index& extent : said.shape) extent = all.number();
  return said;
}

}  // namespace

Search::Search(const std::string& path, const std::string& name, MPI_Comm comm, bool stepped, bool is_other)
    : all_(from_first(comm, [&] { return is_other ? std::string() : written(read_alone(path, name, stepped)); })) {}

std::string Search::file() const { return ToRead(all_).text(); }

Stored Search::understood() const {
  const Said said = read(all_);
  Stored stored;
  stored.name = said.name;
  stored.shape = said.shape;
  stored.chunked = said.chunked != 0;
  stored.in_other_files = said.in_other_files != 0;
  if (said.steps >= 0) stored.steps = said.steps;
  if (!said.saved_steps.empty()) stored.saved_steps = read_steps(said.saved_steps, said.steps);
  stored.type = Datatype(call("H5Tdecode", [&] { return H5Tdecode(said.type.data()); }));
  if (!said.dim_data.empty()) {
    Distribution read = read_layout(said.version, said.dim_data);
    if (read.shape() != stored.shape)
      refuse("the attribute 'dim_data' of '" + clean(said.name) + "' is of another shape than the dataset", "",
             "save the array again, or remove the attribute");
    stored.distribution = std::move(read);
  }
  return stored;
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
