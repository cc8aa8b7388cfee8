#include "group.hpp"

#include "ending.hpp"
#include "ga.hpp"
#include "named.hpp"
#include "room.hpp"
#include <tridap/globalarrays/import.hpp>
#include <tridap/globalarrays/session.hpp>
#include <tridap/internal/call.hpp>
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

std::list<Known>& known() {  // those of make_group(): the same ones on every process
  static auto* const groups = new std::list<Known>;
  return *groups;
}

std::map<int, std::vector<int>>& neighbours() {  // by group: the ranks there that live on this node
  static auto* const nodes = new std::map<int, std::vector<int>>;
  return *nodes;
}

void forget() {  // GA's groups end with it
  known().clear();
  neighbours().clear();
}

// GA's ranks of a communicator's processes, in its order; MPI_UNDEFINED where GA does not know one. Local.
std::vector<int> ga_ranks(MPI_Comm comm) {
  MPI_Group mine = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  mpi::must_succeed(MPI_Comm_group(comm, &mine), "MPI_Comm_group");
  mpi::must_succeed(MPI_Comm_group(GA_MPI_Comm(), &all), "MPI_Comm_group");
  int count = 0;
  mpi::must_succeed(MPI_Group_size(mine, &count), "MPI_Group_size");
  std::vector<int> here(static_cast<std::size_t>(count)), there(here.size());
  std::iota(here.begin(), here.end(), 0);
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

// Which process leads each process's group, -1: none; the groups must be what their members say.
std::vector<Index> agreed_leaders(const std::vector<int>& members) {
  std::vector<Index> leaders(static_cast<std::size_t>(ga_processes()), -1);
  const auto here = static_cast<std::size_t>(mpi::rank_of(GA_MPI_Comm()));
  if (!members.empty()) leaders[here] = members.front();
  mpi::MpiCollectives(GA_MPI_Comm()).max(leaders);
  mpi::collectively(GA_MPI_Comm(), [&] {
    if (members.empty()) return;
    std::vector<int> said;
    for (std::size_t r = 0; r < leaders.size(); ++r)
      if (leaders[r] == members.front()) said.push_back(static_cast<int>(r));
    if (said != members)
      refuse("the processes of a group gave other communicators", "", "give every process of a group the same one");
  });
  return leaders;
}

// Those groups of the leaders that GA does not know yet, in the order of these.
std::vector<std::vector<int>> unknown(const std::vector<Index>& leaders) {
  std::vector<std::vector<int>> groups;
  for (std::size_t leader = 0; leader < leaders.size(); ++leader) {
    std::vector<int> members;
    for (std::size_t r = 0; r < leaders.size(); ++r)
      if (leaders[r] == static_cast<Index>(leader)) members.push_back(static_cast<int>(r));
    const auto is_it = [&](const Known& one) { return one.members == members; };
    if (members.empty() || members.size() == leaders.size()) continue;
    if (std::none_of(known().begin(), known().end(), is_it)) groups.push_back(std::move(members));
  }
  return groups;
}

// Every process makes all of them, so that they are of one number everywhere.
void make_all(std::vector<std::vector<int>> groups) {
  constexpr int last = 32767;  // GA counts them up, and aborts beyond it
  if (!known().empty() && known().back().number > last - static_cast<int>(groups.size()))
    refuse("Global Arrays has as many groups of processes as it can, " + std::to_string(last), "",
           "make arrays on groups that are there");
  const int before = GA_Pgroup_get_default();
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  for (std::vector<int>& members : groups) {
    const int number = GA_Pgroup_create(members.data(), static_cast<int>(members.size()));
    known().push_back({number, std::move(members)});
    at_ga_end(forget);
  }
  GA_Pgroup_set_default(before);
}

}  // namespace

std::optional<int> make_group(MPI_Comm comm) {
  if (GA_Initialized() == 0) refuse("Global Arrays has not begun", "", "make a Session first");
  std::vector<int> members = mpi::collectively(GA_MPI_Comm(), [&] {
    std::vector<int> ranks;
    if (comm != MPI_COMM_NULL) ranks = ga_ranks(comm);
    std::sort(ranks.begin(), ranks.end());
    if (!ranks.empty() && ranks.front() < 0)
      refuse("the communicator has a process that is none of Global Arrays'", "", "leave that process out");
    return ranks;
  });
  const std::vector<Index> leaders = agreed_leaders(members);
  collect();  // what other groups still keep would stand in the way of the new one's arrays
  make_all(unknown(leaders));
  for (const Known& one : known())
    if (one.members == members) return one.number;
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

Room group_room(int number, const std::vector<Index>& wanted) {
  auto found = neighbours().find(number);
  if (found == neighbours().end()) {
    const MPI_Comm comm = GA_MPI_Comm_pgroup(number);
    MPI_Comm node = MPI_COMM_NULL;
    const int split = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    mpi::must_succeed_everywhere(split, "MPI_Comm_split_type", comm);
    int count = 0, here = static_cast<int>(mpi::rank_of(comm));
    mpi::must_succeed(MPI_Comm_size(node, &count), "MPI_Comm_size");
    std::vector<int> ranks(static_cast<std::size_t>(count));
    mpi::must_succeed(MPI_Allgather(&here, 1, MPI_INT, ranks.data(), 1, MPI_INT, node), "MPI_Allgather");
    mpi::must_succeed(MPI_Comm_free(&node), "MPI_Comm_free");
    found = neighbours().emplace(number, std::move(ranks)).first;
    at_ga_end(forget);
  }
  std::optional<Index> sum = 0;
  for (const int rank : found->second)
    if (sum) sum = checked_add(*sum, wanted[static_cast<std::size_t>(rank)]);
  if (!sum) return {"64 bits cannot say how many bytes a node's processes want", false};
  const bool shared = found->second.size() > 1;
  return {room_is_missing(*sum, shared), room_is_ample(*sum, shared)};
}

}  // namespace tridap::globalarrays
