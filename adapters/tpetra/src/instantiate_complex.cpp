#include "instantiate.hpp"

namespace Tpetra {

#if !defined(HAVE_TPETRA_INST_COMPLEX_DOUBLE)
TRIDAP_INSTANTIATE(Kokkos::complex<double>)
#endif

}  // namespace Tpetra
