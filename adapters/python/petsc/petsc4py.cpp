#include "petsc4py.hpp"

#include <cstdint>
#include <string>

namespace tridap::python {

namespace {

py::object petsc4py() { return py::module_::import("petsc4py.PETSc"); }

// A function of petsc4py's C interface, which Cython keeps in capsules. A capsule's name is the type of the function.
template <class Function>
Function* function_named(const char* name, const char* type) {
  const py::object capsule = petsc4py().attr("__pyx_capi__")[name];
  void* const address = PyCapsule_GetPointer(capsule.ptr(), type);
  if (address == nullptr) throw py::error_already_set();
  return reinterpret_cast<Function*>(reinterpret_cast<std::uintptr_t>(address));
}

void need_same_petsc() {
  using Version = PetscErrorCode(PetscInt*, PetscInt*, PetscInt*, PetscInt*);
  PetscInt major = 0, minor = 0, release = 0;
  Version* const version = &PetscGetVersionNumber;
  if (version(&major, &minor, &release, nullptr) != 0) throw py::import_error("PETSc does not know its version");
  const py::tuple theirs = petsc4py().attr("Sys").attr("getVersion")();
  if (py::cast<PetscInt>(theirs[0]) != major || py::cast<PetscInt>(theirs[1]) != minor)
    throw py::import_error("petsc4py uses PETSc " + py::cast<std::string>(py::repr(theirs)) +
                           ", and tridap was built with " + std::to_string(major) + "." + std::to_string(minor));
  const py::object scalar = petsc4py().attr("ScalarType");
  if (py::cast<py::ssize_t>(py::module_::import("numpy").attr("dtype")(scalar).attr("itemsize")) !=
      static_cast<py::ssize_t>(sizeof(PetscScalar)))
    throw py::import_error("petsc4py uses a PETSc with other scalars than the one that tridap was built with");
}

void need_instance(py::handle object, const char* type) {
  static const bool same = (need_same_petsc(), true);
  static_cast<void>(same);
  if (!py::isinstance(object, petsc4py().attr(type)))
    throw py::type_error("the object is a " + std::string(Py_TYPE(object.ptr())->tp_name) +
                         ", must be a petsc4py.PETSc." + type);
}

// petsc4py takes a reference of its own.
template <class Object>
py::object made(PyObject* object, Object petsc) {
  PetscObjectDereference(reinterpret_cast<PetscObject>(petsc));
  if (object == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

}  // namespace

Vec vec_of(py::handle object) {
  need_instance(object, "Vec");
  return function_named<Vec(PyObject*)>("PyPetscVec_Get", "Vec (PyObject *)")(object.ptr());
}

DM dm_of(py::handle object) {
  need_instance(object, "DM");
  return function_named<DM(PyObject*)>("PyPetscDM_Get", "DM (PyObject *)")(object.ptr());
}

Mat mat_of(py::handle object) {
  need_instance(object, "Mat");
  return function_named<Mat(PyObject*)>("PyPetscMat_Get", "Mat (PyObject *)")(object.ptr());
}

py::object object_of(Vec vec) {
  return made(function_named<PyObject*(Vec)>("PyPetscVec_New", "PyObject *(Vec)")(vec), vec);
}

py::object object_of(DM dm) { return made(function_named<PyObject*(DM)>("PyPetscDM_New", "PyObject *(DM)")(dm), dm); }

py::object object_of(AO ordering) {
  return made(function_named<PyObject*(AO)>("PyPetscAO_New", "PyObject *(AO)")(ordering), ordering);
}

py::object object_of(Mat mat) {
  return made(function_named<PyObject*(Mat)>("PyPetscMat_New", "PyObject *(Mat)")(mat), mat);
}

}  // namespace tridap::python
