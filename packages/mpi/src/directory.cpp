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
  Index operator()(Index global) const { return static_cast<Index>(mixed_bits(global) % processes_); }

 private:
  std::uint64_t processes_;
};

// Messages to the processes that store indices, with as much memory as they take: first each says how many numbers it
// will get, and then gets them.
class Letters {
 public:
  Letters(MPI_Comm comm, std::size_t head)
      : from_(rank_of(comm)), head_(head), of_rank_(static_cast<std::size_t>(processes_of(comm)), 0) {}

  void announce(Index rank, std::size_t numbers) {
    of_rank_[static_cast<std::size_t>(rank)] += static_cast<Index>(numbers);
  }
  // Makes the messages, each with `head` zeros.
  void open() {
    for (std::size_t rank = 0; rank < of_rank_.size(); ++rank) {
      if (of_rank_[rank] == 0) continue;
      all_.push_back({from_, static_cast<Index>(rank), {}});
      all_.back().content.reserve(head_ + static_cast<std::size_t>(of_rank_[rank]));
      all_.back().content.resize(head_);
      of_rank_[rank] = static_cast<Index>(all_.size()) - 1;
    }
  }
  std::vector<Index>& to(Index rank) {
    return all_[static_cast<std::size_t>(of_rank_[static_cast<std::size_t>(rank)])].content;
  }
  std::vector<Message> take() { return std::move(all_); }

 private:
  Index from_;
  std::size_t head_;
  std::vector<Index> of_rank_;  // first how many numbers go there, then which message
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
  std::uint64_t distinct = 0, indices = 0;
  std::array<std::uint64_t, 2> digests{};
  std::array<std::array<std::uint64_t, 2>, 2> ends{};  // of each, its coordinate and its local index
  std::uint64_t failed = 0;

  Location end(std::size_t number) const {
    return {static_cast<Index>(ends[number][0]), static_cast<Index>(ends[number][1])};
  }
};

