#include "first.hpp"
#include "lists.hpp"
#include "transfer.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/hdf5/load.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/hdf5_steps.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/internal/number_texts.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace tridap::hdf5 {

namespace {

void need_indices(const Stored& stored, const Distribution& distribution) {
  if (stored.indices.empty()) return;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& here = distribution.axis(i);
    const auto& there = stored.indices[static_cast<std::size_t>(i)];
    if (!there || !is_compact(here)) continue;
    const DifferentIndices ours = different_indices(*here.unstructured());
    if (!(ours == DifferentIndices{there->count, there->digest}))
      refuse("the lists have other indices than those that the file was saved with", "must be the same indices",
             "give lists of the same indices", i);
  }
}

void need_distribution(const Stored& stored, const Distribution& distribution, Index processes) {
  need_processes(distribution, processes);
  if (distribution.shape() != stored.shape)
    refuse("the distribution has shape (" + joined(distribution.shape()) + "), and '" + clean(stored.name) + "' has (" +
               joined(stored.shape) + ")",
           "must be the same; boundary padding counts",
           "give a distribution of the shape in the file (in Python to = tridap.distribution(" +
               tuple_text(stored.shape) + ", processes=" + std::to_string(processes) + "))");
  need_indices(stored, distribution);
}

// Such as "1, 3 to 5".
std::string text_of(const std::vector<Range>& steps) {
  constexpr std::size_t most = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, steps.size()); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(steps[i].begin);
    if (steps[i].size() > 1) text += " to " + std::to_string(steps[i].end - 1);
  }
  return steps.size() > most ? text + ", ..." : text;
}

std::optional<Index> step_of(const Stored& stored, const LoadOptions& options) {
  if (!stored.steps) {
    if (options.step)
      refuse_key("step", std::to_string(*options.step), "'" + clean(stored.name) + "' was not saved step by step",
                 "leave out the step");
    return std::nullopt;
  }
  const std::vector<Range> saved = stored.saved_steps.value_or(std::vector<Range>{{0, *stored.steps}});
  if (saved.empty() || *stored.steps == 0)
    refuse("'" + clean(stored.name) + "' has no steps", "", "give the name of a dataset with elements");
  const Index step = options.step.value_or(saved.back().end - 1);
  if (step < 0 || step >= *stored.steps)
    refuse_key("step", std::to_string(step),
               "'" + clean(stored.name) + "' has " + std::to_string(*stored.steps) + " steps",
               "give a step from 0 to one less than their number");
  if (std::none_of(saved.begin(), saved.end(), [&](const Range& range) { return range.contains(step); }))
    refuse_key("step", std::to_string(step), "'" + clean(stored.name) + "' has only the steps " + text_of(saved),
               "give one of them");
  return step;
}

// The buffer takes numbers of bfloat16 as they are stored.
bool takes_bfloat16(const Buffer& buffer, const Stored& stored) {
  return buffer.type.kind == ElementType::Kind::bfloat && is_bfloat16(stored.type);
}

void need_buffer(const Buffer& buffer, const Stored& stored, const Distribution& distribution, Index rank) {
  throw_if_wrong(check(buffer));
  need_host_memory(buffer);
  if (buffer.read_only) refuse("the buffer is read-only", "", "give memory that may be written");
  if (!memory_order(buffer).is_unique) refuse("elements of the buffer share memory", "", "give other strides");
  need_part(buffer, distribution, rank);
  if (takes_bfloat16(buffer, stored)) return;
  const ElementType wanted = element_type(stored.type);
  if (wanted.bytes != buffer.type.bytes || (wanted.kind != ElementType::Kind::opaque && !wanted.is_like(buffer.type)))
    refuse("the buffer has " + buffer.type.text() + " elements, and '" + clean(stored.name) + "' has " + wanted.text(),
           "must be the same", "load it into a buffer of the file's type, and convert it then");
}

