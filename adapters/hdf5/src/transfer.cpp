#include "transfer.hpp"

#include "file.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace tridap::hdf5 {

namespace {

constexpr Index staging_bytes = Index{1} << 22;
constexpr Index long_stretch = Index{1} << 16;  // bytes
// Stretches of all processes in one call: a process that collects them has about 100 bytes for each.
constexpr Index most_stretches = Index{1} << 17, least_stretches = Index{1} << 12;

// How MPI reads and writes the bytes that HDF5 has selected.
enum class Mode {
  exchange,     // processes exchange what they have, so that few of them transfer large parts of the file
  alone,        // each process transfers its own bytes, in a collective call
  independent,  // in a call of its own
};

// What this process does for one array.
struct Work {
  std::unique_ptr<const Slabs> slabs;
  std::vector<Piece> pieces;       // of these slabs
  std::optional<MemoryForm> form;  // nullopt: through the staging memory
  Index rounds = 0;                // of all processes
  Mode mode = Mode::exchange;      // the same on all processes
};

// Whether several processes read the same elements.
bool overlaps(const Distribution& distribution) {
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (distribution.axis(i).has_communication_padding() || distribution.axis(i).shares_indices()) return true;
  return false;
}

// Collective reads of Open MPI 4.1 give wrong values if several processes read the same bytes, as they do of chunks
// that are compressed.
Mode mode_of(const Task& task, Direction direction, bool long_stretches) {
  if (direction == Direction::read && (task.chunked || task.in_other_files)) return Mode::independent;
  if (direction == Direction::read && overlaps(task.distribution)) return Mode::alone;
  return long_stretches && !task.chunked ? Mode::alone : Mode::exchange;
}

Slabs slabs_of_part(const Task& task, Index rank, Part part) {
  const Indices at = task.distribution.coordinates(rank);
  std::vector<std::vector<AxisSlab>> axes;
  for (std::size_t i = 0; i < at.size(); ++i)
    axes.push_back(axis_slabs(task.distribution.axis(static_cast<Index>(i)), at[i], part,
                              task.positions ? &(*task.positions)[i] : nullptr));
  return Slabs(std::move(axes));
}

Slabs slabs_of(const Task& task, Direction direction, Index rank) {
  if (!task.range) return slabs_of_part(task, rank, direction == Direction::write ? Part::owned : Part::local);
  const Index begin = task.range->begin, size = task.range->size();
  std::vector<AxisSlab> slabs;
  if (size > 0) slabs.push_back({begin, size, 1, size, {0, size}});
  return Slabs({std::move(slabs)});
}

Work work_of(const Task& task, Direction direction, Index rank) {
  const std::vector<Index> shape = task.distribution.shape();
  Work work;
  work.slabs = std::make_unique<const Slabs>(slabs_of(task, direction, rank));
  if (is_in_order(*work.slabs)) work.form = memory_form(task.buffer);
  Limits limits;
  if (!work.form) limits.bytes = staging_bytes;
  limits.stretches = std::max(least_stretches, most_stretches / task.distribution.processes());
  work.pieces = pieces_of(*work.slabs, shape, task.buffer.type.bytes, limits);
  bool long_ones = true;
  for (const Piece& piece : work.pieces)
    long_ones =
        long_ones && is_one_stretch(piece, shape) && element_count(piece) * task.buffer.type.bytes >= long_stretch;
  work.mode = mode_of(task, direction, long_ones);
  return work;
}

// What all processes need before a file is opened.
struct Prepared {
  std::vector<Work> works;
  std::unique_ptr<std::byte[]> staging;  // memory for the largest piece that passes through it
};

Prepared prepare(const std::vector<Task>& tasks, Direction direction, Index rank) {
  Prepared made;
  Index most = 0;
  for (const Task& task : tasks) {
    const Work& work = made.works.emplace_back(work_of(task, direction, rank));
    if (work.form) continue;
    for (const Piece& piece : work.pieces) most = std::max(most, element_count(piece) * task.buffer.type.bytes);
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
    most[1 + 2 * i] = static_cast<Index>(works[i].pieces.size());
    most[2 + 2 * i] = works[i].mode == Mode::exchange ? 1 : 0;
  }
  mpi::reduce(most.data(), static_cast<Index>(most.size()), MPI_MAX, comm);
  if (most[0] != 0) mpi::throw_faults(std::move(faults), comm);
  for (std::size_t i = 0; i < works.size(); ++i) {
    works[i].rounds = most[1 + 2 * i];
    if (most[2 + 2 * i] != 0) works[i].mode = Mode::exchange;
  }
}

Handle transfer_list(Mode mode) {
  Handle list = made("H5Pcreate", &H5Pclose, [] { return H5Pcreate(H5P_DATASET_XFER); });
  call("H5Pset_dxpl_mpio", [&] {
    return H5Pset_dxpl_mpio(list, mode == Mode::independent ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE);
  });
  if (mode == Mode::alone)
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
  if (work.form) calls.memory_space = simple_space(work.form->extents);
}

// The selections and the memory of one piece.
struct Selected {
  hid_t file, memory;
  void* data;
  Handle dense;  // the space of the staging memory
};

Selected select(const Task& task, const Work& work, const Calls& calls, const Piece& piece, Direction direction) {
  select_in_file(calls.file_space, piece, task.step ? &*task.step : nullptr);
  if (work.form) {
    if (!piece.empty()) select_in_memory(calls.memory_space, piece, work.form->steps);
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
void do_round(const Task& task, const Work& work, const Calls& calls, Index round, Direction direction,
              mpi::Faults& faults) {
  std::byte nothing{};
  const bool mine = round < static_cast<Index>(work.pieces.size()) && faults.ok();
  const Piece* const piece = mine ? &work.pieces[static_cast<std::size_t>(round)] : nullptr;
  Selected selected{calls.nothing, calls.empty_memory, &nothing, {}};
  if (mine) faults.attempt([&] { selected = select(task, work, calls, *piece, direction); });
  const bool whole = mine && faults.ok();
  faults.attempt([&] {
    call(direction == Direction::write ? "H5Dwrite" : "H5Dread",
         [&] { return to_hdf5(task, calls, selected, direction); });
    if (whole && direction == Direction::read && !work.form) scatter(task.buffer, *piece, calls.staging);
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
  for (const Work& work : works) same = same && work.mode != Mode::independent;
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
