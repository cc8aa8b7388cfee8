#pragma once

#include <tridap/hdf5/attribute.hpp>  // IWYU pragma: export
#include <tridap/hdf5/datatype.hpp>   // IWYU pragma: export
#include <tridap/hdf5/load.hpp>       // IWYU pragma: export
#include <tridap/hdf5/save.hpp>       // IWYU pragma: export
#include <tridap/hdf5/stored.hpp>     // IWYU pragma: export
#include <tridap/hdf5/xdmf.hpp>       // IWYU pragma: export
