#include "support/program.hpp"

#include <dap/report.hpp>

#include <Tpetra_Core.hpp>
#include <unistd.h>

#include <iostream>

namespace examples {

int run(int argc, char** argv, const std::function<void(const Options&, MPI_Comm)>& job) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, status = 0;
  MPI_Comm_rank(comm, &rank);
  const std::optional<Options> options = read_options(argc, argv, rank == 0, status);
  if (!options) return status;
  try {
    job(*options, comm);
    return 0;
  } catch (const dap::Error& error) {
    const dap::Report& report = error.report();
    if (rank != 0) return 1;
    std::cerr << argv[0] << ": " << report.findings().front().text();
    if (report.errors() > 1) std::cerr << " (and " << report.errors() - 1 << " more like it)";
    std::cerr << std::endl;
    return 1;
  } catch (const std::exception& error) {
    std::istringstream words(error.what());  // one line, whatever a library says
    std::string line, word;
    while (words >> word && line.size() < 300) line += " " + word;
    if (rank != 0) sleep(1);  // where all fail alike, the first speaks for them
    std::cerr << argv[0] << ": (rank " << rank << "):" << line << std::endl;
    MPI_Abort(comm, 1);
    return 1;
  }
}

}  // namespace examples
