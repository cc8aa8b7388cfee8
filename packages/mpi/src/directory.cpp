#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/exchange.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tridap::mpi {

namespace {

using Entry = Directory::Entry;

// The process that stores an index.
class Storing {
 public:
  explicit Storing(Index processes) : processes_(static_cast<std::uint64_t>(processes)) {}
  std::size_t operator()(Index global) const { return static_cast<std::size_t>(mixed_bits(global) % processes_); }
  std::size_t processes() const { return static_cast<std::size_t>(processes_); }

 private:
  std::uint64_t processes_;
};

// Messages of `head` numbers, and of `width` for each index, to the process that stores it, with as much memory as they
// take.
class Letters {
 public:
  Letters(const std::vector<Index>& indices, const Storing& storing, Index from, std::size_t head, std::size_t width,
          const std::function<Index(Index)>& rank)
      : storing_(storing), of_process_(storing.processes(), 0) {
    for (const Index global : indices) of_process_[storing(global)] += static_cast<Index>(width);
    for (std::size_t process = 0; process < of_process_.size(); ++process) {
      if (of_process_[process] == 0) continue;
      all_.push_back({from, rank(static_cast<Index>(process)), {}});
      all_.back().content.reserve(head + static_cast<std::size_t>(of_process_[process]));
      of_process_[process] = static_cast<Index>(all_.size()) - 1;
    }
  }
  std::vector<Index>& to_storing(Index global) {
    return all_[static_cast<std::size_t>(of_process_[storing_(global)])].content;
  }
  std::vector<Message> take() { return std::move(all_); }

 private:
  Storing storing_;
  std::vector<Index> of_process_;  // first how many numbers go there, then which message
  std::vector<Message> all_;
};

bool is_before(const Entry& a, const Entry& b) {
  return a.global != b.global ? a.global < b.global : a.place.coordinate < b.place.coordinate;
}

// What comes: a coordinate, and an index with its local one for each that is stored here.
std::vector<Entry> entries_in(std::vector<Message> arrived) {
  std::size_t count = 0;
  for (const Message& message : arrived) count += message.content.size() / 2;
  std::vector<Entry> all;
  all.reserve(count);
  for (Message& message : arrived) {
    const Index coordinate = message.content.front();
    for (std::size_t at = 1; at < message.content.size(); at += 2)
      all.push_back({message.content[at], {coordinate, message.content[at + 1]}});
    std::vector<Index>().swap(message.content);
  }
  std::sort(all.begin(), all.end(), is_before);
  return all;
}

// Of all entries: numbers that processes add up.
struct Sums {
  std::uint64_t distinct = 0;
  std::array<std::uint64_t, 2> digests{};
  std::uint64_t failed = 0;
};

Sums sums_of(const std::vector<Entry>& stored) {
  Sums sums;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    sums.distinct += i == 0 || stored[i - 1].global != stored[i].global ? 1 : 0;
    add_to_digests(sums.digests, stored[i]);
  }
  return sums;
}

std::vector<SpreadLists::Twice> twice_in(const std::vector<Entry>& stored) {
  std::vector<SpreadLists::Twice> twice;
  for (std::size_t i = 1; i < stored.size() && twice.size() < Report::kept_per_rule; ++i)
    if (stored[i].global == stored[i - 1].global)
      twice.push_back({stored[i].global, {stored[i - 1].place.coordinate, stored[i].place.coordinate}});
  return twice;
}

std::vector<Entry> entries_of(const std::vector<Index>& list, Index coordinate) {
  std::vector<Entry> all;
  all.reserve(list.size());
  for (std::size_t local = 0; local < list.size(); ++local)
    all.push_back({list[local], {coordinate, static_cast<Index>(local)}});
  if (!std::is_sorted(all.begin(), all.end(), is_before)) std::sort(all.begin(), all.end(), is_before);
  return all;
}

std::vector<Message> letters_of(const std::vector<Index>& list, Index coordinate, MPI_Comm comm) {
  const auto itself = [](Index process) { return process; };
  // The first number of each message is the coordinate.
  Letters letters(list, Storing(processes_of(comm)), rank_of(comm), 1, 2, itself);
  for (std::size_t local = 0; local < list.size(); ++local) {
    std::vector<Index>& content = letters.to_storing(list[local]);
    if (content.empty()) content.push_back(coordinate);
    content.push_back(list[local]);
    content.push_back(static_cast<Index>(local));
  }
  return letters.take();
}

}  // namespace

