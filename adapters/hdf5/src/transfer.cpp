#include "transfer.hpp"

#include "file.hpp"
#include "work.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace tridap::hdf5 {

namespace {

// What all processes need before a file is opened.
struct Prepared {
  std::vector<Work> works;
  std::unique_ptr<std::byte[]> staging;  // memory for the largest piece that passes through it
};

Prepared prepare(const std::vector<Task>& tasks, Direction direction, Index rank) {
  Prepared made;
  made.works.reserve(tasks.size());
  Index most = 0;
  for (const Task& task : tasks) {
    made.works.emplace_back(task, direction, rank);
    most = std::max(most, made.works.back().staging_bytes());
  }
  made.staging.reset(new std::byte[static_cast<std::size_t>(most)]);
  return made;
}

// Agrees that no process has faults, on the numbers of rounds, and on the modes: if any process must exchange, all do.
// **Collective.**
void agree(std::vector<Work>& works, std::size_t tasks, mpi::Faults faults, MPI_Comm comm) {
  std::vector<Index> most(1 + 2 * tasks, 0);
  most[0] = faults.ok() ? 0 : 1;
  for (std::size_t i = 0; i < works.size(); ++i) {
    most[1 + 2 * i] = works[i].pieces();
    most[2 + 2 * i] = works[i].mode == Work::Mode::exchange ? 1 : 0;
  }
  mpi::reduce(most.data(), static_cast<Index>(most.size()), MPI_MAX, comm);
  if (most[0] != 0) mpi::throw_faults(std::move(faults), comm);
  for (std::size_t i = 0; i < works.size(); ++i) {
    works[i].rounds = most[1 + 2 * i];
    if (most[2 + 2 * i] != 0) works[i].mode = Work::Mode::exchange;
  }
}

Handle transfer_list(Work::Mode mode) {
  Handle list = made("H5Pcreate", &H5Pclose, [] { return H5Pcreate(H5P_DATASET_XFER); });
  call("H5Pset_dxpl_mpio", [&] {
    return H5Pset_dxpl_mpio(list, mode == Work::Mode::independent ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE);
  });
  if (mode == Work::Mode::alone)
    call("H5Pset_dxpl_mpio_collective_opt",
         [&] { return H5Pset_dxpl_mpio_collective_opt(list, H5FD_MPIO_INDIVIDUAL_IO); });
  return list;
}

Handle simple_space(const std::vector<hsize_t>& extents) {
  if (extents.empty()) return made("H5Screate", &H5Sclose, [] { return H5Screate(H5S_SCALAR); });
  return made("H5Screate_simple", &H5Sclose,
              [&] { return H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr); });
}

// Everything that a call of HDF5 needs from a process that transfers nothing, made before the first call.
struct Calls {
  Handle dataset, list, file_space, nothing, empty_memory, memory_space;
  std::byte* staging = nullptr;  // for pieces that HDF5 cannot transfer from the buffer itself
};

void complete(Calls& calls, const Work& work, std::byte* staging) {
  calls.staging = staging;
  calls.list = transfer_list(work.mode);
  calls.file_space = made("H5Dget_space", &H5Sclose, [&] { return H5Dget_space(calls.dataset); });
  calls.nothing = made("H5Scopy", &H5Sclose, [&] { return H5Scopy(calls.file_space); });
  calls.empty_memory = simple_space({1});
  for (const hid_t space : {static_cast<hid_t>(calls.nothing), static_cast<hid_t>(calls.empty_memory)})
    call("H5Sselect_none", [&] { return H5Sselect_none(space); });
  if (work.form()) calls.memory_space = simple_space(work.form()->extents);
}

// The selections and the memory of one piece.
struct Selected {
  hid_t file, memory;
  void* data;
  Handle dense;  // the space of the staging memory
};

Selected select(const Task& task, const Work& work, const Calls& calls, const Piece& piece, Direction direction) {
  select_in_file(calls.file_space, piece, task.step ? &*task.step : nullptr);
  if (work.form()) {
    if (!piece.empty()) select_in_memory(calls.memory_space, piece, work.form()->steps);
    return {calls.file_space, calls.memory_space, task.buffer.data, {}};
  }
  if (direction == Direction::write) gather(task.buffer, piece, calls.staging);
  Handle dense = simple_space({static_cast<hsize_t>(element_count(piece))});
  return {calls.file_space, dense, calls.staging, std::move(dense)};
}

