#include "redistribution/quiet.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace bench {

namespace {

double waited() {
  std::ifstream file("/proc/self/schedstat");  // nanoseconds run, and waited for a core
  double run = 0, nanoseconds = 0;
  file >> run >> nanoseconds;
  return 1e-9 * nanoseconds;
}

}  // namespace

Quiet::Quiet(MPI_Comm comm) : comm_(comm), last_(now()) {}

Quiet::Times Quiet::now() const {
  Times times;
  MPI_Barrier(comm_);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  times.own = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  times.wall = MPI_Wtime();
  std::ifstream file("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft_interrupts = 0, stolen = 0;
  file >> cpu >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen;
  times.busy =
      (user + nice + system + interrupts + soft_interrupts + stolen) / static_cast<double>(sysconf(_SC_CLK_TCK));
  times.waited = waited();
  MPI_Allreduce(MPI_IN_PLACE, &times.own, 1, MPI_DOUBLE, MPI_SUM, comm_);
  MPI_Allreduce(MPI_IN_PLACE, &times.waited, 1, MPI_DOUBLE, MPI_SUM, comm_);
  MPI_Bcast(&times.busy, 1, MPI_DOUBLE, 0, comm_);
  MPI_Bcast(&times.wall, 1, MPI_DOUBLE, 0, comm_);
  return times;
}

bool Quiet::ask() {
  const Times then = last_;
  last_ = now();
  int processes = 1;
  MPI_Comm_size(comm_, &processes);
  const double cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  const double own = last_.own - then.own, total = cores * (last_.wall - then.wall), allowed = 0.01 * total;
  if (processes <= cores && last_.waited - then.waited > 20e-6 + allowed) return false;
  // Exact to the nanosecond if our processes fill the cores, because a process that waits for a message spins.
  if (processes >= cores && total - own > allowed) return false;
  const double ticks = cores / static_cast<double>(sysconf(_SC_CLK_TCK));  // the kernel counts whole ticks
  return last_.busy - then.busy - own <= allowed + ticks;
}

}  // namespace bench
