#pragma once

#include <TpetraCore_config.h>
#include <Tpetra_BlockMultiVector_decl.hpp>
#include <Tpetra_BlockMultiVector_def.hpp>
#include <Tpetra_DistObject_decl.hpp>
#include <Tpetra_DistObject_def.hpp>
#include <Tpetra_MultiVector_decl.hpp>
#include <Tpetra_MultiVector_def.hpp>
#include <Tpetra_Vector_decl.hpp>
#include <Tpetra_Vector_def.hpp>

#define TRIDAP_WITH_ORDINALS(macro, scalar) \
  macro(scalar, Map<>::local_ordinal_type, Map<>::global_ordinal_type, Map<>::node_type)
#define TRIDAP_INSTANTIATE(scalar)                         \
  TRIDAP_WITH_ORDINALS(TPETRA_DISTOBJECT_INSTANT, scalar)  \
  TRIDAP_WITH_ORDINALS(TPETRA_MULTIVECTOR_INSTANT, scalar) \
  TRIDAP_WITH_ORDINALS(TPETRA_VECTOR_INSTANT, scalar)      \
  TRIDAP_WITH_ORDINALS(TPETRA_BLOCKMULTIVECTOR_INSTANT, scalar)

// Trilinos' own libraries have these. Without this declaration the compiler would instantiate them again, which takes
// half a minute.
#define TRIDAP_ELSEWHERE(scalar, local, global, node)            \
  extern template class DistObject<scalar, local, global, node>; \
  extern template class MultiVector<scalar, local, global, node>;

namespace Tpetra {

TRIDAP_WITH_ORDINALS(TRIDAP_ELSEWHERE, int)
#if defined(HAVE_TPETRA_INST_INT_LONG_LONG)
TRIDAP_WITH_ORDINALS(TRIDAP_ELSEWHERE, Map<>::global_ordinal_type)
#endif

}  // namespace Tpetra
