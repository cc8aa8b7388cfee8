#pragma once

#include <tridap/make.hpp>
#include <tridap/vocabularies.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap {

// Collects the errors of one axis of a foreign distribution, and makes the axis if there are none.
class AxisTranslator {
 public:
  explicit AxisTranslator(Index axis) : axis_(axis) {}

  void wrong(Rule rule, const char* key, Index value, std::string must, std::string remedy = "");
  void at_least(Rule rule, const char* key, Index value, Index least);
  // Checks a coordinate of a grid. The extent of the grid must be checked separately.
  void coordinate(const char* key, Index value, Index grid);
  // The number of indices. If it does not fit 64 bits, adds a finding and returns 0.
  Index size(IndexBounds bounds, const char* key);
  // The length of the blocks of BLOCK or BLOCK(n); 1 if the arguments are wrong.
  Index block_length(Index size, Index grid, std::optional<Index> length, const char* key);
  // Checks a number of things that have to be written out.
  void listed(const char* key, Index count, const char* remedy);
  void check() const { throw_if_wrong(report_); }

  // Blocks distributed round-robin. The first one is on coordinate `served` and lacks its first `skipped` elements.
  // Adds to `losses` what the protocol cannot represent.
  AxisSpec round_robin(Index size, Index grid, Index block_size, Index served, Index skipped,
                       std::vector<std::string>& losses);
  // Shares that differ by at most one element, the longer ones first.
  BlockSpec balanced(Index size, Index grid);
  // The first index of each of these shares.
  std::vector<Index> balanced_starts(Index size, Index grid);

  // The axis. Throws all errors collected so far.
  TranslatedAxis make(Index size, AxisSpec spec, Index grid, Index base, std::vector<std::string> losses = {});

 private:
  Index axis_;
  Report report_;
};

// Shares that begin at `starts`, with `padding` at the inner borders and `edge` more elements at both ends.
BlockSpec fringed(std::vector<Index> starts, Index padding, Index edge, bool periodic);

// Throws an Error if an array with `ndim` axes has no such axis.
void refuse_axis(Index axis, Index ndim, std::string remedy);

// The axes that `make(axis)` gives. Throws an Error with the errors of all of them.
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

#pragma GCC visibility pop
