#include "create.hpp"
#include "file.hpp"
#include "first.hpp"
#include "lists.hpp"
#include "transfer.hpp"
#include "xdmf.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/hdf5/save.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/hdf5_steps.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/internal/new_file.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <filesystem>
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
  if (options.time) need_time(*options.time, options.step);
  if (options.xdmf) need_options(*options.xdmf);
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
    digest.add(mpi::said_of_directory(named.distribution));
  }
  digest.add(options.step.value_or(-1));
  digest.add(options.compression);
  if (options.chunks) digest.add_all(*options.chunks);
  if (options.time) digest.add(tridap::number_text(*options.time, 17));
  if (options.xdmf) digest.add(text_of(*options.xdmf));
  return digest.value();
}

// This process's part of an array can be saved. Local.
void need_array(const Named& named, Index processes, Index rank) {
  const Buffer& buffer = named.array.buffer;
  throw_if_wrong(check(buffer));
  need_host_memory(buffer, "the buffer of '" + named.name + "'");
  if (!named.distribution) return;
  need_processes(*named.distribution, processes, "the distribution of '" + named.name + "'");
  need_part(buffer, *named.distribution, rank, "the buffer of '" + named.name + "'");
}

std::vector<Task> tasks_of(const std::vector<Named>& arrays, const std::vector<Datatype>& types, MPI_Comm comm,
                           const SaveOptions& options) {
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& [name, array, distribution, type] = arrays[i];
    tasks.push_back({name, array.buffer, distribution ? *distribution : mpi::gather_distribution(array, comm), types[i],
                     options.step});
    tasks.back().positions = known_positions(tasks.back().distribution, comm);
  }
  return tasks;
}

std::vector<Plan> plans_of(const std::vector<Task>& tasks) {
  std::vector<Plan> plans;
  for (const Task& task : tasks) {
    Layout layout = layout_of(task.distribution);
    name_lists(layout, task.name);
    plans.push_back({task.name, task.distribution.shape(), task.type, task.distribution, std::move(layout)});
  }
  return plans;
}

// The first process of each coordinate writes its list, if the lists stay on their processes. Else rank 0 has written
// them all.
std::vector<Task> tasks_of_lists(const std::vector<Task>& arrays, MPI_Comm comm) {
  const Index rank = mpi::rank_of(comm), processes = mpi::processes_of(comm);
  std::vector<Task> tasks;
  for (const Task& array : arrays) {
    if (!mpi::has_directory(array.distribution)) continue;
    Layout layout = layout_of(array.distribution);
    name_lists(layout, array.name);
    Indices here = array.distribution.coordinates(rank);
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const auto* const own = own_of(array.distribution.axis(static_cast<Index>(i)));
      if (own == nullptr) continue;
      const Index c = std::exchange(here[i], 0);
      const bool first = std::count(here.begin(), here.end(), 0) == static_cast<std::ptrdiff_t>(here.size());
      here[i] = c;
      const Index begin = layout[i].bounds[static_cast<std::size_t>(c)];
      const Index end = first ? layout[i].bounds[static_cast<std::size_t>(c) + 1] : begin;
      const Buffer list = row_major(own->list.data(), {end - begin});
      tasks.push_back({layout[i].indices, list, Distribution::make({layout[i].total()}, {block()}, {processes}),
                       datatype(list.type), std::nullopt});
      tasks.back().range = Range{begin, end};
    }
  }
  return tasks;
}

// On rank 0, the files until they are complete.
struct Files {
  std::unique_ptr<mpi::NewFile> data, xdmf;
};

// Makes the file on rank 0, and returns what it is called until it is complete, on all processes.
std::string begin(const std::string& path, std::vector<Task>& tasks, MPI_Comm comm, const SaveOptions& options,
                  Files& files) {
  const std::string all = from_first(comm, [&] {
    files.data = std::make_unique<mpi::NewFile>(path);
    const std::unique_ptr<mpi::NewFile>& file = files.data;
    const bool continued = options.step && file->replaces();
    if (continued) copy_file(file->target(), file->incomplete_name());
    std::vector<Plan> plans = plans_of(tasks);
    create(file->incomplete_name(), continued, plans, options);
    if (options.xdmf) {
      std::vector<std::string> names;
      for (const Plan& plan : plans) names.push_back(plan.name);
      files.xdmf = begin_xdmf(path, file->incomplete_name(), std::move(names), *options.xdmf);
    }
    Written made;
    for (const Plan& plan : plans) made.number(plan.chunked ? 1 : 0);
    made.text(std::filesystem::absolute(file->incomplete_name()).string());
    return made.take();
  });
  ToRead made(all);
  for (Task& task : tasks) task.chunked = made.number() != 0;
  return made.text();
}

Receipt receipt_of(const std::vector<Named>& arrays, const std::vector<Task>& tasks, Index rank, double begin_time) {
  Receipt receipt;
  receipt.shared = receipt.same_address = false;
  for (const Task& task : tasks) receipt.bytes_copied += task.distribution.count(rank) * task.buffer.type.bytes;
  for (const Named& named : arrays) add_lost_keys(named.array.dim_data, receipt, " of '" + named.name + "'");
  receipt.seconds = MPI_Wtime() - begin_time;
  return receipt;
}

}  // namespace

std::vector<Datatype> check_to_save(const std::vector<Named>& arrays, MPI_Comm comm, const SaveOptions& options) {
  need_options(options);
  need_names(arrays);
  const Index processes = mpi::processes_of(comm), rank = mpi::rank_of(comm);
  std::vector<Datatype> types;
  for (const Named& named : arrays) {
    need_array(named, processes, rank);
    types.push_back(type_of(named));
  }
  return types;
}

Receipt save_checked(const std::string& path, const std::vector<Named>& arrays, const std::vector<Datatype>& types,
                     MPI_Comm comm, const SaveOptions& options) {
  const double begin_time = MPI_Wtime();
  const mpi::Call call(comm, "hdf5::save", mpi::Library::hdf5);
  return call.run([&] {
    std::vector<Task> tasks = tasks_of(arrays, types, call.comm(), options);
    if (options.xdmf && options.xdmf->x_first) tasks.push_back(points_of(tasks, *options.xdmf, call.comm()));
    Files files;
    const std::string name = begin(path, tasks, call.comm(), options, files);
    std::vector<Task> all = tasks;
    for (Task& task : tasks_of_lists(tasks, call.comm())) all.push_back(std::move(task));
    transfer(name, Direction::write, all, call.comm(), options.progress);
    mpi::collectively(call.comm(), [&] {
      if (files.data) files.data->complete();
      if (files.xdmf) files.xdmf->complete();
    });
    return receipt_of(arrays, tasks, mpi::rank_of(call.comm()), begin_time);
  });
}

Receipt save(const std::string& path, const std::vector<Named>& arrays, MPI_Comm comm, const SaveOptions& options) {
  const mpi::Region region("tridap::hdf5::save");
  std::vector<Datatype> types;
  const mpi::Call call(comm, "hdf5::save", mpi::Library::hdf5, [&](mpi::Record& record) {
    types = check_to_save(arrays, comm, options);
    record.add(digest_of(path, arrays, options));
  });
  return call.run([&] {
    if (!call.is_same(0))
      refuse("the processes save with different paths, names, element types or options",
             "must be the same on every process", "pass the same on every process");
    return save_checked(path, arrays, types, call.comm(), options);
  });
}

}  // namespace tridap::hdf5
