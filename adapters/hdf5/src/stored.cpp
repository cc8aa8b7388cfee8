#include "attributes.hpp"
#include "file.hpp"
#include "first.hpp"
#include "lists.hpp"
#include "memory_type.hpp"
#include "steps.hpp"
#include "transfer.hpp"
#include "xdmf.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/hdf5/stored.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/hdf5_steps.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/text.hpp>
#include <tridap/value.hpp>
#include <tridap/version.hpp>

#include <algorithm>
#include <filesystem>
#include <new>
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

[[noreturn]] void refuse_shape(const std::string& name) {
  refuse("the attribute 'dim_data' of '" + clean(name) + "' is of another shape than the dataset", "",
         "save the array again, or remove the attribute");
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

// How lists are read that are not among what rank 0 sends.
enum OfLists : Index {
  not_at_all,
  own_ones,        // each process reads its own
  in_equal_parts,  // each process reads some of each, to find out which indices there are
};

// What a file says of a dataset, in a form that can be sent.
struct Said {
  std::string file, name, type, version, dim_data, saved_steps;
  std::vector<Index> shape;
  Index steps = -1, chunked = 0, in_other_files = 0;
  Layout layout;                // empty if `dim_data` has the older form
  Index with_distribution = 0;  // some process uses the layout
  Index of_lists = 0;           // how long lists are read
  Index most_listed = 0;
};

// What rank 0 reads of a dataset.
class Reader {
 public:
  Reader(const std::string& path, const std::string& wanted, Index processes, const SearchOptions& options)
      : options_(options), processes_(processes), file_(open_alone(path)) {
    said_.file = std::filesystem::absolute(path).string();
    said_.name = wanted.empty() ? only_name(path) : wanted;
    said_.most_listed = options.most_listed;
    dataset_ = open_dataset(file_, said_.name);
  }

  Said read() {
    said_.type = encoded(dataset_, said_.name);
    const bool unlimited = read_shape();
    const Handle list = made("H5Dget_create_plist", &H5Pclose, [&] { return H5Dget_create_plist(dataset_); });
    said_.chunked = H5Pget_layout(list) == H5D_CONTIGUOUS ? 0 : 1;
    said_.in_other_files = is_in_other_files(list) ? 1 : 0;
    if (has_attribute(dataset_, dim_data_attribute) && has_attribute(dataset_, version_attribute)) {
      said_.version = read_text(dataset_, version_attribute);
      said_.dim_data = read_text(dataset_, dim_data_attribute);
    }
    const bool ours = !said_.dim_data.empty() && read_json(said_.dim_data).list_size() != said_.shape.size();
    if (unlimited && (ours || (options_.stepped && said_.dim_data.empty()))) {
      said_.steps = said_.shape[0];
      said_.shape.erase(said_.shape.begin());
      if (has_attribute(dataset_, steps_attribute)) said_.saved_steps = read_text(dataset_, steps_attribute);
    }
    if (!said_.dim_data.empty() && !has_dictionaries(said_.dim_data)) read_axes();
    return std::move(said_);
  }

 private:
  // Returns whether the first axis is unlimited.
  bool read_shape() {
    const Handle space = made("H5Dget_space", &H5Sclose, [&] { return H5Dget_space(dataset_); });
    const int ndim = call("H5Sget_simple_extent_ndims", [&] { return H5Sget_simple_extent_ndims(space); });
    if (H5Sget_simple_extent_type(space) == H5S_NULL)
      refuse("the dataset '" + clean(said_.name) + "' is empty", "", "give the name of a dataset with a shape");
    std::vector<hsize_t> extents(static_cast<std::size_t>(ndim)), most(extents.size());
    call("H5Sget_simple_extent_dims", [&] { return H5Sget_simple_extent_dims(space, extents.data(), most.data()); });
    said_.shape.assign(extents.begin(), extents.end());
    return !most.empty() && most[0] == H5S_UNLIMITED;
  }

  void read_axes() {
    Layout& layout = said_.layout;
    layout = read_layout(said_.dim_data);
    std::vector<Index> shape;
    for (const AxisLayout& axis : layout) shape.push_back(axis.size);
    if (shape != said_.shape) refuse_shape(said_.name);
    auto bounds = read_number_lists(dataset_, bounds_attribute, layout.size());
    auto padding = read_number_lists(dataset_, padding_attribute, layout.size());
    for (std::size_t i = 0; i < layout.size(); ++i) {
      if (layout[i].dist_type != 'c') layout[i].bounds = std::move(bounds[i]);
      if (layout[i].dist_type == 'b') layout[i].padding = std::move(padding[i]);
    }
    need_bounds(layout);
    read_lists_of_axes();
  }

  // All lists of an axis, unless they are long.
  void read_lists_of_axes() {
    Layout& layout = said_.layout;
    bool compact = false, long_ones = false, long_compact = false;
    std::vector<Index> grid;
    for (const AxisLayout& axis : layout) {
      grid.push_back(axis.proc_grid_size);
      if (axis.dist_type != 'u') continue;
      compact = compact || axis.is_compact();
      long_ones = long_ones || is_long(axis);
      long_compact = long_compact || (is_long(axis) && axis.is_compact());
    }
    said_.with_distribution = options_.with_distribution || compact ? 1 : 0;
    if (said_.with_distribution == 0) return layout.clear();
    if (long_ones && checked_product(grid) == processes_)
      said_.of_lists = own_ones;
    else if (long_compact && options_.with_indices)
      said_.of_lists = in_equal_parts;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const auto axis = static_cast<Index>(i);
      if (layout[i].dist_type != 'u') continue;
      need_lists(file_, layout[i], axis);
      const bool needed = !long_ones || said_.of_lists == own_ones || layout[i].is_compact();
      if (needed && !is_long(layout[i])) layout[i].lists = read_lists(file_, layout[i], axis);
    }
  }
  bool is_long(const AxisLayout& axis) const { return axis.proc_grid_size > 1 && axis.total() > options_.most_listed; }

  const SearchOptions& options_;
  Index processes_;
  Handle file_, dataset_;
  Said said_;
};

