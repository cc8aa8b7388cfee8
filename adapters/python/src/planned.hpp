#pragma once

#include "array.hpp"
#include <tridap/mpi/agree.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <pybind11/numpy.h>

#include <complex>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tridap::python {

/// What the constructor of a plan is given.
struct Wanted {
  redistribute::PlacedDistribution source, target;
  py::dtype dtype;                // of the source
  std::optional<py::dtype> made;  // of the arrays that the plan makes, if it is another one
  py::object comm, target_comm;   // the second: of the arrays that the plan makes
  redistribute::Options options;
  bool listed = false;  // one side lists the ids of its elements
};

/// The source or the target of a plan, as this process sees it.
class Side {
 public:
  Side(const char* argument, const redistribute::PlacedDistribution& placed, Index rank);

  const std::shared_ptr<const Distribution>& distribution() const { return distribution_; }
  std::optional<Index> process() const {
    return process_;
  }  ///< of the distribution: the one with the part on our rank; nothing: none

  /// This process's part, which is the argument of a call: a DistArray, or an object that asarray() takes. It becomes a
  /// DistArray in `given`. Null if there is no part; then the argument must be None. Throws Error, or what Python
  /// raises.
  const Array* part(py::object& given);

 private:
  void compare_with(const Array& array);

  const char* argument_;
  std::shared_ptr<const Distribution> distribution_;
  std::optional<Index> process_;
  std::vector<std::shared_ptr<const Distribution>> equal_;  // of arrays that were compared
};

/// The content of a `tridap.Redistribution`. The calls that move are **collective**: what is wrong with the arguments
/// of one process is raised on all. They do not need the GIL while elements move.
class Planned {
 public:
  Planned(Wanted wanted, redistribute::Redistribution plan);
  Planned(Planned&&) = default;
  ~Planned();  ///< ends the move that is in progress

  py::object move(py::object x, py::object out, const py::object& alpha, const py::object& beta,
                  const py::object& stream);
  /// Moves the pairs (x, out) of a list with one round of messages, and returns the targets.
  py::list move_all(const py::list& pairs, const py::object& out, const py::object& alpha, const py::object& beta,
                    const py::object& stream);
  /// Returns the number of the move, and its target.
  py::tuple start(py::object x, py::object out, const py::object& alpha, const py::object& beta,
                  const py::object& stream);
  void wait(Index number);
  bool test(Index number);  ///< local
  /// `target_comm` is that of the arrays that the result makes. **Collective.**
  std::unique_ptr<Planned> reversed(py::object target_comm) const;

  const redistribute::Redistribution& plan() const { return *plan_; }
  const py::dtype& dtype() const { return dtype_; }
  const py::object& comm_object() const { return comm_.object(); }
  /// By rank of the sender and of the receiver: bytes. Local. ValueError for a plan with listed ids, of which a process
  /// knows its own alone.
  py::array_t<Index> traffic() const;

  /// For Python's garbage collector.
  int traverse(visitproc visit, void* argument) const;
  void clear();

 private:
  struct Call;
  template <class Step>
  void together_or_object(Call& call, Step&& step);
  template <class Step>
  void collectively(Call& call, Step&& step);
  bool all_on_devices(Call& call);
  template <class Step>
  void attempt(Call& call, Step&& step) const;
  Call prepare(py::object& x, py::object& out, const py::object& alpha, const py::object& beta,
               const py::object& stream, bool allocate);
  void read(Call& call, py::object& x, py::object& out);
  void provide(Call& call, py::object& out, bool on_devices);
  void check_type(const Array& x) const;
  void check_target_type(const Array& out) const;
  py::object allocated(const std::optional<Memory>& device) const;
  py::object over_device(DistArray made) const;
  py::object over_made(DistArray made);
  void clear_padding(const py::array& local) const;

  py::dtype dtype_;
  ElementType type_;
  std::optional<py::dtype> made_, last_dtype_;  // the second: of the last target
  HeldComm comm_, target_comm_;
  redistribute::Options options_;
  Side source_, target_;
  Index processes_;
  std::shared_ptr<std::mutex> lock_;
  std::unique_ptr<redistribute::Redistribution> plan_;
  bool listed_ = false;         // as in Wanted
  bool makes_targets_ = false;  // a call without `out` lets the plan make the target
  bool lacks_sources_ = false;  // on some process: it has a part of the target, but none of the source
  Index started_ = 0;           // the number of the last move that was started
  bool awaited_ = false;        // and it was not waited for
};

}  // namespace tridap::python