SpreadLists Directory::make(ListHere listed, MPI_Comm comm) {
  Faults faults;
  std::vector<Message> letters;
  auto own = std::make_shared<UnstructuredKind::Own>();
  faults.attempt([&] {
    own->list = listed.list();
    if (listed.represents) letters = letters_of(own->list, listed.coordinate, comm);
  });
  std::vector<Message> arrived = exchange(std::move(letters), comm, std::move(faults));

  SpreadLists made;
  auto directory = std::make_shared<Directory>();
  Sums sums;
  faults = {};
  faults.attempt([&] {
    directory->processes_ = processes_of(comm);
    directory->process_ = rank_of(comm);
    directory->stored_ = entries_in(std::move(arrived));
    sums = sums_of(directory->stored_);
    made.twice = twice_in(directory->stored_);
    own->entries = entries_of(own->list, listed.coordinate);
  });
  sums.failed = faults.ok() ? 0 : 1;
  reduce(&sums.distinct, sizeof(Sums) / sizeof(std::uint64_t), MPI_SUM, comm);
  if (sums.failed > 0) throw_faults(std::move(faults), comm);

  own->coordinate = listed.coordinate;
  own->counts = std::move(listed.counts);
  own->distinct = static_cast<Index>(sums.distinct);
  own->extremes = listed.extremes;
  own->owners = static_cast<Index>(sums.digests[0]);
  own->places = static_cast<Index>(sums.digests[1]);
  const Index total = std::accumulate(own->counts.begin(), own->counts.end(), Index{0});
  directory->shares_ = total != own->distinct;
  if (directory->shares_) {
    std::vector<Index> sorted;
    faults = {};
    faults.attempt([&] {
      sorted = own->list;
      std::sort(sorted.begin(), sorted.end());
    });
    const auto itself = [](Index process) { return process; };
    const Answer answer = directory->ask(std::move(sorted), comm, itself, std::move(faults));
    collectively(comm, [&] { own->entries = answer.entries(); });
  }
  own->directory = std::move(directory);
  made.own = std::move(own);
  return made;
}

namespace {

// What is stored of the indices that a process asks for: of each, a coordinate and a local index; if indices are
// shared, first how many pairs follow.
std::vector<Index> answer_to(const std::vector<Index>& asked, const std::vector<Entry>& stored, bool shares) {
  std::vector<Index> answer;
  answer.reserve((shares ? 3 : 2) * asked.size());
  auto entry = stored.begin();
  for (const Index global : asked) {  // ascending
    entry =
        std::lower_bound(entry, stored.end(), global, [](const Entry& e, Index wanted) { return e.global < wanted; });
    auto end = entry;
    while (end != stored.end() && end->global == global) ++end;
    if (shares) answer.push_back(end - entry);
    if (entry == end && !shares) answer.insert(answer.end(), {-1, 0});
    for (; entry != end; ++entry) answer.insert(answer.end(), {entry->place.coordinate, entry->place.local});
  }
  return answer;
}

}  // namespace

std::vector<Entry> Directory::Answer::entries() const {
  const Storing storing(static_cast<Index>(of_process_.size()));
  std::vector<const Index*> next;
  for (const std::vector<Index>& told : of_process_) next.push_back(told.data());
  std::vector<Entry> all;
  all.reserve(indices_.size());
  for (const Index global : indices_) {
    const Index*& at = next[storing(global)];
    const Index count = shares_ ? *at++ : 1;
    if (count == 0) all.push_back({global, {-1, 0}});
    for (Index i = 0; i < count; ++i, at += 2) all.push_back({global, {at[0], at[1]}});
  }
  return all;
}

