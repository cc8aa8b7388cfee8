#pragma once

#include <tridap/make.hpp>
#include <tridap/vocabularies.hpp>

#include <string>
#include <vector>

namespace tridap {

// Collects what is wrong with one axis of a vocabulary, and makes it where nothing is.
class AxisTranslator {
 public:
  explicit AxisTranslator(Index axis) : axis_(axis) {}

  void wrong(Rule rule, const char* key, Index value, std::string must, std::string remedy = "");
  void at_least(Rule rule, const char* key, Index value, Index least);
  // A coordinate of a grid, which must be checked for itself.
  void coordinate(const char* key, Index value, Index grid);
  // How many indices there are; 0, and a finding, where that does not fit 64 bits.
  Index size(Bounds bounds, const char* key);
  // How many elements BLOCK or BLOCK(n) gives to each; 1 where the arguments are wrong.
  Index block_length(Index size, Index grid, std::optional<Index> length, const char* key);
  // A number of things that have to be written out.
  void listed(const char* key, Index count, const char* remedy);
  void check() const { throw_if_wrong(report_); }

  // Blocks dealt round-robin to coordinate `served` first, that block without its first `skipped` elements; what cannot
  // be said goes to `losses`.
  AxisSpec dealt(Index size, Index grid, Index block_size, Index served, Index skipped,
                 std::vector<std::string>& losses);
  // Shares that differ by one element at most, the longer ones first.
  BlockSpec balanced(Index size, Index grid);
  // The same, each share's first index written out.
  std::vector<Index> balanced_starts(Index size, Index grid);

  // The axis; throws whatever was wrong until now.
  TranslatedAxis make(Index size, AxisSpec spec, Index grid, Index base, std::vector<std::string> losses = {});

 private:
  Index axis_;
  Report report_;
};

// Shares that begin at `starts`, with `padding` at the inner borders and `edge` elements more at both ends.
BlockSpec fringed(std::vector<Index> starts, Index padding, Index edge, bool periodic);

// The axes that `make(axis)` gives, or an Error with what is wrong with any of them.
template <class Make>
std::vector<TranslatedAxis> every_axis(std::size_t ndim, const Make& make) {
  Report report;
  std::vector<TranslatedAxis> axes;
  for (std::size_t axis = 0; axis < ndim; ++axis) try {
      axes.push_back(make(axis));
    } catch (const Error& error) {
      report.merge(error.report());
    }
  throw_if_wrong(report);
  return axes;
}

}  // namespace tridap
