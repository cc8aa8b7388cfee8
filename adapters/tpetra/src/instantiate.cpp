// Vectors of the element types that Trilinos' own libraries may leave out, so that users just link.

#include <TpetraCore_config.h>
#include <Tpetra_BlockMultiVector_decl.hpp>
#include <Tpetra_BlockMultiVector_def.hpp>
#include <Tpetra_DistObject_decl.hpp>
#include <Tpetra_DistObject_def.hpp>
#include <Tpetra_MultiVector_decl.hpp>
#include <Tpetra_MultiVector_def.hpp>
#include <Tpetra_Vector_decl.hpp>
#include <Tpetra_Vector_def.hpp>

namespace Tpetra {

#define DAP_WITH_ORDINALS(macro, scalar) \
  macro(scalar, Map<>::local_ordinal_type, Map<>::global_ordinal_type, Map<>::node_type)
#define DAP_INSTANTIATE(scalar)                         \
  DAP_WITH_ORDINALS(TPETRA_DISTOBJECT_INSTANT, scalar)  \
  DAP_WITH_ORDINALS(TPETRA_MULTIVECTOR_INSTANT, scalar) \
  DAP_WITH_ORDINALS(TPETRA_VECTOR_INSTANT, scalar)      \
  DAP_WITH_ORDINALS(TPETRA_BLOCKMULTIVECTOR_INSTANT, scalar)

#if !defined(HAVE_TPETRA_INST_FLOAT)
DAP_INSTANTIATE(float)
#endif
#if !defined(HAVE_TPETRA_INST_COMPLEX_DOUBLE)
DAP_INSTANTIATE(Kokkos::complex<double>)
#endif
DAP_WITH_ORDINALS(TPETRA_BLOCKMULTIVECTOR_INSTANT, int)  // Trilinos has blocks of no integers
DAP_WITH_ORDINALS(TPETRA_BLOCKMULTIVECTOR_INSTANT, Map<>::global_ordinal_type)

}  // namespace Tpetra
