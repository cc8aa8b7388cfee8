#pragma once

#include <dap/tpetra/export.hpp>        // IWYU pragma: export
#include <dap/tpetra/import.hpp>        // IWYU pragma: export
#include <dap/tpetra/layout.hpp>        // IWYU pragma: export
#include <dap/tpetra/padded.hpp>        // IWYU pragma: export
#include <dap/tpetra/redistribute.hpp>  // IWYU pragma: export
