#include "solvable.hpp"

#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/kokkos/compat.hpp>
#include <tridap/memory_order.hpp>

#include <atomic>

namespace tridap::c {

namespace {

std::atomic<int> living{0};       // Solvables
bool initialised_kokkos = false;  // guarded by the lock of Trilinos

// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, those that were set last first.
int at_end_of_mpi(MPI_Comm, int, void*, void*) {
  release_all();
  if (living == 0 && initialised_kokkos && Kokkos::is_initialized()) Kokkos::finalize();
  return MPI_SUCCESS;
}

// After the communicators were made, so that handles are released before these are freed.
void end_with_mpi() {
  static const bool once = [] {
    int key = MPI_KEYVAL_INVALID;
    mpi::must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &at_end_of_mpi, &key, nullptr),
                      "MPI_Comm_create_keyval");
    mpi::must_succeed(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
    return true;
  }();
  static_cast<void>(once);
}

tpetra::ArrayMap map_of(const DistributionObject& rows, Order order, MPI_Comm comm) {
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
  return tpetra::ArrayMap(part, *rows.distribution, comm, options);
}

std::atomic<Index> last_serial{0};

}  // namespace

void need_kokkos() {
  end_with_mpi();
  if (Kokkos::is_initialized()) return;
  kokkos::compat::initialize_quietly();
  initialised_kokkos = true;
}

Solvable::Solvable(tpetra::ArrayMap map) : rows(std::move(map)) { ++living; }

Solvable::~Solvable() { --living; }

Making::Making(MPI_Comm caller, const char* name, const DistributionObject& rows, tridap_order order)
    : rows_(rows), order_(order_of(order)), call_(caller, name, mpi::Library::trilinos, [&](mpi::Record& record) {
        record.add(last_serial);
        record.add(fingerprint(*rows.distribution));
        record.add(order);
      }) {
  need_same(call_, 1, "distributions");
  need_same(call_, 2, "orders");
}

std::shared_ptr<Solvable> Making::solvable() {
  need_kokkos();
  const Index serial = call_.largest(0) + 1;
  last_serial = serial;
  auto made = std::make_shared<Solvable>(map_of(rows_, order_, call_.comm()));
  made->serial = serial;
  made->order = order_;
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

Copy copy_of(tridap_copy copy) {
  switch (copy) {
    case TRIDAP_COPY_NEVER:
      return Copy::never;
    case TRIDAP_COPY_IF_NEEDED:
      return Copy::if_needed;
    case TRIDAP_COPY_ALWAYS:
      return Copy::always;
  }
  refuse_key("copy", std::to_string(static_cast<int>(copy)), "must be one of tridap_copy",
             "pass TRIDAP_COPY_IF_NEEDED");
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
