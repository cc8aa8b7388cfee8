#pragma once

#include <tridap/mpi/call.hpp>
#include <tridap/report.hpp>
#include <tridap/team.hpp>

#include <mpi.h>

#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tridap::mpi {

/// What every process found, in the order of their ranks: the same Report on every process. **Collective.**
/// One reduction of two numbers where nobody found anything.
Report agree(Report local, MPI_Comm comm);

/// Throws the same Error on every process where any process's report holds an error. **Collective.** A process without
/// the memory to read that Error throws std::bad_alloc.
void throw_together(Report local, MPI_Comm comm);

/// Our rank in `comm`.
Index rank_of(MPI_Comm comm);

/// What local steps of this process threw, told as far as there is memory to tell it.
struct Faults {
  Report report;
  bool failed = false;  ///< also where the report says nothing

  bool ok() const { return !failed && report.ok(); }
  /// Runs a step, and keeps what it throws. Throws nothing.
  template <class Step>
  void attempt(Step&& step) {
    try {
      std::forward<Step>(step)();
    } catch (const Error& error) {
      failed = true;
      succeeds([&] { report.merge(error.report()); });
      if (report.ok()) add(error.what());  // a report of warnings alone, thrown all the same
    } catch (const std::exception& error) {
      failed = true;
      add(error.what());
    } catch (...) {
      failed = true;
      add("an exception of unknown type");
    }
  }

 private:
  void add(const char* why) {
    succeeds([&] { report.add({Rule::process_failure, {}, {}, "", why, "", ""}); });
  }
};

/// throw_together() for what a process may have no memory to report; the findings name this process. **Collective.**
void throw_faults(Faults faults, MPI_Comm comm);

/// Runs a local step on every process; where it throws on any, the same Error is thrown on all. **Collective**; the
/// step itself must not communicate.
template <class Step>
auto collectively(MPI_Comm comm, Step&& step) -> std::invoke_result_t<Step> {
  using Result = std::invoke_result_t<Step>;
  Faults faults;
  if constexpr (std::is_void_v<Result>) {
    faults.attempt(std::forward<Step>(step));
    throw_faults(std::move(faults), comm);
  } else {
    std::optional<Result> result;
    faults.attempt([&] { result.emplace(std::forward<Step>(step)()); });
    throw_faults(std::move(faults), comm);
    return std::move(*result);
  }
}

/// The processes of a communicator as a Team, of which this process is here. The communicator must outlive it.
class Team : public tridap::Team {
 public:
  explicit Team(MPI_Comm comm) : comm_(comm) {}

  Index processes() const override;
  void largest(std::vector<Index>& numbers) override;
  bool all(bool here) override;
  void sum(std::vector<Index>& numbers) override;
  std::vector<Parcel> exchange(std::vector<Parcel> parcels) override;

 private:
  MPI_Comm comm_;
};

/// The spread of each of `values` over all processes; as many values on each. **Collective**: one reduction for up to
/// 16 of them, and one more where some differ; throws on every process where memory ends on one.
std::vector<Spread> spread(const std::vector<Index>& values, MPI_Comm comm);
std::vector<Spread> spread(std::initializer_list<Index> values, MPI_Comm comm);  ///< made without memory

}  // namespace tridap::mpi
