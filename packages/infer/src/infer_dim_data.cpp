#include "find_axes.hpp"
#include "read_ids.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/infer/infer_dim_data.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/number_texts.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tridap::infer {

namespace {

constexpr std::size_t numbers_per_share = 6;

// Checks the hints.
Report check_known(const InferenceHints& how, Index processes) {
  Report report;
  if (how.shape) {
    const bool negative = std::any_of(how.shape->begin(), how.shape->end(), [](Index extent) { return extent < 0; });
    const std::optional<Index> product = negative ? std::nullopt : checked_product(*how.shape);
    if (!product || !checked_add(how.base, *product))
      report.add(refusal("the shape is (" + joined(*how.shape) + ") and the index base " + std::to_string(how.base),
                         "must have extents of at least 0 whose product, plus the base, fits 64 bits",
                         "give the extents of the array"));
  }
  if (how.grid) {
    const bool positive = std::all_of(how.grid->begin(), how.grid->end(), [](Index extent) { return extent > 0; });
    if (!positive || how.grid->size() != (how.shape ? how.shape->size() : 1) || checked_product(*how.grid) != processes)
      report.add(refusal("the grid is (" + joined(*how.grid) + ") over " + std::to_string(processes) + " processes",
                         "must have one extent for each axis, whose product is the number of processes",
                         "leave the grid out, so that it is found"));
  }
  return report;
}

// One number for all hints: it differs if two processes pass different hints.
Index fingerprint(const InferenceHints& how) {
  Digest digest;
  for (const auto* extents : {&how.shape, &how.grid}) {
    digest.add(Index{extents->has_value()});
    if (*extents) digest.add_all(**extents);
  }
  digest.add(static_cast<Index>(how.numbering));
  digest.add(how.base);
  return digest.value();
}

// This process's ids as a product, and the messages: `ours` to all processes, and `theirs` from all.
struct Read {
  Walked walked;
  std::vector<Index> ours, theirs;
};

Read read(const GlobalIds& ids, const InferenceHints& how, Index processes) {
  Read done;
  done.walked = walk(ids, numbering_of(how));
  done.ours.push_back(done.walked.count);
  for (const Share& s : done.walked.shares)
    done.ours.insert(done.ours.end(), {s.count, s.first, s.block, s.stride, s.hash, s.reversed});
  done.theirs.resize(done.ours.size() * static_cast<std::size_t>(processes));
  return done;
}

// read(), or why this process cannot.
struct Attempt {
  Read done;
  Report known;
  mpi::Faults wrong;

  void make(const GlobalIds& ids, const InferenceHints& how, MPI_Comm comm) {
    wrong.attempt([&] {
      const Index processes = Index{mpi::processes_of(comm)};
      known = check_known(how, processes);
      if (known.ok()) done = read(ids, how, processes);
    });
  }
};

// Throws on every process if read() failed on any, or if their hints differ. **Collective.**
Read read_together(Attempt attempt, const InferenceHints& how, const mpi::Call& call) {
  if (!call.is_same(1)) {
    const MinMax print = mpi::min_max({fingerprint(how)}, call.comm()).front();
    refuse("processes " + std::to_string(std::min(print.smallest_rank, print.largest_rank)) + " and " +
               std::to_string(std::max(print.smallest_rank, print.largest_rank)) +
               " give different shapes, grids, numberings or bases",
           "must be the same on every process", "pass the same hints on every process");
  }
  if (!attempt.wrong.failed) throw_if_wrong(attempt.known);
  if (call.largest(0) != 0) mpi::throw_faults(std::move(attempt.wrong), call.comm());
  return std::move(attempt.done);
}

Everyone everyone_of(const std::vector<Index>& message, std::size_t ndim) {
  Everyone everyone;
  everyone.ndim = ndim;
  for (auto at = message.cbegin(); at != message.cend();) {
    everyone.count.push_back(*at++);
    for (std::size_t k = 0; k < ndim; ++k, at += numbers_per_share)
      everyone.shares.push_back({at[0], at[1], at[2], at[3], at[4], at[5]});
  }
  return everyone;
}

// True if all processes at the same coordinate of an axis have its indices in the same direction in memory.
bool same_direction(const FoundAxis& found, const Everyone& everyone, std::size_t k) {
  for (Index r = 0; r < everyone.processes(); ++r) {
    if (everyone.count[static_cast<std::size_t>(r)] == 0) continue;
    const Index first = found.first_owner[static_cast<std::size_t>(found.coordinate(r))];
    if (everyone.share(r, k).reversed != everyone.share(first, k).reversed) return false;
  }
  return true;
}

// Makes this process's dimension of each axis. For an unstructured axis, compare() must first find out whether indices
// are shared, and send its list to processes at the same coordinate that hold no elements.
class Dimensions {
 public:
  Dimensions(const std::vector<FoundAxis>& axes, const Everyone& everyone, Walked walked, Index rank)
      : axes_(axes), everyone_(everyone), walked_(std::move(walked)), rank_(rank), lists_(axes.size()) {
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      one_to_one_.push_back(1);
      as_in_memory_.push_back(!axes_[k].axis && same_direction(axes_[k], everyone_, k));
      if (!axes_[k].axis && walked_.count > 0) lists_[k] = our_list(k);
    }
  }

