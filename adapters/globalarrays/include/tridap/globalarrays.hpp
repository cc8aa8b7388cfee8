#pragma once

#include <tridap/globalarrays/array.hpp>    // IWYU pragma: export
#include <tridap/globalarrays/export.hpp>   // IWYU pragma: export
#include <tridap/globalarrays/import.hpp>   // IWYU pragma: export
#include <tridap/globalarrays/session.hpp>  // IWYU pragma: export
