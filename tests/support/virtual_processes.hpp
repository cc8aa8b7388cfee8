#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

/// Plays one process of a program of many processes, in one real process. On the communicator of a World,
/// MPI_Comm_size and MPI_Comm_rank say what the World was made with. Messages to other processes are counted and
/// dropped. What comes from them is given by Others. So the messages of this process, their bytes, and its memory are
/// those of a run with all processes; see tests/scaling.
///
/// virtual_processes.cpp stands before MPI in the program that is linked to it. It plays the functions of MPI that
/// TriDAP's packages call; another one that all processes would take part in ends the program. Each process is on a
/// node of its own.
namespace virtual_processes {

/// What a process has sent, and given to collective calls.
struct Traffic {
  std::int64_t collectives = 0;       ///< calls of MPI in which all processes take part
  std::int64_t collective_bytes = 0;  ///< in the longest buffer of each of these
  std::int64_t messages = 0;          ///< to other processes
  std::int64_t bytes = 0;             ///< in these messages
};

/// A message of mpi::exchange() that comes to this process.
struct Letter {
  int from = 0;
  std::int64_t length = 0;  ///< numbers
};

/// What the other processes do.
class Others {
 public:
  Others() = default;
  Others(const Others&) = delete;
  virtual ~Others() = default;

  /// Adds what the others give to a reduction of numbers, and returns true. False: each of them gives what this process
  /// gives, which is right for what all processes must say alike.
  virtual bool reduce(MPI_Op operation, MPI_Datatype type, std::int64_t* numbers, int count);
  /// Writes what the others give to a gathering of `each` numbers of each process, and returns true. False: the same.
  virtual bool gather(std::int64_t* all, int each);
  /// What the others send in an exchange, ascending by process. The exchanges are numbered from 0.
  virtual std::vector<Letter> letters(int exchange);
  /// Writes the numbers of such a letter.
  virtual void write(int exchange, const Letter& letter, std::int64_t* numbers);
};

/// The process that is played. There is one at a time.
class World {
 public:
  World(int processes, int rank, Others& others);
  World(const World&) = delete;
  ~World();

  MPI_Comm comm() const { return comm_; }
  const Traffic& traffic() const;
  /// Begins to count anew: the next exchange has number 0.
  void count_anew();

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace virtual_processes