// Calls `visit` with each text, and with each number, of what is sent.
template <class Of, class Text, class Number>
void for_each(Of& said, Text&& text, Number&& number) {
  for (auto* each : {&said.file, &said.name, &said.type, &said.version, &said.dim_data, &said.saved_steps}) text(*each);
  for (auto* each :
       {&said.steps, &said.chunked, &said.in_other_files, &said.with_distribution, &said.of_lists, &said.most_listed})
    number(*each);
}

std::string written(const Said& said) {
  Written all;
  for_each(
      said, [&](const std::string& text) { all.text(text); }, [&](Index number) { all.number(number); });
  all.numbers(said.shape);
  for (const AxisLayout& axis : said.layout) {
    all.numbers(axis.bounds);
    all.numbers(axis.padding);
    all.number(axis.lists ? 1 : 0);
    if (axis.lists) all.numbers(*axis.lists);
  }
  return all.take();
}

Said read(const std::string& sent) {
  ToRead all(sent);
  Said said;
  for_each(
      said, [&](std::string& text) { text = all.text(); }, [&](Index& number) { number = all.number(); });
  said.shape = all.numbers();
  if (said.with_distribution != 0 && !has_dictionaries(said.dim_data)) said.layout = read_layout(said.dim_data);
  for (AxisLayout& axis : said.layout) {
    axis.bounds = all.numbers();
    axis.padding = all.numbers();
    if (all.number() != 0) axis.lists = all.numbers();
  }
  return said;
}

Distribution distribution_of(const Layout& layout) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < layout.size(); ++i) axes.push_back(axis_of(layout[i], static_cast<Index>(i)));
  return Distribution(std::move(axes));
}

// Whether the lists of an axis are not among what rank 0 sends.
bool lacks_lists(const AxisLayout& axis) { return axis.dist_type == 'u' && !axis.lists; }

// Memory for `range(i)` of the lists of each axis that lacks them, and how it is read: one task for each.
template <class RangeOf>
std::vector<Task> reading_of_lists(const Layout& layout, Index processes, RangeOf range_of) {
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const AxisLayout& axis = layout[i];
    if (!lacks_lists(axis)) continue;
    const Range range = range_of(i);
    const Buffer list = allocate(tridap::element_type<Index>(), {range.size()});
    // Each process reads for itself what several may read.
    tasks.push_back({axis.indices,
                     list,
                     Distribution::make({axis.total()}, {block()}, {processes}),
                     datatype(list.type),
                     {},
                     true,
                     false,
                     range});
  }
  return tasks;
}

