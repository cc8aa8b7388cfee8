#include "xdmf.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

// ParaView has two readers of XDMF, which understand different parts of it. "Xdmf Reader" takes the parts of a dataset
// by HyperSlab, and computes by Function. "Xdmf3 Reader" reads neither of these, but has a notation of its own for a
// part: "file:/name|start:stride:count:extents". Each reader passes over what is for the other one: the first one over
// the elements `include`; the second one takes the first item of an element alone, and an `include` is the item that
// its pointer finds. Those items are in the elements `Information` at the beginning.

namespace tridap::hdf5 {

namespace {

using Extents = std::vector<Index>;

constexpr std::size_t most_axes = 3;
constexpr Index most_steps = 1'000'000;
constexpr Index most_text = Index{256} << 20;  // bytes

std::string text_of(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}
std::string text_of(Index number) { return std::to_string(number); }

template <class Numbers>
std::string joined(const Numbers& numbers) {
  std::string all;
  for (const auto number : numbers) all += (all.empty() ? "" : " ") + text_of(number);
  return all;
}

std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (c == '&')
      all += "&amp;";
    else if (c == '<')
      all += "&lt;";
    else if (c == '>')
      all += "&gt;";
    else if (c == '"')
      all += "&quot;";
    else
      all += c;
  }
  return all;
}

