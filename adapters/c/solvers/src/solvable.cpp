#include "solvable.hpp"

#include <tridap/internal/digest.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/kokkos/compat.hpp>
#include <tridap/memory_order.hpp>

#include <atomic>
#include <map>
#include <mutex>

namespace tridap::c {

namespace {

std::atomic<int> living{0};       // Solvables
bool initialised_kokkos = false;  // guarded by the lock of Trilinos

// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, those that were set last first.
void end_kokkos() {
  release_all();
  if (living == 0 && initialised_kokkos && Kokkos::is_initialized()) Kokkos::finalize();
}

// Before the communicators are freed.
void end_with_mpi() {
  static const bool once = [] {
    mpi::when_mpi_ends(end_kokkos);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

void need_kokkos() {
  const mpi::Inside trilinos(mpi::Library::trilinos);
  if (Kokkos::is_initialized()) return;
  kokkos::compat::initialize_quietly();
  initialised_kokkos = true;
}

Index next_serial(const Comm& comm) {
  static std::mutex guard;
  static auto& counts = *new std::map<std::uint64_t, Index>;  // by the number of the communicator
  const std::lock_guard<std::mutex> alone(guard);
  Digest digest;
  digest.add(static_cast<Index>(comm->number()));
  digest.add(++counts[comm->number()]);
  return digest.value();
}

Solvable::Solvable(const DistArray& part, const Distribution& whole, MPI_Comm comm,
                   const tpetra::ArrayMapOptions& options)
    : rows(part, whole, comm, options) {
  ++living;
}

Solvable::Solvable(const Solvable& of, Teuchos::RCP<const solvers::Operator> with)
    : rows(of.rows), op(std::move(with)), order(of.order) {
  ++living;
}

Solvable::~Solvable() { --living; }

std::shared_ptr<Solvable> make_solvable(const DistributionObject& rows, Order order, const Comm& comm) {
  DistArray part;
  Buffer& buffer = part.buffer;
  buffer.type = element_type<double>();
  buffer.memory.kind = Memory::Kind::nowhere;
  buffer.shape = IndexList(rows.distribution->local_shape(rows.rank));
  buffer.strides = order == Order::column_major ? column_major_strides(buffer.shape, buffer.type.bytes)
                                                : row_major_strides(buffer.shape, buffer.type.bytes);
  part.dim_data = rows.distribution->dim_data(rows.rank);
  tpetra::ArrayMapOptions options;  // by process, because no program sees the ids
  if (!has_directory(*rows.distribution)) options.numbering = tpetra::Numbering::by_process;
  auto made = std::make_shared<Solvable>(part, *rows.distribution, comm->caller_or_ours(), options);
  end_with_mpi();
  made->order = order;
  made->serial = next_serial(comm);
  return made;
}

void need_writable(const ArrayObject& array, const char* name) {
  if (array.array.buffer.read_only)
    refuse(std::string(name) + " is read-only", "must be writable, because the result is written to its memory",
           "make it of memory without read_only");
  if (!memory_order(array.array.buffer).is_unique)
    refuse("elements of " + std::string(name) + " share memory", "must each have their own",
           "pass an array without overlaps");
}

void need_same(const mpi::Call& call, std::size_t i, const char* what) {
  if (!call.is_same(i))
    refuse("the processes give different " + std::string(what), "must be the same on every process",
           "pass the same on every process");
}

void need_rows_of(const Solvable& a, const Solvable& other, const char* name) {
  if (!solvers::have_same_rows(other.rows, a.rows))
    refuse_key(name, "an operator on other rows", "must have the rows of A", "make it with the distribution of A");
}

Receipt receipt_of(const Receipt* in, const Receipt* out) {
  Receipt all;
  for (const Receipt* const one : {in, out}) {
    if (one == nullptr) continue;
    all.shared = all.shared && one->shared;
    all.same_address = all.same_address && one->same_address;
    all.bytes_copied += one == out ? 2 * one->bytes_copied : one->bytes_copied;
    all.bytes_synchronized += one->bytes_synchronized;
    all.losses.insert(all.losses.end(), one->losses.begin(), one->losses.end());
    all.seconds += one->seconds;
  }
  return all;
}

}  // namespace tridap::c
