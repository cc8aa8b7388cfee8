#include <tridap/detail/refuse.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/internal/stored_layout.hpp>
#include <tridap/read.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <utility>

namespace tridap::stored_layout {

namespace {

constexpr const char* save_again = "save the array again, or remove the attribute 'dim_data'";

std::size_t at_index(Index i) { return static_cast<std::size_t>(i); }

void add_block(const BlockKind& block, AxisLayout& layout) {
  layout.block_size = block.length();
  if (!block.is_uniform())
    for (Index c = 0; c <= block.grid(); ++c) layout.bounds.push_back(block.begin(c));
  if (!block.is_padded()) return;
  for (Index c = 0; c < block.grid(); ++c)
    for (const Index width : block.padding(c)) layout.padding.push_back(width);
}

void add_lists(const UnstructuredKind& lists, AxisLayout& layout) {
  layout.one_to_one = lists.one_to_one();
  layout.extremes = lists.extremes();
  layout.bounds.push_back(0);
  for (Index c = 0; c < lists.grid(); ++c) layout.bounds.push_back(layout.bounds.back() + lists.count(c));
}

// What a file says wrong of an axis.
[[noreturn]] void refuse_axis(std::string fault, std::string must, Index axis) {
  refuse(std::move(fault), std::move(must), save_again, axis);
}

// Reads the dictionary of one axis.
class AxisReader {
 public:
  AxisReader(const Value& dictionary, Index axis) : dictionary_(dictionary), axis_(axis) {}

  AxisLayout read() const {
    AxisLayout layout;
    const std::string type = of<std::string>("dist_type", "a text");
    if (type != "b" && type != "c" && type != "u") wrong("dist_type", "must be 'b', 'c' or 'u'");
    layout.dist_type = type[0];
    layout.size = number("size", 0);
    layout.proc_grid_size = number("proc_grid_size", 1);
    layout.periodic = of<bool>("periodic", "true or false");
    if (type != "u") {
      const bool has_bounds = type == "b" && dictionary_.find("block_size") == nullptr;
      layout.block_size = has_bounds ? 0 : number("block_size", 1);
      layout.first = type == "c" ? number("first", 0) : 0;
      if (layout.first >= layout.proc_grid_size) wrong("first", "must be less than proc_grid_size");
    } else {
      layout.one_to_one = of<bool>("one_to_one", "true or false");
      const auto extremes = of<Value::Integers>("extremes", "two integers");
      if (extremes.size() != 2) wrong("extremes", "must be two integers");
      layout.extremes = {extremes[0], extremes[1]};
      layout.indices = of<std::string>("indices", "the name of a dataset");
      if (layout.indices.empty() || layout.indices.find('\0') != std::string::npos)
        wrong("indices", "must be the name of a dataset");
    }
    return layout;
  }

 private:
  [[noreturn]] void wrong(const std::string& key, const std::string& must) const {
    const Value* const given = dictionary_.find(key);
    refuse_axis("the attribute 'dim_data' gives '" + key + "' as " + (given == nullptr ? "nothing" : given->text()),
                must, axis_);
  }
  template <class T>
  T of(const std::string& key, const std::string& what) const {
    const Value* const given = dictionary_.find(key);
    const T* const found = given == nullptr ? nullptr : given->as<T>();
    if (found == nullptr) wrong(key, "must be " + what);
    return *found;
  }
  Index number(const std::string& key, Index least) const {
    const auto found = of<Index>(key, "an integer");
    if (found < least) wrong(key, "must be at least " + std::to_string(least));
    return found;
  }

