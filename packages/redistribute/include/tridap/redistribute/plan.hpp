#pragma once

#include <tridap/distribution.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/redistribute/placed.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tridap::redistribute {

/// How the elements of the target correspond to those of the source.
struct Mapping {
  std::vector<Index> axes;    ///< axis `i` of the target is axis `axes[i]` of the source; empty: axis `i`
  bool fill_padding = false;  ///< also fill the target's communication padding, from the owners of the elements
  /// If set, one side has one axis. Its global indices are the flat numbers of the other side's elements, in this
  /// order.
  std::optional<Order> ravel;
  bool partial = false;  ///< leave out elements that only one side has; otherwise they are an error
};

/// Bytes that a process sends to the process `rank`, or receives from it.
struct Traffic {
  Index rank = 0, bytes = 0;
};

struct PlanData;

/// What one process sends to and receives from each other process when an array moves from one distribution to another.
///
/// A plan needs no communication and no MPI. It can be made for any process of any number of processes, for example of
/// 100 000 on a laptop.
///
/// Plan({rows of 4 x 4 over 2}, {columns over 2}, 8, 0): process 0 keeps the 4 elements of its two rows that are in its
/// two columns, `bytes_kept() == 32`. It sends the other 4 elements in one message, `bytes_to(1) == 32`.
///
/// A plan stores what moves along each axis; the elements that move are the product over the axes. On cyclic axes with
/// blocks of b1 and b2 over P1 and P2 processes, it stores one period, lcm(b1 * P1, b2 * P2) indices. Along each axis,
/// time and memory are proportional to the blocks of this process in a period, to the indices of its part of an
/// unstructured axis, and to the number of processes with which it exchanges elements. With Mapping::ravel, they are
/// proportional to the runs of consecutive flat numbers in this process's part.
class Plan {
 public:
  /// `element_bytes` is the length of an element, at least 1. `rank` is the process for which the plan is made. Throws
  /// Error if the shapes of the two sides differ, if no process of one side holds an element of the other, or if the
  /// number of bytes of this process does not fit 64 bits.
  Plan(PlacedDistribution source, PlacedDistribution target, Index element_bytes, Index rank,
       const Mapping& mapping = {});

  const PlacedDistribution& source() const;
  const PlacedDistribution& target() const;
  const Mapping& mapping() const;
  Index element_bytes() const;
  Index rank() const;

  Index bytes_to(Index rank) const;       ///< that this process sends to `rank`; for itself: that it keeps
  Index bytes_from(Index rank) const;     ///< that this process receives from `rank`; for itself: that it keeps
  Index messages() const;                 ///< the number of other processes to which it sends elements
  Index bytes_kept() const;               ///< that stay on this process
  Index bytes_sent() const;               ///< to others
  Index bytes_received() const;           ///< from others
  std::vector<Traffic> sends() const;     ///< to each process, itself included, ascending by rank
  std::vector<Traffic> receives() const;  ///< from each process, itself included, ascending by rank

  /// A text for people. If there are few processes, it is a table of the bytes that each process sends to each other;
  /// if there are many, it gives the bytes of this process and the sums. It also gives the fewest bytes that must be
  /// sent for any placement of the target's parts, and compares this plan with them.
  std::string explain() const;

  Index memory() const;  ///< of the plan itself, bytes

 private:
  friend struct PlanData;
  explicit Plan(std::shared_ptr<const PlanData> data) : data_(std::move(data)) {}

  std::shared_ptr<const PlanData> data_;
};

}  // namespace tridap::redistribute
