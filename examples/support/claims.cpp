#include "support/claims.hpp"

#include <tridap/mpi/agree.hpp>
#include <tridap/report.hpp>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <sstream>

namespace examples {

double worst(double a, double b) { return std::isnan(a) || a > b ? a : b; }

Claims::Claims(MPI_Comm comm, bool progress) : comm_(comm), progress_(progress) {
  MPI_Comm_rank(comm, &process_);
  MPI_Comm_size(comm, &processes_);
}

void Claims::say(const char* format, ...) const {
  if (process_ != 0) return;
  std::va_list values;
  va_start(values, format);
  std::vprintf(format, values);
  va_end(values);
  std::putchar('\n');
  std::fflush(stdout);
}

void Claims::quote(const std::string& text) const {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) say("  | %s", line.c_str());
}

void Claims::note(const tridap::Receipt& receipt, const void* given, const void* made) {
  copies_.bytes += receipt.bytes_copied;
  // An address is null only if there are no elements.
  copies_.equal = copies_.equal && receipt.shared && (made == given || made == nullptr || given == nullptr);
}

Claims::Copies Claims::all_copies() const {
  Copies all;
  int equal = copies_.equal ? 1 : 0;
  MPI_Allreduce(&copies_.bytes, &all.bytes, 1, MPI_INT64_T, MPI_SUM, comm_);
  MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_MIN, comm_);
  all.equal = equal != 0;
  return all;
}

std::string Claims::copies() const {
  const auto [bytes, equal] = all_copies();
  return std::to_string(bytes) + " bytes copied, addresses " + (equal ? "equal" : "NOT equal") + " on every process";
}

void Claims::require_no_copies() const {
  const auto [bytes, equal] = all_copies();
  require(bytes == 0, std::to_string(bytes) + " bytes of the elements were copied");
  require(equal, "the address of a result differs from that of its array");
}

double Claims::sum(double here) const {
  MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_DOUBLE, MPI_SUM, comm_);
  return here;
}

void Claims::on_some(bool here, const std::function<void()>& job) const {
  tridap::Report faults;
  try {
    if (here) job();
  } catch (const tridap::Error& error) {
    faults = error.report();
  }
  tridap::mpi::throw_together(std::move(faults), comm_);
}

void Claims::require(bool holds, const std::string& fault) const {
  int all = holds ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm_);
  if (all == 0) throw tridap::Error(tridap::Finding{tridap::Rule::process_failure, {}, {}, "", fault, "", ""});
}

}  // namespace examples
