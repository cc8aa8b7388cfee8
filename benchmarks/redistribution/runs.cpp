// A plain loop that copies the same contiguous runs as the move: what a process receives, but from its own memory.

#include "redistribution/contest.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace bench {

namespace {

// Where a run begins on an axis in the parts of the sender and of the receiver, and its length.
struct Piece {
  Index from = 0, to = 0, length = 0;
};

// The runs of both sides list the same elements, but may be cut at other places.
std::vector<Piece> cut(const std::vector<Run>& sent, const std::vector<Run>& received) {
  std::vector<Piece> pieces;
  Index from_done = 0, to_done = 0;
  for (std::size_t from = 0, to = 0; from < sent.size() && to < received.size();) {
    const Index length = std::min(sent[from].length - from_done, received[to].length - to_done);
    pieces.push_back({sent[from].begin + from_done, received[to].begin + to_done, length});
    from_done += length;
    to_done += length;
    if (from_done == sent[from].length) ++from, from_done = 0;
    if (to_done == received[to].length) ++to, to_done = 0;
  }
  return pieces;
}

class Runs : public Competitor {
 public:
  explicit Runs(Problem& problem) : to_(problem.to.size()), row_length_(row_length(problem.target, problem.rank)) {
    const auto at = problem.target.coordinates(problem.rank);
    Index most = 0;
    for (int other = 0; other < problem.processes; ++other) {
      const auto there = problem.source.coordinates(other);
      Sender sender;
      sender.row_length = row_length(problem.source, other);
      const auto pieces = [&](int axis) {
        const auto i = static_cast<std::size_t>(axis);
        return cut(shared_runs(problem.source, axis, there[i], problem.target, at[i]),
                   shared_runs(problem.target, axis, at[i], problem.source, there[i]));
      };
      sender.rows = pieces(0);
      sender.columns = pieces(1);
      senders_.push_back(std::move(sender));
      most = std::max(most, problem.source.elements(other));
    }
    from_.assign(static_cast<std::size_t>(most), 1.0);
  }

  void poison() override { fill_with_nan(to_.data(), static_cast<Index>(to_.size())); }
  void move() override {
    for (const Sender& sender : senders_)
      for (const Piece& rows : sender.rows)
        for (Index row = 0; row < rows.length; ++row) {
          const double* const from = from_.data() + (rows.from + row) * sender.row_length;
          double* const to = to_.data() + (rows.to + row) * row_length_;
          for (const Piece& columns : sender.columns)
            std::memcpy(to + columns.to, from + columns.from,
                        static_cast<std::size_t>(columns.length) * sizeof(double));
        }
  }
  bool right() override {
    return std::none_of(to_.begin(), to_.end(), [](double number) { return std::isnan(number); });
  }

 private:
  struct Sender {
    Index row_length = 0;
    std::vector<Piece> rows, columns;
  };

  std::vector<double> from_, to_;
  Index row_length_;
  std::vector<Sender> senders_;
};

}  // namespace

std::unique_ptr<Competitor> make_runs(Problem& problem) { return std::make_unique<Runs>(problem); }

}  // namespace bench
