#include "watch.hpp"

#include <petscoptions.h>

#include <stdexcept>
#include <string>
#include <unordered_map>

// PETSc exports these functions, and documents them, but some versions declare them in a private header alone.
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject, PetscObjectState*);
PETSC_EXTERN PetscErrorCode PetscObjectStateSet(PetscObject, PetscObjectState);

namespace tridap::python {

namespace {

struct AllWatched {
  std::unordered_map<Vec, std::shared_ptr<WatchedVec>> vecs;
  bool ends_with_petsc = false;
};

// It is never destroyed, because PETSc may destroy Vecs after anything else.
AllWatched& all_watched() {
  static auto* const one = new AllWatched;
  return *one;
}

PetscErrorCode end_one(PetscObject vec, void*) {
  const auto found = all_watched().vecs.find(reinterpret_cast<Vec>(vec));
  if (found == all_watched().vecs.end()) return 0;
  found->second->end();
  all_watched().vecs.erase(found);
  return 0;
}

PetscErrorCode end_all() {
  for (const auto& [vec, watched] : all_watched().vecs) watched->end();
  all_watched().vecs.clear();
  all_watched().ends_with_petsc = false;
  return 0;
}

void need_success(PetscErrorCode code, const char* function) {
  if (code != 0) throw std::runtime_error(std::string(function) + " of PETSc failed");
}

}  // namespace

bool WatchedVec::changed() const {
  PetscObjectState state = 0;
  const auto object = reinterpret_cast<PetscObject>(vec_);
  return object != nullptr && PetscObjectStateGet(object, &state) == 0 && PetscObjectStateSet(object, state + 1) == 0;
}

std::shared_ptr<WatchedVec> watch(Vec vec) {
  if (const auto found = all_watched().vecs.find(vec); found != all_watched().vecs.end()) return found->second;
  if (!all_watched().ends_with_petsc) need_success(PetscRegisterFinalize(end_all), "PetscRegisterFinalize");
  all_watched().ends_with_petsc = true;
  auto watched = std::make_shared<WatchedVec>(vec);
  all_watched().vecs.emplace(vec, watched);
  // PETSc destroys the context of a handler with the object, and VecDuplicate copies no handlers.
  const PetscErrorCode code = PetscObjectAddOptionsHandler(
      reinterpret_cast<PetscObject>(vec), [](PetscObject, auto, void*) -> PetscErrorCode { return 0; }, end_one,
      nullptr);
  if (code != 0) all_watched().vecs.erase(vec);
  need_success(code, "PetscObjectAddOptionsHandler");
  return watched;
}

}  // namespace tridap::python
