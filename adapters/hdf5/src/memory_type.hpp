#pragma once

#include <tridap/hdf5/datatype.hpp>

#include <hdf5.h>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// Whether all elements of a type have one length: no text or list of varying length and no reference, at any depth.
bool has_one_length(hid_t type);

/// Whether a type is a compound of two equal floating-point numbers r and i without bytes between them.
bool is_complex_number(hid_t type);

/// memory_type() for errors that name the elements: "the elements of 'x'".
Datatype memory_type(const Datatype& stored, const std::string& elements);

/// The elements of a type as a message describes them: "float64 elements", "floating-point numbers of 2 bytes with 8
/// bits of exponent and 7 of mantissa".
std::string stored_text(const Datatype& stored);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
