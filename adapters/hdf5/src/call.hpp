#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// While one exists, HDF5 does not print its errors.
class QuietErrors {
 public:
  QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors();

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Throws an Error with the function's name and HDF5's own message.
[[noreturn]] void call_failed(const char* function);

/// Calls HDF5, and throws an Error if the call fails. Returns what the call returns.
///
///     const hid_t space = call("H5Dget_space", [&] { return H5Dget_space(dataset); });
template <class Call>
auto call(const char* function, Call&& to_hdf5) {
  const QuietErrors errors;
  const auto result = std::forward<Call>(to_hdf5)();
  if (result < 0) call_failed(function);
  return result;
}

/// An identifier of HDF5, which the destructor closes.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close by) : id_(id), close_(by) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();

  operator hid_t() const { return id_; }  // NOLINT: it stands for the identifier in every call of HDF5
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }
  /// Closes it now. Throws an Error if HDF5 fails, for example to write the end of a file.
  void close(const char* function);

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// A new Handle of what the call returns.
template <class Call>
Handle made(const char* function, Handle::Close close, Call&& to_hdf5) {
  return {call(function, std::forward<Call>(to_hdf5)), close};
}

}  // namespace tridap::hdf5

#pragma GCC visibility pop
