#include <tridap/c/objects.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/gather_agreed.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/redistribute/gather.hpp>

#include <utility>

using namespace tridap;
using namespace tridap::c;

namespace {

// The root as all processes know it. The call has begun with it as number 0.
int agreed_root(const mpi::Call& call, int root) {
  if (!call.is_same(0))
    refuse(
        "the processes give roots from " + std::to_string(call.smallest(0)) + " to " + std::to_string(call.largest(0)),
        "must be the same on every process", "pass the same rank on every process");
  if (root < 0 || root >= call.duplicates()->processes())
    refuse("the root is " + std::to_string(root),
           "must be at least 0 and less than the communicator's " + std::to_string(call.duplicates()->processes()) +
               " processes",
           "pass a rank of the communicator");
  return root;
}

void need_same_array(const mpi::Call& call, std::size_t number) {
  if (!call.is_same(number))
    refuse("the processes give arrays of different distributions", "must be parts of one array",
           "pass the same array on every process");
}

// Gathers on a root, or on all processes.
int gather(const char* name, tridap_array array, std::optional<int> root, tridap_array* whole) noexcept {
  const mpi::Region region(root ? "tridap::redistribute::gather" : "tridap::redistribute::allgather");
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({array.number}); }); status != TRIDAP_OK)
    return give<ArrayObject>(status, number_in(whole), comm, nullptr);
  std::shared_ptr<ArrayObject> of;
  return making_together<ArrayObject>(
      name, number_in(whole), comm, {}, [&] { of = find<ArrayObject>(array.number); },
      [&](MPI_Comm caller) -> std::shared_ptr<ArrayObject> {
        const mpi::Call call(caller, name, {}, [&](mpi::Record& record) {
          record.add(root.value_or(0));
          record.add(fingerprint(*of->distribution));
        });
        need_same_array(call, 1);
        if (root) agreed_root(call, *root);
        DistArray made = call.run(
            [&] { return redistribute::gather_agreed(of->array, *of->distribution, call.comm(), root, of->stream); });
        if (root && *root != mpi::rank_of(call.comm())) return nullptr;
        return array_over(std::move(made.buffer),
                          std::make_shared<const Distribution>(redistribute::whole_of(*of->distribution)), 0);
      });
}

// The move between an array and memory of the program on one process for the whole array.
struct WithRoot {
  std::shared_ptr<void> owner;
  Comm comm;
  std::shared_ptr<ArrayObject> part;
  DistArray whole;  // on the root
  std::optional<redistribute::PlacedDistribution> placed;

  int begin(tridap_array array, const tridap_memory* memory) noexcept {
    return locally([&] {
      owner = owner_of(memory);
      comm = comm_of({array.number});
    });
  }

  void read(tridap_array array, const tridap_memory* memory, int root) {
    part = find<ArrayObject>(array.number);
    order_after_stream(*part);
    const Distribution of = redistribute::whole_of(*part->distribution);
    if (root < 0 || root >= comm->processes())
      refuse("the root is " + std::to_string(root),
             "must be at least 0 and less than the communicator's " + std::to_string(comm->processes()) + " processes",
             "pass a rank of the communicator");
    placed.emplace(of, std::vector<Index>{root});
    if (rank_in(comm) != root) return;
    DeviceStream stream;
    const std::vector<Index> extents = of.local_shape(0);
    whole.buffer = buffer_of(*need(memory, "whole"), std::move(owner), extents, stream);
    for (std::size_t i = 0; i < extents.size() || i < whole.buffer.shape.size(); ++i)
      if (i >= extents.size() || i >= whole.buffer.shape.size() || whole.buffer.shape[i] != extents[i])
        refuse("the memory of the whole array has other extents than it", "must have the array's shape",
               "allocate what tridap_shape says; axes of lists have as many elements as different indices");
    order_after_stream(whole.buffer.memory, stream);
    whole.dim_data = of.dim_data(0);
  }
};

}  // namespace

int tridap_gather(tridap_array array, int root, tridap_array* whole) {
  return gather("tridap_gather", array, root, whole);
}

int tridap_allgather(tridap_array array, tridap_array* whole) { return gather("tridap_allgather", array, {}, whole); }

int tridap_gather_into(tridap_array array, int root, const tridap_memory* whole) {
  const mpi::Region region("tridap::redistribute::gather");
  WithRoot sides;
  if (const int status = sides.begin(array, whole); status != TRIDAP_OK) return status;
  return collectively(
      "tridap_gather_into", sides.comm, {}, [&] { sides.read(array, whole, root); },
      [&](MPI_Comm caller) {
        redistribute::Redistribution plan(*sides.part->distribution, *sides.placed, sides.part->array.buffer.type.bytes,
                                          caller);
        plan(sides.part->array, sides.whole);
      });
}

int tridap_scatter(const tridap_memory* whole, int root, tridap_array array) {
  const mpi::Region region("tridap::redistribute::scatter");
  WithRoot sides;
  if (const int status = sides.begin(array, whole); status != TRIDAP_OK) return status;
  return collectively(
      "tridap_scatter", sides.comm, {}, [&] { sides.read(array, whole, root); },
      [&](MPI_Comm caller) {
        redistribute::Redistribution plan(*sides.placed, *sides.part->distribution, sides.part->array.buffer.type.bytes,
                                          caller);
        plan(sides.whole, sides.part->array);
      });
}
