#include "group.hpp"

#include "ga.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace tridap::globalarrays {

std::vector<int> ranks_in(MPI_Comm comm, MPI_Comm other) {
  const int count = mpi::processes_of(comm);
  std::vector<int> here(static_cast<std::size_t>(count)), there(here.size());
  std::iota(here.begin(), here.end(), 0);
  MPI_Group mine = MPI_GROUP_NULL, others = MPI_GROUP_NULL;
  mpi::must_succeed(MPI_Comm_group(comm, &mine), "MPI_Comm_group");
  mpi::must_succeed(MPI_Comm_group(other, &others), "MPI_Comm_group");
  mpi::must_succeed(MPI_Group_translate_ranks(mine, count, here.data(), others, there.data()),
                    "MPI_Group_translate_ranks");
  mpi::must_succeed(MPI_Group_free(&mine), "MPI_Group_free");
  mpi::must_succeed(MPI_Group_free(&others), "MPI_Group_free");
  return there;
}

std::vector<int> members_of(MPI_Comm comm) {
  std::vector<int> members = ranks_in(comm, GA_MPI_Comm());
  std::sort(members.begin(), members.end());
  return members;
}

int ga_processes() { return mpi::processes_of(GA_MPI_Comm()); }

MPI_Comm all_processes() {
  const int count = mpi::processes_of(MPI_COMM_WORLD);
  return count == ga_processes() ? MPI_COMM_WORLD : GA_MPI_Comm();
}

Group Groups::of(MPI_Comm comm) const {
  if (GA_Initialized() == 0) refuse("Global Arrays is not initialised", "", "make a Session first");
  const std::vector<int> members = members_of(comm);
  const std::optional<int> known = number(members);
  if (!known)
    refuse("the communicator's processes are not a group of Global Arrays", "", "call make_group(comm) first");
  Group group;
  group.number = *known;
  group.leading = members.back() == static_cast<int>(members.size()) - 1;
  for (const int rank : ranks_in(comm, GA_MPI_Comm()))
    group.ranks.push_back(std::lower_bound(members.begin(), members.end(), rank) - members.begin());
  return group;
}

std::optional<int> Groups::number(const std::vector<int>& members) const {
  if (members.front() >= 0 && static_cast<int>(members.size()) == ga_processes()) return GA_Pgroup_get_world();
  const auto found = numbers_.find(members);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

void Groups::add(std::vector<int> members) {
  constexpr int last = 32767;  // GA counts the numbers up, and aborts after this one
  if (highest_ >= last)
    refuse("Global Arrays has " + std::to_string(last) + " groups of processes and cannot have more", "",
           "make arrays on existing groups");
  const int before = GA_Pgroup_get_default();
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  const int number = GA_Pgroup_create(members.data(), static_cast<int>(members.size()));
  GA_Pgroup_set_default(before);
  numbers_.emplace(std::move(members), number);
  highest_ = std::max(highest_, number);
}

const std::vector<int>& Groups::on_node(int group) {
  if (const auto found = on_node_.find(group); found != on_node_.end()) return found->second;
  const MPI_Comm comm = GA_MPI_Comm_pgroup(group);
  MPI_Comm node = MPI_COMM_NULL;
  const int split = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  mpi::must_succeed_everywhere(split, "MPI_Comm_split_type", comm);
  std::vector<int> ranks = ranks_in(node, comm);
  mpi::must_succeed(MPI_Comm_free(&node), "MPI_Comm_free");
  return on_node_.emplace(group, std::move(ranks)).first->second;
}

}  // namespace tridap::globalarrays