  // Sends each index of an unstructured axis, once for each coordinate, to the process that its hash selects.
  // **Collective.**
  void compare(MPI_Comm comm) {
    mpi::MpiCollectives collectives(comm);
    auto messages = mpi::collectively(comm, [&] { return pack(collectives.processes()); });
    const std::vector<Message> arrived = collectives.exchange(std::move(messages));
    mpi::collectively(comm, [&] { unpack(arrived); });
    for (Index& claim : one_to_one_) claim = -claim;
    collectives.max(one_to_one_);  // the minimum over all processes
    for (Index& claim : one_to_one_) claim = -claim;
  }

  bool any() const {
    return std::any_of(axes_.begin(), axes_.end(), [](const FoundAxis& found) { return !found.axis; });
  }
  bool reversed(std::size_t k) const { return walked_.shares[k].reversed != 0 && !as_in_memory_[k]; }

  // This process's dimension of an axis. It moves the list of indices out of this object.
  Dimension dimension(std::size_t k) {
    const FoundAxis& found = axes_[k];
    const Index c = found.coordinate(rank_);
    if (found.axis) return found.axis->dimension(c);
    Dimension dimension;
    dimension.size = found.size;
    dimension.proc_grid_size = found.grid;
    dimension.proc_grid_rank = c;
    dimension.dist = Unstructured{IndexBuffer(std::move(lists_[k])), one_to_one_[k] != 0};
    return dimension;
  }

 private:
  enum Purpose : Index { to_compare, to_keep };

  std::vector<Index> our_list(std::size_t k) {
    const Share& share = walked_.shares[k];
    std::vector<Index> list = share.listed() ? std::move(walked_.lists[k]) : share.indices();
    if (as_in_memory_[k] && share.reversed != 0) std::reverse(list.begin(), list.end());
    return list;
  }

