#pragma once

#include <tridap/device_stream.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/dlpack/compat.hpp>
#include <tridap/receipt.hpp>

#include <memory>

/// Converts DLPack tensors to local arrays, and the local part of an array to a DLPack tensor. The result shares the
/// memory, or the call throws; it never copies. There are two forms of a tensor: DLPack 0's, and the versioned form of
/// DLPack 1, which can mark memory as read-only.
///
/// A tensor of DLPack does not name a stream. The receiver of a tensor names the stream on which the memory is used
/// next, and the giver orders the writes before that stream. So each call has a stream. It matters for memory of CUDA
/// and ROCm.
namespace tridap::dlpack {

struct ReleaseTensor {
  template <class Managed>
  void operator()(Managed* tensor) const {
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  }
};

/// Owns a DLPack tensor. `release()` gives up the ownership, `Tensor(pointer)` takes it.
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

/// The local buffer of `array` as a tensor that shares its memory. The tensor's deleter releases the buffer's owner;
/// any thread that may release the owner may call it. If `dim_data` says more than "not distributed", this is lost, and
/// the receipt names the loss. Throws Error, with every reason and its remedy, if DLPack 0.6 cannot describe the
/// buffer: it is read-only, is bool, has swapped byte order, an element type or a device without a DLPack number, or a
/// stride that is not a multiple of the element size. The stream on which the consumer uses the tensor waits for the
/// default stream, on which TriDAP works; if there is no stream of this number, this throws Error, too.
///
/// A 2 x 3 row-major buffer of double becomes shape {2, 3} and strides {3, 1}, in elements.
ImportedTensor import_array(DistArray array, DeviceStream consumer = {});

/// The same in the form of DLPack 1.0, which can also describe read-only memory, bool and SYCL devices.
ImportedVersionedTensor import_versioned(DistArray array, DeviceStream consumer = {});

/// A tensor as an array that shares its memory. No axis is distributed. The tensor's deleter is called once: when the
/// last user of the array's buffer releases it, on that user's thread, or before this function throws. Throws Error,
/// with every reason, if the tensor is malformed or a Buffer cannot describe it: vector lanes, an unknown
/// device. The default stream, on which TriDAP works, waits for the stream before which the producer has ordered its
/// writes.
ExportedArray export_array(Tensor tensor, DeviceStream producer = {});

/// The same for a tensor of DLPack 1. The buffer is read-only if the tensor is. If the producer copied the memory for
/// the tensor (the flag is_copied), this is lost, and the receipt names the loss. Also throws Error if the major
/// version is not 1.
ExportedArray export_array(VersionedTensor tensor, DeviceStream producer = {});

}  // namespace tridap::dlpack
