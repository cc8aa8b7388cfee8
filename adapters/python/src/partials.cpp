#include "partials.hpp"

#include "comm.hpp"
#include "text_argument.hpp"
#include "together.hpp"
#include <tridap/internal/call.hpp>

#include <pybind11/numpy.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace tridap::python {

namespace {

constexpr std::size_t most_at_once = 256;  // records on the stack, so that nothing is allocated

struct Record {  // of one process
  Index failed = 0, said = 0, asked = 0;
  Index count = 0;
  std::array<std::byte, 32> value{};  // the widest is a complex long double
};

// One reduction: this process's record, and then those of all processes.
class Exchange {
 public:
  explicit Exchange(MPI_Comm comm) : comm_(comm) {
    if (comm != MPI_COMM_NULL) mpi::must_succeed(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  }

  int size() const { return size_; }

  // Reads what a step returned, and allocates all memory. Returns the text that must be the same on every process.
  std::string read(const py::tuple& returned) {
    const auto value = py::cast<py::array>(returned[0]);
    own_.count = py::cast<Index>(returned[1]);
    if (value.size() != 1 || static_cast<std::size_t>(value.itemsize()) > own_.value.size())
      throw py::value_error("a partial result must have one element, of at most 32 bytes");
    std::memcpy(own_.value.data(), value.data(), static_cast<std::size_t>(value.itemsize()));
    py::array values(value.dtype(), std::vector<py::ssize_t>{size_});
    py::array_t<Index> counts(size_);
    bytes_ = static_cast<std::size_t>(value.itemsize());
    values_to_ = static_cast<std::byte*>(values.mutable_data());
    counts_to_ = counts.mutable_data();
    results_ = py::make_tuple(std::move(values), std::move(counts));
    if (static_cast<std::size_t>(size_) > few_.size()) {
      many_.resize(static_cast<std::size_t>(size_));
      all_ = many_.data();
    }
    return utf8_text(py::str(returned[2]));
  }

  void gather() {  // collective
    if (comm_ == MPI_COMM_NULL) {
      *all_ = own_;
      return;
    }
    constexpr auto bytes = static_cast<int>(sizeof(Record));
    mpi::must_succeed(MPI_Allgather(&own_, bytes, MPI_BYTE, all_, bytes, MPI_BYTE, comm_), "MPI_Allgather");
  }

  // Gathers with the numbers by which processes agree; true if they do. Collective.
  bool agrees(Index failed, Index said, Index asked) {
    own_.failed = failed;
    own_.said = said;
    own_.asked = asked;
    gather();
    return std::all_of(all_, all_ + size_, [&](const Record& record) {
      return record.failed == 0 && record.said == said && record.asked == asked;
    });
  }

  py::object results() {  // allocates nothing
    for (int rank = 0; rank < size_; ++rank) {
      std::memcpy(values_to_ + static_cast<std::size_t>(rank) * bytes_, all_[rank].value.data(), bytes_);
      counts_to_[rank] = all_[rank].count;
    }
    return results_;
  }

 private:
  MPI_Comm comm_;
  int size_ = 1;
  Record own_;
  std::array<Record, most_at_once> few_;
  std::vector<Record> many_;
  Record* all_ = few_.data();
  py::object results_;  // the arrays into which the next pointers point
  std::byte* values_to_ = nullptr;
  std::size_t bytes_ = 0;
  Index* counts_to_ = nullptr;
};

}  // namespace

py::object partials(const py::object& comm, const py::object& step, Index at_once) {
  Exchange exchange(comm.is_none() ? MPI_COMM_NULL : comm_of(comm));
  if (comm.is_none()) {
    exchange.read(step());
    exchange.gather();
    return exchange.results();
  }
  std::string asked;
  const auto prepare = [&] {
    asked = exchange.read(step());
    return true;
  };
  const bool together_at_once = exchange.size() <= std::min<Index>(at_once, most_at_once);
  const auto agreed = [&](Index failed, Index said, Index wanted) {
    return together_at_once && exchange.agrees(failed, said, wanted);
  };
  together(comm_of(comm), prepare, &asked, agreed);
  if (!together_at_once) {
    const WithoutPython released;
    exchange.gather();
  }
  return exchange.results();
}

}  // namespace tridap::python
