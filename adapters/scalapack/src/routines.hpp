#pragma once

#include <tridap/buffer.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <type_traits>

// The Fortran routines of ScaLAPACK, of which it installs no header. Each text argument has a hidden length at the end,
// except in P?GEMM, which is written in C.
extern "C" {
#define TRIDAP_SCALAPACK_ROUTINES(p, orthogonal, T)                                                                   \
  void p##getrf_(const int* m, const int* n, T* a, const int* ia, const int* ja, const int* desca, int* ipiv,         \
                 int* info);                                                                                          \
  void p##getrs_(const char* trans, const int* n, const int* nrhs, const T* a, const int* ia, const int* ja,          \
                 const int* desca, const int* ipiv, T* b, const int* ib, const int* jb, const int* descb, int* info,  \
                 std::size_t);                                                                                        \
  void p##potrf_(const char* uplo, const int* n, T* a, const int* ia, const int* ja, const int* desca, int* info,     \
                 std::size_t);                                                                                        \
  void p##geqrf_(const int* m, const int* n, T* a, const int* ia, const int* ja, const int* desca, T* tau, T* work,   \
                 const int* lwork, int* info);                                                                        \
  void p##orthogonal##qr_(const int* m, const int* n, const int* k, T* a, const int* ia, const int* ja,               \
                          const int* desca, const T* tau, T* work, const int* lwork, int* info);                      \
  void p##gemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const T* alpha,     \
                const T* a, const int* ia, const int* ja, const int* desca, const T* b, const int* ib, const int* jb, \
                const int* descb, const T* beta, T* c, const int* ic, const int* jc, const int* descc);
TRIDAP_SCALAPACK_ROUTINES(ps, org, float)
TRIDAP_SCALAPACK_ROUTINES(pd, org, double)
TRIDAP_SCALAPACK_ROUTINES(pc, ung, std::complex<float>)
TRIDAP_SCALAPACK_ROUTINES(pz, ung, std::complex<double>)
#undef TRIDAP_SCALAPACK_ROUTINES

#define TRIDAP_SCALAPACK_REAL(p, T)                                                                                   \
  void p##syev_(const char* jobz, const char* uplo, const int* n, T* a, const int* ia, const int* ja,                 \
                const int* desca, T* w, T* z, const int* iz, const int* jz, const int* descz, T* work,                \
                const int* lwork, int* info, std::size_t, std::size_t);                                               \
  void p##gesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, T* a, const int* ia, const int* ja, \
                 const int* desca, T* s, T* u, const int* iu, const int* ju, const int* descu, T* vt, const int* ivt, \
                 const int* jvt, const int* descvt, T* work, const int* lwork, int* info, std::size_t, std::size_t);
TRIDAP_SCALAPACK_REAL(ps, float)
TRIDAP_SCALAPACK_REAL(pd, double)
#undef TRIDAP_SCALAPACK_REAL

#define TRIDAP_SCALAPACK_COMPLEX(p, T, Real)                                                                           \
  void p##heev_(const char* jobz, const char* uplo, const int* n, T* a, const int* ia, const int* ja,                  \
                const int* desca, Real* w, T* z, const int* iz, const int* jz, const int* descz, T* work,              \
                const int* lwork, Real* rwork, const int* lrwork, int* info, std::size_t, std::size_t);                \
  void p##gesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, T* a, const int* ia, const int* ja,  \
                 const int* desca, Real* s, T* u, const int* iu, const int* ju, const int* descu, T* vt,               \
                 const int* ivt, const int* jvt, const int* descvt, T* work, const int* lwork, Real* rwork, int* info, \
                 std::size_t, std::size_t);
TRIDAP_SCALAPACK_COMPLEX(pc, std::complex<float>, float)
TRIDAP_SCALAPACK_COMPLEX(pz, std::complex<double>, double)
#undef TRIDAP_SCALAPACK_COMPLEX
}

namespace tridap::scalapack {

inline constexpr int one = 1;  // the first row, column

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

/// The routines of one element type. Their names in messages are `letter` and the rest: "PDGETRF".
template <class T>
struct Routines;
#define TRIDAP_SCALAPACK_TABLE(p, orthogonal, eigenvalues, capital, T)                   \
  template <>                                                                            \
  struct Routines<T> {                                                                   \
    static constexpr char letter = capital;                                              \
    static constexpr auto* getrf = p##getrf_;                                            \
    static constexpr auto* getrs = p##getrs_;                                            \
    static constexpr auto* potrf = p##potrf_;                                            \
    static constexpr auto* geqrf = p##geqrf_;                                            \
    static constexpr auto* form_q = p##orthogonal##qr_;        /* p?orgqr, or p?ungqr */ \
    static constexpr auto* eigenvalues_of = p##eigenvalues##_; /* p?syev, p?heev */      \
    static constexpr auto* gesvd = p##gesvd_;                                            \
    static constexpr auto* gemm = p##gemm_;                                              \
  };
TRIDAP_SCALAPACK_TABLE(ps, org, syev, 'S', float)
TRIDAP_SCALAPACK_TABLE(pd, org, syev, 'D', double)
TRIDAP_SCALAPACK_TABLE(pc, ung, heev, 'C', std::complex<float>)
TRIDAP_SCALAPACK_TABLE(pz, ung, heev, 'Z', std::complex<double>)
#undef TRIDAP_SCALAPACK_TABLE

template <class T>
inline constexpr bool is_complex_v = !std::is_same_v<T, Real<T>>;

/// The number of elements of work space that a query returned in the first of them. A float may have rounded it down.
template <class T>
Index work_elements(const T& answer) {
  const double told = static_cast<double>(std::real(answer));
  return std::max<Index>(static_cast<Index>(std::is_same_v<Real<T>, float> ? told * (1 + 1e-6) + 1 : told), 1);
}

/// Calls `visit` with a null pointer of the C++ type of the elements, which is_scalar() accepts.
template <class Visit>
auto with_scalar(const ElementType& type, Visit&& visit) {
  const bool complex = type.kind == ElementType::Kind::complex;
  if (complex && type.bytes == 16) return visit(static_cast<std::complex<double>*>(nullptr));
  if (complex) return visit(static_cast<std::complex<float>*>(nullptr));
  if (type.bytes == 4) return visit(static_cast<float*>(nullptr));
  return visit(static_cast<double*>(nullptr));
}

}  // namespace tridap::scalapack
