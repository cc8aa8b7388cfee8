#pragma once

#include <tridap/tpetra/array_map.hpp>     // IWYU pragma: export
#include <tridap/tpetra/export.hpp>        // IWYU pragma: export
#include <tridap/tpetra/ghosted.hpp>       // IWYU pragma: export
#include <tridap/tpetra/import.hpp>        // IWYU pragma: export
#include <tridap/tpetra/padded.hpp>        // IWYU pragma: export
#include <tridap/tpetra/redistribute.hpp>  // IWYU pragma: export
#include <tridap/tpetra/trace.hpp>         // IWYU pragma: export
