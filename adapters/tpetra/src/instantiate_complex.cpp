#include "instantiate.hpp"

namespace Tpetra {

#if !defined(HAVE_TPETRA_INST_COMPLEX_DOUBLE)
DAP_INSTANTIATE(Kokkos::complex<double>)
#endif

}  // namespace Tpetra
