// Imports into Tpetra, exports from it and updates of padding, against Tpetra's own constructors and transfers called
// by hand over the same memory.

#include "support/agree_by_hand.hpp"
#include "support/pairs.hpp"
#include <tridap/internal/directory.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/tpetra.hpp>

#include <Tpetra_Core.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

namespace {

using tridap::Index;
using tridap::tpetra::Import;
using tridap::tpetra::Map;
using Vector = tridap::tpetra::Vector<double>;
using GlobalOrdinal = Map::global_ordinal_type;

int rank = 0, processes = 1;
tridap::tpetra::TeuchosComm comm;

tridap::DistArray make_array(const tridap::Distribution& distribution) {
  tridap::DistArray array;
  array.dim_data = distribution.dim_data(rank);
  array.buffer = tridap::allocate(tridap::element_type<double>(), distribution.local_shape(rank));
  return array;
}

Teuchos::RCP<Map> listed(const std::vector<GlobalOrdinal>& ids) {
  return Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                              Teuchos::ArrayView<const GlobalOrdinal>(ids), 0, comm));
}

// The code by hand of a user who knows the ids.
Teuchos::RCP<Vector> by_hand(const Teuchos::RCP<const Map>& map, const tridap::Buffer& buffer) {
  Vector::dual_view_type::t_dev view(static_cast<double*>(buffer.data), tridap::tpetra::compat::local_count(*map), 1);
  // The vector, and what Tpetra derives from it, must keep the memory: Kokkos has no public way.
  tridap::kokkos::keep_alive(view, buffer.owner);
  return Teuchos::rcp(new Vector(map, {view, Kokkos::create_mirror_view(view)}));
}

void agree_by_hand(const tridap::DistArray& array) {
  const tridap::Buffer& buffer = array.buffer;
  const auto* const block = std::get_if<tridap::Block>(&array.dim_data[0].dist);
  const bool right = block != nullptr && buffer.shape.size() == 1 && buffer.shape[0] == block->stop - block->start &&
                     buffer.strides[0] == buffer.type.bytes && buffer.type == tridap::element_type<double>();
  bench::agree_by_hand(right, buffer.shape[0], array.dim_data[0].size, MPI_COMM_WORLD);
}

// A dense block array whose ids are one range: the time must not grow with its size.
bool one_range() {
  bool ok = true;
  const tridap::DistArray small = make_array(tridap::Distribution::make({1'000}, {tridap::block()}, {processes}));
  const tridap::DistArray large = make_array(tridap::Distribution::make({100'000'000}, {tridap::block()}, {processes}));
  const auto import = [](const tridap::DistArray& array) {
    const auto in = tridap::tpetra::import_vector<double>(array, MPI_COMM_WORLD);
    if (in.receipt.bytes_copied != 0) std::abort();
    return in.vector;
  };
  const auto export_again = [](const tridap::DistArray& array, const Teuchos::RCP<Vector>& vector) {
    const auto out = tridap::tpetra::export_array(vector);
    if (out.array.buffer.data != array.buffer.data) std::abort();
  };
  for (const auto& [name, array] : {std::pair{"10^3", &small}, std::pair{"10^8", &large}}) {
    const auto hand = [array = array] {
      agree_by_hand(*array);
      const auto map = Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(array->dim_data[0].size),
                                            static_cast<std::size_t>(array->buffer.shape[0]), 0, comm));
      if (by_hand(map, array->buffer).is_null()) std::abort();
    };
    const std::string what = std::string("tpetra: block of ") + name;
    // On one process no message takes time, and TriDAP's code does not fit into the cache that has the peer's.
    ok = bench::compare(
             what + ", import", processes == 1 ? 1.8 : 1.5, [&, array = array] { import(*array); }, hand, 50) &&
         ok;
    const auto vector = import(*array);
    ok = bench::compare(
             what + ", export", 1.0, [&, array = array] { export_again(*array, vector); }, hand, 50) &&
         ok;
  }
  ok = bench::compare(
           "tpetra: import of 10^8 against 10^3", 1.2, [&] { import(large); }, [&] { import(small); }, 50) &&
       ok;
  const auto few = import(small), many = import(large);
  return bench::compare(
             "tpetra: export of 10^8 against 10^3", 1.2, [&] { export_again(large, many); },
             [&] { export_again(small, few); }, 50) &&
         ok;
}

// A two-dimensional array with its columns distributed: every id must be listed, by the peer in a plain loop.
bool scattered(Index rows, Index cols) {
  const auto distribution =
      tridap::Distribution::make({rows, cols}, {tridap::whole(), tridap::block()}, {1, processes});
  const tridap::DistArray array = make_array(distribution);
  tridap::DistArray ours = array;
  if (processes == 1)
    ours.buffer.strides = tridap::column_major_strides(ours.buffer.shape, 8);  // otherwise the ids are one range
  const Index first = distribution.global_index(rank, {0, 0})[1], count = ours.buffer.shape[1];
  return bench::compare(
      "tpetra: columns of " + std::to_string(rows) + " x " + std::to_string(cols) + ", import", 1.1,
      [&] {
        if (tridap::tpetra::import_vector<double>(ours, MPI_COMM_WORLD).vector.is_null()) std::abort();
      },
      [&] {
        std::vector<GlobalOrdinal> ids;
        ids.reserve(static_cast<std::size_t>(rows * count));
        if (processes == 1) {
          for (Index j = first; j < first + count; ++j)
            for (Index i = 0; i < rows; ++i) ids.push_back(static_cast<GlobalOrdinal>(i * cols + j));
        } else {
          for (Index i = 0; i < rows; ++i)
            for (Index j = first; j < first + count; ++j) ids.push_back(static_cast<GlobalOrdinal>(i * cols + j));
        }
        const auto map = Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(rows * cols),
                                              Teuchos::ArrayView<const GlobalOrdinal>(ids), 0, comm));
        if (by_hand(map, array.buffer).is_null()) std::abort();
      },
      1, 30);
}

