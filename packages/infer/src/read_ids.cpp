#include "read_ids.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/number_texts.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace tridap::infer {

namespace {

constexpr Index far = Index{1} << 62;  // if no shape is given, indices beyond this are refused

[[noreturn]] void refuse_ids(std::string fault, std::string must, Rule rule = Rule::conversion) {
  refuse(std::move(fault), std::move(must), "give the shape whose elements the ids number", {}, rule);
}

// GlobalIds in a list. Differences are computed modulo 2^64, so they cannot overflow; the expected values fit 64 bits.
class Listed {
 public:
  explicit Listed(const Index* ids) : ids_(ids) {}
  Index operator[](Index i) const { return ids_[i]; }

  // Counts from the start, up to `count`, the ids for which the id `lag` places later is larger by `distance`.
  Index agreeing(Index lag, Index distance, Index count) const {
    constexpr Index piece = 512;  // a constant, so that the compiler can vectorise the loop
    const auto *here = reinterpret_cast<const std::uint64_t*>(ids_), *there = here + lag;
    const auto apart = static_cast<std::uint64_t>(distance);
    Index done = 0;
    for (; count - done >= piece; done += piece) {
      std::uint64_t differs = 0;
      for (Index i = 0; i < piece; ++i) differs |= (there[done + i] - here[done + i]) ^ apart;
      if (differs != 0) break;
    }
    while (done < count && there[done] - here[done] == apart) ++done;
    return done;
  }

 private:
  const Index* ids_;
};

// GlobalIds in a range. Two ids differ as their places do, and callers pass distances between two ids of the range
// only, so all `count` agree.
class Ranged {
 public:
  explicit Ranged(Index first) : first_(first) {}
  Index operator[](Index i) const { return first_ + i; }
  Index agreeing(Index, Index, Index count) const { return count; }

 private:
  Index first_;
};

Index hash_of(const std::vector<Index>& list) {
  Digest digest;
  digest.add_all(list);
  return digest.value();
}

// Counts the indices of blocks of `block` indices, `stride` apart, that are less than `room` above the first one.
Index heads_within(Index room, Index block, Index stride) {
  const Index whole = (room - 1) / stride;
  return whole * block + std::min(block, room - whole * stride);
}

// Makes a share of indices in memory order. If they descend, it reverses `list`. From the other end, they may turn out
// to be blocks.
Share share_of(std::vector<Index>& list) {
  Share share;
  share.count = static_cast<Index>(list.size());
  if (list.front() > list.back()) {
    std::reverse(list.begin(), list.end());
    share.reversed = 1;
  }
  share.first = list.front();
  const Listed ascending(list.data());
  const Index run = 1 + ascending.agreeing(1, 1, share.count - 1);
  if (share.reversed != 0 && run < share.count) {
    const Index stride = list[static_cast<std::size_t>(run)] - share.first;
    if (stride > run && ascending.agreeing(run, stride, share.count - run) == share.count - run) {
      share.block = run;
      share.stride = stride;
      list.clear();
      return share;
    }
  }
  share.hash = hash_of(list);
  return share;
}

// Splits a list of ids into axes, from the innermost axis outwards. The first `inner` ids are known to be a product; we
// call them a line. Along the next axis, the line is repeated with a shift. The first id of each repetition is its
// head, and the difference between the heads is the shift. Each id is compared once, with the id at the same place in
// an earlier line.
template <class Source>
class Walk {
 public:
  Walk(Source ids, Index count, const Numbering& numbering) : ids_(ids), count_(count), numbering_(numbering) {}

  Walked run() {
    check_inside(0);
    const std::size_t ndim = numbering_.ndim();
    walked_.count = count_;
    walked_.lists.resize(ndim);
    for (std::size_t k = 0; k < ndim; ++k) {
      origin_.push_back(index_of(ids_[0], k));
      walked_.shares.push_back({1, origin_[k], 1, 0, 0, 0});
    }
    for (Index inner = 1; inner < count_;) inner *= next_axis(inner);
    complete_axes();
    return std::move(walked_);
  }

 private:
  bool inside(Index id) const {
    Index offset = 0;
    return !__builtin_sub_overflow(id, numbering_.base, &offset) && offset >= low() && offset < high();
  }
  Index low() const { return numbering_.shape ? 0 : numbering_.low[0]; }
  Index high() const { return numbering_.shape ? *checked_product(*numbering_.shape) : numbering_.high[0]; }

