// Vectors of the element types that Trilinos' own libraries may leave out, so that users just link: those of `float`,
// and blocks of integers; also of `long long` if it is not the type of the ids. instantiate_complex.cpp has those of
// complex numbers; each takes its time to compile.

#include "instantiate.hpp"

namespace Tpetra {

#if !defined(HAVE_TPETRA_INST_FLOAT)
TRIDAP_INSTANTIATE(float)
#endif
TRIDAP_WITH_ORDINALS(TPETRA_BLOCKMULTIVECTOR_INSTANT, int)  // Trilinos has blocks of no integers
#if defined(HAVE_TPETRA_INST_INT_LONG_LONG)
TRIDAP_WITH_ORDINALS(TPETRA_BLOCKMULTIVECTOR_INSTANT, Map<>::global_ordinal_type)
#else
TRIDAP_INSTANTIATE(long long)
#endif

}  // namespace Tpetra
