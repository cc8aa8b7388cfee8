#pragma once

#include "support/oracle.hpp"
#include <tridap/redistribute/plan.hpp>

#include <random>

/// What a move must do, found by looking up every element: no formula, and no code of the package.
namespace moves {

using oracle::Array;
using oracle::List;
using tridap::Index;
using tridap::Part;
using tridap::redistribute::Mapping;
using tridap::redistribute::PlacedDistribution;

/// One side of a move: a whole array, and by its processes the ranks that hold them.
struct Side {
  Array array;
  List ranks;

  std::optional<Index> process(Index rank) const {
    const auto found = std::find(ranks.begin(), ranks.end(), rank);
    return found == ranks.end() ? std::nullopt : std::optional<Index>(found - ranks.begin());
  }
  PlacedDistribution placed() const { return {array.distribution(), ranks}; }
};

/// An element of one process's buffer, and the name of what shall stand there: its global indices in the source.
struct Named {
  List local;
  std::optional<List> name;
};

/// A move: elements of `source` get to where they are in `target`.
struct Case {
  Side source, target;
  Mapping mapping;
};

class Truth {
 public:
  explicit Truth(const Case& given) : case_(given), source_(owned(given.source)), target_(owned(given.target)) {
    if (!given.mapping.ravel) return;
    flat_target_ = given.target.array.axes.size() == 1;
    numbers_ = (flat_target_ ? given.source : given.target)
                   .array.flat_numbers(*given.mapping.ravel == tridap::Order::column_major);
    for (const auto& [global, number] : numbers_) named_[number] = global;
  }

  /// The element of the source that an element of the target comes from; nothing: the source has none.
  std::optional<List> source_of(const List& target) const { return held(source_, renamed(target, true)); }
  /// And the other way.
  std::optional<List> target_of(const List& source) const { return held(target_, renamed(source, false)); }

  /// A rank's part of the source before the move: owned elements have their names.
  std::vector<Named> given(Index rank) const {
    return named(case_.source, rank, false, [](const List& global) { return std::optional<List>(global); });
  }
  /// A rank's part of the target after it: what has no name is not touched.
  std::vector<Named> moved(Index rank) const {
    return named(case_.target, rank, case_.mapping.fill_padding, [&](const List& global) { return source_of(global); });
  }
  /// A rank's part of the source after the target was moved back into poisoned memory.
  std::vector<Named> moved_back(Index rank) const {
    return named(case_.source, rank, case_.mapping.fill_padding,
                 [&](const List& global) { return target_of(global) ? std::optional<List>(global) : std::nullopt; });
  }

  /// Elements that `from` has for `to`, as the lowest process has them that owns them.
  Index elements(Index from, Index to) const {
    const std::optional<Index> sender = case_.source.process(from);
    Index count = 0;
    if (!sender) return 0;
    for (const Named& element : moved(to)) {
      if (!element.name) continue;
      bool first = true;  // of all that own it
      for (std::size_t i = 0; i < element.name->size(); ++i)
        first = first && case_.source.array.axes[i].owners((*element.name)[i]).front() ==
                             case_.source.array.coordinates(*sender)[i];
      count += first ? 1 : 0;
    }
    return count;
  }

 private:
  using Sets = std::vector<std::set<Index>>;

  static Sets owned(const Side& side) {
    Sets sets;
    for (const oracle::Axis& axis : side.array.axes) {
      sets.emplace_back();
      for (Index c = 0; c < axis.grid(); ++c)
        for (Index l = axis.part(c, Part::owned).begin; l < axis.part(c, Part::owned).end; ++l)
          sets.back().insert(axis.held_by(c)[static_cast<std::size_t>(l)]);
    }
    return sets;
  }
  static std::optional<List> held(const Sets& sets, std::optional<List> global) {
    if (!global) return {};
    for (std::size_t i = 0; i < sets.size(); ++i)
      if (sets[i].count((*global)[i]) == 0) return {};
    return global;
  }
  /// The same element's indices on the other side, if it can have any.
  std::optional<List> renamed(const List& global, bool to_source) const {
    if (case_.mapping.ravel) {
      if (to_source != flat_target_) {
        const auto number = numbers_.find(global);
        return number == numbers_.end() ? std::nullopt : std::optional<List>(List{number->second});
      }
      const auto name = named_.find(global[0]);
      return name == named_.end() ? std::nullopt : std::optional<List>(name->second);
    }
    List other = global;
    for (std::size_t i = 0; i < case_.mapping.axes.size(); ++i) {
      const auto axis = static_cast<std::size_t>(case_.mapping.axes[i]);
      if (to_source)
        other[axis] = global[i];
      else
        other[i] = global[axis];
    }
    return other;
  }
  template <class Name>
  static std::vector<Named> named(const Side& side, Index rank, bool padding, Name name) {
    std::vector<Named> all;
    const std::optional<Index> process = side.process(rank);
    if (!process) return all;
    std::set<List> owned;
    for (const auto& element : side.array.elements(*process, Part::owned)) owned.insert(element.local);
    for (const auto& element : side.array.elements(*process, Part::local)) {
      const bool meant = padding || owned.count(element.local) > 0;
      all.push_back({element.local, meant ? name(element.global) : std::nullopt});
    }
    return all;
  }

  Case case_;
  Sets source_, target_;
  bool flat_target_ = false;
  std::map<List, Index> numbers_;  // of the side that is ravelled
  std::map<Index, List> named_;
};

}  // namespace moves
