#pragma once

#include "scaling/costs.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace scaling {

/// The ids of an array of `processes` x `n` elements. The number j of an id is from 0 to `count()`, and a process holds
/// consecutive numbers. The id of a number is such that the directory stores it on process j % `processes`: so what
/// each of the others holds, asks for and answers is known without a loop over all ids. `n` is a multiple of
/// `processes`.
class Ids {
 public:
  Ids(Index processes, Index n) : processes_(processes), n_(n) {}

  Index processes() const { return processes_; }
  Index n() const { return n_; }
  Index count() const { return processes_ * n_; }
  static Index id(Index number);
  static Index number(Index id);
  /// The ids of some numbers that follow one another, after the last of which comes number 0.
  std::vector<Index> range(Index first, Index length) const;
  /// Those of them that process `storing` stores, ascending.
  std::vector<Index> stored(Index first, Index length, Index storing) const;

 private:
  Index processes_, n_;
};

/// How ids are dealt: process q holds the numbers from q * n + `shift`.
struct Deal {
  Ids ids;
  Index shift = 0;

  Index first(Index process) const { return process * ids.n() + shift; }
  std::vector<Index> list(Index process) const { return ids.range(first(process), ids.n()); }
  tridap::Location place(Index id) const;
};

/// What each process does in an exchange: the numbers that it sends to a process; nothing if it sends none.
using Step = std::function<std::vector<Index>(Index from, Index to)>;

/// Tells the processes that store ids where they are.
Step deals(const Deal& deal);
/// Asks for `length` ids from number first(process) + `offset`.
Step asks(const Deal& deal, Index offset, Index length);
/// Answers, if the ids are dealt as `held`.
Step answers(const Deal& asking, Index offset, Index length, const Deal& held);
/// Several questions, or answers, in one exchange: first how long each is.
Step together(std::vector<Step> steps);
/// Each process tells the next one but `distance` the numbers from 0 to `length`.
Step asks_for_rows(Index processes, Index distance, Index length);

/// All processes of arrays of lists.
class ListHolders : public Holders {
 public:
  /// `steps`: what each process does, by exchange.
  ListHolders(const Ids& ids, Index rank, std::vector<Step> steps);

  std::vector<virtual_processes::Letter> letters(int exchange) override;
  void write(int exchange, const virtual_processes::Letter& letter, std::int64_t* numbers) override;

  void set(std::vector<Step> steps) { steps_ = std::move(steps); }

 private:
  Index processes_, rank_;
  std::vector<Step> steps_;
};

}  // namespace scaling
