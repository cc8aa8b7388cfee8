#pragma once

#include <tridap/buffer.hpp>

#include <hdf5.h>

#include <memory>

namespace tridap::hdf5 {

/// A type of HDF5, which is closed with its last owner.
class Datatype {
 public:
  Datatype() = default;
  explicit Datatype(hid_t id);  ///< takes over the identifier

  hid_t id() const { return id_ == nullptr ? H5I_INVALID_HID : *id_; }
  explicit operator bool() const { return id_ != nullptr; }

 private:
  std::shared_ptr<hid_t> id_;
};

/// The type in which elements are stored, byte for byte as in memory: byte order included, and as h5py stores them.
///
/// A boolean is an enumeration of FALSE and TRUE, and a complex number a compound of r and i. An opaque element with a
/// description is opaque, with the tag "NUMPY:" and its description. Throws Error if HDF5 has no such type.
Datatype datatype(const ElementType& type);

/// The type that elements of a stored type have in memory. This is the stored type, if its numbers are exactly the
/// machine's own, in either byte order. Others become the machine's shortest type that holds every value, into which
/// HDF5 converts them while it reads: bfloat16 becomes float32, and an integer of which 12 of 16 bits count int16.
/// Throws Error if no type holds every value, if the length of elements varies, or if they are references.
Datatype memory_type(const Datatype& stored);

/// Whether the numbers are stored in bfloat16, in either byte order.
bool is_bfloat16(const Datatype& stored);

/// The ElementType of the memory_type() of a stored type. Compounds other than complex numbers, arrays and texts of
/// fixed length are opaque elements. Throws as memory_type() does.
ElementType element_type(const Datatype& stored);

}  // namespace tridap::hdf5
