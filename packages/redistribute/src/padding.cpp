#include "agreement.hpp"
#include "stream.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/device_halo.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/halo_exchange.hpp>
#include <tridap/internal/placement.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/internal/shown_call.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/padding.hpp>
#include <tridap/redistribute/padding.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tridap::redistribute {

namespace {

// The elements of a box of local indices, each row-major.
std::vector<AxisPieces> axes_of(const Buffer& buffer, const std::vector<Range>& box) {
  std::vector<AxisPieces> axes;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const Index step = buffer.strides[i];
    axes.push_back({step, 1, {{1, 0, 0, {{box[i].begin * step, 0, box[i].size(), 0}}}}});
  }
  return axes;
}

class Box {
 public:
  Box(const Buffer& buffer, const std::vector<Range>& box) : axes_(axes_of(buffer, box)) {
    std::vector<const AxisPieces*> axes;
    for (const AxisPieces& axis : axes_) axes.push_back(&axis);
    pieces_.emplace(std::move(axes), buffer.type.bytes, 0, std::vector<PeerBuffer>(1));
  }
  Box(Box&&) = default;

  const Pieces& pieces() const { return *pieces_; }

 private:
  std::vector<AxisPieces> axes_;
  std::optional<Pieces> pieces_;
};

// All that passes between this process and another in an update: the elements of all boxes, one after the other. We
// pack them: where 1-byte elements stand backwards in a row, a datatype of Open MPI 4.1.4 reads and writes other bytes.
class Boxes {
 public:
  using Moves = std::vector<PaddingMove>::const_iterator;
  // `box`: the end of the moves that is ours. `added`: what is done with values that arrive to be added.
  Boxes(const Buffer& buffer, Moves begin, Moves end, std::vector<Range> PaddingMove::*box, const ElementStep& added,
        const std::shared_ptr<mpi::Faults>& faults)
      : here_(static_cast<std::byte*>(buffer.data)), added_(added) {
    if (!buffer.memory.is_on_host()) {
      std::vector<std::vector<AxisPieces>> all;
      for (; begin != end; ++begin) all.push_back(axes_of(buffer, (*begin).*box));
      on_device_.emplace(buffer, std::move(all), faults);
      bytes_ = on_device_->bytes();
      return;
    }
    for (; begin != end; ++begin) boxes_.emplace_back(buffer, (*begin).*box);
    restart({});
    bytes_ = stream_.left();
  }

  Index bytes() const { return bytes_; }
  std::byte* contiguous() const { return on_device_ ? nullptr : stream_.contiguous(); }
  void pack(std::byte* to) {
    if (on_device_) return on_device_->pack(to);
    restart({});
    stream_.pack<CachedCopy>(to, stream_.left());
  }
  void unpack(const std::byte* from) { on_device_ ? on_device_->unpack(from) : bring(from, {}); }
  void add(const ElementType&, const std::byte* from) { on_device_ ? on_device_->add(from) : bring(from, added_); }

 private:
  void restart(const ElementStep& step) {
    stream_.begin(0, step);
    for (const Box& box : boxes_) stream_.add(box.pieces(), here_);
  }
  void bring(const std::byte* from, const ElementStep& step) {
    restart(step);
    stream_.unpack<CachedCopy>(from, stream_.left());
  }

  std::byte* here_;  // element (0, ..., 0) of the array
  ElementStep added_;
  std::optional<DeviceHalo> on_device_;  // of a buffer on a device, in place of what follows
  std::vector<Box> boxes_;
  Stream stream_;
  Index bytes_ = 0;
};

// The elements of several arrays, one array after the other.
class Arrays {
 public:
  void append(Boxes boxes) {
    bytes_ += boxes.bytes();
    arrays_.push_back(std::move(boxes));
  }

  Index bytes() const { return bytes_; }
  std::byte* contiguous() const { return arrays_.size() == 1 ? arrays_.front().contiguous() : nullptr; }
  void pack(std::byte* to) {
    for (Boxes& each : arrays_) {
      each.pack(to);
      to += each.bytes();
    }
  }
  void unpack(const std::byte* from) {
    for (Boxes& each : arrays_) {
      each.unpack(from);
      from += each.bytes();
    }
  }
  void add(const ElementType& type, const std::byte* from) {
    for (Boxes& each : arrays_) {
      each.add(type, from);
      from += each.bytes();
    }
  }

 private:
  std::vector<Boxes> arrays_;
  Index bytes_ = 0;
};

using Halo = HaloExchange<Arrays>;
using ByRank = std::map<Index, Arrays>;

// Appends all boxes of each process among `moves`, which are in the order of processes.
void append(ByRank& all, const Buffer& buffer, const std::vector<PaddingMove>& moves, const ElementStep& added,
            const PlacedDistribution& of, const std::shared_ptr<mpi::Faults>& faults) {
  for (auto begin = moves.begin(); begin != moves.end();) {
    const auto end =
        std::find_if(begin, moves.end(), [&](const PaddingMove& m) { return m.process != begin->process; });
    all[of.rank(begin->process)].append(Boxes(buffer, begin, end, &PaddingMove::here, added, faults));
    begin = end;
  }
}

