#pragma once

#include <tridap/report.hpp>

namespace tridap::mpi {

/// The Error of processes that make different collective calls: each of them throws it, from its own call. So a process
/// that catches it must not communicate as its call would after an Error, because the others are in another call.
class DifferentCalls : public Error {
 public:
  using Error::Error;
};

}  // namespace tridap::mpi
