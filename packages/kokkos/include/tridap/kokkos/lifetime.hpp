#pragma once

#include <tridap/detail/say.hpp>
#include <tridap/index.hpp>
#include <tridap/kokkos/compat.hpp>

#include <Kokkos_Core.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace tridap::kokkos {

/// Counts the objects of this library that depend on Kokkos: imported views that share the ownership of memory, and
/// exported buffers that keep a view alive.
///
/// If such an object is released after Kokkos::finalize, Kokkos ends the program without saying which object it was. To
/// avoid this, the first such object registers a hook. If some are left in Kokkos::finalize, the hook prints one line
/// with their number to standard error. Their memory then stays allocated until the program ends, and the program
/// continues.
class Living {
 public:
  /// The counter of this process. It is never destroyed, because static objects may release views late.
  static Living& all() {
    static Living* const living = new Living;
    return *living;
  }

  Index imported() const {  ///< imported views; a view, its copies and its subviews count as one
    const std::lock_guard lock(mutex_);
    return static_cast<Index>(imported_.size());
  }
  Index exported() const {  ///< buffers that keep a Kokkos view alive
    const std::lock_guard lock(mutex_);
    return exported_;
  }
  bool finalized() const {  ///< true if Kokkos::finalize is known to have begun
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

  // Is placed in Kokkos' own allocation, beside its reference count.
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
    say("%lld imported views and %lld exported buffers exist at Kokkos::finalize: destroy them before it; their memory "
        "stays allocated until the program ends",
        static_cast<long long>(imported_.size()), static_cast<long long>(exported_));
    for (const auto& [record, holder] : imported_) compat::retain(record);
  }
  void say_leaked() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(said_leaked_, true)) return;
    say("an exported buffer was released after Kokkos::finalize: release it before; its memory stays allocated until "
        "the "
        "program ends");
  }

  mutable std::mutex mutex_;
  std::map<compat::Record*, Holder*> imported_;
  Index exported_ = 0;
  bool hooked_ = false, finalized_ = false, said_leaked_ = false;
};

/// Makes an unmanaged view share the ownership of `owner`. Every copy and subview of it then shares it too. Kokkos must
/// be initialised.
template <class View>
void keep_alive(View& view, std::shared_ptr<void> owner) {
  compat::attach<Living::Holder>(view, "tridap::owner", [&](auto& holder, compat::Record* record) {
    Living::all().add(holder, record, std::move(owner));
  });
}

/// The owner that keep_alive() attached to a view; null: none. An export passes on this owner instead of the view, so
/// that repeated imports and exports do not build a chain of owners.
template <class View>
std::shared_ptr<void> kept_owner(const View& view) {
  compat::Record* const record = compat::record_of(view);
  return record == nullptr ? nullptr : Living::all().owner_of(record);
}

/// Makes an owner that keeps `held` alive: a managed view, or an object that has one. If it is released after
/// Kokkos::finalize, it does not free `held`, and prints this once to standard error.
template <class Held>
std::shared_ptr<void> keep(const Held& held) {
  using Kept = Living::Kept<Held>;
  return std::shared_ptr<Kept>(new Kept(held), [](Kept* kept) {
    if (Kokkos::is_initialized()) return delete kept;
    Living::all().say_leaked();
  });
}

}  // namespace tridap::kokkos
