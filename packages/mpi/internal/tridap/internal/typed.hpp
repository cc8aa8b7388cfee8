#pragma once

#include <tridap/index.hpp>
#include <tridap/internal/call.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace tridap::mpi {

/// MPI's type of a number, and MPI_BYTE for what travels as bytes between equal machines.
template <class T>
MPI_Datatype datatype() {
  static_assert(std::is_trivially_copyable_v<T>);
  if constexpr (std::is_same_v<T, int>) return MPI_INT;
  if constexpr (std::is_same_v<T, Index>) return MPI_INT64_T;
  if constexpr (std::is_same_v<T, std::uint64_t>) return MPI_UINT64_T;
  if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  return MPI_BYTE;
}
/// How many of datatype<T>() one T has.
template <class T>
inline constexpr Index pieces_of = std::is_same_v<T, int> || std::is_same_v<T, Index> ||
                                           std::is_same_v<T, std::uint64_t> || std::is_same_v<T, float> ||
                                           std::is_same_v<T, double>
                                       ? 1
                                       : static_cast<Index>(sizeof(T));

/// How many elements of this size one call of MPI takes, which counts with an int.
constexpr Index most_counted(std::size_t bytes) { return (Index{1} << 30) / static_cast<Index>(bytes); }

/// Calls `pass(elements before, elements now)` for each piece of at most `most` of `length` elements.
template <class Pass>
void in_pieces(Index length, Index most, Pass&& pass) {
  for (Index done = 0; done < length; done += most) pass(done, static_cast<int>(std::min(most, length - done)));
}

/// The number of processes of `comm`. Local.
inline int processes_of(MPI_Comm comm) {
  int processes = 1;
  must_succeed(MPI_Comm_size(comm, &processes), "MPI_Comm_size");
  return processes;
}

/// Returns when all processes have called it. **Collective.**
inline void barrier(MPI_Comm comm) { must_succeed(MPI_Barrier(comm), "MPI_Barrier"); }

/// Reduces `count` numbers in place, each over all processes. **Collective.**
template <class T>
void reduce(T* numbers, Index count, MPI_Op operation, MPI_Comm comm) {
  static_assert(pieces_of<T> == 1, "MPI must know the type of what it reduces");
  in_pieces(count, most_counted(sizeof(T)), [&](Index done, int now) {
    must_succeed(MPI_Allreduce(MPI_IN_PLACE, numbers + done, now, datatype<T>(), operation, comm), "MPI_Allreduce");
  });
}
/// The same of one number, which it returns.
template <class T>
T reduced(T number, MPI_Op operation, MPI_Comm comm) {
  reduce(&number, 1, operation, comm);
  return number;
}

/// Gives the `count` elements of one process to all. **Collective.**
template <class T>
void broadcast(T* elements, Index count, int from, MPI_Comm comm) {
  auto* const data = reinterpret_cast<std::byte*>(elements);
  const std::size_t unit = sizeof(T) / static_cast<std::size_t>(pieces_of<T>);
  in_pieces(count * pieces_of<T>, most_counted(unit), [&](Index done, int now) {
    must_succeed(MPI_Bcast(data + static_cast<std::size_t>(done) * unit, now, datatype<T>(), from, comm), "MPI_Bcast");
  });
}
/// The same of one object, which it returns.
template <class T>
T broadcast(T object, int from, MPI_Comm comm) {
  broadcast(&object, 1, from, comm);
  return object;
}

/// Copies the text of process `from` to all processes. Only process `from` must know its length. Use it for short
/// texts, and inside Call::run: if memory ends here on one process, Call::run ends the job, and otherwise the others
/// would wait.
/// **Collective.**
inline void broadcast(std::string& text, int from, MPI_Comm comm) {
  text.resize(static_cast<std::size_t>(broadcast(static_cast<Index>(text.size()), from, comm)));
  broadcast(text.data(), static_cast<Index>(text.size()), from, comm);
}

/// Puts the `count` elements of every process into `all`, in the order of the ranks. **Collective.**
template <class T>
void gather_all(const T* own, int count, T* all, MPI_Comm comm) {
  const int pieces = count * static_cast<int>(pieces_of<T>);
  must_succeed(MPI_Allgather(own, pieces, datatype<T>(), all, pieces, datatype<T>(), comm), "MPI_Allgather");
}

}  // namespace tridap::mpi
