#pragma once

#include <pybind11/pybind11.h>

namespace tridap::python {

// Before Python 3.14, a thread that asks for the GIL while the interpreter ends is unwound. If this happens in a
// destructor, the process ends. With these classes such a thread sleeps instead, as in later versions.

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