  std::vector<Message> pack(Index processes) const {
    std::vector<Message> messages;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const FoundAxis& found = axes_[k];
      if (found.axis || found.first_owner[static_cast<std::size_t>(found.coordinate(rank_))] != rank_) continue;
      const std::size_t before = messages.size();
      for (Index r = 0; r < processes; ++r) messages.push_back({rank_, r, {static_cast<Index>(k), to_compare}});
      for (const Index index : lists_[k]) {
        messages[before + mixed_bits(index) % static_cast<std::uint64_t>(processes)].content.push_back(index);
      }
      for (Index r = 0; r < processes; ++r) {
        if (found.coordinate(r) != found.coordinate(rank_) || everyone_.count[static_cast<std::size_t>(r)] > 0)
          continue;
        messages.push_back({rank_, r, {static_cast<Index>(k), to_keep}});
        messages.back().content.insert(messages.back().content.end(), lists_[k].begin(), lists_[k].end());
      }
    }
    const auto has_no_index = [](const Message& message) { return message.content.size() == 2; };
    messages.erase(std::remove_if(messages.begin(), messages.end(), has_no_index), messages.end());
    return messages;
  }

  void unpack(const std::vector<Message>& arrived) {
    struct Entry {
      Index index, from;
      bool operator<(const Entry& other) const {
        return index != other.index ? index < other.index : from < other.from;
      }
    };
    Report report;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      std::vector<Entry> entries;
      for (const Message& message : arrived) {
        if (message.content[0] != static_cast<Index>(k)) continue;
        const auto begin = message.content.begin() + 2;
        if (message.content[1] == to_keep) {
          lists_[k].assign(begin, message.content.end());
        } else {
          std::for_each(begin, message.content.end(), [&](Index index) { entries.push_back({index, message.from}); });
        }
      }
      std::sort(entries.begin(), entries.end());
      for (std::size_t i = 1; i < entries.size(); ++i) {
        if (entries[i].index != entries[i - 1].index) continue;
        one_to_one_[k] = 0;
        if (entries[i].from == entries[i - 1].from)
          report.add({Rule::unstructured_unique, entries[i].from, static_cast<Index>(k), "",
                      "index " + std::to_string(entries[i].index) + " is listed twice", "", ""});
      }
    }
    throw_if_wrong(report);
  }

  const std::vector<FoundAxis>& axes_;
  const Everyone& everyone_;
  Walked walked_;
  Index rank_;
  std::vector<std::vector<Index>> lists_;  // by axis: this process's indices
  std::vector<Index> one_to_one_;          // by axis
  std::vector<bool> as_in_memory_;
};

std::vector<std::string> losses_of(const std::vector<FoundAxis>& axes, const InferenceHints& how) {
  std::vector<std::string> losses;
  if (how.base != 0) losses.push_back("the index base " + std::to_string(how.base));
  if (how.numbering == Order::column_major && axes.size() > 1) losses.emplace_back("the column-major numbering");
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (how.shape && axes[k].size != (*how.shape)[k])
      losses.push_back("the extent " + std::to_string((*how.shape)[k]) + " of axis " + std::to_string(k) +
                       ", whose shares add up to " + std::to_string(axes[k].size));
  return losses;
}

}  // namespace

InferredDimData infer_dim_data(const GlobalIds& ids, MPI_Comm comm, const InferenceHints& how) {
  Attempt attempt;
  const mpi::Call call(comm, "infer::infer_dim_data", {}, [&](mpi::Record& record) {
    attempt.make(ids, how, comm);
    record.add(attempt.wrong.ok() ? 0 : 1);
    record.add(fingerprint(how));
  });
  return call.run([&] {
    Read done = read_together(std::move(attempt), how, call);
    mpi::gather_all(done.ours.data(), static_cast<int>(done.ours.size()), done.theirs.data(), call.comm());
    const Everyone everyone = everyone_of(done.theirs, done.walked.shares.size());
    const std::vector<FoundAxis> axes = find_axes(everyone, how);  // throws the same Error on every process
    InferredDimData inferred;
    inferred.order.axes = done.walked.axes;
    inferred.losses = losses_of(axes, how);
    std::optional<Dimensions> dimensions;
    mpi::collectively(call.comm(),  // lists
                      [&] { dimensions.emplace(axes, everyone, std::move(done.walked), mpi::rank_of(call.comm())); });
    if (dimensions->any()) dimensions->compare(call.comm());
    for (std::size_t k = 0; k < axes.size(); ++k) {
      inferred.order.reversed.push_back(dimensions->reversed(k));
      inferred.dim_data.push_back(dimensions->dimension(k));
    }
    return inferred;
  });
}

}  // namespace tridap::infer