// The part of this process: its own lists, and of the other axes what the file says.
DistArray own_part(const Layout& layout, const Indices& here, const std::vector<Task>& lists) {
  DistArray part;
  part.buffer.type = tridap::element_type<double>();  // of no elements
  part.buffer.memory.kind = Memory::Kind::nowhere;
  auto list = lists.begin();
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const AxisLayout& said = layout[i];
    if (!lacks_lists(said)) {
      const Axis axis = axis_of(said, static_cast<Index>(i));
      part.buffer.shape.push_back(axis.part(here[i], Part::local).size());
      part.dim_data.push_back(axis.dimension(here[i]));
      continue;
    }
    Dimension dimension;
    dimension.size = said.size;
    dimension.proc_grid_size = said.proc_grid_size;
    dimension.proc_grid_rank = here[i];
    dimension.periodic = said.periodic;
    dimension.dist = Unstructured{list->buffer, said.one_to_one};
    part.buffer.shape.push_back((list++)->buffer.shape[0]);
    part.dim_data.push_back(std::move(dimension));
  }
  part.buffer.strides = row_major_strides(part.buffer.shape, part.buffer.type.bytes);
  return part;
}

// The grid coordinates of a rank.
Indices coordinates_of(const Layout& layout, Index rank) {
  Indices here(layout.size());
  for (std::size_t i = layout.size(); i-- > 0; rank /= layout[i].proc_grid_size)
    here[i] = rank % layout[i].proc_grid_size;
  return here;
}

// The distribution in the directory form, of which each process reads its own lists. **Collective.**
Distribution read_spread(const std::string& sent, MPI_Comm comm) {
  Said said;
  std::vector<Task> lists;
  Indices here;
  mpi::collectively(comm, [&] {
    said = read(sent);
    here = coordinates_of(said.layout, mpi::rank_of(comm));
    lists = reading_of_lists(said.layout, mpi::processes_of(comm), [&](std::size_t i) {
      const auto c = static_cast<std::size_t>(here[i]);
      return Range{said.layout[i].bounds[c], said.layout[i].bounds[c + 1]};
    });
  });
  transfer(said.file, Direction::read, lists, comm, {});
  const DistArray part = mpi::collectively(comm, [&] { return own_part(said.layout, here, lists); });
  tridap::Reading reading;
  reading.most_listed = said.most_listed;
  return mpi::gather_distribution(part, comm, reading);
}

std::vector<Index> indices_in(const Buffer& list) {
  std::optional<std::vector<Index>> indices = read_indices(list);
  if (!indices) throw std::bad_alloc();
  return std::move(*indices);
}

// By axis: the indices of the compact ones, whose lists are long. **Collective.**
std::vector<std::optional<StoredIndices>> read_in_equal_parts(const std::string& sent, MPI_Comm comm) {
  const Index processes = mpi::processes_of(comm), rank = mpi::rank_of(comm);
  const auto part = [&](const AxisLayout& axis, Index r) {
    const BlockKind blocks(axis.total(), processes, std::max<Index>(1, (axis.total() + processes - 1) / processes));
    return Range{blocks.begin(r), blocks.begin(r + 1)};
  };
  Said said;
  std::vector<Task> lists;
  mpi::collectively(comm, [&] {
    said = read(sent);
    for (AxisLayout& axis : said.layout)
      if (!axis.is_compact()) axis.dist_type = 'b';  // whose lists are not needed
    lists = reading_of_lists(said.layout, processes, [&](std::size_t i) { return part(said.layout[i], rank); });
  });
  transfer(said.file, Direction::read, lists, comm, {});
  std::vector<std::optional<StoredIndices>> indices(said.layout.size());
  auto list = lists.begin();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const AxisLayout& axis = said.layout[i];
    if (!lacks_lists(axis)) continue;
    const Buffer& own = (list++)->buffer;
    ListHere here{[&] { return indices_in(own); }, rank, true, {}, axis.extremes};
    for (Index r = 0; r < processes; ++r) here.counts.push_back(part(axis, r).size());
    const SpreadLists all = mpi::Directory::make(std::move(here), comm);
    indices[i] = StoredIndices{all.own->distinct, all.own->indices};
  }
  return indices;
}

