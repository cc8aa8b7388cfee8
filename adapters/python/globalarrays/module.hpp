#pragma once

#include <pybind11/pybind11.h>

extern "C" PyObject* PyInit__tridap_globalarrays();
