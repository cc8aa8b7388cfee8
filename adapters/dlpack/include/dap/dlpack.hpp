#pragma once

#include <dap/dist_array.hpp>
#include <dap/receipt.hpp>

#include <dlpack/dlpack.h>

#include <memory>

/// DLPack tensors as local arrays, and the local part of an array as a DLPack tensor: a view or a refusal, never a
/// copy.
namespace dap::dlpack {

struct ReleaseTensor {
  void operator()(DLManagedTensor* tensor) const {
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  }
};

/// A DLPack tensor and the duty to release it: `release()` hands both over, `Tensor(pointer)` takes them.
using Tensor = std::unique_ptr<DLManagedTensor, ReleaseTensor>;

struct ImportedTensor {
  Tensor tensor;
  Receipt receipt;
};

struct ExportedArray {
  DistArray array;
  Receipt receipt;
};

/// The local buffer of `array` as a tensor over the same memory, which its deleter lets go of, on any thread that may
/// let go of the buffer's owner. A `dim_data` that says more than "not distributed" stays behind: the receipt's loss.
/// Throws Error, with every reason and its remedy, where DLPack cannot say what the buffer is: read-only, swapped byte
/// order, an element type or a device it has no number for, a stride that is no whole number of elements.
///
/// A 2 x 3 row-major buffer of double becomes shape {2, 3} and strides {3, 1}, in elements.
ImportedTensor import_array(DistArray array);

/// A tensor as an array of which no axis is distributed, over the same memory. The tensor's deleter is called once: by
/// whoever lets go of the array's buffer last, on whichever thread, or before this throws. Throws Error, with every
/// reason, where the tensor is malformed or a Buffer cannot say what it is: vector lanes, bfloat, a foreign device.
ExportedArray export_array(Tensor tensor);

}  // namespace dap::dlpack
