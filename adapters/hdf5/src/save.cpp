#include "create.hpp"
#include "file.hpp"
#include "layout.hpp"
#include "transfer.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/hdf5/save.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/new_file.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/text.hpp>

#include <memory>
#include <set>
#include <utility>

namespace tridap::hdf5 {

namespace {

void need_options(const SaveOptions& options) {
  if (options.step && *options.step < 0)
    refuse_key("step", std::to_string(*options.step), "must be at least 0", "give the number of the step");
  if (options.compression < 0 || options.compression > 9)
    refuse_key("compression", std::to_string(options.compression), "must be from 0 to 9", "give a level of gzip");
}

// Throws Error if an array has the name of a group that another one needs.
void need_groups_of(const std::set<std::string>& names) {
  for (const std::string& name : names)
    for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1))
      if (const std::string group = name.substr(0, end); names.count(group) > 0)
        refuse_key("name", "'" + clean(name) + "'", "needs a group '" + clean(group) + "', and an array has this name",
                   "give one of the two arrays another name");
}

void need_names(const std::vector<Named>& arrays) {
  if (arrays.empty()) refuse("there is no array to save", "", "give at least one");
  std::set<std::string> names;
  for (const Named& array : arrays) {
    need_name(array.name);
    if (!names.insert(array.name).second)
      refuse_key("name", "'" + array.name + "'", "must be the name of one array", "give each array its own name");
  }
  need_groups_of(names);
}

void need_buffer(const Named& named) {
  const Buffer& buffer = named.array.buffer;
  throw_if_wrong(check(buffer));
  if (buffer.memory.kind != Memory::Kind::host)
    refuse("the buffer of '" + named.name + "' is in " + buffer.memory.name() + " memory, and HDF5 reads host memory",
           "", "give an array in host memory");
}

Datatype type_of(const Named& named) {
  if (!named.type) return datatype(named.array.buffer.type);
  if (static_cast<Index>(H5Tget_size(named.type.id())) != named.array.buffer.type.bytes)
    refuse("the type for '" + named.name + "' has " + std::to_string(H5Tget_size(named.type.id())) +
               " bytes, and the elements have " + std::to_string(named.array.buffer.type.bytes),
           "", "give a type of the same length");
  return named.type;
}

// What must be the same on all processes.
Index digest_of(const std::string& path, const std::vector<Named>& arrays, const SaveOptions& options) {
  Digest digest;
  digest.add(path);
  for (const Named& named : arrays) {
    digest.add(named.name);
    digest.add(named.array.buffer.type.text());
    digest.add(named.distribution ? 1 : 0);
  }
  digest.add(options.step.value_or(-1));
  digest.add(options.compression);
  if (options.chunks) digest.add_all(*options.chunks);
  return digest.value();
}

// A distribution that the caller knows fits the communicator and the buffer. Local.
void need_distribution(const Named& named, Index processes, Index rank) {
  if (!named.distribution) return;
  if (named.distribution->processes() != processes)
    refuse("the distribution of '" + named.name + "' is for " + std::to_string(named.distribution->processes()) +
               " processes, and the communicator has " + std::to_string(processes),
           "", "give the communicator of the array's processes", {}, Rule::grid_product);
  if (IndexList(named.distribution->local_shape(rank)) != named.array.buffer.shape)
    refuse("the buffer of '" + named.name + "' has another shape than its distribution", "",
           "give the whole local buffer");
}

void check(const std::vector<Named>& arrays, MPI_Comm comm, const SaveOptions& options) {
  need_options(options);
  need_names(arrays);
  const Index processes = mpi::MpiCollectives(comm).processes(), rank = mpi::rank_of(comm);
  for (const Named& named : arrays) {
    need_buffer(named);
    need_distribution(named, processes, rank);
    type_of(named);
  }
}

