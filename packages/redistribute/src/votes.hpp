#pragma once

#include "program.hpp"
#include <tridap/buffer.hpp>
#include <tridap/index.hpp>
#include <tridap/internal/call.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace tridap::redistribute {

/// Finds, with one reduction, on which numbers the processes agree. **Collective** by count().
class Votes {
 public:
  enum Question {
    moves,
    plan,
    scaling,
    stream_order,
    shared_target,
    shared_source,
    source_type,
    target_type,
    questions
  };

  void vote(Question question, Index number) {
    largest_[2 * question] = number;
    largest_[2 * question + 1] = -number;
  }
  void object(bool wrong) { largest_[wrong_at] = std::max<Index>(largest_[wrong_at], wrong); }
  void need_program(bool needed) { largest_[needed_at] = needed; }

  void count(MPI_Comm comm) {
    mpi::must_succeed(
        MPI_Allreduce(MPI_IN_PLACE, largest_.data(), static_cast<int>(largest_.size()), MPI_INT64_T, MPI_MAX, comm),
        "MPI_Allreduce");
  }

  bool objected() const { return largest_[wrong_at] > 0; }
  bool program_needed() const { return largest_[needed_at] > 0; }
  bool differ(Question question) const {
    return asked(question) && largest_[2 * question] != -largest_[2 * question + 1];
  }
  /// What all those who voted said; nothing where they differ, or nobody did.
  std::optional<Index> answer(Question question) const {
    return asked(question) && !differ(question) ? std::optional(largest_[2 * question]) : std::nullopt;
  }

 private:
  static constexpr std::size_t wrong_at = 2 * questions, needed_at = wrong_at + 1;
  static constexpr Index silent = std::numeric_limits<Index>::min();
  bool asked(Question question) const { return largest_[2 * question] != silent; }

  std::array<Index, 2 * questions + 2> largest_ = [] {
    std::array<Index, 2 * questions + 2> none;
    none.fill(silent);
    return none;
  }();
};

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
