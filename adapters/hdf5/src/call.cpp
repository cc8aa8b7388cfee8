#include "call.hpp"

#include <tridap/detail/refuse.hpp>

namespace tridap::hdf5 {

namespace {

// HDF5 lists what failed from the outermost function to the innermost one, which has the reason.
herr_t keep_reason(unsigned, const H5E_error2_t* error, void* data) {
  try {
    if (error->desc != nullptr) *static_cast<std::string*>(data) = error->desc;
  } catch (...) {  // no exception may pass through HDF5's C functions
  }
  return 0;
}

}  // namespace

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

void call_failed(const char* function) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_reason, &reason);
  refuse(std::string(function) + " of HDF5 failed" + (reason.empty() ? "" : ": " + reason), "",
         "see HDF5's reference manual of " + std::string(function));
}

Handle::~Handle() {
  if (id_ < 0) return;
  const QuietErrors errors;
  close_(id_);
}

void Handle::close(const char* function) {
  if (id_ < 0) return;
  const hid_t id = release();
  call(function, [&] { return close_(id); });
}

}  // namespace tridap::hdf5
