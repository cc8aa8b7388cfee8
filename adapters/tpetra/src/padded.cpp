#include "listed_import.hpp"
#include "map_parts.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/padding.hpp>
#include <tridap/tpetra/padded.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace tridap::tpetra {

namespace {

// The positions of the elements of a box of local indices in dense memory, in elements from its beginning.
class LocalNumbers {
 public:
  LocalNumbers(const std::vector<Range>& box, const MemoryOrder& order) : box_(box), step_(box.size()) {
    Index stride = 1;
    for (std::size_t k = order.axes.size(); k-- > 0;) {
      const auto i = static_cast<std::size_t>(order.axes[k]);
      step_[i] = order.reversed[i] ? -stride : stride;
      first_ -= order.reversed[i] ? -stride * (box[i].size() - 1) : 0;
      stride *= box[i].size();
    }
    for (std::size_t i = 0; i < box.size(); ++i) first_ -= step_[i] * box[i].begin;
  }

  // Appends the positions of a part of the box; the last axis varies fastest.
  template <class List>
  void append(const std::vector<Range>& part, List& list) const {
    Index count = 1;
    for (const Range& range : part) count *= range.size();
    if (count == 0) return;
    const std::size_t ndim = part.size();
    if (ndim == 0) return list.push_back(static_cast<LocalOrdinal>(first_));
    std::vector<Index> at;
    for (const Range& range : part) at.push_back(range.begin);
    for (Index done = 0; done < count; done += part.back().size()) {
      Index place = first_;
      for (std::size_t i = 0; i < ndim; ++i) place += step_[i] * at[i];
      for (Index k = 0; k < part.back().size(); ++k)
        list.push_back(static_cast<LocalOrdinal>(place + k * step_.back()));
      for (std::size_t i = ndim - 1; i-- > 0 && ++at[i] == part[i].end;) at[i] = part[i].begin;
    }
  }

 private:
  std::vector<Range> box_;
  std::vector<Index> step_;
  Index first_ = 0;
};

// Adds the boxes of a plan that other processes send or receive; `source` and `target` give their positions here.
void add(ImportLists& lists, const PaddingPlan& plan, const ArrayMap& array_map, const LocalNumbers& source,
         const LocalNumbers& target) {
  // Tpetra expects them by rank. If the processes were reordered, that is not the order of the process grid.
  const auto by_rank = [&](std::vector<PaddingMove> moves) {
    std::stable_sort(moves.begin(), moves.end(), [&](const PaddingMove& a, const PaddingMove& b) {
      return array_map.rank(a.process) < array_map.rank(b.process);
    });
    return moves;
  };
  for (const PaddingMove& move : by_rank(plan.receive)) {
    target.append(move.here, lists.remote);
    lists.remote_ranks.resize(lists.remote.size(), array_map.rank(move.process));
  }
  for (const PaddingMove& move : by_rank(plan.send)) {
    source.append(move.here, lists.exported);
    lists.export_ranks.resize(lists.exported.size(), array_map.rank(move.process));
  }
}

bool is_padded(const Distribution& all) {
  for (Index i = 0; i < all.ndim(); ++i)
    for (Index c = 0; c < all.axis(i).proc_grid_size(); ++c)
      if (all.axis(i).part(c, Part::local).size() != all.axis(i).part(c, Part::interior).size()) return true;
  return false;
}

bool has_mirrors(const Distribution& all) {
  for (Index i = 0; i < all.ndim(); ++i)
    if (all.axis(i).mirrors() != std::array<Index, 2>{0, 0}) return true;
  return false;
}

/// The numbers of all elements of this process's buffer, padding included. Throws an Error that is the same on every
/// process if a map cannot have them.
class WholeNumbers {
 public:
  explicit WholeNumbers(const ArrayMap& interior)
      : all_(interior.distribution()), process_(interior.process()), numbers_(interior.numbers()) {
    const bool flat = interior.options().numbering == Numbering::row_major;
    if (flat || has_mirrors(all_)) flat_.emplace(interior.flat_numbers());
    if (!flat) mirrors_ = numbers_.count();
    const std::optional<Index> span = flat_ ? checked_add(mirrors_.value_or(0), flat_->count()) : numbers_.count();
    detail::check_limits(
        {interior.options().index_base, span, detail::largest_part(all_, Part::local), all_.processes()});
  }

  /// In the order of the memory.
  template <class Id>
  void write(const MemoryOrder& order, Id* ids) const {
    if (!mirrors_) return flat_->write(process_, Part::local, order, ids);
    if (all_.count(process_, Part::local) == 0) return;
    const Indices coordinates = all_.coordinates(process_);
    const std::vector<Range> whole = all_.part(process_, Part::local), inside = all_.part(process_, Part::interior);
    const std::size_t ndim = whole.size(), inner = static_cast<std::size_t>(order.axes.back());
    Indices at(ndim, 0), global(ndim);  // `at` counts in the order of the memory
    const auto place = [&](std::size_t axis) {
      const Index local = order.reversed[axis] ? whole[axis].end - 1 - at[axis] : at[axis];
      global[axis] = all_.axis(static_cast<Index>(axis)).global_index(coordinates[axis], local);
      return inside[axis].contains(local);
    };
    const Id* const end = ids + all_.count(process_, Part::local);
    while (ids != end) {
      bool row_inside = true, follows = false;
      for (std::size_t axis = 0; axis < ndim; ++axis) row_inside = (axis == inner || place(axis)) && row_inside;
      for (at[inner] = 0; at[inner] < whole[inner].size(); ++at[inner], ++ids) {
        const bool is_inside = place(inner) && row_inside;
        *ids = static_cast<Id>(is_inside && follows ? ids[-1] + 1 : number(global));
        follows = is_inside;
      }
      at[inner] = 0;
      for (std::size_t k = ndim - 1; k-- > 0;) {
        const auto axis = static_cast<std::size_t>(order.axes[k]);
        if (++at[axis] < whole[axis].size()) break;
        at[axis] = 0;
      }
    }
  }

