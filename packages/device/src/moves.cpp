#include "moves.hpp"

#include <tridap/internal/shared_allocation.hpp>
#include <tridap/internal/typed.hpp>

#include <algorithm>
#include <cstdlib>

namespace tridap::device {

using redistribute::at;
using redistribute::AxisMoves;
using redistribute::DeviceArrays;
using redistribute::End;
using redistribute::PlanData;
using redistribute::Standing;

namespace {

constexpr std::int32_t rows_of_a_tile = 16;

bool has_elements(const DistArray& array) { return element_count(array.buffer) > 0; }

bool is_on_device(const Memory& memory) {
  return memory.kind == Memory::Kind::cuda || memory.kind == Memory::Kind::hip;
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

std::int32_t power_of_two(Long extent, std::int32_t most) {
  std::int32_t size = 8;
  while (size < most && size < extent) size *= 2;
  return size;
}

}  // namespace

bool Pulls::all_are_near() const {
  for (int rank = 0; rank < mpi::processes_of(comm_); ++rank)
    if (!mpi::on_this_node(rank, comm_)) return false;
  return true;
}

// Adds what others need to know of a source; false: its memory has no handle.
bool Pulls::add_entry(const Buffer& source) {
  const auto place = driver::place_of(source.data, source.memory.kind);
  if (!place || place->kind != driver::Place::Kind::device || source.ndim() > Entry::most_axes) return false;
  Entry entry;
  entry.allocation = place->buffer_id;
  entry.begin = place->begin;
  entry.offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(source.data) - place->begin);
  entry.ndim = source.ndim();
  std::copy(source.strides.begin(), source.strides.end(), entry.strides.begin());
  const auto known = boards_ == nullptr ? std::nullopt : boards_->find(entry);
  if (known) {
    entry = boards_->board(boards_->rank()).entries[*known];
  } else {
    const driver::Table& table = driver::need_table(source.memory);
    const driver::InContext in(table, source.memory.device);
    int device = 0;
    if (table.device(&device, static_cast<int>(source.memory.device)) != 0 || table.uuid(&entry.uuid, device) != 0 ||
        table.make_handle(&entry.handle, place->begin) != 0)
      return false;
  }
  entries_.push_back(entry);
  return true;
}

Standing Pulls::stand(const std::vector<DeviceArrays>& arrays) {
  arrays_ = arrays;
  entries_.clear();
  memory_ = {};
  bool slots = !all_are_near() || arrays.size() > Board::most || plan_.mapping.ravel.has_value();
  for (const DeviceArrays& array : arrays)
    for (const DistArray* side : {array.source, array.target}) {
      if (!has_elements(*side)) continue;
      if (memory_.is_on_host()) memory_ = side->buffer.memory;
      slots = slots || !is_on_device(side->buffer.memory) || !same(side->buffer.memory, memory_);
      if (!side->buffer.memory.is_on_host()) driver::synchronize(side->buffer.memory, nullptr);
    }
  if (memory_.is_on_host()) return Standing::host;
  if (slots || takes_slots()) return Standing::slots;
  for (const DeviceArrays& array : arrays)
    if (has_elements(*array.source)) {
      if (!add_entry(array.source->buffer)) return Standing::slots;
    } else {
      entries_.emplace_back();
    }
  if (boards_ == nullptr) return Standing::news;
  Board& board = boards_->board(boards_->rank());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].allocation == 0) continue;
    const auto known = boards_->find(entries_[i]);
    if (!known) return Standing::news;
    board.now[i] = *known;
  }
  return Standing::known;
}

bool Pulls::tell() {
  if (boards_ == nullptr) {
    try {
      boards_ = Boards::of(comm_);
    } catch (const std::exception&) {  // on all
      no_boards_ = true;
      return false;
    }
  }
  if (!memory_.is_on_host()) boards_->drop_freed(memory_.kind);
  Board& board = boards_->board(boards_->rank());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].allocation == 0) continue;
    const auto known = boards_->find(entries_[i]);
    board.now[i] = known ? *known : boards_->add(entries_[i]);
  }
  mpi::must_succeed(MPI_Barrier(comm_), "MPI_Barrier");
  boards_->close_unnamed();
  return true;
}