  void check_inside(Index at) const {
    if (inside(ids_[at])) return;
    refuse_ids(place(at) + " is outside the array " + of_shape(numbering_),
               numbering_.shape ? "must be at least " + std::to_string(numbering_.base) + " and below " +
                                      std::to_string(numbering_.base + high())
                                : "must be less than 2^62 from the index base");
  }

  std::string place(Index at) const {
    return "id " + std::to_string(ids_[at]) + " at local index " + std::to_string(at);
  }

  [[noreturn]] void broken(Index at, const std::string& expected) const {
    check_inside(at);
    refuse_ids(place(at) + " does not fit the array " + of_shape(numbering_), expected);
  }

  Index index_of(Index id, std::size_t k) const {
    const Index offset = id - numbering_.base;
    return numbering_.shape ? offset / numbering_.weight[k] % numbering_.high[k] : offset;
  }

  // The axis along which the line that begins at `inner` is shifted from the first line.
  std::size_t axis_beside(Index inner) const {
    check_inside(inner);
    const std::size_t ndim = numbering_.ndim();
    std::size_t axis = ndim, moved = 0;
    for (std::size_t k = 0; k < ndim; ++k)
      if (index_of(ids_[inner], k) != origin_[k]) {
        axis = k;
        ++moved;
      }
    if (moved == 0) refuse_ids(place(inner) + " is also at local index 0", "", Rule::unstructured_unique);
    const bool walked = std::find(walked_.axes.begin(), walked_.axes.end(), axis) != walked_.axes.end();
    if (moved > 1 || walked)
      broken(inner,
             "must differ from id " + std::to_string(ids_[0]) + " on one axis only, on which all ids before it agree");
    return axis;
  }

  // True if the line that begins at `at` is shifted from the first line along axis `k`.
  bool beside(Index at, std::size_t k) const {
    if (!inside(ids_[at])) return false;
    const Index apart = ids_[at] - ids_[0], index = origin_[k] + apart / numbering_.weight[k];
    return apart % numbering_.weight[k] == 0 && index >= numbering_.low[k] && index < numbering_.high[k];
  }

  // The list ends within the line that begins at `at`. Throws an Error about the first id that is wrong or missing.
  [[noreturn]] void cut(Index at) const {
    const Index shift = ids_[at] - ids_[0], rest = count_ - at, same = ids_.agreeing(at, shift, rest);
    if (same < rest) broken(at + same, "expected " + std::to_string(ids_[same] + shift));
    refuse_ids("the list ends at local index " + std::to_string(count_) + ", in the middle of a line of the array " +
                   of_shape(numbering_),
               "expected id " + std::to_string(ids_[rest] + shift));
  }

  // Counts the lines along axis `k` if their heads form blocks of `block` indices, `stride` apart: as long as each line
  // is a shifted copy of the one `block` lines earlier. The caller handles the next line as part of a list.
  Index lines_in_blocks(Index inner, std::size_t k, Index block, Index stride) const {
    const Index room = stride > 0 ? numbering_.high[k] - origin_[k] : origin_[k] - numbering_.low[k] + 1;
    const Index most = std::min(count_ / inner, heads_within(room, block, std::abs(stride)));
    const Index distance = stride * numbering_.weight[k];
    const Index same = ids_.agreeing(block * inner, distance, (most - block) * inner);
    return block + same / inner;
  }

  // Finds the next axis outwards, and returns its extent.
  Index next_axis(Index inner) {
    const std::size_t k = axis_beside(inner);
    const Index heads = count_ / inner;
    if (heads < 2) cut(inner);
    const Index step = index_of(ids_[inner], k) - origin_[k];
    Index block = 1, stride = step, extent = lines_in_blocks(inner, k, block, stride);
    const auto goes_on = [&] { return extent < heads && beside(extent * inner, k); };
    if (goes_on() && std::abs(step) == 1) {
      const Index apart = index_of(ids_[extent * inner], k) - origin_[k];
      if (apart * step > extent) {
        block = extent;
        stride = apart;
        extent = lines_in_blocks(inner, k, block, stride);
      }
    }
    const bool listed = goes_on();
    for (; goes_on(); ++extent) {
      const Index at = extent * inner, shift = ids_[at] - ids_[0], same = ids_.agreeing(at, shift, inner);
      if (same < inner) broken(at + same, "expected " + std::to_string(ids_[same] + shift));
    }
    if (extent == heads && count_ % inner != 0) cut(extent * inner);
    keep(inner, k, extent, listed ? 0 : block, stride);
    walked_.axes.push_back(static_cast<Index>(k));
    return extent;
  }

