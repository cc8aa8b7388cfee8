#pragma once

#include <tridap/receipt.hpp>

#include <mpi.h>

#include <functional>
#include <string>

namespace examples {

/// The larger of two errors. A NaN is larger than any number.
double worst(double a, double b);

/// The output and the claims of an example. Process 0 prints. If a claim does not hold on one process, every process
/// throws the same tridap::Error.
class Claims {
 public:
  explicit Claims(MPI_Comm comm, bool progress = false);

  MPI_Comm comm() const { return comm_; }
  int process() const { return process_; }
  int processes() const { return processes_; }
  bool progress() const { return progress_; }  ///< whether to print a line for each step

  /// Prints a line, as printf does, on process 0.
  [[gnu::format(printf, 2, 3)]] void say(const char* format, ...) const;
  /// Prints each line of a text after "  | ", on process 0.
  void quote(const std::string& text) const;

  /// Records a conversion: its receipt, and whether the result has the address of the original.
  void note(const tridap::Receipt& receipt, const void* given, const void* made);

  /// "0 bytes copied, addresses equal on every process", for all conversions so far. **Collective.**
  std::string copies() const;
  /// Claims that all conversions copied nothing, and that all addresses are equal. **Collective.**
  void require_no_copies() const;
  double sum(double here) const;  ///< over all processes; **collective**
  /// Runs `job` on the processes whose `here` is true; `job` may be collective over them. Its tridap::Error is thrown
  /// on all processes. **Collective** over all processes.
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
