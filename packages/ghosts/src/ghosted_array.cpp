#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/ghosts/ghosted_array.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace tridap {

namespace {

std::string ghosts_text(Index count) { return std::to_string(count) + (count == 1 ? " ghost" : " ghosts"); }

// The extents of the owned part, components included.
IndexList extents_of(const DimData& dim_data, const std::string& version) {
  Report report;
  const std::optional<Version> read = read_version(version, report);
  IndexList extents;
  for (std::size_t i = 0; read && i < dim_data.size(); ++i)
    extents.push_back(check_dimension(dim_data[i], static_cast<Index>(i), report, *read).value_or(0));
  throw_if_wrong(std::move(report));
  return extents;
}

void check_numbered(const Buffer& local, Index axes) {
  if (local.ndim() == 0)
    refuse("the local buffer has no axis", "must have one that counts the owned elements and the ghosts",
           "pass a buffer with one axis or more");
  if (axes < local.ndim())
    refuse("the local buffer has " + std::to_string(local.ndim()) + " axes, and dim_data describes " +
               std::to_string(axes),
           "must describe each axis of the buffer, or several numbered axes in the place of its first one",
           "pass dim_data for the components of an element, too");
}

// Reports each extent that is not what the dim_data say.
void check_extents(const Buffer& local, const IndexList& extents, Index owned, Index ghosts) {
  Report report;
  if (local.shape[0] != owned + ghosts)
    report.add(refusal("the local buffer holds " + std::to_string(local.shape[0]) + " elements along its axis 0",
                       "must hold " + std::to_string(owned + ghosts) + ": the " + std::to_string(owned) +
                           " owned ones of dim_data and " + ghosts_text(ghosts),
                       "pass one id for each ghost, and dim_data of the owned elements alone"));
  const std::size_t numbered = extents.size() - local.shape.size() + 1;
  for (std::size_t i = 1; i < local.shape.size(); ++i)
    if (local.shape[i] != extents[numbered + i - 1])
      report.add(refusal(
          "the local buffer has " + std::to_string(local.shape[i]) + " components on its axis " + std::to_string(i),
          "must have " + std::to_string(extents[numbered + i - 1]) + ", as dim_data", "pass the whole local buffer",
          static_cast<Index>(numbered + i - 1)));
  throw_if_wrong(std::move(report));
}

// The owned part of the local buffer: its first elements, with the numbered axes in an order.
Buffer owned_part(const Buffer& local, const IndexList& extents, Order order) {
  Buffer owned = local;
  owned.shape = extents;
  owned.strides = {};
  const std::size_t numbered = extents.size() - local.shape.size() + 1;
  std::vector<Index> strides(numbered, local.strides[0]);
  if (order == Order::row_major)
    for (std::size_t i = numbered - 1; i-- > 0;) strides[i] = strides[i + 1] * std::max<Index>(extents[i + 1], 1);
  else
    for (std::size_t i = 1; i < numbered; ++i) strides[i] = strides[i - 1] * std::max<Index>(extents[i - 1], 1);
  for (const Index stride : strides) owned.strides.push_back(stride);
  for (std::size_t i = 1; i < local.strides.size(); ++i) owned.strides.push_back(local.strides[i]);
  return owned;
}

// An axis on which each process owns so many elements, as this process describes it.
Dimension block_of(Index owned, MPI_Comm comm) {
  const int processes = mpi::processes_of(comm);
  std::vector<Index> counts(static_cast<std::size_t>(processes));
  mpi::gather_all(&owned, 1, counts.data(), comm);
  Dimension axis;
  axis.proc_grid_size = processes;
  axis.proc_grid_rank = mpi::rank_of(comm);
  for (Index r = 0; r < processes; ++r) {
    if (r == axis.proc_grid_rank) axis.dist = Block{axis.size, axis.size + owned, {}};
    const std::optional<Index> next = checked_add(axis.size, counts[static_cast<std::size_t>(r)]);
    if (!next) refuse("the processes own more than 2^63 elements", "must be fewer than 2^63", "pass smaller buffers");
    axis.size = *next;
  }
  return axis;
}

GhostedArray copied(const DistArray& array, const std::vector<Index>& ghosts, Index numbered) {
  throw_if_wrong(check(array));
  const Buffer& from = array.buffer;
  need_host_memory(from, "the array");
  if (numbered < 1 || numbered > array.ndim())
    refuse_key("numbered", std::to_string(numbered),
               "must be from 1 to " + std::to_string(array.ndim()) + ", the number of axes",
               "pass how many axes the ids number");
  IndexList shape;
  Index elements = 1;
  for (Index i = 0; i < numbered; ++i) elements *= from.shape[static_cast<std::size_t>(i)];
  shape.push_back(elements + static_cast<Index>(ghosts.size()));
  for (Index i = numbered; i < array.ndim(); ++i) shape.push_back(from.shape[static_cast<std::size_t>(i)]);
  GhostedArray made(allocate(from.type, shape), array.dim_data, ghosts, array.version);
  pack(from, made.local().data);  // the owned elements are the first ones, in row-major order
  return made;
}

}  // namespace

