#include "gil.hpp"

#include <unistd.h>

namespace tridap::python {

namespace {

template <class Take>
auto or_sleep(Take&& take) {
  try {
    return take();
  } catch (...) {  // the thread is unwound: C functions throw nothing else
    for (;;) pause();
  }
}

}  // namespace

WithoutPython::WithoutPython() : state_(PyEval_SaveThread()) {}
WithoutPython::~WithoutPython() {
  or_sleep([this] { PyEval_RestoreThread(state_); });
}

WithPython::WithPython() : state_(or_sleep([] { return PyGILState_Ensure(); })) {}
WithPython::~WithPython() { PyGILState_Release(state_); }

}  // namespace tridap::python