// Finding dim_data in a list of ids, against one pass over the list.
bool recovery(const std::string& name, const tridap::Distribution& distribution) {
  const tridap::DistArray array = make_array(distribution);
  const tridap::tpetra::ArrayMap layout(array, comm);
  const auto ids = tridap::tpetra::compat::local_ids(*layout.map());
  Index sum = 0;
  return bench::compare(
      "tpetra: 4000 x 4000, " + name + ", found in ids", 2.0,
      [&] {
        const auto found = tridap::tpetra::dim_data(*layout.map(), {distribution.shape(), {}});
        if (found.size() != array.dim_data.size()) std::abort();
      },
      [&] {
        for (const GlobalOrdinal id : ids) sum += id;
        if (sum == -1) std::abort();
      },
      1, 30);
}

// The halo of a 5-point stencil, by hand: an owned map, an overlapping one, and Tpetra's own Import between them.
struct HaloByHand {
  Teuchos::RCP<Map> owned, overlap;

  HaloByHand(const tridap::Distribution& distribution) {
    const std::vector<Index> shape = distribution.shape();
    const auto inside = distribution.part(rank, tridap::Part::interior),
               whole = distribution.part(rank, tridap::Part::local);
    std::vector<GlobalOrdinal> of_owned, of_overlap;
    for (Index i = whole[0].begin; i < whole[0].end; ++i)
      for (Index j = whole[1].begin; j < whole[1].end; ++j) {
        const auto global = distribution.global_index(rank, {i, j});
        const auto id = static_cast<GlobalOrdinal>(global[0] * shape[1] + global[1]);
        const bool in_row = inside[0].contains(i), in_column = inside[1].contains(j);
        if (in_row && in_column) of_owned.push_back(id);
        if (in_row || in_column) of_overlap.push_back(id);
      }
    owned = listed(of_owned);
    overlap = listed(of_overlap);
  }
};

bool halo(Index size) {
  const std::vector<Index> grid = tridap::near_square_grid(processes, 2);
  const tridap::AxisSpec padded = tridap::BlockSpec{{}, {}, 1, {0, 0}, false};
  const auto distribution = tridap::Distribution::make({size, size}, {padded, padded}, grid);
  const tridap::DistArray array = make_array(distribution);
  auto ours = tridap::tpetra::import_padded<double>(array, MPI_COMM_WORLD);
  const HaloByHand theirs(distribution);
  const Import import(theirs.owned, theirs.overlap);
  const Vector from(theirs.owned);
  Vector to(theirs.overlap);
  const std::string what = "tpetra: halo of " + std::to_string(size) + " x " + std::to_string(size);
  bool ok = bench::compare(
      what + ", update_padding", 1.0, [&] { ours.update_padding(); },
      [&] { to.doImport(from, import, Tpetra::INSERT); }, 20);
  return bench::compare(
             what + ", planning it", 0.1,
             [&] {
               const tridap::redistribute::PaddingUpdate built(array.buffer, distribution, MPI_COMM_WORLD);
               if (built.bytes_sent() > 1u << 30) std::abort();
             },
             [&] {
               const Import built(theirs.owned, theirs.overlap);
               if (built.getNumExportIDs() > 1u << 30) std::abort();
             },
             1, 20) &&
         ok;
}

