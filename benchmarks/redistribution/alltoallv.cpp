// MPI_Alltoallv by hand: each process packs what it sends to each other one, and unpacks what it receives.

#include "redistribution/peers.hpp"

#include <algorithm>

namespace bench {

namespace {

class Alltoallv : public IntoTarget {
 public:
  explicit Alltoallv(Problem& problem)
      : IntoTarget(problem),
        send_(sides(problem.source, problem.target)),
        receive_(sides(problem.target, problem.source)) {}

  void move() override {
    pack();
    MPI_Alltoallv(send_.packed.data(), send_.counts.data(), send_.offsets.data(), MPI_DOUBLE, receive_.packed.data(),
                  receive_.counts.data(), receive_.offsets.data(), MPI_DOUBLE, problem_.comm);
    unpack();
  }

 private:
  // The elements of our part that another process has in the other layout.
  struct Box {
    std::vector<Run> rows, columns;
  };

  struct Side {
    Index row_length = 0;
    std::vector<Box> boxes;  // by process, as the next two
    std::vector<int> counts, offsets;
    std::vector<double> packed;
  };

  Side sides(const Layout& mine, const Layout& theirs) const {
    Side side;
    side.row_length = row_length(mine, problem_.rank);
    const auto at = mine.coordinates(problem_.rank);
    int count = 0;
    for (int other = 0; other < problem_.processes; ++other) {
      const auto there = theirs.coordinates(other);
      side.boxes.push_back(
          {shared_runs(mine, 0, at[0], theirs, there[0]), shared_runs(mine, 1, at[1], theirs, there[1])});
      side.offsets.push_back(count);
      side.counts.push_back(static_cast<int>(length(side.boxes.back().rows) * length(side.boxes.back().columns)));
      count += side.counts.back();
    }
    side.packed.resize(static_cast<std::size_t>(count));
    return side;
  }

  static Index length(const std::vector<Run>& runs) {
    Index sum = 0;
    for (const Run& run : runs) sum += run.length;
    return sum;
  }

  // Calls visit(offset in the local part, length) for each contiguous run of a side, in the order of the packed
  // numbers.
  template <class Visit>
  static void for_each_run(const Side& side, const Visit& visit) {
    for (const Box& box : side.boxes)
      for (const Run& rows : box.rows)
        for (Index row = rows.begin; row < rows.begin + rows.length; ++row)
          for (const Run& columns : box.columns) visit(row * side.row_length + columns.begin, columns.length);
  }

  void pack() {
    double* to = send_.packed.data();
    for_each_run(send_, [&](Index from, Index count) { to = std::copy_n(problem_.from.data() + from, count, to); });
  }

  void unpack() {
    const double* from = receive_.packed.data();
    for_each_run(receive_, [&](Index to, Index count) {
      std::copy_n(from, count, problem_.to.data() + to);
      from += count;
    });
  }

  Side send_, receive_;
};

}  // namespace

std::unique_ptr<Competitor> make_alltoallv(Problem& problem) { return std::make_unique<Alltoallv>(problem); }

}  // namespace bench
