#pragma once

#include <dap/globalarrays/array.hpp>    // IWYU pragma: export
#include <dap/globalarrays/export.hpp>   // IWYU pragma: export
#include <dap/globalarrays/import.hpp>   // IWYU pragma: export
#include <dap/globalarrays/session.hpp>  // IWYU pragma: export
