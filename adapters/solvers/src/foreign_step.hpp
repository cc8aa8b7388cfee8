#pragma once

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/solvers/matrix.hpp>

#include <functional>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

MPI_Comm comm_of(const Tpetra::Map<>& map);

/// A foreign library's message, without the source lines and counts that Teuchos puts before it.
std::string words(const std::string& what);

/// Runs a collective step of a foreign library. What it throws becomes the same Error on every process, with one
/// message if all processes throw. In that case `explain` may throw a better Error first, the same on every process; it
/// is collective, too. An std::bad_alloc passes on: call it inside of Call::run(). **Collective.**
void foreign_step(MPI_Comm comm, const std::string& doing, const std::string& remedy, const std::function<void()>& step,
                  const std::function<void()>& explain = {});

/// A number that is the same for equal values: a mpi::Record compares it. The values are written as in C++, whatever
/// the locale of the program, so that processes of different locales compare the same.
template <class... Values>
Index number_of(const Values&... values) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::hexfloat;
  ((text << values << '\n'), ...);
  Digest digest;
  digest.add(text.str());
  return digest.value();
}

/// Throws Error on every process if what number_of() gave as the first number of the call's record differs between
/// processes.
void need_the_same(const mpi::Call& call, const std::string& what);

/// Throws Error if vectors are not on `map`, or have an element that is not finite. Local.
void check_vectors(const MultiVector& vectors, const Tpetra::Map<>& map, const char* name);

/// Throws Error if `x` shares memory with `b`, which would change during the solve. Local.
void check_apart(const MultiVector& b, const MultiVector& x);

/// Throws Error if `b` and `x` have different numbers of vectors, a tolerance is no number >= 0, or the 2-norm of a
/// vector of `b` is infinite. Returns the 2-norms. **Collective**: the arguments are the same on every process.
std::vector<double> check_scales(const MultiVector& b, const MultiVector& x, double tol, double atol);

}  // namespace tridap::solvers

#pragma GCC visibility pop