  const Value& dictionary_;
  Index axis_;
};

void need_bounds(const AxisLayout& layout, Index axis) {
  const Index grid = layout.proc_grid_size;
  if (layout.bounds.empty()) {
    const std::optional<Index> all = checked_multiply(grid, layout.block_size);
    if (layout.dist_type == 'u') refuse_axis("the attribute 'axis_bounds' has no bounds of lists", "", axis);
    if (layout.dist_type == 'b' && all && *all < layout.size)
      refuse_axis("the file says that " + std::to_string(grid) + " coordinates have blocks of " +
                      std::to_string(layout.block_size),
                  "must be at least size " + std::to_string(layout.size) + " together", axis);
    return;
  }
  if (static_cast<Index>(layout.bounds.size()) - 1 != grid)
    refuse_axis("the attribute 'axis_bounds' has " + std::to_string(layout.bounds.size()) + " numbers",
                "must be one more than proc_grid_size " + std::to_string(grid), axis);
  if (layout.bounds.front() != 0 || !std::is_sorted(layout.bounds.begin(), layout.bounds.end()))
    refuse_axis("the attribute 'axis_bounds' begins with " + std::to_string(layout.bounds.front()),
                "must be ascending numbers from 0 on", axis);
  if (layout.dist_type == 'b' && layout.bounds.back() != layout.size)
    refuse_axis("the attribute 'axis_bounds' ends with " + std::to_string(layout.bounds.back()),
                "must end with size " + std::to_string(layout.size), axis);
}

void need_padding(const AxisLayout& layout, Index axis) {
  if (layout.padding.empty()) return;
  if (static_cast<Index>(layout.padding.size() / 2) != layout.proc_grid_size || layout.padding.size() % 2 != 0)
    refuse_axis("the attribute 'axis_padding' has " + std::to_string(layout.padding.size()) + " numbers",
                "must be two for each of proc_grid_size " + std::to_string(layout.proc_grid_size), axis);
  for (const Index width : layout.padding)
    if (width < 0 || width > layout.size || !checked_add(width, layout.size))
      refuse_axis("the attribute 'axis_padding' has a width of " + std::to_string(width),
                  "must be from 0 to size " + std::to_string(layout.size), axis);
}

BlockKind block_of(const AxisLayout& layout) {
  if (layout.bounds.empty()) return BlockKind(layout.size, layout.proc_grid_size, layout.block_size);
  return BlockKind(layout.bounds);
}

// The dimensions of all coordinates, which Axis checks.
std::vector<Dimension> dimensions_of(const AxisLayout& layout) {
  std::vector<Dimension> all(at_index(layout.proc_grid_size));
  for (Index c = 0; c < layout.proc_grid_size; ++c) {
    Dimension& dimension = all[at_index(c)];
    dimension.size = layout.size;
    dimension.proc_grid_size = layout.proc_grid_size;
    dimension.proc_grid_rank = c;
    dimension.periodic = layout.periodic;
  }
  return all;
}

Axis padded_axis(const AxisLayout& layout, Index axis) {
  const BlockKind block = block_of(layout);
  std::vector<Dimension> all = dimensions_of(layout);
  for (Index c = 0; c < layout.proc_grid_size; ++c) {
    const Index left = layout.padding[at_index(2 * c)], right = layout.padding[at_index(2 * c + 1)];
    all[at_index(c)].dist =
        Block{block.begin(c) - (c > 0 ? left : 0), block.begin(c + 1) + (c + 1 < layout.proc_grid_size ? right : 0),
              std::array<Index, 2>{left, right}};
  }
  return Axis(all, axis);
}

Axis listed_axis_of(const AxisLayout& layout, Index axis) {
  std::vector<Dimension> all = dimensions_of(layout);
  for (Index c = 0; c < layout.proc_grid_size; ++c) {
    const Index begin = layout.bounds[at_index(c)], count = layout.bounds[at_index(c + 1)] - begin;
    all[at_index(c)].dist = Unstructured{row_major(layout.lists->data() + begin, {count}), layout.one_to_one};
  }
  return Axis(all, axis);
}

// The width of the communication padding of a block axis, if it is the same everywhere.
Index width_of(const std::vector<Index>& padding) {
  Index width = 0;
  for (std::size_t right = 1; right + 1 < padding.size(); right += 2) {
    if (padding[right] != padding[right + 1] || (right > 1 && padding[right] != width)) return 0;
    width = padding[right];
  }
  return width;
}

AxisSpec spec_of(const AxisLayout& layout, bool others) {
  if (layout.dist_type == 'c') return cyclic(layout.block_size);
  if (layout.dist_type == 'u') return block();
  const bool padded = !layout.padding.empty();
  if (layout.proc_grid_size == 1 && others && !padded && !layout.periodic) return whole();
  BlockSpec spec;
  spec.periodic = layout.periodic;
  if (!padded) return spec;
  spec.edges = {layout.padding.front(), layout.padding.back()};
  spec.padding = width_of(layout.padding);
  return spec;
}

}  // namespace

Layout layout_of(const Distribution& distribution) {
  Layout all;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    AxisLayout& layout = all.emplace_back();
    layout.dist_type = axis.dist_type();
    layout.size = axis.size();
    layout.proc_grid_size = axis.proc_grid_size();
    layout.periodic = axis.periodic();
    if (const auto* block = axis.block()) add_block(*block, layout);
    if (const auto* lists = axis.unstructured()) add_lists(*lists, layout);
    if (const auto* cyclic = axis.cyclic()) {
      layout.block_size = cyclic->block_size();
      layout.first = cyclic->first();
    }
  }
  return all;
}