 private:
  // Mirrors are behind all elements, by their flat numbers.
  Index number(const Indices& global) const {
    const std::optional<Index> found = numbers_.number(global);
    return found ? *found : *mirrors_ + flat_->number(global);
  }

  const Distribution& all_;
  Index process_;
  ElementNumbers numbers_;
  std::optional<FlatNumbers> flat_;
  std::optional<Index> mirrors_;  // their first number, if elements are numbered by process
};

}  // namespace

PaddedArrayMap::PaddedArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options)
    : PaddedArrayMap(array, comm, options, detail::Collective(comm, "PaddedArrayMap")) {}

PaddedArrayMap::PaddedArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options,
                               const detail::Collective& call)
    : interior_(array, comm, options) {
  if (options.vectors_axis) refuse("a padded array cannot have a vectors' axis", "", "import it without vectors_axis");
  call.run([&] {
    made_ = std::make_shared<MadeLater>();
    order_ = memory_order(array.buffer);
    if (!is_padded(interior_.distribution())) made_->overlap_map = interior_.map();
  });
}

const Teuchos::RCP<const Map>& PaddedArrayMap::overlap_map() const {
  if (!made_->overlap_map.is_null()) return made_->overlap_map;
  const detail::Collective call(interior_.communicator(), "PaddedArrayMap::overlap_map");
  made_->overlap_map = call.run([&] {
    std::optional<WholeNumbers> numbers;
    detail::ListedIds ids;
    ids.count = interior_.distribution().count(interior_.process(), Part::local);
    ids.prepare = [&] { numbers.emplace(interior_); };
    ids.write = [&](auto* to) { numbers->write(order_, to); };
    return detail::list_map(ids, interior_.options().index_base, interior_.communicator());
  });
  return made_->overlap_map;
}

const Import& PaddedArrayMap::importer() const {
  if (!made_->importer.is_null()) return *made_->importer;
  const detail::Collective call(interior_.communicator(), "PaddedArrayMap::importer");
  overlap_map();
  made_->importer = mpi::collectively(interior_.communicator().raw(), [&] {
    const Distribution& all = interior_.distribution();
    const Index process = interior_.process();
    const std::vector<Range> inside = all.part(process, Part::interior);
    const PaddingPlan plan = padding_plan(all, process);
    const LocalNumbers whole(all.part(process, Part::local), order_), interior(inside, interior_.order());
    ImportLists lists;
    whole.append(inside, lists.permute_to);
    interior.append(inside, lists.permute_from);
    for (const PaddingMove& move : plan.own) {
      whole.append(move.here, lists.permute_to);
      interior.append(move.there, lists.permute_from);
    }
    add(lists, plan, interior_, interior, whole);
    return Teuchos::rcp(new ListedImport(interior_.map(), made_->overlap_map, lists));
  });
  return *made_->importer;
}

namespace detail {

namespace {

redistribute::PlacedDistribution placed(const ArrayMap& interior) {
  std::vector<Index> ranks;
  for (Index process = 0; interior.is_reordered() && process < interior.distribution().processes(); ++process)
    ranks.push_back(interior.rank(process));
  return {interior.distribution(), std::move(ranks)};
}

}  // namespace

PaddingUpdates::PaddingUpdates(const Buffer& whole, const ArrayMap& interior)
    : whole_(whole), placed_(placed(interior)), comm_(interior.communicator()) {}

void PaddingUpdates::run(redistribute::PaddingOperation operation) {
  auto& update = operation == redistribute::PaddingOperation::fill ? fill_ : sum_;
  if (!update) update.emplace(whole_, placed_, comm_.raw(), operation);
  update->update();
}

DensePadded dense_padded(const DistArray& array, const PaddedArrayMap& array_map, const ImportRequest& wanted) {
  DensePadded made;
  const MPI_Comm comm = array_map.interior().communicator().raw();
  mpi::collectively(comm, [&] {
    check_belongs(array, array_map.interior());
    check_memory(array.buffer, wanted);
    made.whole = dense(array.buffer.data, array.buffer, in_order(array.buffer, array_map.order()), wanted);
    DistArray inner = array;
    if (!made.whole.receipt.shared) {
      inner.buffer = from_order(made.whole.buffer.data, wanted.type, array.buffer.shape, array_map.order());
      inner.buffer.owner = made.whole.buffer.owner;
      inner.buffer.memory = made.whole.buffer.memory;
    }
    made.array = inner.buffer;
    try {
      ImportRequest inside{wanted.form, wanted.type, wanted.writable, Copy::never};
      if (!inner.buffer.memory.is_on_host()) inside.node = wanted.node;
      made.interior = dense_interior(inner, array_map.interior(), inside);
    } catch (const Error& error) {
      made.interior_obstacle = error.report();
      made.interior_obstacle.set_process(mpi::rank_of(comm));
    }
    add_losses(array, array_map.interior(), array_map.order(), made.whole.receipt);
  });
  made.interior_obstacle = mpi::agree(std::move(made.interior_obstacle), comm);
  return made;
}

}  // namespace detail

}  // namespace tridap::tpetra