// Ids that are dealt and ordered at random, whose lists stay on their processes: entering them in a directory, and
// asking it for as many ids of all processes, against Tpetra's own directory of the same ids.
bool directory(Index of_each) {
  const Index total = of_each * processes;
  std::mt19937_64 random(1);
  std::vector<GlobalOrdinal> ids, asked(static_cast<std::size_t>(total));
  for (Index id = 0; id < total; ++id)
    if (static_cast<int>(random() % static_cast<std::uint64_t>(processes)) == rank)
      ids.push_back(static_cast<GlobalOrdinal>(id));
  std::shuffle(ids.begin(), ids.end(), random);
  random.seed(static_cast<std::uint64_t>(rank + 2));
  std::iota(asked.begin(), asked.end(), GlobalOrdinal{0});
  std::shuffle(asked.begin(), asked.end(), random);
  asked.resize(static_cast<std::size_t>(of_each));  // each once: Tpetra answers -1 for one that it has answered
  const std::vector<Index> questions(asked.begin(), asked.end());
  tridap::DistArray array;
  tridap::Dimension listed_ids{total, processes, rank, false, {}, {}};
  const auto count = static_cast<Index>(ids.size());
  listed_ids.dist = tridap::Unstructured{tridap::row_major(ids.data(), {count}), true};
  array.dim_data = {listed_ids};
  array.buffer = tridap::allocate(tridap::element_type<double>(), {count});
  tridap::Reading reading;
  reading.most_listed = 0;
  const auto enter = [&] { return tridap::mpi::gather_distribution(array, MPI_COMM_WORLD, reading); };
  std::vector<int> of_ranks(asked.size());
  std::vector<Map::local_ordinal_type> locals(asked.size());
  const auto find = [&](const Map& map) {
    map.getRemoteIndexList(Teuchos::ArrayView<const GlobalOrdinal>(asked), Teuchos::ArrayView<int>(of_ranks),
                           Teuchos::ArrayView<Map::local_ordinal_type>(locals));
  };
  const std::string what = "tpetra: " + std::to_string(of_each) + " ids on each process, ";
  bool ok = bench::compare(
      what + "a directory of them and " + std::to_string(of_each) + " questions", 1.5,
      [&] {
        const tridap::mpi::Inquiry inquiry(enter(), {questions}, MPI_COMM_WORLD, [](Index process) { return process; });
        if (inquiry.learned().axis(0).locate(asked[0]) == std::nullopt) std::abort();
      },
      [&] {
        find(*listed(ids));
        if (of_ranks[0] < 0) std::abort();
      },
      1, 10);
  const tridap::Distribution entered = enter();
  const auto map = listed(ids);
  find(*map);
  return bench::compare(
             what + "as many questions alone", 1.5,
             [&] {
               const tridap::mpi::Inquiry inquiry(entered, {questions}, MPI_COMM_WORLD,
                                                  [](Index process) { return process; });
               if (inquiry.learned().axis(0).locate(asked[0]) == std::nullopt) std::abort();
             },
             [&] { find(*map); }, 1, 10) &&
         ok;
}

}  // namespace

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  bool ok = one_range();
  ok = scattered(1000, 1000) && ok;
  if (processes <= static_cast<int>(std::thread::hardware_concurrency())) {  // if each process has a core
    const std::vector<Index> grid{1, processes};  // so that the ids are lists on two or more processes
    ok =
        recovery("block x block", tridap::Distribution::make({4000, 4000}, {tridap::block(), tridap::block()}, grid)) &&
        ok;
    ok = recovery("block x cyclic",
                  tridap::Distribution::make({4000, 4000}, {tridap::block(), tridap::cyclic()}, grid)) &&
         ok;
  }
  ok = halo(1024) && ok;
  if (processes > 1) ok = directory(1'000'000) && ok;
  comm = Teuchos::null;
  return ok ? 0 : 1;
}