Extents joined(Extents first, const Extents& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// One file, as it is written.
class Document {
 public:
  Document(const std::string& file, const std::vector<double>& times, const Xdmf& options)
      : file_(file), times_(times), options_(options) {}

  void add_grids(const std::string& name, const Extents& shape, const std::vector<const Field*>& group,
                 const std::vector<Field>& coordinates);
  std::string text() const {
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"2.0\">\n <Domain>\n" + parts_ + grids_ +
           " </Domain>\n</Xdmf>\n";
  }

 private:
  using Step = std::optional<Index>;

  void line(const std::string& text) {
    need_room(static_cast<Index>(text.size()));
    grids_ += std::string(2 + depth_, ' ') + text + "\n";
  }
  void need_room(Index more) const {
    if (more > most_text - static_cast<Index>(grids_.size() + parts_.size()))
      refuse(
          "the XDMF file would have more than " + std::to_string(most_text >> 20) + " MiB of text", "",
          "name fewer arrays, or save fewer steps in a file; for cells with two axes, save the points and name them as "
          "coordinates");
  }
  void begin(const std::string& text) {
    line(text);
    ++depth_;
  }
  void end(const std::string& text) {
    --depth_;
    line(text);
  }

  void add_grid(const std::string& name, const Extents& shape, const std::vector<const Field*>& group,
                const std::vector<Field>& coordinates, Step step);
  void add_uniform(const Extents& shape);
  void add_rectangles(const Extents& shape);
  void add_curved(const Extents& shape, const std::vector<Field>& coordinates, Step step);
  void add_attribute(const Field& field, Step step);
  void add_slab(const Field& field, const Extents& start, const Extents& count, const Extents& shape);
  void add_values(const Field& field, Step step, std::size_t axes);
  void add_two_components(const Field& field, Step step);

  bool has_cells() const { return options_.centers == Xdmf::Centers::cells; }
  // Extents with those of the axes of space that an array has not. "Xdmf Reader" needs three axes; but of cells as many
  // as their grid has.
  Extents in_space(const Extents& extents, std::size_t axes) const {
    const std::size_t wanted = has_cells() ? axes : most_axes;
    return joined(Extents(wanted - axes, 1), extents);
  }
  Extents points_of(Extents shape) const {
    for (Index& extent : shape) extent += has_cells() ? 1 : 0;
    return shape;
  }
  std::vector<double> in_space(const std::optional<std::vector<double>>& given, std::size_t axes, double other) const {
    std::vector<double> numbers(most_axes - axes, other);
    const std::vector<double> of_axes = given ? *given : std::vector<double>(axes, other);
    numbers.insert(numbers.end(), of_axes.begin(), of_axes.end());
    return numbers;
  }

  static std::string inline_item(const std::vector<double>& numbers) {
    return "<DataItem Dimensions=\"" + std::to_string(numbers.size()) +
           "\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">" + joined(numbers) + "</DataItem>";
  }
  std::string stored_item(const Field& field, const Extents& extents, const std::string& part = {}) const;
  std::string item_of_step(const Field& field, Step step, const Extents& extents) const;
  std::string include(const std::string& item);

  const std::string& file_;
  const std::vector<double>& times_;
  const Xdmf& options_;
  std::string parts_, grids_;
  Index count_ = 0;  // of the parts
  std::size_t depth_ = 0;
};

// "Xdmf Reader" has no unsigned numbers of 8 bytes: their values up to 2^63 - 1 are right as signed ones.
std::string Document::stored_item(const Field& field, const Extents& extents, const std::string& part) const {
  const bool is_unsigned = field.type.kind == ElementType::Kind::unsigned_integer && field.type.bytes < 8;
  const char* const kind = field.type.kind == ElementType::Kind::floating ? "Float" : is_unsigned ? "UInt" : "Int";
  return "<DataItem Dimensions=\"" + joined(extents) + "\" NumberType=\"" + kind + "\" Precision=\"" +
         std::to_string(field.type.bytes) + "\" Format=\"HDF\">" + escaped(file_ + ":/" + field.name) + part +
         "</DataItem>";
}

// For "Xdmf3 Reader".
std::string Document::item_of_step(const Field& field, Step step, const Extents& extents) const {
  if (!field.has_steps) return stored_item(field, extents);
  const Extents zeros(field.shape.size(), 0), ones(field.shape.size() + 1, 1);
  return stored_item(field, extents,
                     "|" + joined(joined(Extents{*step}, zeros)) + ":" + joined(ones) + ":" +
                         joined(joined(Extents{1}, field.shape)) + ":" +
                         joined(joined(Extents{field.extent}, field.shape)));
}

// An item for "Xdmf3 Reader" alone. Each has a part of its own: that reader empties an item when it uses it.
std::string Document::include(const std::string& item) {
  const std::string number = std::to_string(++count_);
  parts_ += "  <Information Name=\"part " + number + "\" Value=\"for Xdmf3\">" + item + "</Information>\n";
  return "<include xpointer=\"element(/1/1/" + number + "/1)\"/>";
}

void Document::add_slab(const Field& field, const Extents& start, const Extents& count, const Extents& shape) {
  begin("<DataItem ItemType=\"HyperSlab\" Dimensions=\"" + joined(shape) + "\">");
  line("<DataItem Dimensions=\"3 " + std::to_string(start.size()) + "\" NumberType=\"Int\" Format=\"XML\">" +
       joined(joined(joined(start, Extents(start.size(), 1)), count)) + "</DataItem>");
  line(stored_item(field, field.has_steps ? joined(Extents{field.extent}, field.shape) : field.shape));
  end("</DataItem>");
}

// All values of a step. The coordinates and vectors have further axes behind those of space.
void Document::add_values(const Field& field, Step step, std::size_t axes) {
  const Extents extents = in_space(field.shape, axes);
  if (!field.has_steps) return line(stored_item(field, extents));
  add_slab(field, joined(Extents{*step}, Extents(field.shape.size(), 0)), joined(Extents{1}, field.shape), extents);
}

void Document::add_two_components(const Field& field, Step step) {
  const Extents axes(field.shape.begin(), field.shape.end() - 1);
  begin("<DataItem ItemType=\"Function\" Dimensions=\"" + joined(joined(in_space(axes, axes.size()), Extents{3})) +
        "\" Function=\"JOIN($0, $1, 0 * $0)\">");
  for (const Index component : {0, 1}) {
    Extents start(axes.size(), 0), count = axes;
    if (field.has_steps) {
      start.insert(start.begin(), *step);
      count.insert(count.begin(), 1);
    }
    start.push_back(component);
    count.push_back(1);
    add_slab(field, start, count, in_space(axes, axes.size()));
  }
  end("</DataItem>");
}

void Document::add_attribute(const Field& field, Step step) {
  const std::size_t axes = field.shape.size() - (options_.vectors ? 1 : 0);
  const bool has_two = options_.vectors && field.shape.back() == 2;
  begin("<Attribute Name=\"" + escaped(field.name) + "\" AttributeType=\"" + (options_.vectors ? "Vector" : "Scalar") +
        "\" Center=\"" + (has_cells() ? "Cell" : "Node") + "\">");
  if (has_two || field.has_steps) line(include(item_of_step(field, step, in_space(field.shape, axes))));
  if (has_two)
    add_two_components(field, step);
  else
    add_values(field, step, axes);
  end("</Attribute>");
}

void Document::add_uniform(const Extents& shape) {
  line("<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" + joined(in_space(points_of(shape), shape.size())) +
       "\"/>");
  begin("<Geometry GeometryType=\"ORIGIN_DXDYDZ\">");
  line(inline_item(in_space(options_.origin, shape.size(), 0)));
  line(inline_item(in_space(options_.spacing, shape.size(), 1)));
  end("</Geometry>");
}

// A uniform grid of cells with two axes: "Xdmf Reader" reads no values of cells in one layer of points.
void Document::add_rectangles(const Extents& shape) {
  const Extents points = points_of(shape);
  line("<Topology TopologyType=\"2DRectMesh\" Dimensions=\"" + joined(points) + "\"/>");
  begin("<Geometry GeometryType=\"VXVY\">");
  for (const std::size_t axis : {1, 0}) {
    need_room(points[axis]);
    std::vector<double> numbers;
    for (Index i = 0; i < points[axis]; ++i)
      numbers.push_back((options_.origin ? (*options_.origin)[axis] : 0) +
                        static_cast<double>(i) * (options_.spacing ? (*options_.spacing)[axis] : 1));
    line(inline_item(numbers));
  }
  end("</Geometry>");
}

// The step of coordinates that belongs to a step of values: the latest one up to it, else the first one.
std::optional<Index> step_of_coordinates(const Field& field, std::optional<Index> step) {
  if (!field.has_steps) return {};
  Index found = field.steps.front().begin;
  for (const Range& range : field.steps)
    if (step && range.begin <= *step) found = std::min(*step, range.end - 1);
  return found;
}

void Document::add_curved(const Extents& shape, const std::vector<Field>& coordinates, Step step) {
  const Extents points = points_of(shape);
  const Extents needed = coordinates.size() == 1 ? joined(points, Extents{3}) : points;
  for (const Field& field : coordinates)
    if (field.shape != needed)
      refuse("the coordinates '" + clean(field.name) + "' have the extents " + joined(field.shape),
             "must have " + joined(needed) + ", those of the points of the grid of " + joined(shape) + " values",
             "save them so, or leave out coordinates");
  const bool flat = has_cells() && shape.size() == 2;
  line(std::string("<Topology TopologyType=\"") + (flat ? "2D" : "3D") + "SMesh\" Dimensions=\"" +
       joined(in_space(points, shape.size())) + "\"/>");
  static constexpr const char* types[] = {"GeometryType=\"XYZ\"", "Type=\"XY\" GeometryType=\"X_Y_Z\"",
                                          "Type=\"XYZ\" GeometryType=\"X_Y_Z\""};
  begin(std::string("<Geometry ") + types[coordinates.size() - 1] + ">");
  const bool stepped = std::any_of(coordinates.begin(), coordinates.end(), [](const Field& f) { return f.has_steps; });
  std::string items;
  for (const Field& field : coordinates)
    items += item_of_step(field, step_of_coordinates(field, step), in_space(field.shape, shape.size()));
  if (coordinates.size() == 1 && stepped) line(include(items));
  if (coordinates.size() > 1)  // "Xdmf3 Reader" computes it when it opens the file
    line(include("<Function Expression=\"X#Y" + std::string(coordinates.size() == 3 ? "#Z" : "") +
                 "\" VariableNames=\"X|Y|Z\" ItemType=\"Function\" Function=\"$0\" Dimensions=\"" +
                 joined(in_space(points, shape.size())) + " " + std::to_string(coordinates.size()) + "\">" + items +
                 "</Function>"));
  for (const Field& field : coordinates) add_values(field, step_of_coordinates(field, step), shape.size());
  if (coordinates.size() == 2) {
    begin("<DataItem ItemType=\"Function\" Dimensions=\"" + joined(in_space(points, shape.size())) +
          "\" Function=\"0 * $0\">");
    add_values(coordinates[0], step_of_coordinates(coordinates[0], step), shape.size());
    end("</DataItem>");
  }
  end("</Geometry>");
}

void Document::add_grid(const std::string& name, const Extents& shape, const std::vector<const Field*>& group,
                        const std::vector<Field>& coordinates, Step step) {
  begin("<Grid Name=\"" + escaped(name) + "\" GridType=\"Uniform\">");
  if (step) {
    const auto at = static_cast<std::size_t>(*step);
    const bool known = at < times_.size() && !std::isnan(times_[at]);
    line("<Time Value=\"" + text_of(known ? times_[at] : static_cast<double>(*step)) + "\"/>");
  }
  if (!coordinates.empty())
    add_curved(shape, coordinates, step);
  else if (has_cells() && shape.size() == 2)
    add_rectangles(shape);
  else
    add_uniform(shape);
  for (const Field* field : group) add_attribute(*field, step);
  end("</Grid>");
}

bool has_step(const Field& field, Index step) {
  return !field.has_steps || std::any_of(field.steps.begin(), field.steps.end(),
                                         [&](const Range& range) { return range.begin <= step && step < range.end; });
}

std::set<Index> steps_of(const std::vector<const Field*>& group) {
  Index count = 0;
  for (const Field* field : group)
    for (const Range& range : field->steps) count += range.size();
  if (count > most_steps)
    refuse("the file says that it has " + std::to_string(count) + " steps of arrays",
           "an XDMF file can have at most " + std::to_string(most_steps), "correct its attributes 'saved_steps'");
  std::set<Index> steps;
  for (const Field* field : group)
    for (const Range& range : field->steps)
      for (Index step = range.begin; step < range.end; ++step) steps.insert(step);
  return steps;
}

void Document::add_grids(const std::string& name, const Extents& shape, const std::vector<const Field*>& group,
                         const std::vector<Field>& coordinates) {
  const std::set<Index> steps = steps_of(group);
  if (steps.empty()) return add_grid(name, shape, group, coordinates, {});
  begin("<Grid Name=\"" + escaped(name) + "\" GridType=\"Collection\" CollectionType=\"Temporal\">");
  for (const Index step : steps) {
    std::vector<const Field*> there;
    for (const Field* field : group)
      if (has_step(*field, step)) there.push_back(field);
    add_grid("step " + std::to_string(step), shape, there, coordinates, step);
  }
  end("</Grid>");
}

void need_numbers(const char* key, const std::optional<std::vector<double>>& given, std::size_t axes) {
  if (given && given->size() != axes)
    refuse_key(key, joined(*given), "must be " + std::to_string(axes) + " numbers",
               "give one for each axis of space of the arrays, in their order");
}

[[noreturn]] void refuse_field(const Field& field, const std::string& has, const std::string& remedy) {
  refuse("'" + clean(field.name) + "' has " + has, "XDMF cannot describe this for ParaView",
         remedy + ", or leave out xdmf");
}

}  // namespace

