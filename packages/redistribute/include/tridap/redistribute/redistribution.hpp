#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/redistribute/plan.hpp>
#include <tridap/report.hpp>

#include <mpi.h>

#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tridap::redistribute {

/// How elements travel between two processes.
enum class Path {
  automatic,  ///< by where the two live: in shared memory on one node, as messages between nodes
  staged,     ///< on one node through a small shared ring always, even where one end lies in shared memory
  messages,   ///< as messages always, as if every process had a node to itself
};

struct Options {
  Mapping mapping;
  Path path = Path::automatic;
  bool convert = false;            ///< the two sides may have other element types: float to double
  Order order = Order::row_major;  ///< of the arrays that the plan makes itself
};

/// `target = alpha * source + beta * target`, as ScaLAPACK's pdtran and COSTA have it.
struct Scaling {
  std::complex<double> alpha = 1, beta = 0;

  bool moves_only() const { return alpha == 1.0 && beta == 0.0; }
};

/// One array to move: this process's part on either side. A process that holds none on a side gives DistArray{} there.
struct Move {
  DistArray source, target;
};

/// Moves arrays from one distribution to another: planned once, for as many arrays as there are.
///
/// Rows of 4 x 4 doubles over 2 processes to columns: `Redistribution plan(rows, columns, 8, comm);`
/// `plan(array, other);` fills `other`; `DistArray other = plan(array);` makes it, in memory that all processes of the
/// node reach, so that each writes what the others need where they need it: the quickest way.
///
/// Every call but the questions is **collective** over the communicator, and throws the same Error on every process or
/// on none, before any target is touched. After the first call for arrays of some memory order, none allocates but the
/// arrays that it makes. Where a node has too little shared memory, moves work all the same, by messages alone.
/// Destroying a plan communicates nothing, unless a move is under way: that is waited for.
class Redistribution {
 public:
  /// `element_bytes`: of the source. The same arguments on every process. `comm` must outlive the last move; our
  /// messages never meet the caller's on it.
  Redistribution(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes, MPI_Comm comm,
                 const Options& options = {});
  Redistribution(Redistribution&&) noexcept;  ///< one moved from may be destroyed or assigned to, no more
  Redistribution& operator=(Redistribution&&) noexcept;
  ~Redistribution();

  /// Fills this process's part of the target with what the sources hold. The target's elements must not share memory
  /// with one another or with the source's.
  void operator()(const DistArray& source, const DistArray& target, const Scaling& scaling = {});
  /// Makes the target, in pooled shared memory; letting go of it is local. `scaling.beta` must be 0.
  DistArray operator()(const DistArray& source, const Scaling& scaling = {});
  /// Several arrays in one round of messages: all sources of one element type, and all targets.
  void operator()(const std::vector<Move>& moves, const Scaling& scaling = {});

  /// Begins a move: until wait(), the sources may be read alone and the targets not at all. One move at a time on one
  /// communicator: another one that is under way is ended first.
  void start(std::vector<Move> moves, const Scaling& scaling = {});
  /// Goes on with a move as far as it can without waiting; true: wait() has nothing left to wait for. What passes
  /// through rings or messages goes on in this call and in wait() alone; what is written straight into others' memory
  /// is written by start(). Local. Throws Error, on this process alone, where none is under way.
  bool test();
  /// Ends it: in the same order on every process, among all that is collective. Throws Error, on this process alone,
  /// where none is under way.
  void wait();

  /// The way back, with the same options. Where elements are converted, it takes those that the last move made.
  Redistribution reversed() const;

  const Plan& plan() const;  ///< this process's part of the plan, for its questions
  /// What Plan::explain() says, and why everything is a message where there is no shared memory for anything else.
  std::string explain() const;

 private:
  friend struct Access;
  struct State;
  struct Planned;
  Redistribution(Planned planned, MPI_Comm comm, const Options& options);

  std::unique_ptr<State> state_;
};

}  // namespace tridap::redistribute
