#pragma once

#include <tridap/distribution.hpp>
#include <tridap/flat_numbers.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tridap::redistribute {

/// A distribution, and which process of a team holds each of its parts. Several parts may not be held by one process;
/// a process that holds none takes part all the same.
struct PlacedDistribution {
  Distribution distribution;
  std::vector<Index> ranks;  ///< by process of the distribution, its rank in the team; empty: process r is rank r

  PlacedDistribution(Distribution of, std::vector<Index> held_by = {})
      : distribution(std::move(of)), ranks(std::move(held_by)) {}

  Index rank(Index process) const { return ranks.empty() ? process : ranks[static_cast<std::size_t>(process)]; }
  std::optional<Index> process(Index rank) const;  ///< the part that a rank holds; nothing: none
};

/// What is to move, beyond the two distributions.
struct Mapping {
  std::vector<Index> axes;    ///< axis `i` of the target is axis `axes[i]` of the source; empty: each is itself
  bool fill_padding = false;  ///< fills the target's communication padding too, from the elements' owners
  /// One side has one axis, whose global indices are the flat numbers of the other side's elements, in this order.
  std::optional<Order> ravel;
  bool partial = false;  ///< an element that one side alone has is left out; else it is an error
};

/// Bytes that one process sends to another, or has from it.
struct Traffic {
  Index rank = 0, bytes = 0;
};

struct Access;
struct PlanData;

/// How one process's part of an array comes from one distribution into another: what it sends to whom, without asking
/// anybody. A plan is a value that needs no MPI, for any process of a team of any number: of 100 000 that nobody has,
/// too.
///
/// Plan({rows of 4 x 4 over 2}, {columns over 2}, 8, 0): process 0 keeps the 4 elements of its two rows that are in its
/// two columns, `bytes_kept() == 32`, and sends the other 4, `bytes_to(1) == 32`, in one message.
///
/// It is the cross product of what moves along each axis, which is kept for one period of the dealing, lcm(b1 * P1,
/// b2 * P2): made in time, and kept in memory, in proportion to the blocks of one process along an axis in a period, to
/// the indices of its part of an unstructured axis, and to the processes along an axis that it deals with. A ravelled
/// array takes as much as its part has runs of flat numbers.
class Plan {
 public:
  /// `element_bytes`: 1 to 64 and more. Throws Error where the distributions are not of one shape, an element of one
  /// side is held by nobody on the other, the placements are none, or 64 bits cannot say the bytes of this process.
  Plan(PlacedDistribution source, PlacedDistribution target, Index element_bytes, Index rank,
       const Mapping& mapping = {});

  const PlacedDistribution& source() const;
  const PlacedDistribution& target() const;
  const Mapping& mapping() const;
  Index element_bytes() const;
  Index rank() const;

  Index bytes_to(Index rank) const;       ///< that this process sends to another, or keeps: to itself
  Index bytes_from(Index rank) const;     ///< that it has from another, or keeps
  Index messages() const;                 ///< the processes that it sends anything to, itself not counted
  Index bytes_kept() const;               ///< that stay on this process
  Index bytes_sent() const;               ///< to others
  Index bytes_received() const;           ///< from others
  std::vector<Traffic> sends() const;     ///< to whom, itself included, ascending by rank
  std::vector<Traffic> receives() const;  ///< from whom, itself included, ascending by rank

  /// A table: who sends what to whom where there are few processes, this process's part and the sums where there are
  /// many; the fewest bytes that must travel wherever the target's parts stood, and how far this plan is above them.
  std::string explain() const;

  Index memory() const;  ///< bytes that the plan itself takes

 private:
  friend struct Access;
  explicit Plan(std::shared_ptr<const PlanData> data) : data_(std::move(data)) {}

  std::shared_ptr<const PlanData> data_;
};

}  // namespace tridap::redistribute
