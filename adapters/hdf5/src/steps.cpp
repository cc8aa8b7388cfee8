#include "steps.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/text.hpp>
#include <tridap/value.hpp>

#include <algorithm>

namespace tridap::hdf5 {

std::string steps_text(const std::vector<Range>& steps) {
  Value::List ranges;
  for (const Range& range : steps) ranges.push_back({Value::Integers{range.begin, range.end}});
  return Value{std::move(ranges)}.json();
}

std::vector<Range> read_steps(const std::string& text, Index count) {
  const Value said = read_json(text);
  const auto* const ranges = said.as<Value::List>();
  std::vector<Range> steps;
  bool right = ranges != nullptr && !ranges->empty();
  for (std::size_t i = 0; right && i < ranges->size(); ++i) {
    const auto* const ends = (*ranges)[i].as<Value::Integers>();
    right = ends != nullptr && ends->size() == 2 && (*ends)[0] < (*ends)[1] &&
            (*ends)[0] >= (steps.empty() ? 0 : steps.back().end);
    if (right) steps.push_back({(*ends)[0], (*ends)[1]});
  }
  if (!right)
    refuse_key(steps_attribute, clean(text), "must be the steps that were saved, such as [[0, 3], [5, 6]]",
               "remove the attribute: then every step counts as saved");
  steps.back().end = std::max(steps.back().end, count);
  for (Range& range : steps) range.end = std::min(range.end, count);  // another program made the dataset shorter
  steps.erase(std::remove_if(steps.begin(), steps.end(), [](const Range& range) { return range.size() <= 0; }),
              steps.end());
  return steps;
}

std::vector<Range> with_step(const std::vector<Range>& steps, Index step) {
  std::vector<Range> all;
  Range added{step, step + 1};
  for (const Range& range : steps) {
    if (range.end < added.begin) {
      all.push_back(range);
    } else if (added.end < range.begin) {
      all.push_back(added);
      added = range;
    } else {
      added = {std::min(range.begin, added.begin), std::max(range.end, added.end)};
    }
  }
  all.push_back(added);
  return all;
}

}  // namespace tridap::hdf5
