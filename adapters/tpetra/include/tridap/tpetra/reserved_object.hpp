#pragma once

#include <Teuchos_RCP.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace tridap::tpetra::detail {

/// Memory for a T and its RCP, which is allocated before the T can be made. So processes can agree that all have it,
/// and then call a constructor that communicates. An empty T that is assigned to later would cost more than the T
/// itself.
template <class T>
class ReservedObject {
 public:
  ReservedObject() = default;  ///< without memory
  /// With memory; throws std::bad_alloc.
  static ReservedObject make() {
    ReservedObject reserved;
    auto memory = std::make_unique<Memory>();
    // "Undefined", so that Teuchos does not look at the T, which is not there yet.
    reserved.object_ = Teuchos::rcpWithDeallocUndef(reinterpret_cast<T*>(memory->bytes), Free{memory.get()}, true);
    reserved.memory_ = memory.release();
    return reserved;
  }

  bool has_memory() const { return memory_ != nullptr; }

  /// The T that `construct()` returns, constructed in the memory. To be called once.
  template <class Construct>
  Teuchos::RCP<T> construct(Construct&& construct) {
    new (memory_->bytes) T(std::forward<Construct>(construct)());
    memory_->holds_object = true;
    return object_;
  }

 private:
  struct Memory {
    alignas(T) std::byte bytes[sizeof(T)];
    bool holds_object = false;
  };
  struct Free {
    using ptr_t = T;
    Memory* memory;
    void free(T* object) {
      if (memory->holds_object) object->~T();
      delete memory;
    }
  };

  Memory* memory_ = nullptr;  // object_ owns it
  Teuchos::RCP<T> object_;
};

}  // namespace tridap::tpetra::detail
