// The Python interpreter, with the built-in module _tridap_globalarrays, on which tridap.globalarrays stands. A program
// that has Python and Global Arrays in it offers the same by the same line before Py_Initialize().

#include "module.hpp"

int main(int argc, char** argv) {
  PyImport_AppendInittab("_tridap_globalarrays", PyInit__tridap_globalarrays);
  return Py_BytesMain(argc, argv);
}
