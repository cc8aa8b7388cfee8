#pragma once

#include "mpi/support.hpp"
#include "redistribute/move_cases.hpp"
#include <tridap/mpi/allocate_shared.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <cstring>

/// One process's parts in memory, every byte of which is accounted for.
namespace moves {

using oracle::row_major;
using oracle::Stand;
using tridap::DistArray;
using tridap::ElementType;
using tridap::redistribute::Scaling;

inline constexpr std::byte poison{0xff}, hole{0xfe};

inline Stand any_stand(std::size_t ndim, Dice& dice) {
  Stand stand = row_major(ndim);
  if (dice.one_in(4)) return stand;
  const Index choice = dice.up_to(3);
  if (choice == 0) std::reverse(stand.axes.begin(), stand.axes.end());
  if (choice > 1) stand.axes = dice.shuffled(stand.axes);
  if (choice > 1)
    for (std::size_t i = 0; i < ndim; ++i) stand.backwards[i] = dice.one_in(3);
  if (dice.one_in(2)) stand.gap = dice.up_to(9);
  return stand;
}

/// A number that tells an element by its name.
inline std::uint64_t hash(const List& name, Index salt) {
  std::uint64_t all = 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(salt + 1);
  for (const Index i : name) {
    all = (all ^ static_cast<std::uint64_t>(i + 1)) * 0xbf58476d1ce4e5b9U;
    all ^= all >> 31;
  }
  return all ^ all >> 29;
}

/// A small whole number, which every type has, in a factor of alpha and beta.
inline Index number(const List& name, Index salt) { return static_cast<Index>(hash(name, salt) % 20); }

template <class T>
void put(std::byte* to, Index value) {
  const T number = static_cast<T>(value);
  std::memcpy(to, &number, sizeof(T));
}

template <class T>
void put_real(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

/// Writes an element that is `value`.
inline void put_number(std::byte* to, const ElementType& type, Index value) {
  if (type.kind == ElementType::Kind::complex) {
    std::fill_n(to, type.bytes, std::byte{0});
    return type.bytes == 8 ? put<float>(to, value) : put<double>(to, value);
  }
  if (type.kind == ElementType::Kind::floating) return type.bytes == 4 ? put<float>(to, value) : put<double>(to, value);
  if (type.bytes == 1) return put<std::int8_t>(to, value);
  if (type.bytes == 2) return put<std::int16_t>(to, value);
  return type.bytes == 4 ? put<std::int32_t>(to, value) : put<std::int64_t>(to, value);
}

/// Writes an element of which every byte tells its name and its place in it; numbers where they are computed with.
using Write = std::function<void(std::byte*, const ElementType&, const List&)>;

inline Write bytes_of(Index salt) {
  return [salt](std::byte* to, const ElementType& type, const List& name) {
    std::uint64_t random = hash(name, salt);
    for (Index k = 0; k < type.bytes; ++k) {
      to[k] = static_cast<std::byte>(random >> 56);
      random = random * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;
    }
  };
}

inline Write numbers_of(const std::function<Index(const List&)>& value) {
  return [value](std::byte* to, const ElementType& type, const List& name) { put_number(to, type, value(name)); };
}

/// One process's part of one side.
class Local {
 public:
  /// In memory of its own; a process that holds none has no elements.
  Local(const Side& side, Index rank, const ElementType& type, const Stand& stand) : side_(&side) {
    describe(rank, type);
    own_ = oracle::laid_out(buffer, stand, hole);
    begin_ = own_.data();
    bytes_ = static_cast<Index>(own_.size());
  }
  /// In memory of a pool. **Collective.**
  Local(const Side& side, Index rank, const ElementType& type, MPI_Comm comm, tridap::Order order) : side_(&side) {
    describe(rank, type);
    buffer = tridap::mpi::allocate_shared(type, buffer.shape, comm, order);
    take();
  }
  /// What somebody else made, densely.
  Local(const Side& side, Index rank, const DistArray& made) : side_(&side) {
    process_ = side.process(rank);
    buffer = made.buffer;
    take();
  }
  Local(const Local&) = delete;

  DistArray stamped() const {
    DistArray out;
    if (!process_) return out;
    for (std::size_t i = 0; i < side_->array.axes.size(); ++i)
      out.dim_data.push_back(side_->array.axes[i].dims[at(side_->array.coordinates(*process_)[i])]);
    out.buffer = buffer;
    return out;
  }

  /// All bytes of the memory: named elements as `write` has them, others poisoned, holes between them.
  std::vector<std::byte> picture(const std::vector<Named>& elements, const Write& write) const {
    std::vector<std::byte> all(at(bytes_), hole);
    for (const Named& element : elements) {
      std::byte* const to = all.data() + (oracle::address(buffer, element.local) - begin_);
      std::fill_n(to, buffer.type.bytes, poison);
      if (element.name) write(to, buffer.type, *element.name);
    }
    return all;
  }
  void set(const std::vector<std::byte>& picture) { std::copy(picture.begin(), picture.end(), begin_); }
  bool is(const std::vector<std::byte>& picture) const {
    return picture.empty() || std::memcmp(begin_, picture.data(), picture.size()) == 0;
  }
  /// All its memory, from the first byte to the last.
  std::byte* begin() const { return begin_; }
  Index bytes() const { return bytes_; }
  /// The first byte that is another, for a message.
  std::string differs(const std::vector<std::byte>& picture) const {
    for (std::size_t k = 0; k < picture.size(); ++k)
      if (begin_[k] != picture[k])
        return "byte " + std::to_string(k) + " of " + std::to_string(picture.size()) + " is " +
               std::to_string(static_cast<int>(begin_[k])) + ", should be " +
               std::to_string(static_cast<int>(picture[k]));
    return "same";
  }

  tridap::Buffer buffer;

 private:
  void describe(Index rank, const ElementType& type) {
    process_ = side_->process(rank);
    buffer.type = type;
    const std::size_t ndim = side_->array.axes.size();
    buffer.shape = process_ ? side_->array.local_shape(*process_) : List(std::max<std::size_t>(ndim, 1), 0);
    buffer.strides.assign(buffer.shape.size(), type.bytes);
  }
  void take() {
    begin_ = static_cast<std::byte*>(buffer.data);
    bytes_ = process_ ? buffer.type.bytes : 0;
    if (process_)
      for (const Index extent : buffer.shape) bytes_ *= extent;
  }

  const Side* side_;
  std::optional<Index> process_;
  std::vector<std::byte> own_;
  std::byte* begin_ = nullptr;
  Index bytes_ = 0;
};

inline std::string text(const List& list) {
  std::string all = "{";
  for (const Index i : list) all += (all.size() > 1 ? ", " : "") + std::to_string(i);
  return all + "}";
}

inline std::string text(const Side& side) {
  std::string all;
  for (const Axis& axis : side.array.axes) {
    all += " ";
    all += axis.dims[0].dist_type();
    all += std::to_string(axis.size()) + "/" + std::to_string(axis.grid());
  }
  return all + " on " + text(side.ranks);
}

/// What is tried, for messages.
inline std::string text(const Case& given) {
  const Mapping& mapping = given.mapping;
  return text(given.source) + " ->" + text(given.target) + " axes " + text(mapping.axes) +
         (mapping.ravel ? *mapping.ravel == tridap::Order::row_major ? " ravel" : " ravel column-major" : "") +
         (mapping.fill_padding ? " fill_padding" : "") + (mapping.partial ? " partial" : "");
}

}  // namespace moves
