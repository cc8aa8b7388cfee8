#pragma once

#include <tridap/detail/refuse.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/solvers/matrix.hpp>

#include <functional>
#include <string>

namespace tridap::solvers {

MPI_Comm comm_of(const Tpetra::Map<>& map);

/// What a foreign library said, without the places and counts that Teuchos puts before it.
std::string words(const std::string& what);

/// Runs a collective step of a foreign library; what it throws becomes one Error on every process, told once where all
/// throw. **Collective.**
void foreign_step(MPI_Comm comm, const std::string& doing, const std::string& remedy,
                  const std::function<void()>& step);

/// Throws Error on every process where `said` is not the same on all. **Collective.**
void expect_the_same(MPI_Comm comm, const std::string& said, const std::string& what);

/// Throws Error where a vector is not on `map`, or has an element that is not finite. Local.
void check_vector(const Vector& vector, const Tpetra::Map<>& map, const char* name);

/// Throws Error where `x` shares memory with `b`, which would change while it is solved for. Local.
void check_apart(const Vector& b, const Vector& x);

/// |r| / |b| after r = b - A x. **Collective.**
double residual(const Operator& a, const Vector& b, const Vector& x, double scale, Vector& r);

}  // namespace tridap::solvers
