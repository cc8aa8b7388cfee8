#pragma once

#include <tridap/scalapack/process_grid.hpp>

#include <pybind11/pybind11.h>

#include <memory>

namespace tridap::python {

namespace py = pybind11;

/// A ProcessGrid for Python, whose garbage collector may release it on one process alone: without close() its contexts
/// are never ended.
class Grid {
 public:
  explicit Grid(scalapack::ProcessGrid grid) : grid_(new scalapack::ProcessGrid(std::move(grid))) {}
  Grid(const Grid&) = delete;
  ~Grid() { static_cast<void>(grid_.release()); }

  /// Throws ValueError after close().
  const scalapack::ProcessGrid& get() const;
  void close();  ///< **Collective.** A second call does nothing.
  bool is_closed() const { return grid_ == nullptr; }

 private:
  std::unique_ptr<scalapack::ProcessGrid> grid_;
};

void bind_grid(py::module_& module);

}  // namespace tridap::python
