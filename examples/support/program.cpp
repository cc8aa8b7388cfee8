#include "support/program.hpp"

#include <tridap/report.hpp>

#include <Tpetra_Core.hpp>
#include <unistd.h>

#include <cstring>
#include <iostream>
#include <vector>

namespace examples {

namespace {

// The arguments that Kokkos takes, or the others. Kokkos would print a help of its own for --help.
std::vector<char*> arguments(int argc, char** argv, bool of_kokkos) {
  std::vector<char*> taken{argv[0]};
  for (int i = 1; i < argc; ++i)
    if ((std::strncmp(argv[i], "--kokkos", 8) == 0) == of_kokkos) taken.push_back(argv[i]);
  return taken;
}

// Returns what `job(arguments, comm, speaks)` returns, or the exit status of its error.
template <class Job>
int guarded(int argc, char** argv, Job&& job) {
  std::vector<char*> of_kokkos = arguments(argc, argv, true), ours = arguments(argc, argv, false);
  int count = static_cast<int>(of_kokkos.size());
  char** values = of_kokkos.data();
  const Tpetra::ScopeGuard scope(&count, &values);
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  try {
    return job(ours, comm, rank == 0);
  } catch (const tridap::Error& error) {
    const tridap::Report& report = error.report();
    if (rank != 0) return 1;
    std::cerr << argv[0] << ": " << report.findings().front().text();
    if (report.errors() > 1) std::cerr << " (and " << report.errors() - 1 << " more errors)";
    std::cerr << std::endl;
    return 1;
  } catch (const std::exception& error) {
    std::istringstream words(error.what());  // one line, even if a library's message has more
    std::string line, word;
    while (words >> word && line.size() < 300) line += " " + word;
    if (rank != 0) sleep(1);  // if all fail in the same way, process 0 prints first and ends the others
    std::cerr << argv[0] << ": (rank " << rank << "):" << line << std::endl;
    MPI_Abort(comm, 1);
    return 1;
  }
}

}  // namespace

int run(int argc, char** argv, const std::function<void(const Options&, MPI_Comm)>& job) {
  return guarded(argc, argv, [&](std::vector<char*>& ours, MPI_Comm comm, bool speaks) {
    int status = 0;
    const std::optional<Options> options = read_options(static_cast<int>(ours.size()), ours.data(), speaks, status);
    if (options) job(*options, comm);
    return status;
  });
}

int run(int argc, char** argv, const std::string& what, const std::vector<Option>& options,
        const std::function<void(Claims&)>& job) {
  return guarded(argc, argv, [&](std::vector<char*>& ours, MPI_Comm comm, bool speaks) {
    int status = 0;
    bool progress = false;
    if (read_options(static_cast<int>(ours.size()), ours.data(), what, options, progress, speaks, status)) {
      Claims claims(comm, progress);
      job(claims);
    }
    return status;
  });
}

}  // namespace examples