std::vector<Halo::Peer> peers(ByRank all) {
  std::vector<Halo::Peer> found;
  for (auto& [rank, elements] : all) found.emplace_back(rank, std::move(elements));
  return found;
}

// How values that arrive are added. Throws Error if they cannot be.
ElementStep adding(const ElementType& type) {
  ElementStep added;
  added.scaling.beta = 1.0;
  added.source_bytes = added.target_bytes = type.bytes;
  added.combine = combiner(type, type, false, added.scaling);
  return added;
}

// The padding of a process's buffers and the elements that it repeats. Throws Error if values cannot be added that
// shall.
std::unique_ptr<Halo> halo_of(std::vector<PaddedBuffer> arrays, PaddingOperation operation, Index rank,
                              const std::shared_ptr<mpi::Faults>& faults) {
  const bool adds = operation == PaddingOperation::sum;
  ByRank owners, users;
  std::optional<Halo::Own> repeated;
  for (const auto& [buffer, placed] : arrays) {
    const PaddingPlan plan = padding_plan(placed.distribution(), *placed.process(rank));
    const ElementStep added = adds ? adding(buffer.type) : ElementStep{};
    append(owners, buffer, plan.receive, added, placed, faults);
    append(users, buffer, plan.send, added, placed, faults);
    if (plan.own.empty()) continue;
    if (!repeated) repeated.emplace();
    repeated->halo.append({buffer, plan.own.begin(), plan.own.end(), &PaddingMove::here, added, faults});
    repeated->interior.append({buffer, plan.own.begin(), plan.own.end(), &PaddingMove::there, added, faults});
  }
  Buffer all;  // which keeps the memory of all of them
  if (!arrays.empty()) all = arrays.front().buffer;
  if (arrays.size() > 1) all.owner = std::make_shared<std::vector<PaddedBuffer>>(std::move(arrays));
  return std::make_unique<Halo>(std::move(all), peers(std::move(owners)), peers(std::move(users)), std::move(repeated),
                                adds);
}

Index fingerprint(const std::vector<PaddedBuffer>& arrays, PaddingOperation operation) {
  Digest digest;
  digest.add(static_cast<Index>(operation));
  for (const PaddedBuffer& array : arrays) digest.add(fingerprint(array.distribution));
  return digest.value();
}

// That of the type, if there is one array.
Index types_number(const std::vector<PaddedBuffer>& arrays) {
  if (arrays.size() == 1) return type_number(arrays.front().buffer.type);
  Digest digest;
  for (const PaddedBuffer& array : arrays) digest.add(type_number(array.buffer.type));
  return digest.value();
}

// What holds on this process alone.
void check_here(const Buffer& buffer, const PlacedDistribution& placed, MPI_Comm comm) {
  throw_if_wrong(check(buffer));
  const Distribution& distribution = placed.distribution();
  const int processes = mpi::processes_of(comm);
  if (distribution.processes() != processes)
    refuse("the distribution is over " + std::to_string(distribution.processes()) + " processes",
           "must be over the " + std::to_string(processes) + " of the communicator",
           "pass a communicator with as many processes");
  need_ranks(placed, processes, "the array");
  if (buffer.ndim() != distribution.ndim())
    refuse("the buffer has " + std::to_string(buffer.ndim()) + " axes",
           "must have " + std::to_string(distribution.ndim()) + ", as the distribution",
           "pass a buffer with the axes of the distribution");
  const std::vector<Index> shape = distribution.local_shape(*placed.process(mpi::rank_of(comm)));
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (buffer.shape[i] != shape[i])
      refuse("the buffer's extent is " + std::to_string(buffer.shape[i]),
             "must be " + std::to_string(shape[i]) + ", the elements that this process holds with padding",
             "pass the whole local buffer", static_cast<Index>(i));
  need_halo_memory(buffer, "the buffer", "padding is");
}

// An element of an unstructured axis that several processes hold is not padding: all of them own it.
void check_shared(const Distribution& distribution) {
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    if (!axis.shares_indices()) continue;
    const auto& lists = *axis.unstructured();
    std::string fault = std::to_string(lists.total() - lists.distinct()) + " indices are on another coordinate too";
    if (lists.own() == nullptr) {
      const auto& entries = lists.entries();
      const auto twice = std::adjacent_find(entries.begin(), entries.end(),
                                            [](const auto& a, const auto& b) { return a.global == b.global; });
      fault = "index " + std::to_string(twice->global) + " is on the coordinates " +
              std::to_string(twice->place.coordinate) + " and " + std::to_string((twice + 1)->place.coordinate);
    }
    refuse(std::move(fault),
           "must be on one coordinate, because all coordinates that list an index own it, and only padding is updated",
           "list it on one coordinate, and make the copies the ghosts of a GhostedArray, whose update_ghosts and "
           "sum_ghosts bring their values",
           i);
  }
}

}  // namespace

struct PaddingUpdate::State {
  std::unique_ptr<Halo> halo;
  std::vector<Memory> memories;
  bool adds;
  Index number;
  DeviceFaults faults;

