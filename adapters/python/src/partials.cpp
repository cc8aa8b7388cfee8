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

// What one process has: a partial result, whose widest type is a complex long double, and a number of elements.
struct Partial {
  std::array<std::byte, 32> value{};
  Index count = 0;
};
static_assert(sizeof(Partial) == mpi::Record::most_brought * sizeof(Index));

// The partial results of all processes. A call over few processes has them in the record with which it begins.
class Exchange {
 public:
  Exchange(MPI_Comm comm, Index at_once) : at_once_(at_once) {
    if (comm != MPI_COMM_NULL) mpi::must_succeed(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  }

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
    if (!may_be_at_once()) all_.resize(static_cast<std::size_t>(size_));
    return utf8_text(py::str(returned[2]));
  }

  void bring(mpi::Record& record) const {
    std::array<Index, mpi::Record::most_brought> numbers;
    std::memcpy(numbers.data(), &own_, sizeof(own_));
    record.bring(numbers);
  }

  void take(const mpi::Call& call) {  // collective
    if (may_be_at_once()) {
      for (int rank = 0; rank < size_; ++rank) keep(rank, call.brought(rank));
      return;
    }
    constexpr auto bytes = static_cast<int>(sizeof(Partial));
    mpi::must_succeed(MPI_Allgather(&own_, bytes, MPI_BYTE, all_.data(), bytes, MPI_BYTE, call.comm()),
                      "MPI_Allgather");
    for (int rank = 0; rank < size_; ++rank) keep(rank, &all_[static_cast<std::size_t>(rank)]);
  }
  void take_own() { keep(0, &own_); }

  py::object results() const { return results_; }

 private:
  bool may_be_at_once() const { return size_ <= std::min<Index>(at_once_, mpi::most_gathered); }
  void keep(int rank, const void* partial) {
    Partial read;
    std::memcpy(&read, partial, sizeof(read));
    std::memcpy(values_to_ + static_cast<std::size_t>(rank) * bytes_, read.value.data(), bytes_);
    counts_to_[rank] = read.count;
  }

  Index at_once_;
  int size_ = 1;
  Partial own_;
  std::vector<Partial> all_;
  py::object results_;  // the arrays into which the next pointers point
  std::byte* values_to_ = nullptr;
  std::size_t bytes_ = 0;
  Index* counts_to_ = nullptr;
};

}  // namespace

py::object partials(const py::object& comm, const py::object& step, Index at_once) {
  Exchange exchange(comm.is_none() ? MPI_COMM_NULL : comm_of(comm), at_once);
  if (comm.is_none()) {
    exchange.read(step());
    exchange.take_own();
    return exchange.results();
  }
  std::string asked;
  const auto prepare = [&] {
    asked = exchange.read(step());
    return true;
  };
  together(comm_of(comm), prepare, &asked, exchange);
  return exchange.results();
}

}  // namespace tridap::python
