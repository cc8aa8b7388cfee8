// Updates of ghosts and their planning, against Tpetra's Import between maps with the same ids.

#include "support/ghosts.hpp"
#include "support/pairs.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/tpetra.hpp>

#include <Tpetra_Core.hpp>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

using tridap::Index;
using tridap::tpetra::Import;
using tridap::tpetra::Map;
using Vector = tridap::tpetra::Vector<double>;
using GlobalOrdinal = Map::global_ordinal_type;

int rank = 0, processes = 1;
tridap::tpetra::TeuchosComm comm;

// The same ids as Tpetra's maps, `dof` for each element.
struct Peer {
  Teuchos::RCP<const Map> owned, overlap;

  Peer(const bench::GhostCase& of, Index dof) {
    std::vector<GlobalOrdinal> ids;
    const auto add = [&](Index id) { ids.push_back(static_cast<GlobalOrdinal>(id)); };
    for (Index id = of.start * dof; id < (of.start + of.owned) * dof; ++id) add(id);
    owned = listed(ids);
    for (const Index ghost : of.ghosts)
      for (Index k = 0; k < dof; ++k) add(ghost * dof + k);
    overlap = listed(ids);
  }
  static Teuchos::RCP<const Map> listed(const std::vector<GlobalOrdinal>& ids) {
    return Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                Teuchos::ArrayView<const GlobalOrdinal>(ids), 0, comm));
  }
};

bool measure(const std::string& name, const bench::GhostCase& of, Index dof, int times) {
  constexpr int copies = 5;
  const Peer peer(of, dof);
  const Import import(peer.owned, peer.overlap);
  std::vector<tridap::GhostedArray> arrays;
  std::vector<tridap::GhostUpdate> ours;
  std::vector<Vector> owned, overlap;
  for (int k = 0; k < copies; ++k) {
    arrays.push_back(bench::ghosted<double>(of, dof, MPI_COMM_WORLD));
    ours.emplace_back(arrays.back(), MPI_COMM_WORLD);
    for (const auto& [vectors, map] : {std::pair{&owned, peer.owned}, {&overlap, peer.overlap}})
      vectors->emplace_back(map).putScalar(1.0);
  }
  const std::string what = "ghosts: " + name + ", " + std::to_string(dof) + " dof, ";
  const auto compare = [&](const std::string& call, auto our_work, auto their_work) {
    return bench::compare_closely(what + call, 1.0, bench::in_turns(copies, times, our_work),
                                  bench::in_turns(copies, times, their_work, true), times);
  };
  bool ok = compare(
      "update_ghosts", [&](std::size_t k) { ours[k].update_ghosts(); },
      [&](std::size_t k) { overlap[k].doImport(owned[k], import, Tpetra::INSERT); });
  ok = compare(
           "sum_ghosts", [&](std::size_t k) { ours[k].sum_ghosts(); },
           [&](std::size_t k) { owned[k].doExport(overlap[k], import, Tpetra::ADD); }) &&
       ok;
  return bench::compare(
             what + "planning", 1.0,
             [&] {
               if (tridap::GhostUpdate(arrays.front(), MPI_COMM_WORLD).bytes_sent() < 0) std::abort();
             },
             [&] {
               if (Import(peer.owned, peer.overlap).getNumExportIDs() > 1u << 30) std::abort();
             },
             1, 20) &&
         ok;
}

}  // namespace

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  comm = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  bool ok = true;
  for (const Index dof : {1, 3}) {
    ok = measure("mesh of 32^3", bench::mesh_ghosts(32, rank, processes), dof, 50) && ok;
    ok = measure("mesh of 100^3", bench::mesh_ghosts(100, rank, processes), dof, 10) && ok;
    ok = measure("50000 anywhere", bench::scattered_ghosts(200'000, 50'000, rank, processes), dof, 10) && ok;
  }
  comm = Teuchos::null;
  return ok ? 0 : 1;
}
