#include "pickled_distribution.hpp"

#include "bindings.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/make.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

using NumpyNumbers = py::array_t<Index, py::array::c_style | py::array::forcecast>;

NumpyNumbers to_numpy(const std::vector<Index>& numbers) {
  return NumpyNumbers(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

std::vector<Index> numbers_in(const py::handle array) {
  const auto numbers = py::cast<NumpyNumbers>(array);
  return {numbers.data(), numbers.data() + numbers.size()};
}

[[noreturn]] void refuse_spread(const UnstructuredKind& lists, Index axis) {
  refuse("a pickle of the distribution is asked for, but its " + std::to_string(lists.total()) +
             " indices stay on their processes",
         "must have all lists on this process",
         "send it the array's lists, or set TRIDAP_MOST_LISTED to at least " + std::to_string(lists.total()) +
             " before the program starts",
         axis);
}

// The kind, then `periodic`, then what the kind needs.
py::tuple state_of(const Axis& axis, Index number) {
  const bool periodic = axis.periodic();
  if (const auto* cyclic = axis.cyclic())
    return py::make_tuple("c", periodic, axis.size(), axis.proc_grid_size(), cyclic->block_size(), cyclic->first());
  if (const auto* listed = axis.unstructured()) {
    if (listed->own() != nullptr) refuse_spread(*listed, number);
    py::tuple lists(static_cast<std::size_t>(listed->grid()));
    for (Index c = 0; c < listed->grid(); ++c) lists[static_cast<std::size_t>(c)] = to_numpy(listed->list(c));
    return py::make_tuple("u", periodic, axis.size(), lists, listed->one_to_one());
  }
  const auto& block = *axis.block();
  if (block.is_uniform() && !block.is_padded())
    return py::make_tuple("b", periodic, axis.size(), axis.proc_grid_size(), block.length());
  std::vector<Index> starts, stops, lower, upper;
  for (Index c = 0; c < block.grid(); ++c) {
    const Range held = block.part(c, Part::local);
    starts.push_back(block.first_held(c));
    stops.push_back(block.first_held(c) + held.size());
    lower.push_back(block.padding(c)[0]);
    upper.push_back(block.padding(c)[1]);
  }
  return py::make_tuple("p", periodic, axis.size(), to_numpy(starts), to_numpy(stops), to_numpy(lower), to_numpy(upper),
                        block.is_padded());
}

// The Axis constructor from dimensions checks them all.
Axis padded_axis(const py::tuple& state, bool periodic, Index number) {
  const std::vector<Index> starts = numbers_in(state[3]), stops = numbers_in(state[4]), lower = numbers_in(state[5]),
                           upper = numbers_in(state[6]);
  if (stops.size() != starts.size() || lower.size() != starts.size() || upper.size() != starts.size())
    throw py::value_error("the state of an axis has lists of different lengths");
  const bool is_padded = py::cast<bool>(state[7]);
  std::vector<Dimension> dimensions;
  for (std::size_t c = 0; c < starts.size(); ++c) {
    Dimension dimension;
    dimension.size = py::cast<Index>(state[2]);
    dimension.proc_grid_size = static_cast<Index>(starts.size());
    dimension.proc_grid_rank = static_cast<Index>(c);
    dimension.periodic = periodic;
    Block block{starts[c], stops[c], {}};
    if (is_padded) block.padding = {lower[c], upper[c]};
    dimension.dist = block;
    dimensions.push_back(std::move(dimension));
  }
  return Axis(dimensions, number);
}

Axis axis_from(const py::tuple& state, Index number) {
  const auto kind = py::cast<std::string>(state[0]);
  const bool periodic = py::cast<bool>(state[1]);
  const auto size = py::cast<Index>(state[2]);
  if (kind == "p") return padded_axis(state, periodic, number);
  AxisSpec spec;
  Index grid = 0;
  if (kind == "b") {
    grid = py::cast<Index>(state[3]);
    spec = block(py::cast<Index>(state[4]));
  } else if (kind == "c") {
    grid = py::cast<Index>(state[3]);
    spec = cyclic(py::cast<Index>(state[4]), py::cast<Index>(state[5]));
  } else if (kind == "u") {
    std::vector<std::vector<Index>> lists;
    for (const py::handle list : py::cast<py::tuple>(state[3])) lists.push_back(numbers_in(list));
    grid = static_cast<Index>(lists.size());
    spec = unstructured(std::move(lists), py::cast<bool>(state[4]));
  } else {
    throw py::value_error("the state of an axis begins with '" + kind + "'");
  }
  Report report;
  const std::optional<Axis> made = make_axis(size, spec, grid, number, report);
  throw_if_wrong(report);
  return Axis(made->kind(), periodic);
}

}  // namespace

py::tuple state_of(const Distribution& distribution) {
  py::tuple axes(static_cast<std::size_t>(distribution.ndim()));
  for (Index i = 0; i < distribution.ndim(); ++i) axes[static_cast<std::size_t>(i)] = state_of(distribution.axis(i), i);
  return axes;
}

Distribution from_state(const py::tuple& state) {
  std::vector<Axis> axes;
  for (const py::handle axis : state)
    axes.push_back(axis_from(py::cast<py::tuple>(axis), static_cast<Index>(axes.size())));
  return Distribution(std::move(axes));
}

// Distributions are equal if each process owns the same elements at the same places, whatever kinds their axes have. Of
// lists in a directory this process knows where the first and the last index are, so the first and the last element are
// asked for, and how many each process has.
Index hash_of(const Distribution& distribution) {
  constexpr Index most = 8;  // processes
  Digest digest;
  digest.add_all(distribution.shape());
  std::array<Index, 2> owners{0, 0};
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const auto extremes = axis.extremes();
    if (!extremes) return digest.value();  // there are no elements
    digest.add_all(*extremes);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto* lists = axis.unstructured();
      const bool spread = lists != nullptr && lists->own() != nullptr;
      const Location place = spread ? lists->own()->ends[k] : axis.locate((*extremes)[k]).value();
      owners[k] = owners[k] * axis.proc_grid_size() + place.coordinate;
      digest.add(place.local);
    }
  }
  digest.add_all(owners);
  for (Index process = 0; process < most; ++process)
    digest.add(process < distribution.processes() ? distribution.count(process) : 0);
  return digest.value();
}

}  // namespace tridap::python