GhostedArray::GhostedArray(Buffer local, DimData dim_data, std::vector<Index> ghosts, std::string version, Order order)
    : local_(std::move(local)), ghosts_(std::move(ghosts)), order_(order) {
  throw_if_wrong(check(local_));
  check_numbered(local_, static_cast<Index>(dim_data.size()));
  const IndexList extents = extents_of(dim_data, version);
  IndexList numbered;
  for (std::size_t i = 0; i + local_.shape.size() <= extents.size(); ++i) numbered.push_back(extents[i]);
  const std::optional<Index> owned = checked_product(numbered);
  const auto count = static_cast<Index>(ghosts_.size());
  if (!owned || !checked_add(*owned, count))
    refuse("dim_data describes more than 2^63 owned elements", "must be fewer than 2^63", "pass the buffer's dim_data");
  check_extents(local_, extents, *owned, count);
  owned_.version = std::move(version);
  owned_.buffer = owned_part(local_, extents, order);
  owned_.dim_data = std::move(dim_data);
}

Index GhostedArray::owned_count() const { return local_.shape[0] - static_cast<Index>(ghosts_.size()); }

GhostedArray make_ghosted(const Buffer& local, const DimData& dim_data, const std::vector<Index>& ghosts, MPI_Comm comm,
                          const std::string& version) {
  std::optional<GhostedArray> made;
  const mpi::Call call(comm, "make_ghosted", {}, [&](mpi::Record&) { made.emplace(local, dim_data, ghosts, version); });
  return std::move(*made);
}

GhostedArray make_ghosted(const Buffer& local, const std::vector<Index>& ghosts, MPI_Comm comm) {
  Index owned = 0;
  const mpi::Call call(comm, "make_ghosted", {}, [&](mpi::Record&) {
    throw_if_wrong(check(local));
    check_numbered(local, local.ndim());
    const Index all = local.shape[0], count = static_cast<Index>(ghosts.size());
    if (count > all)
      refuse("the local buffer holds " + std::to_string(all) + " elements along its axis 0, and there are " +
                 ghosts_text(count),
             "must hold the ghosts behind the owned elements", "pass the whole local buffer");
    owned = all - count;
  });
  comm = call.comm();
  return call.run([&] {
    const Dimension rows = block_of(owned, comm);
    return mpi::collectively(comm, [&] {
      DimData dim_data{rows};
      for (std::size_t i = 1; i < local.shape.size(); ++i) {
        Dimension component;
        component.size = local.shape[i];
        component.dist = Block{0, local.shape[i], {}};
        dim_data.push_back(component);
      }
      return GhostedArray(local, std::move(dim_data), ghosts);
    });
  });
}

GhostedArray copy_with_ghosts(const DistArray& array, const std::vector<Index>& ghosts, MPI_Comm comm, Index numbered) {
  std::optional<GhostedArray> made;
  const mpi::Call call(comm, "copy_with_ghosts", {},
                       [&](mpi::Record&) { made.emplace(copied(array, ghosts, numbered)); });
  return std::move(*made);
}

}  // namespace tridap