void need_same_kind(const mpi::Call& call) {
  if (!call.is_same(0))
    refuse("some processes load bfloat16 and others do not", "must be the same on every process",
           "pass the same options, or buffers of one element type");
}

}  // namespace

Reading check_to_load(const Buffer& buffer, const Stored& stored, const Distribution& distribution, MPI_Comm comm,
                      const LoadOptions& options) {
  need_distribution(stored, distribution, mpi::processes_of(comm));
  const std::optional<Index> step = step_of(stored, options);
  need_buffer(buffer, stored, distribution, mpi::rank_of(comm));
  return {step, takes_bfloat16(buffer, stored) ? datatype(buffer.type) : memory_type(stored.type)};
}

Receipt load_checked(const Buffer& buffer, const std::string& file, const Stored& stored,
                     const Distribution& distribution, MPI_Comm comm, const Reading& reading,
                     const LoadOptions& options) {
  const double begin = MPI_Wtime();
  const mpi::Call call(comm, "hdf5::load_into", mpi::Library::hdf5);
  return call.run([&] {
    std::vector<Task> tasks{
        {stored.name, buffer, distribution, reading.type, reading.step, stored.chunked, stored.in_other_files}};
    tasks.front().positions = known_positions(distribution, call.comm());
    transfer(file, Direction::read, tasks, call.comm(), options.progress);
    Receipt receipt;
    receipt.shared = receipt.same_address = false;
    receipt.bytes_copied = element_count(buffer) * buffer.type.bytes;
    receipt.seconds = MPI_Wtime() - begin;
    return receipt;
  });
}

Receipt load_into(const Buffer& buffer, const std::string& path, const Stored& stored, const Distribution& distribution,
                  MPI_Comm comm, const LoadOptions& options) {
  const mpi::Region region("tridap::hdf5::load_into");
  Reading reading;
  const mpi::Call call(comm, "hdf5::load_into", mpi::Library::hdf5, [&](mpi::Record& record) {
    reading = check_to_load(buffer, stored, distribution, comm, options);
    record.add(buffer.type.kind == ElementType::Kind::bfloat);
    record.add(mpi::said_of_directory(distribution));
  });
  return call.run([&] {
    need_same_kind(call);
    mpi::need_same_directory(call, 1);
    const std::string file = from_first(call.comm(), [&] { return std::filesystem::absolute(path).string(); });
    return load_checked(buffer, file, stored, distribution, call.comm(), reading, options);
  });
}

DistArray load(const std::string& path, const std::string& name, MPI_Comm comm,
               const std::optional<Distribution>& distribution, const LoadOptions& options) {
  const mpi::Region region("tridap::hdf5::load");
  const mpi::Call call(comm, "hdf5::load", mpi::Library::hdf5, [&](mpi::Record& record) {
    record.add(options.bfloat16);
    record.add(mpi::said_of_directory(distribution));
  });
  return call.run([&] {
    need_same_kind(call);
    mpi::need_same_directory(call, 1);
    const Search search(path, name, call.comm(), {false, !distribution, distribution.has_value(), options.most_listed});
    Stored stored;
    Reading reading;
    std::optional<Distribution> to;
    DistArray array;
    mpi::collectively(call.comm(), [&] {
      stored = search.understood();
      const Index processes = mpi::processes_of(call.comm()), rank = mpi::rank_of(call.comm());
      to = distribution ? *distribution : default_distribution(stored, processes);
      need_distribution(stored, *to, processes);
      const bool short_numbers = options.bfloat16 && is_bfloat16(stored.type);
      array.buffer = allocate(short_numbers ? ElementType{ElementType::Kind::bfloat, 2} : element_type(stored.type),
                              IndexList(to->local_shape(rank)));
      array.dim_data = to->dim_data(rank);
      reading = check_to_load(array.buffer, stored, *to, call.comm(), options);
    });
    load_checked(array.buffer, search.file(), stored, *to, call.comm(), reading, options);
    return array;
  });
}

}  // namespace tridap::hdf5
