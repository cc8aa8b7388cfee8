#pragma once

#include <pybind11/pybind11.h>

namespace tridap::python {

/// Whether the interpreter is ending. Any thread may call it, also without the GIL.
bool python_ends();

/// While one exists, other threads of Python run.
class WithoutPython {
 public:
  WithoutPython();
  ~WithoutPython();
  WithoutPython(const WithoutPython&) = delete;
  WithoutPython& operator=(const WithoutPython&) = delete;

 private:
  PyThreadState* state_;
};

/// While one exists, this thread may use Python. They may be nested.
class WithPython {
 public:
  WithPython();
  ~WithPython();
  WithPython(const WithPython&) = delete;
  WithPython& operator=(const WithPython&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace tridap::python
