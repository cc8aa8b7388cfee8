#pragma once

#include <tridap/buffer.hpp>
#include <tridap/receipt.hpp>

#include <pybind11/numpy.h>

#include <memory>
#include <optional>
#include <string>

namespace tridap::python {

namespace py = pybind11;

/// The attribute `name` of a module. `cache` keeps it for ever. It is not in a static initialiser, because an import
/// may let other threads run.
py::handle imported(py::handle& cache, const char* module, const char* name);

/// Keeps a Python object for C++, which may release it from any thread. After the interpreter's end it is not released.
std::shared_ptr<void> keep(py::object object);

/// The owner of C++ memory as a Python object that NumPy takes for the base of an array.
py::object as_base(std::shared_ptr<void> owner);

/// The owner of an array's memory that was passed to as_base(); null if there is none.
std::shared_ptr<void> owner_behind(py::handle array);

/// A NumPy array over an object's memory by the buffer protocol, DLPack or NumPy's array interface, never a copy.
/// Throws what the object raises, and Error if it offers none of these.
py::array array_over(py::handle object);

/// The same under a copy policy. The receipt states what was copied.
py::array array_over(py::handle object, Copy copy, Receipt& receipt);

/// NumPy's type for bfloat16: that of ml_dtypes, if the program has imported it; else V2 with dtype metadata. NumPy
/// keeps the metadata with an array and its views, and ignores it in comparisons. Without it the elements are opaque.
py::dtype bfloat16_dtype();
bool is_bfloat16(const py::dtype& type);
/// NumPy's type for elements; bytes alone if it has none.
py::dtype numpy_type(const ElementType& type);

/// A NumPy array's memory, kept alive by the array.
Buffer buffer_of(const py::array& array);

/// A NumPy array over a buffer's memory, which it keeps alive; read-only if the buffer is.
py::array array_of(const Buffer& buffer);

/// Throws Error for elements that are, or hold, Python objects.
void refuse_objects(const py::array& array);

/// Throws Error for elements that no PEP 3118 buffer can describe, such as NumPy's dates.
void refuse_no_buffer(const py::array& array);

/// Throws Error for records whose PEP 3118 buffer NumPy writes but cannot read: NumPy leaves out the bytes behind the
/// last field. This takes microseconds, and only for records.
void refuse_unread_record(const py::array& array);

/// True if an object has the buffer protocol or DLPack. Throws what the object raises.
bool offers_memory(py::handle object);

/// None or False: never; "if_needed"; True: always. Returns nullopt for anything else.
std::optional<Copy> copy_named(py::handle copy);

/// The same, but throws Error for anything else.
Copy copy_policy(py::handle copy);

/// `copy` of __array__ and __dlpack__: None, or a bool of Python or NumPy. Throws TypeError for anything else.
std::optional<bool> copy_flag(py::handle copy);

/// The type and the text of an exception in one line: "ValueError: its text".
std::string one_line(const py::error_already_set& error);

/// Throws an error again if it is not an Exception, such as KeyboardInterrupt.
void rethrow_if_interrupted(py::error_already_set& error);
/// The same for the error that is set in Python.
void throw_if_interrupted();

}  // namespace tridap::python