StoredIndices indices_of(const Axis& axis) {
  const DifferentIndices all = different_indices(*axis.unstructured());
  return {all.count, all.digest};
}

// Those of the compact axes whose lists are known.
void add_indices(const Distribution& distribution, std::vector<std::optional<StoredIndices>>& indices) {
  for (Index i = 0; i < distribution.ndim(); ++i) {
    if (!is_compact(distribution.axis(i))) continue;
    indices.resize(static_cast<std::size_t>(distribution.ndim()));
    indices[static_cast<std::size_t>(i)] = indices_of(distribution.axis(i));
  }
}

// What the file says but for the distribution.
Stored without_distribution(const Said& said) {
  Stored stored;
  stored.name = said.name;
  stored.shape = said.shape;
  stored.chunked = said.chunked != 0;
  stored.in_other_files = said.in_other_files != 0;
  if (said.steps >= 0) stored.steps = said.steps;
  if (!said.saved_steps.empty()) stored.saved_steps = read_steps(said.saved_steps, said.steps);
  stored.type = Datatype(call("H5Tdecode", [&] { return H5Tdecode(said.type.data()); }));
  return stored;
}

}  // namespace

Stored read_stored(const std::string& path, const std::string& name) {
  SearchOptions options;
  options.with_distribution = options.with_indices = false;
  return without_distribution(Reader(path, name, 1, options).read());
}

Search::Search(const std::string& path, const std::string& name, MPI_Comm comm, const SearchOptions& options) {
  const Index processes = mpi::processes_of(comm);
  all_ = from_first(comm, [&] {
    if (options.is_other) return std::string();
    const Said said = Reader(path, name, processes, options).read();
    Written all;
    all.number(said.of_lists);
    return all.take() + written(said);
  });
  if (all_.empty()) return;
  const Index of_lists = ToRead(all_).number();
  all_.erase(0, sizeof(Index));
  if (of_lists == own_ones) spread_ = read_spread(all_, comm);
  if (of_lists == in_equal_parts) indices_ = read_in_equal_parts(all_, comm);
}

std::string Search::file() const { return ToRead(all_).text(); }

Stored Search::understood() const {
  const Said said = read(all_);
  Stored stored = without_distribution(said);
  if (said.dim_data.empty()) return stored;
  if (has_dictionaries(said.dim_data)) {
    stored.distribution = read_dictionaries(said.version, said.dim_data);
    if (stored.distribution->shape() != stored.shape) refuse_shape(said.name);
    stored.specs = specs_of(layout_of(*stored.distribution));
    add_indices(*stored.distribution, stored.indices);
    return stored;
  }
  if (said.with_distribution == 0) return stored;
  Report report;
  read_version(said.version, report);
  throw_if_wrong(report);
  stored.specs = specs_of(said.layout);
  stored.indices = indices_;
  if (spread_)
    stored.distribution = spread_;
  else if (std::none_of(said.layout.begin(), said.layout.end(), lacks_lists))
    stored.distribution = distribution_of(said.layout);
  if (stored.distribution) add_indices(*stored.distribution, stored.indices);
  for (std::size_t i = 0; i < stored.indices.size(); ++i)
    if (!stored.indices[i] && said.layout[i].is_compact() && said.layout[i].lists)
      stored.indices[i] = indices_of(axis_of(said.layout[i], static_cast<Index>(i)));
  return stored;
}

Stored find(const std::string& path, const std::string& name, MPI_Comm comm, bool stepped, Index most_listed) {
  const mpi::Call call(comm, "hdf5::find", mpi::Library::hdf5);
  return call.run([&] {
    const Search search(path, name, call.comm(), {stepped, true, true, most_listed});
    return mpi::collectively(call.comm(), [&] { return search.understood(); });
  });
}

Distribution default_distribution(const Stored& stored, Index processes) {
  if (stored.distribution && stored.distribution->processes() == processes) return *stored.distribution;
  std::vector<AxisSpec> specs = stored.specs;
  if (specs.empty() && stored.distribution) specs = specs_of(layout_of(*stored.distribution));
  return default_of(stored.shape, std::move(specs), processes);
}

}  // namespace tridap::hdf5
