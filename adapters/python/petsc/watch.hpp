#pragma once

#include <petscvec.h>

#include <memory>

namespace tridap::python {

/// A Vec with elements that our calls change. PETSc keeps the norms of a Vec, and must be told when they are no longer
/// right. This object does not keep the Vec alive.
class WatchedVec {
 public:
  explicit WatchedVec(Vec vec) : vec_(vec) {}
  /// Lets PETSc forget the norms. The processes of the Vec must all call it, because its norms are collective. False:
  /// the Vec was destroyed. Local.
  bool changed() const;
  void end() { vec_ = nullptr; }

 private:
  Vec vec_;
};

/// The same object for a Vec each time, until the Vec is destroyed. Local.
std::shared_ptr<WatchedVec> watch(Vec vec);

}  // namespace tridap::python
