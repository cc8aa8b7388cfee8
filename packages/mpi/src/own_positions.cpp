#include <tridap/internal/directory.hpp>
#include <tridap/internal/exchange.hpp>
#include <tridap/internal/own_positions.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace tridap::mpi {

namespace {

using Indices = std::vector<Index>;  // ascending, each once

// The first index of each process but the first, if all are sorted: a hash has dealt those of process 0, so that they
// are a sample of all.
std::vector<Index> bounds_of(const Indices& stored, MPI_Comm comm) {
  const auto processes = static_cast<std::size_t>(processes_of(comm));
  std::vector<Index> bounds(processes - 1, std::numeric_limits<Index>::max());
  if (rank_of(comm) == 0 && !stored.empty())
    for (std::size_t k = 1; k < processes; ++k) bounds[k - 1] = stored[k * stored.size() / processes];
  broadcast(bounds.data(), static_cast<Index>(bounds.size()), 0, comm);
  return bounds;
}

// Goes through ascending indices, process by process of those that sort them.
class Walk {
 public:
  Walk(const Indices& all, const std::vector<Index>& bounds) : at_(all.begin()), end_(all.end()), bounds_(bounds) {}

  // Those of the next process.
  std::pair<Indices::const_iterator, Indices::const_iterator> next() {
    const auto from = at_;
    at_ = process_ == bounds_.size() ? end_ : std::lower_bound(from, end_, bounds_[process_]);
    ++process_;
    return {from, at_};
  }

 private:
  Indices::const_iterator at_, end_;
  const std::vector<Index>& bounds_;
  std::size_t process_ = 0;
};

// A letter to each process that sorts some of them: how many indices are stored here, these indices, and then the
// indices that this process asks the positions of.
std::vector<Message> letters_of(const Indices& stored, const Indices& asked, const std::vector<Index>& bounds,
                                Index from) {
  std::vector<Message> letters;
  Walk of_stored(stored, bounds), of_asked(asked, bounds);
  for (Index to = 0; to <= static_cast<Index>(bounds.size()); ++to) {
    const auto [first, last] = of_stored.next();
    const auto [wanted, end] = of_asked.next();
    if (first == last && wanted == end) continue;
    std::vector<Index>& content = letters.emplace_back(Message{from, to, {}}).content;
    content.reserve(static_cast<std::size_t>(1 + (last - first) + (end - wanted)));
    content.push_back(last - first);
    content.insert(content.end(), first, last);
    content.insert(content.end(), wanted, end);
  }
  return letters;
}

Indices sorted_of(const std::vector<Message>& letters) {
  std::size_t count = 0;
  for (const Message& letter : letters) count += static_cast<std::size_t>(letter.content.front());
  Indices sorted;
  sorted.reserve(count);
  for (const Message& letter : letters)
    sorted.insert(sorted.end(), letter.content.begin() + 1, letter.content.begin() + 1 + letter.content.front());
  std::sort(sorted.begin(), sorted.end());  // each index is stored by one process
  return sorted;
}

std::vector<Message> answers_to(std::vector<Message> letters, const Indices& sorted, Index before, Index here) {
  std::vector<Message> answers;
  for (Message& letter : letters) {
    auto asked = letter.content.begin() + 1 + letter.content.front();
    std::vector<Index>& content = answers.emplace_back(Message{here, letter.from, {}}).content;
    content.reserve(static_cast<std::size_t>(letter.content.end() - asked));
    auto at = sorted.begin();
    for (; asked != letter.content.end(); ++asked) {
      at = std::lower_bound(at, sorted.end(), *asked);
      content.push_back(before + (at - sorted.begin()));
    }
    std::vector<Index>().swap(letter.content);
  }
  return answers;
}

// How many the processes of lower ranks have. **Collective.**
Index sum_before(Index count, MPI_Comm comm) {
  std::vector<Index> counts(static_cast<std::size_t>(processes_of(comm)));
  gather_all(&count, 1, counts.data(), comm);
  Index sum = 0;
  for (Index process = 0; process < rank_of(comm); ++process) sum += counts[static_cast<std::size_t>(process)];
  return sum;
}

KnownPositions own_positions(const UnstructuredKind::Own& own, MPI_Comm comm) {
  const auto& directory = static_cast<const Directory&>(*own.directory);
  const Index here = rank_of(comm);
  KnownPositions known;
  Indices stored;
  Faults faults;
  faults.attempt([&] {
    stored = directory.stored_indices();
    known.indices = own.list;
    std::sort(known.indices.begin(), known.indices.end());
    known.positions.reserve(known.indices.size());
  });
  const std::vector<Index> bounds = bounds_of(stored, comm);
  std::vector<Message> letters;
  if (faults.ok()) faults.attempt([&] { letters = letters_of(stored, known.indices, bounds, here); });
  Indices().swap(stored);
  letters = exchange(std::move(letters), comm, std::move(faults));

  Indices sorted;
  faults = {};
  faults.attempt([&] { sorted = sorted_of(letters); });
  const Index before = sum_before(static_cast<Index>(sorted.size()), comm);
  std::vector<Message> answers;
  if (faults.ok()) faults.attempt([&] { answers = answers_to(std::move(letters), sorted, before, here); });
  answers = exchange(std::move(answers), comm, std::move(faults));
  for (const Message& answer : answers)  // ascending, as the indices that were asked for
    known.positions.insert(known.positions.end(), answer.content.begin(), answer.content.end());
  return known;
}

}  // namespace

PositionsOfAxes own_positions(const Distribution& distribution, MPI_Comm comm) {
  const auto asks = [&](Index axis) {
    return own_of(distribution.axis(axis)) != nullptr && has_gaps(distribution.axis(axis));
  };
  std::vector<KnownPositions> of_axes;
  bool any = false;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    any = any || asks(i);
    of_axes.push_back(asks(i) ? own_positions(*own_of(distribution.axis(i)), comm) : KnownPositions{});
  }
  if (!any) return nullptr;
  collectively(comm, [&] {
    for (Index i = 0; i < distribution.ndim(); ++i)
      if (!asks(i)) of_axes[static_cast<std::size_t>(i)] = all_positions(distribution.axis(i));
  });
  return std::make_shared<const std::vector<KnownPositions>>(std::move(of_axes));
}

}  // namespace tridap::mpi
