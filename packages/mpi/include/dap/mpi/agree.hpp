#pragma once

#include <dap/mpi/call.hpp>
#include <dap/report.hpp>
#include <dap/team.hpp>

#include <mpi.h>

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace dap::mpi {

/// What every process found, in the order of their ranks: the same Report on every process. **Collective.**
/// One reduction of two numbers where nobody found anything.
Report agree(Report local, MPI_Comm comm);

/// Throws the same Error on every process where any process's report holds an error. **Collective.**
void throw_together(Report local, MPI_Comm comm);

/// Our rank in `comm`.
Index rank_of(MPI_Comm comm);

/// Runs a local step on every process; where it throws on any, the same Error is thrown on all. **Collective**; the
/// step itself must not communicate.
template <class Step>
auto collectively(MPI_Comm comm, Step&& step) -> std::invoke_result_t<Step> {
  using Result = std::invoke_result_t<Step>;
  using Kept = std::conditional_t<std::is_void_v<Result>, bool, Result>;
  Report faults;
  std::optional<Kept> result;
  const auto failed = [&faults](const char* why) { faults.add({Rule::process_failure, {}, {}, "", why, "", ""}); };
  try {
    if constexpr (std::is_void_v<Result>) {
      std::forward<Step>(step)();
    } else {
      result.emplace(std::forward<Step>(step)());
    }
  } catch (const Error& error) {
    faults = error.report();
    if (faults.ok()) failed(error.what());  // a report of warnings alone, thrown all the same
  } catch (const std::exception& error) {
    failed(error.what());
  } catch (...) {
    failed("an exception of unknown type");
  }
  faults.set_process(rank_of(comm));
  throw_together(std::move(faults), comm);
  if constexpr (!std::is_void_v<Result>) return std::move(*result);
}

/// The processes of a communicator as a Team, of which this process is here. The communicator must outlive it.
class Team : public dap::Team {
 public:
  explicit Team(MPI_Comm comm) : comm_(comm) {}

  Index processes() const override;
  void largest(std::vector<Index>& numbers) override;
  void sum(std::vector<Index>& numbers) override;
  std::vector<Parcel> exchange(std::vector<Parcel> parcels) override;

 private:
  MPI_Comm comm_;
};

/// The spread of each of `values` over all processes; as many values on each. **Collective**: one reduction, and a
/// second where some differ.
std::vector<Spread> spread(const std::vector<Index>& values, MPI_Comm comm);

}  // namespace dap::mpi
