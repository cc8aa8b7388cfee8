#pragma once

#include <tridap/kokkos/view.hpp>

#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Vector.hpp>

#include <complex>
#include <type_traits>

namespace tridap::tpetra {

/// The scalar of the Tpetra vectors that hold elements of `T`: `T` itself, but `long long` for a `long` of its size and
/// Kokkos::complex for std::complex, whose bytes are the same.
template <class T>
struct ScalarOf {
  using type = T;
};
template <>
struct ScalarOf<long> {
  using type = std::conditional_t<sizeof(long) == sizeof(long long), long long, long>;
};
template <class T>
struct ScalarOf<std::complex<T>> {
  using type = Kokkos::complex<T>;
};
template <class T>
using Scalar = typename ScalarOf<std::remove_const_t<T>>::type;

/// True for the element types that have a Tpetra form here: those that Trilinos instantiates, and those that this
/// library instantiates (`float`, complex<double>).
template <class T>
inline constexpr bool has_vector =
    std::is_same_v<Scalar<T>, double> || std::is_same_v<Scalar<T>, float> || std::is_same_v<Scalar<T>, int> ||
    std::is_same_v<Scalar<T>, long long> || std::is_same_v<Scalar<T>, Kokkos::complex<double>>;

template <class T>
using Vector = Tpetra::Vector<Scalar<T>>;
template <class T>
using MultiVector = Tpetra::MultiVector<Scalar<T>>;

/// `const V` if the elements `T` are const, else `V`.
template <class T, class V>
using ConstAs = std::conditional_t<std::is_const_v<T>, const V, V>;

}  // namespace tridap::tpetra