  // Sets the share along an axis: blocks, or a list if `block` is 0.
  void keep(Index inner, std::size_t k, Index extent, Index block, Index stride) {
    Share& share = walked_.shares[k];
    share.count = extent;
    if (block == 1 && stride < 0) {
      share.first += (extent - 1) * stride;
      stride = -stride;
      share.reversed = 1;
    }
    if (block > 0 && stride > 0) {
      const bool one_run = block == 1 && stride == 1;
      share.block = one_run ? extent : block;
      share.stride = one_run ? 0 : stride;
      return;
    }
    std::vector<Index>& list = walked_.lists[k];
    list.resize(static_cast<std::size_t>(extent));
    const Index weight = numbering_.weight[k];
    for (Index j = 0; j < extent; ++j)
      list[static_cast<std::size_t>(j)] =
          origin_[k] + (weight == 1 ? ids_[j * inner] - ids_[0] : (ids_[j * inner] - ids_[0]) / weight);
    share = share_of(list);
  }

  // Adds the axes with one index so that the order of axes becomes the simplest, and puts the outermost axis first.
  void complete_axes() {
    std::vector<Index>& axes = walked_.axes;
    const bool columns = axes.size() > 1 && std::is_sorted(axes.begin(), axes.end());
    const auto ndim = static_cast<Index>(numbering_.ndim());
    std::reverse(axes.begin(), axes.end());
    if (columns || std::is_sorted(axes.begin(), axes.end())) {
      axes.clear();
      for (Index k = 0; k < ndim; ++k) axes.push_back(columns ? ndim - 1 - k : k);
      return;
    }
    for (Index k = ndim; k-- > 0;)
      if (std::find(axes.begin(), axes.end(), k) == axes.end()) axes.insert(axes.begin(), k);
  }

  Source ids_;
  Index count_;
  const Numbering& numbering_;
  std::vector<Index> origin_;  // by axis: the index of the first id
  Walked walked_;
};

}  // namespace

std::vector<Index> Share::indices() const {
  std::vector<Index> all(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = first + i / block * stride + i % block;
  return all;
}

Numbering numbering_of(const InferenceHints& how) {
  Numbering numbering;
  numbering.base = how.base;
  numbering.shape = how.shape;
  if (!how.shape) {
    numbering.low = {1 - far};
    numbering.high = {far};
    numbering.weight = {1};
    return numbering;
  }
  const std::size_t ndim = how.shape->size();
  numbering.low.assign(ndim, 0);
  numbering.high = *how.shape;
  numbering.weight.assign(ndim, 1);
  if (checked_product(*how.shape) == Index{0}) return numbering;  // there are no ids, so the weights are not used
  Index weight = 1;
  for (std::size_t i = 0; i < ndim; ++i) {
    const std::size_t k = how.numbering == Order::row_major ? ndim - 1 - i : i;
    numbering.weight[k] = weight;
    weight *= numbering.high[k];
  }
  return numbering;
}

std::string of_shape(const Numbering& numbering) {
  if (!numbering.shape) return "of one axis";
  return "of shape " + tuple_text(*numbering.shape);
}

Walked walk(const GlobalIds& ids, const Numbering& numbering) {
  if (ids.count < 0) refuse_ids("there are " + std::to_string(ids.count) + " ids", "must be 0 or more");
  if (ids.count == 0) {
    Walked none;
    none.shares.resize(numbering.ndim());
    none.lists.resize(numbering.ndim());
    for (std::size_t k = 0; k < numbering.ndim(); ++k) none.axes.push_back(static_cast<Index>(k));
    return none;
  }
  if (ids.list != nullptr) return Walk<Listed>(Listed(ids.list), ids.count, numbering).run();
  if (!checked_add(ids.first, ids.count))
    refuse_ids("the " + std::to_string(ids.count) + " ids from " + std::to_string(ids.first) + " on",
               "must fit 64 bits");
  return Walk<Ranged>(Ranged(ids.first), ids.count, numbering).run();
}

}  // namespace tridap::infer