Sums sums_of(const std::vector<Entry>& stored, const std::array<Index, 2>& extremes) {
  Sums sums;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const Entry& entry = stored[i];
    add_to_digests(sums.digests, entry);
    if (i > 0 && stored[i - 1].global == entry.global) continue;
    ++sums.distinct;
    sums.indices += mixed_bits(entry.global);
    for (std::size_t k = 0; k < 2; ++k)  // one process stores each
      if (entry.global == extremes[k])
        sums.ends[k] = {static_cast<std::uint64_t>(entry.place.coordinate),
                        static_cast<std::uint64_t>(entry.place.local)};
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
  const Storing storing(processes_of(comm));
  Letters letters(comm, 1);
  for (const Index global : list) letters.announce(storing(global), 2);
  letters.open();
  for (std::size_t local = 0; local < list.size(); ++local) {
    std::vector<Index>& content = letters.to(storing(list[local]));
    content.front() = coordinate;
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
    sums = sums_of(directory->stored_, listed.extremes);
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
  own->ends = {sums.end(0), sums.end(1)};
  own->owners = static_cast<Index>(sums.digests[0]);
  own->places = static_cast<Index>(sums.digests[1]);
  own->indices = static_cast<Index>(sums.indices);
  const Index total = std::accumulate(own->counts.begin(), own->counts.end(), Index{0});
  directory->shares_ = total != own->distinct;
  if (directory->shares_) {
    std::vector<Index> sorted;
    faults = {};
    faults.attempt([&] {
      sorted = own->list;
      std::sort(sorted.begin(), sorted.end());
    });
    std::vector<Question> questions;
    questions.push_back({directory.get(), std::move(sorted), [](Index process) { return process; }});
    const Answers answers(std::move(questions), comm, std::move(faults));
    collectively(comm, [&] { own->entries = answers.entries(0); });
  }
  own->directory = std::move(directory);
  made.own = std::move(own);
  return made;
}

std::vector<Index> Directory::stored_indices() const {
  std::vector<Index> indices;
  indices.reserve(stored_.size());
  for (const Entry& entry : stored_)
    if (indices.empty() || indices.back() != entry.global) indices.push_back(entry.global);
  return indices;
}

namespace {

// Sections of a message: its head has their lengths.
struct Section {
  const Index* begin;
  const Index* end;
};
Section section_of(const std::vector<Index>& content, std::size_t sections, std::size_t number) {
  const Index* begin = content.data() + sections;
  for (std::size_t k = 0; k < number; ++k) begin += content[k];
  return {begin, begin + content[number]};
}

}  // namespace

// What is stored of the indices that a process asks for: of each, a coordinate and a local index; if indices are
// shared, first how many pairs follow.
void Directory::answer(const Index* asked, const Index* end, std::vector<Index>& answer) const {
  const auto is_below = [](const Entry& entry, Index wanted) { return entry.global < wanted; };
  auto from = stored_.begin();
  for (; asked != end; ++asked) {  // ascending
    from = std::lower_bound(from, stored_.end(), *asked, is_below);
    auto to = from;
    while (to != stored_.end() && to->global == *asked) ++to;
    if (shares_) answer.push_back(to - from);
    if (from == to && !shares_) answer.insert(answer.end(), {-1, 0});
    for (; from != to; ++from) answer.insert(answer.end(), {from->place.coordinate, from->place.local});
  }
}

std::vector<Message> Directory::Answers::letters(MPI_Comm comm) {
  const Index here = rank_of(comm);
  for (const Question& question : asked_) {
    const Directory& of = *question.of;
    std::vector<Index>& ranks = ranks_.emplace_back();
    for (Index process = 0; process < of.processes_; ++process) ranks.push_back(question.rank(process));
    if (const Index placed = ranks[static_cast<std::size_t>(of.process_)]; placed != here)
      refuse("this process stores the directory's part of process " + std::to_string(of.process_) +
                 " of the array, which is placed on rank " + std::to_string(placed),
             "must be placed where its lists are", "gather the distribution again, on a communicator with this order");
  }
  Letters letters(comm, asked_.size());
  const auto for_each = [&](auto&& visit) {
    for (std::size_t k = 0; k < asked_.size(); ++k) {
      const Storing storing(asked_[k].of->processes_);
      for (const Index global : asked_[k].indices)
        visit(k, global, ranks_[k][static_cast<std::size_t>(storing(global))]);
    }
  };
  for_each([&](std::size_t, Index, Index rank) { letters.announce(rank, 1); });
  letters.open();
  for_each([&](std::size_t k, Index global, Index rank) {
    std::vector<Index>& content = letters.to(rank);
    content.push_back(global);
    ++content[k];
  });
  return letters.take();
}

Directory::Answers::Answers(std::vector<Question> questions, MPI_Comm comm, Faults faults)
    : asked_(std::move(questions)) {
  std::vector<Message> sent;
  if (faults.ok()) faults.attempt([&] { sent = letters(comm); });
  std::vector<Message> asked = exchange(std::move(sent), comm, std::move(faults));

  const std::size_t head = asked_.size();
  const Index here = rank_of(comm);
  std::vector<Message> answers;
  faults = {};
  faults.attempt([&] {
    for (Message& message : asked) {
      std::vector<Index>& content = answers.emplace_back(Message{here, message.from, {}}).content;
      content.reserve(head + 2 * message.content.size());
      content.resize(head);
      for (std::size_t k = 0; k < head; ++k) {
        const Section section = section_of(message.content, head, k);
        const std::size_t before = content.size();
        asked_[k].of->answer(section.begin, section.end, content);
        content[k] = static_cast<Index>(content.size() - before);
      }
      std::vector<Index>().swap(message.content);
    }
  });
  told_ = exchange(std::move(answers), comm, std::move(faults));
}

std::vector<Entry> Directory::Answers::entries(std::size_t question) const {
  const Directory& of = *asked_[question].of;
  const Storing storing(of.processes_);
  std::unordered_map<Index, const Index*> of_rank;
  for (const Message& message : told_)
    of_rank[message.from] = section_of(message.content, asked_.size(), question).begin;
  std::vector<const Index*> next;  // by storing process
  for (const Index rank : ranks_[question]) {
    const auto found = of_rank.find(rank);
    next.push_back(found == of_rank.end() ? nullptr : found->second);
  }
  std::vector<Entry> all;
  all.reserve(asked_[question].indices.size());
  for (const Index global : asked_[question].indices) {
    const Index*& at = next[static_cast<std::size_t>(storing(global))];
    const Index count = of.shares_ ? *at++ : 1;
    if (count == 0) all.push_back({global, {-1, 0}});
    for (Index i = 0; i < count; ++i, at += 2) all.push_back({global, {at[0], at[1]}});
  }
  return all;
}

namespace {

std::vector<Inquiry::Wanted> alone(Inquiry::Wanted wanted) {
  std::vector<Inquiry::Wanted> all;
  all.push_back(std::move(wanted));
  return all;
}

}  // namespace

Inquiry::Inquiry(const Distribution& distribution, OfAxes wanted, MPI_Comm comm,
                 std::function<Index(Index process)> rank, Faults faults)
    : Inquiry(alone({distribution, std::move(wanted), std::move(rank)}), comm, std::move(faults)) {}

Inquiry::Inquiry(std::vector<Wanted> wanted, MPI_Comm comm, Faults faults) {
  std::vector<Directory::Question> questions;
  for (Wanted& one : wanted) {
    Of& of = of_.emplace_back(Of{one.distribution, {}});
    for (Index i = 0; i < one.distribution.ndim(); ++i) {
      const Axis& axis = one.distribution.axis(i);
      const auto* const own = own_of(axis);
      of.questions.push_back(own != nullptr ? std::optional<std::size_t>(questions.size()) : std::nullopt);
      if (own == nullptr) continue;
      std::vector<Index> indices;
      if (faults.ok()) indices.swap(one.indices[static_cast<std::size_t>(i)]);
      const auto is_known = [&](Index global) { return axis.unstructured()->knows(global); };
      indices.erase(std::remove_if(indices.begin(), indices.end(), is_known), indices.end());
      if (!std::is_sorted(indices.begin(), indices.end())) std::sort(indices.begin(), indices.end());
      indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
      questions.push_back({static_cast<const Directory*>(own->directory.get()), std::move(indices), one.rank});
    }
  }
  if (!questions.empty()) answers_.emplace(std::move(questions), comm, std::move(faults));
}

Distribution Inquiry::learned(std::size_t number) const {
  const auto& [distribution, questions] = of_[number];
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const auto& question = questions[static_cast<std::size_t>(i)];
    axes.push_back(
        question ? listed_axis(axis.unstructured()->knowing(answers_->entries(*question)), axis.size(), axis.periodic())
                 : axis);
  }
  return Distribution(std::move(axes));
}

Distribution completed(const Distribution& distribution, MPI_Comm comm) {
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const auto* const own = own_of(axis);
    if (own == nullptr) {
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
