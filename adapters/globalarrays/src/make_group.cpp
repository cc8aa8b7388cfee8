#include "ga.hpp"
#include "ga_session.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/mpi_collectives.hpp>

#include <algorithm>

namespace tridap::globalarrays {

namespace {

// By process: the first member of its group, and a digest of the members; -1: it is in no group.
struct Said {
  Index leader = -1, digest = -1;
};

Index digest_of(const std::vector<int>& members) {
  Digest digest;
  digest.add_all(members);
  return digest.value();
}

// The groups that all processes ask for, in the order of their leaders. Throws on every process if the processes of a
// group give different communicators.
std::vector<std::vector<int>> asked_for(const std::vector<Said>& said) {
  std::vector<std::vector<int>> groups(said.size());
  for (std::size_t r = 0; r < said.size(); ++r)
    if (said[r].leader >= 0) groups[static_cast<std::size_t>(said[r].leader)].push_back(static_cast<int>(r));
  for (const std::vector<int>& members : groups) {
    const Index digest = digest_of(members);
    for (const int member : members)
      if (said[static_cast<std::size_t>(member)].digest != digest)
        refuse("the processes of a group gave different communicators", "",
               "give every process of a group the same one");
  }
  groups.erase(std::remove(groups.begin(), groups.end(), std::vector<int>()), groups.end());
  return groups;
}

}  // namespace

std::optional<int> make_group(MPI_Comm comm) {
  if (GA_Initialized() == 0) refuse("Global Arrays is not initialised", "", "make a Session first");
  std::vector<int> own;
  const mpi::Call call(all_processes(), "globalarrays::make_group", mpi::Library::globalarrays, [&](mpi::Record&) {
    if (comm != MPI_COMM_NULL) own = members_of(comm);
    if (!own.empty() && own.front() < 0)
      refuse("the communicator has a process that Global Arrays does not have", "", "use a communicator without it");
  });
  return call.run([&]() -> std::optional<int> {
    std::vector<Index> numbers(2 * static_cast<std::size_t>(ga_processes()), -1);
    const auto here = static_cast<std::size_t>(mpi::rank_of(GA_MPI_Comm()));
    if (!own.empty()) numbers[2 * here] = own.front(), numbers[2 * here + 1] = digest_of(own);
    mpi::MpiCollectives(GA_MPI_Comm()).max(numbers);
    std::vector<Said> said;
    for (std::size_t r = 0; r < numbers.size(); r += 2) said.push_back({numbers[r], numbers[r + 1]});
    GaSession& session = ga_session();
    session.pool.collect();  // arrays that other groups still keep would prevent arrays of the new one
    for (std::vector<int>& members : asked_for(said))
      if (!session.groups.number(members)) session.groups.add(std::move(members));
    const std::optional<int> number = own.empty() ? std::nullopt : session.groups.number(own);
    return number == GA_Pgroup_get_world() ? std::nullopt : number;
  });
}

}  // namespace tridap::globalarrays