void Pulls::begin(const redistribute::DeviceStep& step, mpi::Faults& faults) {
  step_ = step;
  faults_ = &faults;
  ++boards_->number;
  launched_ = said_ = false;
  faults.attempt([&] { launch_all(); });
  if (!faults.ok()) say(Outcome::failed);
}

void Pulls::launch_all() {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const Buffer& target = arrays_[i].target->buffer;
    if (!plan_.target.process || element_count(target) == 0) continue;
    WordSize here, there;
    here.add(target.data);
    for (const Index stride : target.strides) here.add(stride);
    std::vector<Source> sources = sources_of(i, there);
    if (said_) return;
    WordSize both = here;
    both.add(there);
    both.add(target.type.bytes);
    const Prepared& made = prepared(target, std::move(sources), step_.copies ? both.bytes() : 0);
    if (made.count == 0) continue;
    PullTask task = made.task;
    task.target = static_cast<char*>(target.data);
    if (step_.copies) {
      launch(memory_, made.kernel, blocks_for(task.tiles, 1), threads, &task);
    } else {
      CombineTask computes{task, arithmetic_of(step_, here, there), made.count};
      launch(memory_, made.kernel, blocks_for(made.count, threads), threads, &computes);
    }
    launched_ = true;
  }
}

// Where the arrays of the peers are, by number. If one cannot be opened, it says so to all.
std::vector<Pulls::Source> Pulls::sources_of(std::size_t array, WordSize& word) {
  const std::vector<AxisMoves>& axes = plan_.target.axes;
  std::size_t count = 1;
  for (const AxisMoves& axis : axes) count *= axis.shares.size();
  std::vector<Source> sources(count);
  plan_.each_peer(End::target, [&](Index rank, const std::vector<Index>& peers, Index) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) number = number * axes[i].shares.size() + axes[i].slot(peers[i]);
    Source& source = sources[number];
    const auto add_strides = [&](const auto& strides) {
      for (std::size_t i = 0; i < axes.size(); ++i)
        source.strides.push_back(strides[at(plan_.axis_of(End::source, i))]);
    };
    if (rank == boards_->rank()) {
      source.data = static_cast<const char*>(arrays_[array].source->buffer.data);
      add_strides(arrays_[array].source->buffer.strides);
    } else {
      const Board& board = boards_->board(rank);
      const Entry& entry = board.entries[board.now[array]];
      try {
        if (!device_of(driver::need_table(memory_), entry.uuid)) return say(Outcome::no_access);
        source.data = boards_->open(rank, entry, memory_);
      } catch (const std::exception&) {
        return say(Outcome::no_access);
      }
      add_strides(entry.strides);
    }
    word.add(source.data);
    for (const Long stride : source.strides) word.add(stride);
  });
  return sources;
}

const Pulls::Prepared& Pulls::prepared(const Buffer& target, std::vector<Source> sources, Index word) {
  for (const auto& known : prepared_)
    if (known && known->bytes == word && known->strides == target.strides && known->sources == sources) return *known;
  auto made = std::make_unique<Prepared>();
  made->strides = target.strides;
  made->bytes = word;
  made->sources = std::move(sources);
  prepare(*made, target);
  std::unique_ptr<Prepared>& place = prepared_[next_];
  next_ = (next_ + 1) % prepared_.size();
  place = std::move(made);
  return *place;
}

// The axes in the order of the target's memory, outermost first. `order`: those of the plan; words are behind them.
HostTables Pulls::tables_for(const Buffer& target, const Prepared& made, std::vector<std::size_t>& order) const {
  const std::vector<AxisMoves>& axes = plan_.target.axes;
  std::vector<Index> weights(axes.size(), 1);
  for (std::size_t i = axes.size(); i-- > 1;)
    weights[i - 1] = weights[i] * std::max<Index>(static_cast<Index>(axes[i].shares.size()), 1);
  for (std::size_t i = 0; i < axes.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(target.strides[a]) > std::abs(target.strides[b]);
  });
  HostTables tables;
  for (const std::size_t i : order) tables.add(axes[i], target.strides[i], weights[i]);
  const Index words = made.bytes == 0 ? 1 : target.type.bytes / made.bytes;
  if (words > 1 || axes.empty()) tables.add_words(words, made.bytes);
  return tables;
}

