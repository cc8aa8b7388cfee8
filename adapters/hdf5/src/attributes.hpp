#pragma once

#include <tridap/hdf5/attribute.hpp>

#include <hdf5.h>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// Gives an object of a file an attribute, in place of one with the same name.
void write_attribute(hid_t object, const Attribute& attribute);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
