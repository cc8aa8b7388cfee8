#include "gil.hpp"

#include <unistd.h>
#include <unwind.h>

#ifdef TRIDAP_WRAPS_PERSONALITY
// Before Python 3.14, a thread that needs the GIL while the interpreter ends is unwound, from the middle of a call of
// Python, and destructors would use Python without the GIL. By the linker's --wrap (CMakeLists.txt) this function
// stands in place of the one that finds the destructors and handlers of each frame of this module: the thread sleeps
// instead, as in later versions. https://docs.python.org/3/c-api/init.html#c.PyEval_RestoreThread
extern "C" _Unwind_Reason_Code __real___gxx_personality_v0(int version, _Unwind_Action actions,
                                                           _Unwind_Exception_Class kind, _Unwind_Exception* thrown,
                                                           _Unwind_Context* frame);
extern "C" _Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                           _Unwind_Exception_Class kind, _Unwind_Exception* thrown,
                                                           _Unwind_Context* frame) {
  while ((actions & _UA_FORCE_UNWIND) != 0 && tridap::python::python_ends()) pause();
  return __real___gxx_personality_v0(version, actions, kind, thrown, frame);
}
#endif

namespace tridap::python {

bool python_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
  return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}

WithoutPython::WithoutPython() : state_(PyEval_SaveThread()) {}
WithoutPython::~WithoutPython() { PyEval_RestoreThread(state_); }

WithPython::WithPython() : state_(PyGILState_Ensure()) {}
WithPython::~WithPython() { PyGILState_Release(state_); }

}  // namespace tridap::python
