#pragma once

#include <tridap/petsc/dmda.hpp>     // IWYU pragma: export
#include <tridap/petsc/export.hpp>   // IWYU pragma: export
#include <tridap/petsc/ghosted.hpp>  // IWYU pragma: export
#include <tridap/petsc/import.hpp>   // IWYU pragma: export
#include <tridap/petsc/matrix.hpp>   // IWYU pragma: export
