#pragma once

#include <tridap/hdf5/attribute.hpp>

#include <hdf5.h>

#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// Gives an object of a file an attribute, in place of one with the same name.
void write_attribute(hid_t object, const Attribute& attribute);

/// An attribute with a list of integers for each axis: one element of varying length for each. No attribute, and no
/// list, if all lists are empty.
void write_number_lists(hid_t object, const std::string& name, const std::vector<std::vector<Index>>& lists);
/// The lists of such an attribute, of so many axes. Throws Error if it is another one.
std::vector<std::vector<Index>> read_number_lists(hid_t object, const std::string& name, std::size_t axes);

/// The numbers of an attribute with a list of floating-point numbers; none if there is no such attribute.
std::vector<double> read_numbers(hid_t object, const std::string& name);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