std::string layout_text(const Layout& layout) {
  Value::List axes;
  for (const AxisLayout& axis : layout) {
    Value::Dict said{{"dist_type", {std::string(1, axis.dist_type)}},
                     {"size", {axis.size}},
                     {"proc_grid_size", {axis.proc_grid_size}},
                     {"periodic", {axis.periodic}}};
    if (axis.dist_type == 'u') {
      said.push_back({"one_to_one", {axis.one_to_one}});
      said.push_back({"extremes", {Value::Integers{axis.extremes[0], axis.extremes[1]}}});
      said.push_back({"indices", {axis.indices}});
    } else {
      if (axis.bounds.empty()) said.push_back({"block_size", {axis.block_size}});
      if (axis.dist_type == 'c') said.push_back({"first", {axis.first}});
    }
    axes.push_back({std::move(said)});
  }
  return Value{std::move(axes)}.json();
}

Layout read_layout(const std::string& text) {
  const Value said = read_json(text);
  if (!said.list_size()) refuse("the attribute 'dim_data' is " + said.text(), "must be a list", save_again);
  Layout all;
  for (std::size_t i = 0; i < *said.list_size(); ++i)
    all.push_back(AxisReader(said.element(i), static_cast<Index>(i)).read());
  return all;
}

void need_bounds(const Layout& layout) {
  for (std::size_t i = 0; i < layout.size(); ++i) {
    need_bounds(layout[i], static_cast<Index>(i));
    need_padding(layout[i], static_cast<Index>(i));
  }
}

Axis axis_of(const AxisLayout& layout, Index axis) {
  if (layout.dist_type == 'u') return listed_axis_of(layout, axis);
  if (layout.dist_type == 'c')
    return Axis(CyclicKind(layout.size, layout.proc_grid_size, layout.block_size, layout.first), layout.periodic);
  return layout.padding.empty() ? Axis(block_of(layout), layout.periodic) : padded_axis(layout, axis);
}

std::vector<AxisSpec> specs_of(const Layout& layout) {
  const bool others = std::any_of(layout.begin(), layout.end(), [](const auto& a) { return a.proc_grid_size > 1; });
  std::vector<AxisSpec> specs;
  for (const AxisLayout& axis : layout) specs.push_back(spec_of(axis, others));
  return specs;
}

Distribution default_of(const std::vector<Index>& shape, std::vector<AxisSpec> specs, Index processes) {
  for (const bool padded : {true, false}) {
    if (specs.size() != shape.size()) break;
    for (AxisSpec& spec : specs)
      if (auto* const blocks = std::get_if<BlockSpec>(&spec); blocks != nullptr && !padded) blocks->padding = 0;
    try {
      return Distribution::make(shape, specs, default_grid(processes, specs));
    } catch (const Error&) {  // its padding does not fit this number of processes
    }
  }
  const std::vector<AxisSpec> blocks(shape.size(), block());
  return Distribution::make(shape, blocks, default_grid(processes, blocks));
}

std::vector<Index> borders_of(const AxisLayout& layout) {
  const BlockKind block = block_of(layout);
  std::vector<Index> borders;
  for (Index c = 0; c <= block.grid(); ++c) borders.push_back(block.begin(c));
  return borders;
}

bool has_dictionaries(const std::string& text) {
  const Value said = read_json(text);
  return said.list_size().value_or(0) > 0 && said.element(0).list_size();
}

Distribution read_dictionaries(const std::string& version, const std::string& text) {
  const Value said = read_json(text);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < *said.list_size(); ++i) {
    const Value of_axis = said.element(i);
    Buffer none;
    none.memory.kind = Memory::Kind::nowhere;
    if (const auto coordinates = of_axis.list_size()) none.shape.assign(*coordinates, 0);
    const ReadArray read = read_array(Value{version}, of_axis, none, Source::json);
    throw_if_wrong(read.report);
    const std::vector<Dimension> dimensions(read.array.dim_data.begin(), read.array.dim_data.end());
    Report report;
    const std::optional<Version> stamped = read_version(version, report);
    throw_if_wrong(report);
    axes.emplace_back(dimensions, static_cast<Index>(i), *stamped);
  }
  return Distribution(std::move(axes));
}

}  // namespace tridap::stored_layout
