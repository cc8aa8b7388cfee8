#include "page_data.hpp"

#include "words.hpp"
#include <tridap/text.hpp>

#include <algorithm>
#include <array>

namespace tridap::drawing {

namespace {

constexpr Index exact_in_doubles = Index{1} << 53;

// Writes a list of numbers. Three or more numbers with one distance become [first, distance, length].
class NumberList {
 public:
  void add(Index number) {
    const std::optional<Index> step = run_.empty() ? std::nullopt : difference(number, run_.back());
    if (run_.size() == 2 && step != step_) {  // the second number may begin a run
      append(page_number(run_.front()));
      run_.erase(run_.begin());
    }
    if ((run_.size() == 3 && step != step_) || !step) flush();
    if (!run_.empty()) step_ = step;
    // Of a long run only the ends are needed.
    if (run_.size() < 3) {
      run_.push_back(number);
    } else {
      run_.back() = number;
      ++skipped_;
    }
  }
  std::string json() {
    flush();
    return "[" + text_ + "]";
  }

 private:
  static std::optional<Index> difference(Index a, Index b) {
    Index result = 0;
    if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
    return result;
  }
  void flush() {
    if (run_.size() >= 3)
      append("[" + page_number(run_.front()) + "," + page_number(*step_) + "," +
             std::to_string(run_.size() + skipped_) + "]");
    else
      for (const Index number : run_) append(page_number(number));
    run_.clear();
    skipped_ = 0;
    step_ = std::nullopt;
  }
  void append(const std::string& item) { text_ += (text_.empty() ? "" : ",") + item; }

  std::string text_;
  std::vector<Index> run_;  // at most three numbers: the first two and the last one
  std::size_t skipped_ = 0;
  std::optional<Index> step_;
};

std::string block_json(const BlockKind& block) {
  std::string text;
  if (block.is_uniform()) {
    text = ",\"length\":" + page_number(block.length());
  } else {
    NumberList bounds;
    for (Index c = 0; c <= block.grid(); ++c) bounds.add(block.begin(c));
    text = ",\"bounds\":" + bounds.json();
  }
  if (!block.is_padded()) return text;
  std::array<NumberList, 2> widths;
  for (Index c = 0; c < block.grid(); ++c) {
    const auto [left, right] = block.padding(c);
    widths[0].add(left);
    widths[1].add(right);
  }
  return text + ",\"padding\":[" + widths[0].json() + "," + widths[1].json() + "]";
}

std::string kind_json(const Axis& axis) {
  if (const auto* block = axis.block()) return block_json(*block);
  if (const auto* cyclic = axis.cyclic())
    return ",\"block\":" + page_number(cyclic->block_size()) + ",\"first\":" + page_number(cyclic->first());
  const auto& unstructured = *axis.unstructured();
  std::string lists;
  for (Index c = 0; c < unstructured.grid(); ++c) {
    NumberList list;
    for (const Index global : unstructured.list(c)) list.add(global);
    lists += (c == 0 ? "" : ",") + list.json();
  }
  return ",\"lists\":[" + lists + "]";
}

}  // namespace

std::string page_number(Index number) {
  const std::string text = std::to_string(number);
  return number > -exact_in_doubles && number < exact_in_doubles ? text : '"' + text + '"';
}

std::string page_array(const PageArray& array) {
  const Distribution& distribution = array.distribution;
  std::string axes;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    axes += std::string(i == 0 ? "" : ",") + "{\"kind\":\"" + axis.dist_type() +
            "\",\"size\":" + page_number(axis.size()) + ",\"grid\":" + page_number(axis.proc_grid_size()) +
            ",\"periodic\":" + (axis.periodic() ? "true" : "false") + kind_json(axis) + "}";
  }
  std::string words = array_words(distribution, " \u00d7 ");
  if (array.type) words += ", " + clean(array.type->name());
  return "{\"title\":" + json_text(clean(array.title)) + ",\"words\":" + json_text(words) +
         ",\"element\":" + (array.type ? json_text(clean(array.type->name())) : "null") +
         ",\"bytes\":" + page_number(array.type ? std::max<Index>(array.type->bytes, 1) : 1) + ",\"axes\":[" + axes +
         "]}";
}

}  // namespace tridap::drawing
