#pragma once

#include "schedule.hpp"
#include <tridap/buffer.hpp>
#include <tridap/index.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// What messages call a move.
inline constexpr const char* move_name = "a move of a Redistribution";

/// What the processes say about a move, and what all say alike. reduce() is **collective**: it is the record with which
/// a move of a plan begins, and throws the same Error on every process if some make another call.
class Agreement {
 public:
  enum Question {
    moves,
    plan,
    scaling,
    makes_target,
    memory,
    stream_order,
    shared_target,
    shared_source,
    source_type,
    target_type,
    standing,
    questions
  };

  /// Before reduce(): what this process says; after it: what follows on every process from what all have said.
  void propose(Question question, Index number) {
    all_[first_at + 2 * question] = number;
    all_[first_at + 2 * question + 1] = -number;
  }
  /// This process cannot take part.
  void object(bool wrong) { all_[wrong_at] = std::max<Index>(all_[wrong_at], wrong); }
  /// This process has no new memory for the target that the call makes.
  void lack_memory(bool lacks) { all_[lacks_at] = lacks; }
  /// This process has no Schedule for a move of these buffers yet.
  void need_schedule(bool needed) { all_[needed_at] = needed; }

  void reduce(const char* name, mpi::Duplicates& duplicates) {
    name = mpi::said_name(name);
    all_[0] = mpi::number_of_call(name);
    all_[1] = ~all_[0];
    mpi::reduce_record(all_, duplicates.ours());
    if (all_[0] != ~all_[1]) mpi::refuse_different_calls(name, duplicates);
  }

  /// The highest and the lowest number that a process proposed; nothing if none did.
  std::optional<std::pair<Index, Index>> range(Question question) const {
    if (!proposed(question)) return std::nullopt;
    return std::pair(all_[first_at + 2 * question], -all_[first_at + 2 * question + 1]);
  }

  bool objected() const { return all_[wrong_at] > 0; }
  bool schedule_needed() const { return all_[needed_at] > 0; }
  bool all_have_memory() const { return all_[lacks_at] <= 0; }
  bool differ(Question question) const {
    return proposed(question) && all_[first_at + 2 * question] != -all_[first_at + 2 * question + 1];
  }
  /// The number that all processes proposed that proposed one; nothing if they differ, or if no process did.
  std::optional<Index> value(Question question) const {
    return proposed(question) && !differ(question) ? std::optional(all_[first_at + 2 * question]) : std::nullopt;
  }

 private:
  static constexpr std::size_t first_at = 2, wrong_at = first_at + 2 * questions, lacks_at = wrong_at + 1,
                               needed_at = lacks_at + 1;
  static_assert(needed_at < mpi::record_numbers);
  static constexpr Index none = std::numeric_limits<Index>::min();
  bool proposed(Question question) const { return all_[first_at + 2 * question] != none; }

  mpi::RecordNumbers all_ = [] {
    mpi::RecordNumbers all{};
    std::fill_n(all.begin(), mpi::record_numbers, none);
    return all;
  }();
};

/// A hash of factors, which is equal if they are.
Index fingerprint(const Scaling& scaling);
/// Throws an Error that names the difference, if the processes differ in what must be the same.
void throw_if_different(const Agreement& agreement);
/// The same if they differ in the hash of a plan, or of a distribution, that each has added to its record.
void throw_if_plans_differ(const mpi::Call& call, std::size_t number);
/// Throws an Error that names two processes whose `number` differs. **Collective**, if some differ.
[[noreturn]] void refuse_different(Index number, const std::string& what, const std::string& remedy, MPI_Comm comm);
Agreed agreed_by(const Agreement& agreement);

/// A hash of everything that determines a plan. It is equal on all processes that plan alike, and differs if two
/// processes plan differently.
Index fingerprint(const Plan& plan, const Options& options);
Index fingerprint(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                  const Options& options);

/// A number for an element type, its description included.
Index type_number(const ElementType& type);
/// The type behind such a number, without a description.
ElementType type_of_number(Index number);
/// The type behind a number that all processes have, with the description that some process's `own` type has: where the
/// number says that there is one, it is broadcast. **Collective.**
ElementType agreed_type(Index number, const ElementType& own, MPI_Comm comm);

}  // namespace tridap::redistribute

#pragma GCC visibility pop