void Pulls::prepare(Prepared& made, const Buffer& target) {
  std::vector<std::size_t> order;
  const HostTables tables = tables_for(target, made, order);
  std::vector<const char*> data;
  std::vector<Long> strides, of_one;
  for (const Source& source : made.sources) {
    data.push_back(source.data);
    std::vector<Long> own(tables.axes().size(), made.bytes);
    for (std::size_t k = 0; k < order.size(); ++k) own[k] = source.data == nullptr ? 0 : source.strides[order[k]];
    strides.insert(strides.end(), own.begin(), own.end());
    if (source.data != nullptr && of_one.empty()) of_one = own;
  }
  const UploadedTables uploaded(made.upload, tables);
  const std::size_t data_at = made.upload.add(data), strides_at = made.upload.add(strides);
  made.upload.send(memory_);
  made.task.tables = uploaded.in(made.upload);
  made.task.peers = made.upload.at<const char*>(data_at);
  made.task.strides = made.upload.at<Long>(strides_at);
  made.count = tables.words();
  if (made.bytes == 0)
    made.kernel = "tridap_combine";
  else if (made.count > 0)
    choose_tiles(made, tables, of_one);
}

// Tiles along the axis that is fastest here, and the one that is fastest there. `there`: the strides of some source.
void Pulls::choose_tiles(Prepared& made, const HostTables& tables, const std::vector<Long>& there) const {
  PullTask& task = made.task;
  const auto here = [&](std::int32_t axis) { return tables.axes()[at(axis)].step; };
  task.x = std::max(fastest_axis(tables, -1, here), 0);
  const std::int32_t y = fastest_axis(tables, -1, [&](std::int32_t axis) { return there[at(axis)]; });
  const bool turned = y >= 0 && y != task.x;
  task.y = turned ? y : fastest_axis(tables, task.x, here);
  const Long extent_x = tables.axes()[at(task.x)].extent, extent_y = task.y < 0 ? 1 : tables.axes()[at(task.y)].extent;
  task.tile_x = turned ? turned_side : power_of_two(extent_x, threads);
  task.tile_y = turned ? turned_side : std::max(rows_of_a_tile, threads / task.tile_x);
  task.tiles_x = (extent_x + task.tile_x - 1) / task.tile_x;
  task.tiles_y = (extent_y + task.tile_y - 1) / task.tile_y;
  task.tiles = task.tiles_x * task.tiles_y * (tables.words() / extent_x / extent_y);
  made.kernel = (turned ? "tridap_turned_" : "tridap_rows_") + std::to_string(made.bytes);
}

// Tells all how the move has ended here.
void Pulls::say(Outcome outcome) {
  if (said_) return;
  said_ = true;
  const std::uint64_t number = boards_->number;
  boards_->board(boards_->rank())
      .done[number % 2]
      .store(number * 4 + static_cast<std::uint64_t>(outcome), std::memory_order_release);
}

bool Pulls::launched_all_ended() {
  if (!launched_) return true;
  const driver::Table& table = driver::need_table(memory_);
  const driver::InContext in(table, memory_.device);
  constexpr int not_ready = 600;
  const int error = table.query_stream(nullptr);
  if (error == not_ready) return false;
  driver::need_success(table, error, "a kernel that moves elements");
  return true;
}

bool Pulls::test() {
  if (!said_ || launched_) {
    bool ended = true;
    faults_->attempt([&] { ended = launched_all_ended(); });
    if (!ended) return false;
    launched_ = false;
    say(faults_->ok() ? Outcome::good : Outcome::failed);
  }
  const std::uint64_t number = boards_->number;
  Outcome worst = Outcome::good;
  for (Index rank = 0; rank < boards_->processes(); ++rank) {
    const std::uint64_t done = boards_->board(rank).done[number % 2].load(std::memory_order_acquire);
    if (done / 4 < number) return false;
    worst = std::max(worst, static_cast<Outcome>(done % 4));
  }
  outcome_ = worst;
  boards_->closed = boards_->closed || worst == Outcome::no_access;
  return true;
}

}  // namespace tridap::device
