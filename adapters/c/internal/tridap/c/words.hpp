#pragma once

#include <tridap/report.hpp>

#include <string>

namespace tridap::c {

/// A report of C++ in the words of C, or of Fortran, which counts dimensions from 1.
Report in_c(const Report& report);
Report in_fortran(const Report& report);

}  // namespace tridap::c
