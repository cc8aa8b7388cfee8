#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/dlpack/compat.hpp>
#include <tridap/receipt.hpp>

#include <memory>

/// DLPack tensors as local arrays, and the local part of an array as a DLPack tensor: a view or a refusal, never a
/// copy. Both forms of a tensor: DLPack 0's, and the versioned one of DLPack 1, which can say read-only.
namespace tridap::dlpack {

struct ReleaseTensor {
  template <class Managed>
  void operator()(Managed* tensor) const {
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  }
};

/// A DLPack tensor and the duty to release it: `release()` hands both over, `Tensor(pointer)` takes them.
using Tensor = std::unique_ptr<DLManagedTensor, ReleaseTensor>;
/// The same in the form of DLPack 1.
using VersionedTensor = std::unique_ptr<DLManagedTensorVersioned, ReleaseTensor>;

struct ImportedTensor {
  Tensor tensor;
  Receipt receipt;
};

struct ImportedVersionedTensor {
  VersionedTensor tensor;
  Receipt receipt;
};

struct ExportedArray {
  DistArray array;
  Receipt receipt;
};

/// The local buffer of `array` as a tensor over the same memory, which its deleter lets go of, on any thread that may
/// let go of the buffer's owner. A `dim_data` that says more than "not distributed" stays behind: the receipt's loss.
/// Throws Error, with every reason and its remedy, where DLPack 0.6 cannot say what the buffer is: read-only, bool,
/// swapped byte order, an element type or a device it has no number for, a stride that is no whole number of elements.
///
/// A 2 x 3 row-major buffer of double becomes shape {2, 3} and strides {3, 1}, in elements.
ImportedTensor import_array(DistArray array);

/// The same in the form of DLPack 1.0, which can also say read-only memory, bool and SYCL devices.
ImportedVersionedTensor import_versioned(DistArray array);

/// A tensor as an array of which no axis is distributed, over the same memory. The tensor's deleter is called once: by
/// whoever lets go of the array's buffer last, on whichever thread, or before this throws. Throws Error, with every
/// reason, where the tensor is malformed or a Buffer cannot say what it is: vector lanes, bfloat, a foreign device.
ExportedArray export_array(Tensor tensor);

/// The same for a tensor of DLPack 1. Its buffer is read-only where the tensor says so. That its maker copied the
/// memory for it (the flag is_copied) is named by the receipt as lost. Throws Error for any other major version, too.
ExportedArray export_array(VersionedTensor tensor);

}  // namespace tridap::dlpack