  State(std::unique_ptr<Halo> of, std::vector<Memory> in, bool adds_values, Index of_number, DeviceFaults of_devices)
      : halo(std::move(of)),
        memories(std::move(in)),
        adds(adds_values),
        number(of_number),
        faults(std::move(of_devices)) {}
  ~State() {
    faults.end(halo->started(), [this] { halo->wait(); });
  }
};

PaddingUpdate::PaddingUpdate(std::vector<PaddedBuffer> arrays, MPI_Comm comm, PaddingOperation operation) {
  const mpi::Call call(comm, "PaddingUpdate", {}, [&](mpi::Record& record) {
    bool on_device = false;
    for (const auto& [buffer, distribution] : arrays) {
      check_here(buffer, distribution, comm);
      on_device = on_device || !buffer.memory.is_on_host();
    }
    record.add(fingerprint(arrays, operation));
    record.add(types_number(arrays));
    record.add(on_device);
    record.add(static_cast<Index>(arrays.size()));
  });
  comm = call.comm();
  const mpi::Channel channel = mpi::channel_of(comm);
  call.run([&] {
    if (!call.is_same(3))
      refuse_different(static_cast<Index>(arrays.size()), "numbers of arrays",
                       "pass the same arrays on every process, in the same order", comm);
    if (!call.is_same(0))
      refuse_different(fingerprint(arrays, operation), "distributions or operations",
                       "pass the result of tridap::mpi::gather_distribution", comm);
    if (!call.is_same(1)) refuse_different(types_number(arrays), "element types", "pass parts of one array", comm);
    for (const PaddedBuffer& array : arrays) check_shared(array.distribution.distribution());
    state_ = mpi::collectively(comm, [&] {  // it makes messages of MPI, which may fail
      DeviceFaults faults(call.largest(2) > 0, comm);
      std::vector<Memory> memories;
      for (const PaddedBuffer& array : arrays) memories.push_back(array.buffer.memory);
      auto halo = halo_of(std::move(arrays), operation, mpi::rank_of(comm), faults.here);
      const bool adds = operation == PaddingOperation::sum;
      adds ? halo->open_sum(channel) : halo->open_fill(channel);
      return std::make_unique<State>(std::move(halo), std::move(memories), adds, channel.tag, std::move(faults));
    });
  });
}

namespace {

std::vector<PaddedBuffer> only(Buffer buffer, PlacedDistribution distribution) {
  std::vector<PaddedBuffer> arrays;
  arrays.push_back({std::move(buffer), std::move(distribution)});
  return arrays;
}

}  // namespace

PaddingUpdate::PaddingUpdate(Buffer buffer, const PlacedDistribution& distribution, MPI_Comm comm,
                             PaddingOperation operation)
    : PaddingUpdate(mpi::or_end_job("PaddingUpdate", comm, [&] { return only(std::move(buffer), distribution); }), comm,
                    operation) {}

PaddingUpdate::PaddingUpdate(Buffer buffer, const Distribution& distribution, MPI_Comm comm, PaddingOperation operation)
    : PaddingUpdate(mpi::or_end_job("PaddingUpdate", comm,
                                    [&] { return only(std::move(buffer), PlacedDistribution(distribution)); }),
                    comm, operation) {}

PaddingUpdate::PaddingUpdate(PaddingUpdate&&) noexcept = default;
PaddingUpdate& PaddingUpdate::operator=(PaddingUpdate&&) noexcept = default;
PaddingUpdate::~PaddingUpdate() = default;

void PaddingUpdate::update(DeviceStream stream) {
  const mpi::Region region("tridap::redistribute::PaddingUpdate::update");
  const mpi::ShownCall shown("PaddingUpdate::update");
  start(stream);
  wait();
}

void PaddingUpdate::start(DeviceStream stream) {
  const mpi::Region region("tridap::redistribute::PaddingUpdate::start");
  if (!state_->halo->started())
    for (const Memory& memory : state_->memories) state_->faults.wait_for(memory, stream);
  state_->adds ? state_->halo->start_sum() : state_->halo->start_fill();
}

void PaddingUpdate::wait() {
  const mpi::Region region("tridap::redistribute::PaddingUpdate::wait");
  if (!state_->halo->started()) refuse("no update is in progress", "must have been started", "call start() first");
  const mpi::ShownCall shown("PaddingUpdate::wait");
  state_->halo->wait();
  state_->faults.agree();
}

Index PaddingUpdate::number() const { return state_->number; }
Index PaddingUpdate::bytes_sent() const {
  return state_->adds ? state_->halo->bytes_from_owners() : state_->halo->bytes_to_users();
}
Index PaddingUpdate::bytes_received() const {
  return state_->adds ? state_->halo->bytes_to_users() : state_->halo->bytes_from_owners();
}

void update_padding(const DistArray& array, MPI_Comm comm, DeviceStream stream) {
  const mpi::Region region("tridap::redistribute::update_padding");
  const mpi::Call call(comm, "redistribute::update_padding");
  call.run([&] {
    const PlacedDistribution distribution(mpi::gather_distribution(array, call.comm()));
    PaddingUpdate(array.buffer, distribution, call.comm()).update(stream);
  });
}

}  // namespace tridap::redistribute
