#include "group.hpp"

#include "ending.hpp"
#include "ga.hpp"
#include "lasting.hpp"
#include "named.hpp"
#include "room.hpp"
#include <tridap/globalarrays/import.hpp>
#include <tridap/globalarrays/session.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <list>
#include <map>
#include <numeric>

namespace tridap::globalarrays {

namespace {

struct Known {
  int number;
  std::vector<int> members;  // GA's ranks, ascending
};

std::list<Known>& known() {  // the groups of make_group(), the same on every process
  static Lasting<std::list<Known>> groups;
  return *groups;
}

using Neighbours = std::map<int, std::vector<int>>;  // by group: its ranks on this node

Neighbours& neighbours() {
  static Lasting<Neighbours> nodes;
  return *nodes;
}

void forget() {  // GA's groups end with GA
  known().clear();
  neighbours().clear();
}

// GA's ranks of a communicator's processes, in the communicator's order. MPI_UNDEFINED: GA does not know the process.
// Local.
std::vector<int> ga_ranks(MPI_Comm comm) {
  int count = 0;
  mpi::must_succeed(MPI_Comm_size(comm, &count), "MPI_Comm_size");
  std::vector<int> here(static_cast<std::size_t>(count)), there(here.size());
  std::iota(here.begin(), here.end(), 0);
  MPI_Group mine = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  mpi::must_succeed(MPI_Comm_group(comm, &mine), "MPI_Comm_group");
  mpi::must_succeed(MPI_Comm_group(GA_MPI_Comm(), &all), "MPI_Comm_group");
  mpi::must_succeed(MPI_Group_translate_ranks(mine, count, here.data(), all, there.data()),
                    "MPI_Group_translate_ranks");
  mpi::must_succeed(MPI_Group_free(&mine), "MPI_Group_free");
  mpi::must_succeed(MPI_Group_free(&all), "MPI_Group_free");
  return there;
}

int ga_processes() {
  int count = 0;
  mpi::must_succeed(MPI_Comm_size(GA_MPI_Comm(), &count), "MPI_Comm_size");
  return count;
}

// A process's own group, and the leaders of all groups that the processes report.
struct Said {
  std::vector<int> members;    // GA's ranks, ascending; empty: it is in no new group
  std::vector<Index> leaders;  // by process: the first member of its group; -1: no group
};

Said said_here(MPI_Comm comm) {
  Said said;
  if (comm != MPI_COMM_NULL) said.members = ga_ranks(comm);
  std::sort(said.members.begin(), said.members.end());
  if (!said.members.empty() && said.members.front() < 0)
    refuse("the communicator has a process that Global Arrays does not have", "", "use a communicator without it");
  said.leaders.assign(static_cast<std::size_t>(ga_processes()), -1);
  if (!said.members.empty()) said.leaders[static_cast<std::size_t>(mpi::rank_of(GA_MPI_Comm()))] = said.members.front();
  return said;
}

std::vector<int> members_of(Index leader, const std::vector<Index>& leaders) {
  std::vector<int> members;
  for (std::size_t r = 0; r < leaders.size(); ++r)
    if (leaders[r] == leader) members.push_back(static_cast<int>(r));
  return members;
}

// The groups that GA does not know yet, in the order of their leaders, without numbers. Local.
std::list<Known> unknown(const Said& said) {
  if (!said.members.empty() && members_of(said.members.front(), said.leaders) != said.members)
    refuse("the processes of a group gave different communicators", "", "give every process of a group the same one");
  std::list<Known> groups;
  for (std::size_t leader = 0; leader < said.leaders.size(); ++leader) {
    std::vector<int> members = members_of(static_cast<Index>(leader), said.leaders);
    const auto is_it = [&](const Known& one) { return one.members == members; };
    if (members.empty() || members.size() == said.leaders.size()) continue;
    if (std::none_of(known().begin(), known().end(), is_it)) groups.push_back({-1, std::move(members)});
  }
  constexpr int last = 32767;  // GA counts the numbers up, and aborts after this one
  if (!known().empty() && known().back().number > last - static_cast<int>(groups.size()))
    refuse("Global Arrays has " + std::to_string(last) + " groups of processes and cannot have more", "",
           "make arrays on existing groups");
  return groups;
}

// Every process makes all groups, so that each group has the same number on every process.
void make_all(std::list<Known>& groups) {
  const int before = GA_Pgroup_get_default();
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  for (Known& one : groups) one.number = GA_Pgroup_create(one.members.data(), static_cast<int>(one.members.size()));
  GA_Pgroup_set_default(before);
  at_ga_end(forget);
  known().splice(known().end(), groups);
}

}  // namespace

MPI_Comm all_processes() {
  int count = 0;
  mpi::must_succeed(MPI_Comm_size(MPI_COMM_WORLD, &count), "MPI_Comm_size");
  return count == ga_processes() ? MPI_COMM_WORLD : GA_MPI_Comm();
}

std::optional<int> make_group(MPI_Comm comm) {
  if (GA_Initialized() == 0) refuse("Global Arrays is not initialised", "", "make a Session first");
  const mpi::Call call(all_processes(), "globalarrays::make_group", mpi::Library::globalarrays);
  Said said = mpi::collectively(GA_MPI_Comm(), [&] { return said_here(comm); });
  mpi::MpiCollectives(GA_MPI_Comm()).max(said.leaders);
  std::list<Known> groups = mpi::collectively(GA_MPI_Comm(), [&] { return unknown(said); });
  collect();  // arrays that other groups still keep would prevent arrays of the new one
  make_all(groups);
  for (const Known& one : known())
    if (one.members == said.members) return one.number;
  return std::nullopt;
}

std::optional<Group> group_of(MPI_Comm comm) {
  const std::vector<int> ranks = ga_ranks(comm);
  std::vector<int> members = ranks;
  std::sort(members.begin(), members.end());
  if (!members.empty() && members.front() < 0) return std::nullopt;
  Group group;
  group.number = GA_Pgroup_get_world();
  if (static_cast<int>(members.size()) != ga_processes()) {
    const auto one =
        std::find_if(known().begin(), known().end(), [&](const Known& each) { return each.members == members; });
    if (one == known().end()) return std::nullopt;
    group.number = one->number;
  }
  group.leading = members.back() == static_cast<int>(members.size()) - 1;
  for (const int rank : ranks)
    group.ranks.push_back(std::lower_bound(members.begin(), members.end(), rank) - members.begin());
  return group;
}

const std::vector<int>& node_of(int group) {
  if (const auto found = neighbours().find(group); found != neighbours().end()) return found->second;
  const MPI_Comm comm = GA_MPI_Comm_pgroup(group);
  Neighbours made = mpi::collectively(comm, [&] {
    const auto processes = static_cast<std::size_t>(GA_Pgroup_nnodes(group));  // the node has no more than these
    return Neighbours{{group, std::vector<int>(processes)}};
  });
  std::vector<int>& ranks = made.begin()->second;
  MPI_Comm node = MPI_COMM_NULL;
  const int split = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  mpi::must_succeed_everywhere(split, "MPI_Comm_split_type", comm);
  int count = 0, here = static_cast<int>(mpi::rank_of(comm));
  mpi::must_succeed(MPI_Comm_size(node, &count), "MPI_Comm_size");
  mpi::must_succeed(MPI_Allgather(&here, 1, MPI_INT, ranks.data(), 1, MPI_INT, node), "MPI_Allgather");
  mpi::must_succeed(MPI_Comm_free(&node), "MPI_Comm_free");
  ranks.resize(static_cast<std::size_t>(count));
  at_ga_end(forget);
  neighbours().merge(made);
  return neighbours().find(group)->second;
}

Room room_on(const std::vector<int>& node, const std::vector<Index>& wanted) {
  std::optional<Index> sum = 0;
  for (const int rank : node)
    if (sum) sum = checked_add(*sum, wanted[static_cast<std::size_t>(rank)]);
  if (!sum) return {"the bytes of a node's processes do not fit 64 bits", false};
  const bool shared = node.size() > 1;
  return {room_is_missing(*sum, shared), room_is_ample(*sum, shared)};
}

}  // namespace tridap::globalarrays
