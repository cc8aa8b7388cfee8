#include "moves.hpp"

#include <tridap/internal/shared_allocation.hpp>
#include <tridap/internal/typed.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace tridap::device {

using redistribute::at;
using redistribute::AxisMoves;
using redistribute::DeviceArrays;
using redistribute::End;
using redistribute::PlanData;
using redistribute::Standing;

namespace {

constexpr std::int32_t rows_of_a_thread = 16;  // those of a tile along which threads read and write

bool is_on_device(const Memory& memory) {
  return memory.kind == Memory::Kind::cuda || memory.kind == Memory::Kind::hip;
}

// Kernels use managed memory as memory of their device.
Memory as_device(Memory memory) {
  if (memory.kind == Memory::Kind::cuda_managed) memory.kind = Memory::Kind::cuda;
  return memory;
}

bool same(const Memory& a, const Memory& b) { return a.kind == b.kind && a.device == b.device; }

/// The axis of several elements, not `but`, along which strides are shortest; -1: there is none.
template <class Stride>
std::int32_t fastest_axis(const HostTables& tables, std::int32_t but, const Stride& stride) {
  std::int32_t fastest = -1;
  for (std::int32_t axis = 0; axis < static_cast<std::int32_t>(tables.axes().size()); ++axis) {
    if (axis == but || tables.axes()[at(axis)].extent <= 1) continue;
    if (fastest < 0 || std::abs(stride(axis)) <= std::abs(stride(fastest))) fastest = axis;
  }
  return fastest;
}

// What divides an array's address and strides, but for that of an axis.
template <class Strides>
WordSize alignment(const void* data, const Strides& strides, std::optional<std::size_t> but = {}) {
  WordSize word;
  word.add(data);
  for (std::size_t axis = 0; axis < strides.size(); ++axis)
    if (axis != but) word.add(strides[axis]);
  return word;
}

// The axis of several elements which follow one another in the memory of the target and of all sources, if there is
// one.
std::optional<std::size_t> dense_axis(const Buffer& target, const std::vector<std::vector<Long>>& there) {
  for (std::size_t axis = 0; axis < target.shape.size(); ++axis) {
    const auto is_dense = [&](const auto& strides) { return strides.empty() || strides[axis] == target.type.bytes; };
    if (target.shape[axis] > 1 && is_dense(target.strides) && std::all_of(there.begin(), there.end(), is_dense))
      return axis;
  }
  return {};
}

std::int32_t power_of_two(Long extent, std::int32_t least, std::int32_t most) {
  std::int32_t size = least;
  while (size < most && size < extent) size *= 2;
  return size;
}

}  // namespace

bool Pulls::all_are_near() const {
  for (int rank = 0; rank < mpi::processes_of(comm_); ++rank)
    if (!mpi::on_this_node(rank, comm_)) return false;
  return true;
}

bool Pulls::find_boards() {
  if (boards_ == nullptr) boards_ = Boards::made(comm_);  // a move of another plan may have made them
  return boards_ != nullptr;
}

// This process's array at an end, if it has elements; otherwise null.
const DistArray* Pulls::elements_at(End end, const DeviceArrays& arrays) const {
  if (!plan_.side(end).process) return nullptr;
  const DistArray* const array = end == End::source ? arrays.source : arrays.target;
  return element_count(array->buffer) > 0 ? array : nullptr;
}

// Adds what others need to know of a source; false: its memory has no handle.
bool Pulls::add_entry(const Buffer& source) {
  const auto place = driver::place_of(source.data, source.memory.kind);
  if (!place || place->kind != driver::Place::Kind::device || source.ndim() > Entry::most_axes ||
      place->buffer_id == 0 || place->begin == 0)
    return false;
  Entry entry;
  entry.memory.process = process_number();
  entry.memory.number = place->buffer_id;
  entry.memory.address = place->begin;
  entry.offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(source.data) - place->begin);
  entry.ndim = source.ndim();
  std::copy(source.strides.begin(), source.strides.end(), entry.strides.begin());
  if (const auto known = boards_ == nullptr ? std::nullopt : boards_->find(entry)) {
    entry = boards_->ours().entries[*known];
  } else {
    const driver::Table& table = driver::need_table(source.memory);
    const driver::InContext in(table, source.memory.device);
    if (table.make_handle(&entry.memory.handle, place->begin) != 0) return false;
  }
  entries_.push_back(entry);
  return true;
}

