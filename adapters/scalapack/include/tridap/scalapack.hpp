#pragma once

#include <tridap/scalapack/array.hpp>
#include <tridap/scalapack/dense.hpp>
#include <tridap/scalapack/process_grid.hpp>
