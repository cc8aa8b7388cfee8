#pragma once

#include <tridap/receipt.hpp>

#include <mpi.h>

#include <functional>
#include <string>

namespace examples {

/// The larger of two errors; a NaN is the worst, and stays.
double worst(double a, double b);

/// What an example says and what it claims: process 0 speaks, and a claim that one process finds broken ends all of
/// them with the same tridap::Error.
class Claims {
 public:
  explicit Claims(MPI_Comm comm, bool progress = false);

  MPI_Comm comm() const { return comm_; }
  int process() const { return process_; }
  int processes() const { return processes_; }
  bool progress() const { return progress_; }  ///< a line for each step is wanted

  /// Prints a line, as printf does, on process 0.
  [[gnu::format(printf, 2, 3)]] void say(const char* format, ...) const;
  /// Prints each line of a text behind "  | ", on process 0.
  void quote(const std::string& text) const;

  /// Notes a conversion: what its receipt says, and whether the result stands at the address of what was given.
  void note(const tridap::Receipt& receipt, const void* given, const void* made);

  /// "0 bytes copied, addresses equal on every process": all conversions so far. **Collective.**
  std::string copies() const;
  /// Claims that they copied nothing, and that all addresses are equal. **Collective.**
  void require_no_copies() const;
  double sum(double here) const;  ///< over all processes; **collective**
  /// Runs `job` on the processes that are `here`, where it may be collective; its tridap::Error is thrown everywhere.
  /// **Collective** over all.
  void on_some(bool here, const std::function<void()>& job) const;
  /// **Collective.**
  void require(bool holds, const std::string& fault) const;

 private:
  struct Copies {
    tridap::Index bytes = 0;
    bool equal = true;
  };
  Copies all_copies() const;

  MPI_Comm comm_;
  int process_ = 0, processes_ = 1;
  bool progress_;
  Copies copies_;  // of this process
};

}  // namespace examples