Standing Pulls::stand(const std::vector<DeviceArrays>& arrays) {
  arrays_ = arrays;
  entries_.clear();
  memory_ = {};
  find_boards();
  why_slots_.clear();
  Memory waited_for;
  const char* why = !all_are_near()                   ? "the processes are on several nodes"
                    : arrays.size() > Board::most     ? "a move has more than 15 arrays"
                    : plan_.mapping.ravel.has_value() ? "the plan ravels"
                                                      : nullptr;
  for (const DeviceArrays& array : arrays)
    for (const End end : {End::source, End::target})
      if (const DistArray* const ours = elements_at(end, array)) {
        const Memory memory = as_device(ours->buffer.memory);
        if (memory_.is_on_host()) memory_ = memory;
        if (!is_on_device(memory))
          why = "an array of this process is in the memory of the host";
        else if (!same(memory, memory_))
          why = "arrays of this process are on several devices";
        if (!memory.is_on_host() && !same(memory, waited_for)) driver::synchronize(memory, nullptr);
        if (!memory.is_on_host()) waited_for = memory;
      }
  if (memory_.is_on_host()) {
    if (why != nullptr) why_slots_ = why;
    return Standing::host;
  }
  if (why == nullptr && takes_slots()) why = "the processes cannot open the memory of one another's devices";
  if (why != nullptr) return slots_because(why);
  const bool alone = mpi::processes_of(comm_) == 1;  // no process but this one reads the sources
  for (const DeviceArrays& array : arrays)
    if (const DistArray* const source = alone ? nullptr : elements_at(End::source, array)) {
      if (!add_entry(source->buffer)) return slots_because("memory of this process has no handle for others");
    } else {
      entries_.emplace_back();
    }
  if (boards_ == nullptr) return Standing::news;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].memory.number == 0) continue;
    const auto known = boards_->find(entries_[i]);
    if (!known) return Standing::news;
    boards_->ours().now[i] = *known;
  }
  return Standing::known;
}

Standing Pulls::slots_because(const char* why) {
  why_slots_ = why;
  return Standing::slots;
}

bool Pulls::tell() {
  if (!find_boards()) boards_ = Boards::make(comm_);
  if (boards_ == nullptr) {
    no_boards_ = true;
    return false;
  }
  boards_->drop_freed();
  Board& board = boards_->ours();
  std::vector<bool> is_known(entries_.size(), false);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (const auto known = boards_->find(entries_[i]); known && entries_[i].memory.number != 0) {
      board.now[i] = *known;
      is_known[i] = true;
    } else {
      board.now[i] = Board::most;  // of none
    }
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (!is_known[i] && entries_[i].memory.number != 0) {
      const auto same_as_before = boards_->find(entries_[i]);
      board.now[i] = same_as_before ? *same_as_before : boards_->add(entries_[i], entries_.size());
    }
  mpi::barrier(comm_);
  boards_->close_unnamed();
  mpi::Faults faults;
  faults.attempt([&] { open_all(); });
  boards_->takes_slots = mpi::reduced(faults.ok() ? 0 : 1, MPI_MAX, comm_) != 0;
  if (boards_->takes_slots) {
    why_slots_ = "the processes cannot open the memory of one another's devices";
    boards_->clear();  // no move reads it again
    mpi::barrier(comm_);
  }
  boards_->free_dropped();
  return !boards_->takes_slots;
}

// Opens the sources that this process reads. Throws Error.
void Pulls::open_all() {
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (elements_at(End::target, arrays_[i]) != nullptr) sources_of(i);
}

void Pulls::begin(const redistribute::DeviceStep& step, mpi::Faults& faults) {
  step_ = step;
  faults_ = &faults;
  ++boards_->number;
  boards_->moving = true;
  said_ = false;
  faults.attempt([&] { launch_all(); });
  if (faults.ok()) return;
  mpi::Faults then;  // kernels of other arrays may be running
  if (!memory_.is_on_host()) then.attempt([&] { driver::synchronize(memory_, nullptr); });
  say(true);
}

