#pragma once

#include <tridap/hdf5/stored.hpp>

#include <mpi.h>

#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// How find() works: rank 0 reads what is stored, in a form that can be sent, and all learn it.
class Search {
 public:
  /// Local: rank 0 reads, and the others do nothing.
  void read(const std::string& path, const std::string& name, MPI_Comm comm, bool stepped);
  /// **Collective**, after read() has succeeded on all processes: throws the same Error on every process or on none.
  Stored share(MPI_Comm comm);

 private:
  void read_alone(const std::string& path, const std::string& wanted, bool stepped);
  void send_shape(MPI_Comm comm);
  Stored understood() const;

  std::string name_, type_, version_, dim_data_, saved_steps_;
  std::vector<Index> shape_;
  Index steps_ = -1, chunked_ = 0, in_other_files_ = 0;
};

}  // namespace tridap::hdf5

#pragma GCC visibility pop
