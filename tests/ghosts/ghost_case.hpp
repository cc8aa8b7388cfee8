#pragma once

#include "mpi/support.hpp"
#include <tridap/ghosts/ghosted_array.hpp>

#include <complex>
#include <cstring>
#include <random>

/// Arrays with ghosts, written out element by element.
namespace ghost {

using oracle::List;
using tridap::Buffer;
using tridap::ElementType;
using tridap::Index;

/// An array, how many of its axes the ids number, and the ghosts of each process.
struct Case {
  oracle::Array array;
  std::size_t numbered = 1;
  std::vector<List> ghosts = {};
  bool column_major = false;  ///< the numbers of several axes, and the elements of a process

  /// The ids of the elements that a process owns, in the order of its local buffer.
  List ids_of(Index process) const {
    std::vector<std::size_t> order;  // of the axes, outermost first
    for (std::size_t i = 0; i < numbered; ++i) order.push_back(column_major ? numbered - 1 - i : i);
    std::vector<oracle::Axis> axes;
    List extents, ids;
    for (const std::size_t i : order) {
      axes.push_back(array.axes[i]);
      extents.push_back(static_cast<Index>(held(process, i).size()));
    }
    const auto numbers = oracle::Array(axes).flat_numbers();
    oracle::for_each_index(extents, [&](const List& local) {
      List global;
      for (std::size_t k = 0; k < numbered; ++k)
        global.push_back(held(process, order[k])[static_cast<std::size_t>(local[k])]);
      ids.push_back(numbered == 1 ? global[0] : numbers.at(global));
    });
    return ids;
  }
  /// The global indices of an axis on a process.
  const List& held(Index process, std::size_t axis) const {
    return array.axes[axis].held_by(array.coordinates(process)[axis]);
  }
  /// Whether two processes hold the same components.
  bool same_components(Index a, Index b) const {
    const List &of_a = array.coordinates(a), &of_b = array.coordinates(b);
    return std::equal(of_a.begin() + at(numbered), of_a.end(), of_b.begin() + at(numbered));
  }
  const List& ghosts_of(Index process) const { return ghosts[static_cast<std::size_t>(process)]; }

  /// Ghosts for each process: up to `most` of the elements that it does not own, in any order.
  void choose_ghosts(std::mt19937& random, std::size_t most) {
    ghosts.clear();
    for (Index p = 0; p < array.processes(); ++p) {
      List others;
      for (Index q = 0; q < array.processes(); ++q) {
        if (q == p || !same_components(p, q)) continue;
        const List theirs = ids_of(q);
        others.insert(others.end(), theirs.begin(), theirs.end());
      }
      if (random() % 3 != 0) std::shuffle(others.begin(), others.end(), random);
      others.resize(std::min(others.size(), static_cast<std::size_t>(random() % (most + 1))));
      ghosts.push_back(others);
    }
  }

 private:
  static std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }
};

/// Writes a whole number as an element of a type.
inline void put(const ElementType& type, std::byte* to, Index value) {
  const auto write = [&](auto element) { std::memcpy(to, &element, sizeof(element)); };
  const bool small = type.bytes == 4 || (type.kind == ElementType::Kind::complex && type.bytes == 8);
  if (type.kind == ElementType::Kind::floating) {
    small ? write(static_cast<float>(value)) : write(static_cast<double>(value));
  } else if (type.kind == ElementType::Kind::complex) {
    const auto re = static_cast<double>(value), im = -2 * re;
    small ? write(std::complex<float>(static_cast<float>(re), static_cast<float>(im)))
          : write(std::complex<double>(re, im));
  } else if (type.kind == ElementType::Kind::opaque || type.kind == ElementType::Kind::boolean) {
    for (Index k = 0; k < type.bytes; ++k)
      to[k] = static_cast<std::byte>(type.kind == ElementType::Kind::boolean ? value % 2 : value * 7 + k);
  } else {  // whole numbers, lowest byte first
    for (Index k = 0; k < type.bytes; ++k) to[k] = static_cast<std::byte>(value >> (8 * k));
  }
}

inline bool can_be_added(const ElementType& type) {
  return type.kind != ElementType::Kind::opaque && type.kind != ElementType::Kind::boolean;
}