void Pulls::launch_all() {
  bool launched = false;
  launched_ = nullptr;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const Buffer& target = arrays_[i].target->buffer;
    if (elements_at(End::target, arrays_[i]) == nullptr) continue;
    Sources sources = sources_of(i);
    const auto dense = step_.copies ? dense_axis(target, sources.strides) : std::nullopt;
    const WordSize here = alignment(target.data, target.strides, dense);
    WordSize there, both = here;
    for (std::size_t k = 0; k < sources.data.size(); ++k)
      there.add(alignment(sources.data[k], sources.strides[k], dense));
    both.add(there);
    if (!dense) both.add(target.type.bytes);
    const Prepared& made = prepared(target, std::move(sources), step_.copies ? both.bytes() : 0);
    const Layout& layout = *made.layout;
    if (layout.count == 0) continue;
    PullTask task = layout.task;
    task.target = static_cast<char*>(target.data);
    task.peers = made.upload.at<const char*>(0);
    if (step_.copies) {
      launch(memory_, layout.kernel, blocks_for(task.tiles, 1), threads, &task);
    } else {
      CombineTask computes{task, arithmetic_of(step_, here, there), layout.count};
      launch(memory_, layout.kernel, blocks_for(layout.count, threads), threads, &computes);
    }
    launched = true;
  }
  if (!launched) return;
  const driver::Table& table = driver::need_table(memory_);
  const driver::InContext in(table, memory_.device);
  launched_ = make_event(memory_);
  driver::need_success(table, table.record_event(launched_.get(), nullptr), "recording an event");
}

// Where the arrays of the peers are, by number. Throws Error if this process cannot open one.
Pulls::Sources Pulls::sources_of(std::size_t array) {
  const std::vector<AxisMoves>& axes = plan_.target.axes;
  std::size_t count = 1;
  for (const AxisMoves& axis : axes) count *= axis.shares.size();
  Sources sources;
  sources.data.resize(count);
  sources.strides.resize(count);
  plan_.each_peer(End::target, [&](Index rank, const std::vector<Index>& peers, Index) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) number = number * axes[i].shares.size() + axes[i].slot(peers[i]);
    const char*& data = sources.data[number];
    std::vector<Long>& its_strides = sources.strides[number];
    const auto add_strides = [&](const auto& strides) {
      for (std::size_t i = 0; i < axes.size(); ++i) its_strides.push_back(strides[at(plan_.axis_of(End::source, i))]);
    };
    if (rank == boards_->rank()) {
      data = static_cast<const char*>(arrays_[array].source->buffer.data);
      add_strides(arrays_[array].source->buffer.strides);
    } else {
      const Board& board = boards_->board(rank);
      const Entry& entry = board.entries[board.now[array]];
      data = boards_->open(rank, entry, memory_);
      add_strides(entry.strides);
    }
  });
  return sources;
}

// What an earlier move has prepared, if it is the same; otherwise in the place of what was not used for the longest
// time. Sources in other places need new addresses alone, if their layout is known.
const Pulls::Prepared& Pulls::prepared(const Buffer& target, Sources sources, Index most) {
  std::unique_ptr<Prepared>* oldest = &prepared_[0];
  std::shared_ptr<const Layout> layout;
  for (auto& known : prepared_) {
    if (known && known->layout->most == most && known->layout->device == memory_.device &&
        known->layout->here == target.strides && known->layout->there == sources.strides) {
      layout = known->layout;
      if (known->data == sources.data) {
        known->used = boards_->number;
        return *known;
      }
    }
    if (*oldest && (!known || known->used < (*oldest)->used)) oldest = &known;
  }
  auto made = std::make_unique<Prepared>();
  made->layout = layout ? std::move(layout) : laid_out(target, std::move(sources.strides), most);
  made->data = std::move(sources.data);
  made->used = boards_->number;
  made->upload.add(made->data);
  made->upload.send(memory_);
  *oldest = std::move(made);
  return **oldest;
}

// The axes of the plan in this order.
HostTables Pulls::tables_for(const Buffer& target, const std::vector<std::size_t>& order) const {
  const std::vector<AxisMoves>& axes = plan_.target.axes;
  std::vector<Index> weights(axes.size(), 1);
  for (std::size_t i = axes.size(); i-- > 1;)
    weights[i - 1] = weights[i] * std::max<Index>(static_cast<Index>(axes[i].shares.size()), 1);
  HostTables tables;
  for (const std::size_t i : order) tables.add(axes[i], target.strides[i], weights[i]);
  return tables;
}