void need_field(const Field& field, const Xdmf& options) {
  using Kind = ElementType::Kind;
  const std::string &name = clean(field.name), type = field.type.text();
  if (field.name != name || name.find_first_of(":|") != std::string::npos)
    refuse_key("name", "'" + name + "'", "must be text without ':', '|' and control characters",
               "give the array such a name, or leave out xdmf");
  switch (field.type.kind) {
    case Kind::complex:
      refuse_field(
          field, "complex elements (" + type + ")",
          "save its parts as two arrays (in Python {'" + name + "_real': x.real, '" + name + "_imag': x.imag})");
    case Kind::boolean:
      refuse_field(field, "bool as elements", "save it as uint8 (in Python x.astype('u1'))");
    case Kind::opaque:
      refuse_field(field, "records, texts or other elements that are no numbers (" + type + ")",
                   "save its numbers as arrays of their own");
    case Kind::bfloat:
      refuse_field(field, "elements of " + type, "save it as float32 (in Python x.astype('f4'))");
    case Kind::floating:
      if (field.type.bytes == 2)
        refuse_field(field, "elements of " + type, "save it as float32 (in Python x.astype('f4'))");
      if (field.type.bytes != 4 && field.type.bytes != 8)
        refuse_field(field, "elements of " + type, "save it as float64 (in Python x.astype('f8'))");
      break;
    case Kind::signed_integer:
    case Kind::unsigned_integer:
      break;
  }
  const Index axes = static_cast<Index>(field.shape.size()) - (options.vectors ? 1 : 0);
  if (axes < 1 || axes > static_cast<Index>(most_axes))
    refuse_field(field, std::to_string(axes) + " axes of space",
                 "save a part with one to three axes as an array of its own (in Python x[0])");
  if (axes == 1 && options.centers == Xdmf::Centers::cells)
    refuse_field(field, "one axis of cells", "say that its values are of points");
  if (options.vectors && field.shape.back() != 2 && field.shape.back() != 3)
    refuse_field(field, std::to_string(field.shape.back()) + " components in its last axis",
                 "leave out vectors, or save two or three components");
  if (std::count(field.shape.begin(), field.shape.end(), Index{0}) > 0)
    refuse_field(field, "no elements", "save an array with some");
}

std::string xdmf_text(const std::string& file, const std::vector<Field>& fields, const std::vector<Field>& coordinates,
                      const std::vector<double>& times, const Xdmf& options) {
  std::vector<std::pair<Extents, std::vector<const Field*>>> groups;
  for (const Field& field : fields) {
    need_field(field, options);
    const Extents shape(field.shape.begin(), field.shape.end() - (options.vectors ? 1 : 0));
    need_numbers("origin", options.origin, shape.size());
    need_numbers("spacing", options.spacing, shape.size());
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& each) { return each.first == shape; });
    if (group == groups.end()) group = groups.insert(groups.end(), {shape, {}});
    group->second.push_back(&field);
  }
  Xdmf scalars = options;
  scalars.vectors = coordinates.size() == 1;
  scalars.centers = Xdmf::Centers::points;
  for (const Field& field : coordinates) need_field(field, scalars);
  Document document(file, times, options);
  for (const auto& [shape, group] : groups)
    document.add_grids(&group == &groups.front().second ? "fields" : "fields of " + joined(shape), shape, group,
                       coordinates);
  return document.text();
}

}  // namespace tridap::hdf5
