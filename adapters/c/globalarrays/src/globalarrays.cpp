#include <tridap/c/objects.hpp>
#include <tridap/globalarrays/export.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/globalarrays/session.hpp>
#include <tridap/internal/fingerprint.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace tridap;
using namespace tridap::c;

namespace {

// It is never destroyed: a destructor after main() would be collective. MPI_Finalize ends GA if tridap_ga_end() has
// not.
std::unique_ptr<globalarrays::Session>& session() {
  static auto& only = *new std::unique_ptr<globalarrays::Session>;
  return only;
}

// Throws Error unless rank r of a communicator has place r of the grid.
void need_places(const redistribute::PlacedDistribution& placed, int handle, const Comm& comm) {
  const auto place = placed.process(mpi::rank_of(globalarrays::communicator(handle)));
  if (placed.distribution().processes() == comm->processes() && place && *place == rank_in(comm)) return;
  refuse("the ranks of the communicator are not the places of the array's grid",
         "rank r must have place r, and there must be as many", "pass the communicator of tridap_ga_communicator", {},
         Rule::grid_order);
}

std::shared_ptr<ArrayObject> array_of(const globalarrays::ExportedArray& exported, Distribution whole, Index process) {
  return array_over(exported.array.buffer, std::make_shared<const Distribution>(std::move(whole)), process);
}

}  // namespace

int tridap_ga_begin(int64_t allocator_doubles) {
  return locally([&] {
    need_mpi();
    const Named named("tridap_ga_begin");
    if (session() != nullptr) return;
    globalarrays::SessionOptions options;
    options.allocator_doubles = allocator_doubles;
    session() = std::make_unique<globalarrays::Session>(options);
  });
}

int tridap_ga_end(void) {
  return locally([] {
    need_mpi();
    const Named named("tridap_ga_end");
    if (session() == nullptr) return;
    session()->close();
    session().reset();
  });
}

int tridap_array_of_ga(int handle, int ghosts, MPI_Comm comm, tridap_array* array) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<ArrayObject>(status, number_in(array), over, nullptr);
  return making<ArrayObject>(number_in(array), over, [&] {
    const globalarrays::ExportOptions options{ghosts != 0, false};
    const auto exported = globalarrays::export_array(handle, options);
    const redistribute::PlacedDistribution placed = globalarrays::placed(handle, options);
    need_places(placed, handle, over);
    return array_of(exported, placed.distribution(), rank_in(over));
  });
}

int tridap_ga_communicator(int handle, MPI_Comm* comm) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(globalarrays::holders(handle)); }); status != TRIDAP_OK)
    return status;
  return collectively(
      "tridap_ga_communicator", over, mpi::Library::globalarrays, [&] { need(comm, "comm"); },
      [&](MPI_Comm) { *comm = globalarrays::grid_communicator(handle); });
}

int tridap_ga_create(tridap_distribution distribution, tridap_type type, int* handle, tridap_array* array) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({distribution.number}); }); status != TRIDAP_OK)
    return give<ArrayObject>(status, number_in(array), comm, nullptr);
  std::shared_ptr<DistributionObject> over;
  ElementType elements;
  return making_together<ArrayObject>(
      "tridap_ga_create", number_in(array), comm, mpi::Library::globalarrays,
      [&] {
        need(handle, "handle");
        over = find<DistributionObject>(distribution.number);
        elements = element_type_of(type);
      },
      [&](MPI_Comm caller) {
        const DistArray made = globalarrays::allocate({*over->distribution, {}}, elements, caller);
        *handle = globalarrays::import_array(made, caller).array.handle();
        return array_over(made.buffer, over->distribution, over->rank);
      });
}

int tridap_ga_of_array(tridap_array array, tridap_copy copy, int* handle, tridap_array* result,
                       tridap_receipt* receipt) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({array.number}); }); status != TRIDAP_OK)
    return give<ArrayObject>(status, number_in(result), comm, nullptr);
  std::shared_ptr<ArrayObject> of;
  Copy policy = Copy::never;
  return making_together<ArrayObject>(
      "tridap_ga_of_array", number_in(result), comm, mpi::Library::globalarrays,
      [&] {
        need(handle, "handle");
        of = find<ArrayObject>(array.number);
        policy = copy_of(copy);
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_ga_of_array", mpi::Library::globalarrays, [&](mpi::Record& record) {
          record.add(static_cast<Index>(policy));
          record.add(fingerprint(*of->distribution));
        });
        if (!call.is_same(0) || !call.is_same(1))
          refuse("the processes give different arrays or values of copy", "must be the same on every process",
                 "pass the same on every process");
        return call.run([&] {
          const globalarrays::ImportedArray made = globalarrays::import_array(of->array, caller, policy);
          *handle = made.array.handle();
          write_receipt(made.receipt, receipt);
          if (made.receipt.shared) return array_over(of->array.buffer, of->distribution, of->process);
          bool outer = false;
          for (Index i = 0; i < of->distribution->ndim(); ++i) outer = outer || of->distribution->axis(i).periodic();
          const globalarrays::ExportOptions options{true, outer};
          return array_of(globalarrays::export_array(made.array, options),
                          globalarrays::placed(*handle, options).distribution(), of->process);
        });
      });
}