Directory::Answer Directory::ask(std::vector<Index> indices, MPI_Comm comm,
                                 const std::function<Index(Index process)>& rank, Faults faults) const {
  const Index here = rank_of(comm);
  const Storing storing(processes_);
  std::vector<Message> questions;
  const auto make_questions = [&] {
    if (rank(process_) != here)
      refuse("this process stores the directory's part of process " + std::to_string(process_) +
                 " of the array, which is placed on rank " + std::to_string(rank(process_)),
             "must be placed where its lists are", "gather the distribution again, on a communicator with this order");
    Letters letters(indices, storing, here, 0, 1, rank);
    for (const Index global : indices) letters.to_storing(global).push_back(global);
    questions = letters.take();
  };
  if (faults.ok()) faults.attempt(make_questions);
  std::vector<Message> asked = exchange(std::move(questions), comm, std::move(faults));

  std::vector<Message> answers;
  faults = {};
  faults.attempt([&] {
    for (Message& message : asked) {
      answers.push_back({here, message.from, answer_to(message.content, stored_, shares_)});
      std::vector<Index>().swap(message.content);
    }
  });
  std::vector<Message> told = exchange(std::move(answers), comm, std::move(faults));

  std::unordered_map<Index, std::vector<Index>> of_rank;
  for (Message& message : told) of_rank[message.from] = std::move(message.content);
  Answer answer;
  answer.indices_ = std::move(indices);
  answer.of_process_.resize(storing.processes());
  answer.shares_ = shares_;
  for (std::size_t process = 0; process < storing.processes(); ++process)
    if (const auto found = of_rank.find(rank(static_cast<Index>(process))); found != of_rank.end())
      answer.of_process_[process] = std::move(found->second);
  return answer;
}

Inquiry::Inquiry(const Distribution& distribution, OfAxes wanted, MPI_Comm comm,
                 std::function<Index(Index process)> rank, Faults faults)
    : distribution_(distribution), answers_(static_cast<std::size_t>(distribution.ndim())) {
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const auto* const own = own_of(axis);
    if (own == nullptr) continue;
    std::vector<Index> indices;
    if (faults.ok()) indices.swap(wanted[static_cast<std::size_t>(i)]);
    const auto is_known = [&](Index global) { return axis.unstructured()->knows(global); };
    indices.erase(std::remove_if(indices.begin(), indices.end(), is_known), indices.end());
    if (!std::is_sorted(indices.begin(), indices.end())) std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    const auto& directory = static_cast<const Directory&>(*own->directory);
    answers_[static_cast<std::size_t>(i)] = directory.ask(std::move(indices), comm, rank, std::exchange(faults, {}));
  }
}

Distribution Inquiry::learned() const {
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution_.ndim(); ++i) {
    const Axis& axis = distribution_.axis(i);
    const auto& answer = answers_[static_cast<std::size_t>(i)];
    axes.push_back(answer ? listed_axis(axis.unstructured()->knowing(answer->entries()), axis.size(), axis.periodic())
                          : axis);
  }
  return Distribution(std::move(axes));
}

Distribution completed(const Distribution& distribution, MPI_Comm comm) {
  return completed(distribution, comm, [](const Axis&) { return true; });
}

Distribution completed(const Distribution& distribution, MPI_Comm comm,
                       const std::function<bool(const Axis& axis)>& wanted) {
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const auto* const own = own_of(axis);
    if (own == nullptr || !wanted(axis)) {
      axes.push_back(axis);
      continue;
    }
    std::vector<Index> all = collectively(comm, [&] {
      std::vector<Index> of_coordinates(static_cast<std::size_t>(axis.unstructured()->total()), no_number);
      const auto before = own->counts.begin() + own->coordinate;
      std::copy(own->list.begin(), own->list.end(),
                of_coordinates.begin() + std::accumulate(own->counts.begin(), before, Index{0}));
      return of_coordinates;
    });
    reduce(all.data(), static_cast<Index>(all.size()), MPI_MAX, comm);
    axes.push_back(collectively(comm, [&] {
      std::vector<std::vector<Index>> lists;
      auto at = all.begin();
      for (const Index count : own->counts) {
        lists.emplace_back(at, at + count);
        at += count;
      }
      return listed_axis(UnstructuredKind(std::move(lists), axis.unstructured()->one_to_one()), axis.size(),
                         axis.periodic());
    }));
  }
  return Distribution(std::move(axes));
}

Index said_of_directory(const std::optional<Distribution>& distribution) {
  return distribution && has_directory(*distribution) ? fingerprint(*distribution) : 0;
}

void need_same_directory(const Call& call, std::size_t i) {
  if (!call.is_same(i))
    refuse("the processes give different distributions, some of which have their lists in a directory",
           "must be the same distribution on every process", "pass what one call of gather_distribution() gave to all");
}

}  // namespace tridap::mpi
