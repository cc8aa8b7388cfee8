#pragma once

#include <tridap/index.hpp>
#include <tridap/kokkos/compat.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace tridap::kokkos {

/// What of ours is alive and counts on Kokkos: imported views that share in an owner, and exported buffers that keep a
/// view. Kokkos ends the program, naming no culprit, where either is let go after Kokkos::finalize. From the first of
/// them on, Kokkos::finalize says in one line on standard error how many are left, and they stay allocated to the end:
/// the program goes on.
class Living {
 public:
  /// All of this process's; never destroyed, since static objects may let go after anything.
  static Living& all() {
    static Living* const living = new Living;
    return *living;
  }

  Index imported() const {  ///< allocations that imported views share in; copies and subviews count as one
    const std::lock_guard lock(mutex_);
    return static_cast<Index>(imported_.size());
  }
  Index exported() const {  ///< buffers that keep a Kokkos view
    const std::lock_guard lock(mutex_);
    return exported_;
  }
  bool finalized() const {  ///< Kokkos::finalize has begun, and we know it
    const std::lock_guard lock(mutex_);
    return finalized_ || compat::is_finalized();
  }

 private:
  template <class View>
  friend void keep_alive(View& view, std::shared_ptr<void> owner);
  template <class View>
  friend std::shared_ptr<void> kept_owner(const View& view);
  template <class Held>
  friend std::shared_ptr<void> keep(const Held& held);

  // Stands in Kokkos' own allocation, beside its count.
  struct Holder {
    std::shared_ptr<void> owner;
    compat::Record* record = nullptr;
    ~Holder() {
      if (record != nullptr) all().remove(record);
    }
  };
  template <class Held>
  struct Kept {
    Held held;
    explicit Kept(const Held& kept) : held(kept) { all().count_exported(1); }
    ~Kept() { all().count_exported(-1); }
  };

  void add(Holder& holder, compat::Record* record, std::shared_ptr<void> owner) {
    const std::lock_guard lock(mutex_);
    hook();
    imported_[record] = &holder;
    holder.owner = std::move(owner);
    holder.record = record;
  }
  void remove(compat::Record* record) {
    const std::lock_guard lock(mutex_);
    imported_.erase(record);
  }
  std::shared_ptr<void> owner_of(compat::Record* record) const {
    const std::lock_guard lock(mutex_);
    const auto found = imported_.find(record);
    return found == imported_.end() ? nullptr : found->second->owner;
  }
  void count_exported(Index step) {
    const std::lock_guard lock(mutex_);
    hook();
    exported_ += step;
  }
  void hook() {
    if (hooked_ || !Kokkos::is_initialized()) return;
    Kokkos::push_finalize_hook([] { all().at_finalize(); });
    hooked_ = true;
  }
  void at_finalize() {
    const std::lock_guard lock(mutex_);
    finalized_ = true;
    if (imported_.empty() && exported_ == 0) return;
    std::fprintf(
        stderr,
        "tridap: Kokkos::finalize finds %lld imported views and %lld exported buffers alive: destroy them first; "
        "their memory is now kept to the end of the program\n",
        static_cast<long long>(imported_.size()), static_cast<long long>(exported_));
    for (const auto& [record, holder] : imported_) compat::retain(record);
  }
  void say_leaked() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(said_leaked_, true)) return;
    std::fprintf(stderr,
                 "tridap: an exported buffer was released after Kokkos::finalize: the memory of its view is lost\n");
  }

  mutable std::mutex mutex_;
  std::map<compat::Record*, Holder*> imported_;
  Index exported_ = 0;
  bool hooked_ = false, finalized_ = false, said_leaked_ = false;
};

/// Makes an unmanaged view share in the ownership of `owner`, as every copy and subview of it then does. Kokkos must be
/// initialised.
template <class View>
void keep_alive(View& view, std::shared_ptr<void> owner) {
  compat::hang<Living::Holder>(view, "tridap::keep_alive", [&](auto& holder, compat::Record* record) {
    Living::all().add(holder, record, std::move(owner));
  });
}

/// The owner that keep_alive() hung onto a view; null where it did not. Handing it on, instead of the view, keeps a
/// chain of imports and exports from growing.
template <class View>
std::shared_ptr<void> kept_owner(const View& view) {
  compat::Record* const record = compat::record_of(view);
  return record == nullptr ? nullptr : Living::all().owner_of(record);
}

/// An owner that keeps a managed view, or whatever else holds one. Released after Kokkos::finalize, it says so once and
/// leaves it allocated.
template <class Held>
std::shared_ptr<void> keep(const Held& held) {
  using Kept = Living::Kept<Held>;
  return std::shared_ptr<Kept>(new Kept(held), [](Kept* kept) {
    if (Kokkos::is_initialized()) return delete kept;
    Living::all().say_leaked();
  });
}

}  // namespace tridap::kokkos