/// One process's local buffer, in memory every byte of which is accounted for.
class Local {
 public:
  /// `axes`: outermost first; `gap`: bytes left out after each element and after each row of an axis.
  Local(const Case& of, Index process, const ElementType& type, const List& axes, const std::vector<bool>& backwards,
        Index gap)
      : case_(of), process_(process), ids_(of.ids_of(process)) {
    for (Index q = 0; q < of.array.processes(); ++q)
      if (of.same_components(process, q))
        for (const Index ghost : of.ghosts_of(q)) holders_[ghost].push_back(q);
    buffer_.type = type;
    buffer_.shape = {static_cast<Index>(ids_.size() + of.ghosts_of(process).size())};
    for (std::size_t i = of.numbered; i < of.array.axes.size(); ++i)
      buffer_.shape.push_back(static_cast<Index>(of.held(process, i).size()));
    memory_ = oracle::laid_out(buffer_, {axes, backwards, gap}, std::byte{0xee});
  }
  Local(const Local&) = delete;

  tridap::GhostedArray array() const {
    tridap::DimData dim_data;
    for (std::size_t i = 0; i < case_.array.axes.size(); ++i)
      dim_data.push_back(case_.array.axes[i].dims[static_cast<std::size_t>(case_.array.coordinates(process_)[i])]);
    return tridap::GhostedArray(buffer_, dim_data, case_.ghosts_of(process_), "0.10.0",
                                case_.column_major ? tridap::Order::column_major : tridap::Order::row_major);
  }
  const Buffer& buffer() const { return buffer_; }

  /// Each owned element tells what it is, and each ghost whose it is.
  void fill(Index salt) {
    const std::vector<std::byte> now = picture(salt, false, false);
    std::copy(now.begin(), now.end(), memory_.begin());
  }
  void expect_filled(Index salt) const { EXPECT_TRUE(memory_ == picture(salt, false, false)); }
  void expect_updated(Index salt) const { EXPECT_TRUE(memory_ == picture(salt, true, false)); }
  void expect_summed(Index salt) const { EXPECT_TRUE(memory_ == picture(salt, false, true)); }

 private:
  static Index value(Index id, Index component, Index salt) { return ((3 * id + component + salt) % 16 + 16) % 16; }
  static Index of_ghost(Index process, Index id, Index component, Index salt) {
    return ((process + 2 * id + component + salt) % 8 + 8) % 8;
  }
  /// All that other processes have as ghosts of an element.
  Index sum_of_ghosts(Index id, Index component, Index salt) const {
    Index sum = 0;
    if (const auto holders = holders_.find(id); holders != holders_.end())
      for (const Index q : holders->second) sum += of_ghost(q, id, component, salt);
    return sum;
  }
  std::vector<std::byte> picture(Index salt, bool updated, bool summed) const {
    std::vector<std::byte> all(memory_.size(), std::byte{0xee});
    const auto owned = static_cast<Index>(ids_.size());
    oracle::for_each_index(buffer_.shape, [&](const List& at) {
      Index component = 0;  // by the global indices, so that all processes number alike
      for (std::size_t i = 1; i < at.size(); ++i)
        component = 11 * component + case_.held(process_, case_.numbered + i - 1)[static_cast<std::size_t>(at[i])];
      const bool ghost = at[0] >= owned;
      const Index id = ghost ? case_.ghosts_of(process_)[static_cast<std::size_t>(at[0] - owned)]
                             : ids_[static_cast<std::size_t>(at[0])];
      Index is = ghost && !updated ? of_ghost(process_, id, component, salt) : value(id, component, salt);
      if (summed && !ghost) is += sum_of_ghosts(id, component, salt);
      const std::ptrdiff_t place = oracle::address(buffer_, at) - memory_.data();
      put(buffer_.type, all.data() + place, is);
    });
    return all;
  }

  const Case& case_;
  Index process_;
  List ids_;
  std::map<Index, List> holders_;  // the processes that have an element as a ghost
  Buffer buffer_;
  std::vector<std::byte> memory_;
};

/// An axis of any kind on which no index is on two processes.
inline oracle::Axis any_axis(Index grid, std::mt19937& random) {
  const auto up_to = [&](Index most) { return std::uniform_int_distribution<Index>(0, most)(random); };
  if (up_to(3) == 0) return oracle::cyclic(up_to(4 * grid + 1), 1 + up_to(2), grid, up_to(grid - 1));
  if (up_to(2) == 0) {
    List all;
    for (Index i = 0; i < 5 * grid; ++i) all.push_back(3 * i - 7);
    std::shuffle(all.begin(), all.end(), random);
    std::vector<List> lists(static_cast<std::size_t>(grid));
    for (List& list : lists)
      for (Index count = up_to(5); count > 0; --count) {
        list.push_back(all.back());
        all.pop_back();
      }
    return oracle::unstructured(lists, up_to(1) == 0);
  }
  List counts;
  for (Index c = 0; c < grid; ++c) counts.push_back(up_to(5) == 0 ? 0 : up_to(6));
  return oracle::block(counts);
}

}  // namespace ghost
