#pragma once

#include <tridap/buffer.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/internal/persistent_messages.hpp>
#include <tridap/memory_order.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tridap::redistribute {

/// Throws Error unless a halo can be written in this memory. `name` is the buffer's, and `written` what is written.
inline void need_halo_memory(const Buffer& buffer, const std::string& name, const std::string& written) {
  if (device_engine() == nullptr) need_host_memory(buffer, name);
  if (buffer.read_only) refuse(name + " is read-only", "must be writable", "pass a writable buffer");
  if (!memory_order(buffer).is_unique)
    refuse(name + "'s elements may share memory", "must not, because " + written + " written",
           "pass a buffer whose elements do not overlap");
}

/// Brings the values of a halo, elements of this process that repeat those of others, from their owners, or adds them
/// there. Padding and ghosts are halos: they differ in how they describe the elements that pass between two processes.
/// Both ends have these in one order, and each pair of processes has one message each way. An update allocates nothing.
///
/// Of `Elements` it needs bytes(), contiguous(): where all stand in a row in memory, or null; pack(to), unpack(from),
/// and add(type, from), which adds packed values to the elements.
template <class Elements>
class HaloExchange {
 public:
  /// What passes between this process and another one.
  struct Peer {
    Peer(Index of_rank, Elements of) : rank(of_rank), elements(std::move(of)), in_place(elements.contiguous()) {}
    std::byte* memory() const { return in_place != nullptr ? in_place : packed; }

    Index rank;
    Elements elements;
    std::byte* in_place;          // where the elements stand in a row; null: they do not
    std::byte* packed = nullptr;  // otherwise, or where values to add arrive
  };
  /// Elements of the halo that repeat elements of this process itself.
  struct Own {
    Elements halo, interior;
    std::byte* packed = nullptr;
  };

  /// `owners` of our halo, and `users` that repeat elements of ours; ascending by rank. `adds`: values may be added.
  HaloExchange(Buffer buffer, std::vector<Peer> owners, std::vector<Peer> users, std::optional<Own> own, bool adds)
      : buffer_(std::move(buffer)), owners_(std::move(owners)), users_(std::move(users)), own_(std::move(own)) {
    Index bytes = 0;
    const auto each_packed = [&](auto visit) {
      for (Peer& peer : owners_)
        if (peer.in_place == nullptr) visit(peer.elements, peer.packed);
      for (Peer& peer : users_)
        if (peer.in_place == nullptr || adds) visit(peer.elements, peer.packed);
      if (own_) visit(own_->halo, own_->packed);
    };
    each_packed([&](const Elements& elements, std::byte*&) { bytes += elements.bytes(); });
    packed_.resize(static_cast<std::size_t>(bytes));
    each_packed([next = packed_.data()](const Elements& elements, std::byte*& packed) mutable {
      packed = std::exchange(next, next + elements.bytes());
    });
  }
  HaloExchange(const HaloExchange&) = delete;
  ~HaloExchange() {
    try {
      if (started() && !mpi::mpi_is_over()) wait();
    } catch (const std::exception&) {  // a destructor cannot report an error
    }
    if (fills_.failed() || sums_.failed()) new (std::nothrow) Lost{std::move(buffer_), std::move(packed_)};
  }

  /// Makes the messages that fill the halo, or that add its values. Throws if MPI refuses one.
  void open_fill(const mpi::Channel& channel) {
    for (const Peer& peer : owners_) fills_.add_receipt(rank_of(peer), peer.memory(), peer.elements.bytes(), channel);
    for (const Peer& peer : users_) fills_.add_send(rank_of(peer), peer.memory(), peer.elements.bytes(), channel);
  }
  void open_sum(const mpi::Channel& channel) {
    for (const Peer& peer : users_) sums_.add_receipt(rank_of(peer), peer.packed, peer.elements.bytes(), channel);
    for (const Peer& peer : owners_) sums_.add_send(rank_of(peer), peer.memory(), peer.elements.bytes(), channel);
  }

  /// Begins to fill the halo, or to add its values. Throws Error, on this process alone, if an update is in progress.
  void start_fill() {
    begin(users_, fills_);
    if (!own_) return;  // meanwhile
    own_->interior.pack(own_->packed);
    own_->halo.unpack(own_->packed);
  }
  void start_sum() {
    begin(owners_, sums_);
    if (!own_) return;
    own_->halo.pack(own_->packed);
    own_->interior.add(buffer_.type, own_->packed);
  }
  bool started() const { return fills_.started() || sums_.started(); }
  /// Ends what was started.
  void wait() {
    if (fills_.started()) {
      fills_.wait();
      for (Peer& peer : owners_)
        if (peer.in_place == nullptr) peer.elements.unpack(peer.packed);
    } else {
      sums_.wait();
      for (Peer& peer : users_) peer.elements.add(buffer_.type, peer.packed);
    }
  }

  const Buffer& buffer() const { return buffer_; }
  Index bytes_from_owners() const { return bytes_of(owners_); }  ///< when the halo is filled
  Index bytes_to_users() const { return bytes_of(users_); }

 private:
  struct Lost {  // memory that MPI may read and write still
    Buffer buffer;
    std::vector<std::byte> packed;
  };

  static int rank_of(const Peer& peer) { return static_cast<int>(peer.rank); }
  static Index bytes_of(const std::vector<Peer>& peers) {
    Index bytes = 0;
    for (const Peer& peer : peers) bytes += peer.elements.bytes();
    return bytes;
  }
  void begin(std::vector<Peer>& senders, mpi::PersistentMessages& messages) {
    if (started())
      refuse("an update is in progress", "must have ended before the next one starts", "call wait() first");
    for (Peer& peer : senders)
      if (peer.in_place == nullptr) peer.elements.pack(peer.packed);
    messages.start();
  }

  Buffer buffer_;
  std::vector<Peer> owners_, users_;
  std::optional<Own> own_;
  std::vector<std::byte> packed_;
  mpi::PersistentMessages fills_, sums_;  // they end before the memory above
};

}  // namespace tridap::redistribute