std::vector<Task> tasks_of(const std::vector<Named>& arrays, MPI_Comm comm, const SaveOptions& options) {
  std::vector<Distribution> distributions;
  for (const Named& named : arrays)
    distributions.push_back(named.distribution ? *named.distribution : mpi::gather_distribution(named.array, comm));
  return mpi::collectively(comm, [&] {
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < arrays.size(); ++i)
      tasks.push_back({arrays[i].name, arrays[i].array.buffer, distributions[i], type_of(arrays[i]), options.step});
    return tasks;
  });
}

std::vector<Plan> plans_of(const std::vector<Task>& tasks) {
  std::vector<Plan> plans;
  for (const Task& task : tasks)
    plans.push_back({task.name, task.distribution.shape(), task.type, layout_text(task.distribution)});
  return plans;
}

// Rank 0's file, and what it is called until it is complete.
struct Incomplete {
  std::unique_ptr<mpi::NewFile> file;
  std::string name;
};

Incomplete begin(const std::string& path, std::vector<Task>& tasks, MPI_Comm comm, const SaveOptions& options) {
  std::vector<Index> chunked(tasks.size(), 0);
  Incomplete made_file;
  made_file.file = mpi::collectively(comm, [&]() -> std::unique_ptr<mpi::NewFile> {
    if (mpi::rank_of(comm) != 0) return nullptr;
    auto file = std::make_unique<mpi::NewFile>(path);
    const bool continued = options.step && file->replaces();
    if (continued) copy_file(file->target(), file->incomplete_name());
    std::vector<Plan> plans = plans_of(tasks);
    create(file->incomplete_name(), continued, plans, options);
    for (std::size_t i = 0; i < plans.size(); ++i) chunked[i] = plans[i].chunked ? 1 : 0;
    return file;
  });
  if (made_file.file) made_file.name = made_file.file->incomplete_name();
  auto length = static_cast<int>(made_file.name.size());
  mpi::must_succeed(MPI_Bcast(&length, 1, MPI_INT, 0, comm), "MPI_Bcast");
  made_file.name.resize(static_cast<std::size_t>(length));
  mpi::must_succeed(MPI_Bcast(made_file.name.data(), length, MPI_CHAR, 0, comm), "MPI_Bcast");
  mpi::must_succeed(MPI_Bcast(chunked.data(), static_cast<int>(chunked.size()), MPI_INT64_T, 0, comm), "MPI_Bcast");
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].chunked = chunked[i] != 0;
  return made_file;
}

Receipt receipt_of(const std::vector<Named>& arrays, const std::vector<Task>& tasks, Index rank, double begin_time) {
  Receipt receipt;
  receipt.shared = receipt.same_address = false;
  for (const Task& task : tasks) receipt.bytes_copied += task.distribution.count(rank) * task.buffer.type.bytes;
  for (const Named& named : arrays)
    for (const Dimension& dimension : named.array.dim_data)
      for (const Extra& extra : dimension.extras)
        receipt.losses.push_back("the key '" + extra.key + "' of '" + named.name + "'");
  receipt.seconds = MPI_Wtime() - begin_time;
  return receipt;
}

}  // namespace

Receipt save(const std::string& path, const std::vector<Named>& arrays, MPI_Comm comm, const SaveOptions& options) {
  const double begin_time = MPI_Wtime();
  const mpi::Call call(comm, "hdf5::save", mpi::Library::hdf5, [&](mpi::Record& record) {
    check(arrays, comm, options);
    record.add(digest_of(path, arrays, options));
  });
  comm = call.comm();
  if (!call.is_same(0))
    refuse("the processes save with different paths, names, element types or options",
           "must be the same on every process", "pass the same on every process");
  std::vector<Task> tasks = tasks_of(arrays, comm, options);
  Incomplete file = begin(path, tasks, comm, options);
  transfer(file.name, Direction::write, tasks, comm, options.progress);
  mpi::collectively(comm, [&] {
    if (file.file) file.file->complete();
  });
  return receipt_of(arrays, tasks, mpi::rank_of(comm), begin_time);
}

}  // namespace tridap::hdf5