herr_t to_hdf5(const Task& task, const Calls& calls, const Selected& selected, Direction direction) {
  if (direction == Direction::write)
    return H5Dwrite(calls.dataset, task.type.id(), selected.memory, selected.file, calls.list, selected.data);
  return H5Dread(calls.dataset, task.type.id(), selected.memory, selected.file, calls.list, selected.data);
}

// One round: every process calls HDF5, with a piece or with nothing.
void do_round(const Task& task, Work& work, const Calls& calls, Index round, Direction direction, mpi::Faults& faults) {
  std::byte nothing{};
  const bool mine = round < work.pieces() && faults.ok();
  const Piece* piece = nullptr;
  Selected selected{calls.nothing, calls.empty_memory, &nothing, {}};
  if (mine)
    faults.attempt([&] {
      piece = &work.piece(round);
      selected = select(task, work, calls, *piece, direction);
    });
  const bool whole = mine && faults.ok();
  faults.attempt([&] {
    call(direction == Direction::write ? "H5Dwrite" : "H5Dread",
         [&] { return to_hdf5(task, calls, selected, direction); });
    if (whole && direction == Direction::read && !work.form()) scatter(task.buffer, *piece, calls.staging);
  });
}

class Progress {
 public:
  Progress(const std::vector<Work>& works, const std::function<void(double)>& tell, bool first)
      : tell_(first && tell ? &tell : nullptr) {
    for (const Work& work : works) all_ += work.rounds;
  }
  void add_round(mpi::Faults& faults) {
    ++done_;
    if (tell_ == nullptr) return;
    const mpi::Callback user;
    faults.attempt([&] { (*tell_)(static_cast<double>(done_) / static_cast<double>(all_)); });
  }

 private:
  const std::function<void(double)>* tell_;
  Index all_ = 0, done_ = 0;
};

}  // namespace

void transfer(const std::string& path, Direction direction, const std::vector<Task>& tasks, MPI_Comm comm,
              const std::function<void(double)>& progress) {
  const Index rank = mpi::rank_of(comm);
  const bool write = direction == Direction::write;
  const MPI_Comm of_hdf5 = mpi::duplicates_of(comm)->of(mpi::Library::hdf5);
  bool alone = false;
  for (const Task& task : tasks) alone = alone || task.in_other_files;
  mpi::Faults faults;
  Prepared prepared;
  faults.attempt([&] {
    if (!alone) {
      need_access(path, write);
      need_descriptors();
    }
    prepared = prepare(tasks, direction, rank);
  });
  std::vector<Work>& works = prepared.works;
  agree(works, tasks.size(), std::exchange(faults, {}), comm);
  bool same = true;
  for (const Work& work : works) same = same && work.mode != Work::Mode::independent;
  Handle file;
  std::vector<Calls> calls(tasks.size());
  // These calls of HDF5 are collective: each process makes all of them, also after one has failed here.
  faults.attempt([&] { file = alone ? open_alone(path) : open_together(path, write, same, of_hdf5); });
  for (std::size_t i = 0; file >= 0 && i < tasks.size(); ++i) {
    faults.attempt([&] {
      calls[i].dataset = made("H5Dopen", &H5Dclose, [&] { return H5Dopen2(file, tasks[i].name.c_str(), H5P_DEFAULT); });
    });
    if (faults.ok()) faults.attempt([&] { complete(calls[i], works[i], prepared.staging.get()); });
  }
  mpi::throw_faults(std::exchange(faults, {}), comm);
  Progress told(works, progress, rank == 0);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (Index round = 0; round < works[i].rounds; ++round) {
      do_round(tasks[i], works[i], calls[i], round, direction, faults);
      told.add_round(faults);
    }
    faults.attempt([&] { calls[i].dataset.close("H5Dclose"); });
  }
  faults.attempt([&] { file.close("H5Fclose"); });
  mpi::throw_faults(std::move(faults), comm);
}

}  // namespace tridap::hdf5
