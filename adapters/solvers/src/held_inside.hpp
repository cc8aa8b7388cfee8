#pragma once

#include <tridap/internal/state.hpp>

#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

/// Objects of Trilinos that outlive a call: they are released when no other thread is in Trilinos.
template <class T>
class HeldInside : public std::optional<T> {
 public:
  HeldInside() = default;
  HeldInside(const HeldInside&) = delete;
  HeldInside& operator=(const HeldInside&) = delete;
  ~HeldInside() {
    if (!this->has_value()) return;
    const mpi::Inside trilinos(mpi::Library::trilinos);
    this->reset();
  }
};

}  // namespace tridap::solvers

#pragma GCC visibility pop