// The axes are in the order of the target's memory, outermost first; if elements are divided, words are behind them.
std::shared_ptr<const Pulls::Layout> Pulls::laid_out(const Buffer& target, std::vector<std::vector<Long>> there,
                                                     Index most) const {
  const auto made = std::make_shared<Layout>();
  made->here = target.strides;
  made->there = std::move(there);
  made->device = memory_.device;
  made->most = most;
  std::vector<std::size_t> order(target.strides.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(target.strides[a]) > std::abs(target.strides[b]);
  });
  HostTables tables = tables_for(target, order);
  const auto dense = most > 0 ? dense_axis(target, made->there) : std::nullopt;
  const Index bytes = target.type.bytes;
  Index word = most;
  if (dense)
    word = tables.divide(at(std::find(order.begin(), order.end(), *dense) - order.begin()), bytes, most);
  else if (order.empty() || (most > 0 && bytes > most))
    tables.add_words(most > 0 ? bytes / most : 1, most);
  const std::size_t ndim = tables.axes().size();
  std::vector<Long> strides, of_one;
  for (const std::vector<Long>& by_axis : made->there) {
    const bool is_peer = by_axis.size() == order.size();
    std::vector<Long> own(ndim, word);
    if (is_peer)
      for (std::size_t k = 0; k < order.size(); ++k) own[k] = order[k] == dense ? word : by_axis[order[k]];
    strides.insert(strides.end(), own.begin(), own.end());
    if (is_peer && of_one.empty()) of_one = std::move(own);
  }
  const UploadedTables uploaded(made->upload, tables);
  const std::size_t strides_at = made->upload.add(strides);
  made->upload.send(memory_);
  made->task.tables = uploaded.in(made->upload);
  made->task.strides = made->upload.at<Long>(strides_at);
  made->count = tables.words();
  if (most == 0)
    made->kernel = "tridap_combine";
  else if (made->count > 0)
    choose_tiles(*made, tables, of_one, word);
  return made;
}

// Tiles along the axis that is fastest here, and the one that is fastest there. `there`: the strides of some source.
void Pulls::choose_tiles(Layout& made, const HostTables& tables, const std::vector<Long>& there, Index word) {
  PullTask& task = made.task;
  const auto here = [&](std::int32_t axis) { return tables.axes()[at(axis)].step; };
  task.x = std::max(fastest_axis(tables, -1, here), 0);
  const std::int32_t y = fastest_axis(tables, -1, [&](std::int32_t axis) { return there[at(axis)]; });
  const bool turned = y >= 0 && y != task.x;
  task.y = turned ? y : fastest_axis(tables, task.x, here);
  const Long extent_x = tables.axes()[at(task.x)].extent, extent_y = task.y < 0 ? 1 : tables.axes()[at(task.y)].extent;
  task.tile_x = turned ? turned_x : power_of_two(extent_x, 8, threads);
  task.tile_y = turned ? power_of_two(extent_y, 32, static_cast<std::int32_t>(most_turned_y(word)))
                       : std::min(threads, rows_of_a_thread * threads / task.tile_x);
  task.tiles_x = (extent_x + task.tile_x - 1) / task.tile_x;
  task.tiles_y = (extent_y + task.tile_y - 1) / task.tile_y;
  task.tiles = task.tiles_x * task.tiles_y * (tables.words() / extent_x / extent_y);
  made.kernel = (turned ? "tridap_turned_" : "tridap_rows_") + std::to_string(word);
}

// Tells all that the move has ended here.
void Pulls::say(bool failed) {
  if (said_) return;
  said_ = true;
  boards_->ours().done.store(2 * boards_->number + (failed ? 1 : 0), std::memory_order_release);
}

bool Pulls::launched_all_ended() { return memory_.is_on_host() || !launched_ || has_ended(memory_, launched_.get()); }

bool Pulls::test() {
  if (!said_) {
    bool ended = true;
    faults_->attempt([&] { ended = launched_all_ended(); });
    if (!ended) return false;
    say(!faults_->ok());
  }
  failed_ = false;
  for (Index rank = 0; rank < boards_->processes(); ++rank) {
    const std::uint64_t done = boards_->board(rank).done.load(std::memory_order_acquire);
    if (done / 2 < boards_->number) return false;
    failed_ = failed_ || done % 2 != 0;
  }
  boards_->moving = false;
  return true;
}

}  // namespace tridap::device
