#pragma once

#include "schedule.hpp"
#include <tridap/buffer.hpp>
#include <tridap/index.hpp>
#include <tridap/internal/call.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// What the processes say about a move, and what all say alike, found with one reduction: reduce() is **collective**.
class Agreement {
 public:
  enum Question {
    moves,
    plan,
    scaling,
    makes_target,
    stream_order,
    shared_target,
    shared_source,
    source_type,
    target_type,
    questions
  };

  void propose(Question question, Index number) {
    largest_[2 * question] = number;
    largest_[2 * question + 1] = -number;
  }
  /// This process cannot take part.
  void object(bool wrong) { largest_[wrong_at] = std::max<Index>(largest_[wrong_at], wrong); }
  /// This process has memory for the target that the call makes.
  void have_target(bool has) { largest_[no_target_at] = has ? 0 : 1; }
  /// This process has no Schedule for a move of these buffers yet.
  void need_schedule(bool needed) { largest_[needed_at] = needed; }

  void reduce(MPI_Comm comm) {
    mpi::must_succeed(
        MPI_Allreduce(MPI_IN_PLACE, largest_.data(), static_cast<int>(largest_.size()), MPI_INT64_T, MPI_MAX, comm),
        "MPI_Allreduce");
  }

  bool objected() const { return largest_[wrong_at] > 0; }
  bool all_have_target() const { return largest_[no_target_at] <= 0; }
  bool schedule_needed() const { return largest_[needed_at] > 0; }
  bool differ(Question question) const {
    return proposed(question) && largest_[2 * question] != -largest_[2 * question + 1];
  }
  /// The number that all processes proposed that proposed one; nothing if they differ, or if no process did.
  std::optional<Index> value(Question question) const {
    return proposed(question) && !differ(question) ? std::optional(largest_[2 * question]) : std::nullopt;
  }

 private:
  static constexpr std::size_t wrong_at = 2 * questions, needed_at = wrong_at + 1, no_target_at = needed_at + 1,
                               numbers = no_target_at + 1;
  static constexpr Index none = std::numeric_limits<Index>::min();
  bool proposed(Question question) const { return largest_[2 * question] != none; }

  std::array<Index, numbers> largest_ = [] {
    std::array<Index, numbers> all;
    all.fill(none);
    return all;
  }();
};

/// A hash of factors, which is equal if they are.
Index number_of(const Scaling& scaling);
/// Throws an Error that names the difference, if the processes differ in what must be the same.
void throw_if_different(const Agreement& agreement);
/// How the elements of the move travel.
Way way_of(const Agreement& agreement);

/// A hash of everything that determines a plan. It is equal on all processes that plan alike, and differs if two
/// processes plan differently.
Index fingerprint(const Plan& plan, const Options& options);

/// The order of the axes of a buffer in memory as a number; nothing where it does not matter. 0: row-major.
std::optional<Index> order_number(const Buffer& buffer);
/// The axes, outermost first, behind such a number; empty for 0.
std::vector<Index> order_of_number(Index number, Index ndim);

/// A number for an element type, its description included.
Index type_number(const ElementType& type);
/// The type behind such a number, without a description.
ElementType type_of_number(Index number);
/// The type behind a number that all processes have, with the description that some process's `own` type has: where the
/// number says that there is one, it is broadcast. **Collective.**
ElementType agreed_type(Index number, const ElementType& own, MPI_Comm comm);

}  // namespace tridap::redistribute

#pragma GCC visibility pop
