#include "info.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/typed.hpp>

#include <string>

namespace tridap::scalapack {

namespace {

// ScaLAPACK counts from 1. An array argument i with a wrong entry j is 100 i + j, any other argument is i.
std::string wrong_argument(int info) {
  const int number = -info;
  if (number < 100) return "argument " + std::to_string(number) + " had an illegal value";
  return "entry " + std::to_string(number % 100) + " of argument " + std::to_string(number / 100) +
         " had an illegal value";
}

[[noreturn]] void refuse_info(const Ended& ended, int info) {
  const std::string name = std::string("P") + ended.letter + ended.routine;
  const std::string begin = name + " ended with INFO = " + std::to_string(info) + ": ";
  if (info < 0)
    refuse(begin + wrong_argument(info), "TriDAP must pass no such value",
           "report this as an error of TriDAP, with the distributions of the arrays");
  const std::string number = std::to_string(info - 1);
  if (ended.positive == Positive::zero_pivot)
    refuse(begin + "the pivot in row " + number + " (counted from 0) is exactly 0", "the matrix must not be singular",
           "check the matrix; svd() finds its rank");
  if (ended.positive == Positive::not_definite)
    refuse(begin + "the leading minor of order " + std::to_string(info) + " is not positive",
           "the matrix must be positive definite", "solve() needs no definite matrix");
  if (info > ended.values)
    refuse(begin + "the processes computed different values", "must be the same on all",
           "use processes with the same arithmetic");
  refuse(begin + "value " + number + " (counted from 0) did not converge", "all values must converge",
         "scale the matrix, or compute in double precision");
}

}  // namespace

void must_succeed(const Ended& ended, MPI_Comm comm) {
  int both[2] = {ended.info, -ended.info};  // a routine may not give every process the same
  mpi::reduce(both, 2, MPI_MAX, comm);
  if (both[0] == 0 && both[1] == 0) return;
  refuse_info(ended, both[1] > 0 ? -both[1] : both[0]);
}

void must_succeed_here(const Ended& ended) {
  if (ended.info != 0) refuse_info(ended, ended.info);
}

}  // namespace tridap::scalapack
