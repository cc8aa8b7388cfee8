#include <tridap/c/status.hpp>
#include <tridap/mpi/regions.hpp>
#include <tridap/tpetra/trace.hpp>

int tridap_trace(int on) {
  return tridap::c::locally([&] {
    if (on != 0)
      tridap::tpetra::trace();
    else
      tridap::mpi::trace({});
  });
}
