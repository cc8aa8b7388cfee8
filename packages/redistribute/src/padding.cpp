#include "channel.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/padding.hpp>
#include <tridap/redistribute/padding.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tridap::redistribute {

namespace {

// Two boxes of the same extents, in memory of any strides each.
struct BoxCopy {
  Buffer to, from;

  // Both are walked in the memory order of `as`.
  BoxCopy(const Buffer& target, const Buffer& source, const Buffer& as)
      : to(in_order(target, memory_order(as))), from(in_order(source, memory_order(as))) {}

  void run() const { run(static_cast<std::byte*>(to.data), static_cast<const std::byte*>(from.data), 0); }

 private:
  void run(std::byte* target, const std::byte* source, std::size_t axis) const {
    const auto bytes = static_cast<std::size_t>(to.type.bytes);
    if (axis == to.shape.size()) return void(std::memcpy(target, source, bytes));
    const Index extent = to.shape[axis], step = to.strides[axis], from_step = from.strides[axis];
    if (axis + 1 == to.shape.size() && step == to.type.bytes && from_step == step)
      return void(std::memcpy(target, source, bytes * static_cast<std::size_t>(extent)));
    for (Index k = 0; k < extent; ++k) run(target + k * step, source + k * from_step, axis + 1);
  }
};

// What passes between two processes in an update: the elements of all boxes, one after the other, each row-major. We
// pack them: where 1-byte elements stand backwards in a row, a datatype of Open MPI 4.1.4 reads and writes other bytes.
class Message {
 public:
  using Moves = std::vector<PaddingMove>::const_iterator;
  Message(const Buffer& buffer, Moves begin, Moves end, bool sent) : peer_(static_cast<int>(begin->process)) {
    std::vector<Buffer> boxes;
    for (; begin != end; ++begin) {
      boxes.push_back(sub_buffer(buffer, begin->here));
      bytes_ += element_count(boxes.back()) * buffer.type.bytes;
    }
    data_ = static_cast<std::byte*>(boxes.front().data);
    if (boxes.size() == 1 && is_row_major(boxes.front())) return;
    packed_.resize(static_cast<std::size_t>(bytes_));
    std::byte* next = data_ = packed_.data();
    for (const Buffer& box : boxes) {
      Buffer dense = box;
      dense.data = next;
      dense.strides = row_major_strides(box.shape, box.type.bytes);
      copies_.emplace_back(sent ? dense : box, sent ? box : dense, box);
      next += element_count(box) * box.type.bytes;
    }
  }

  Message(Message&&) = default;

  int peer() const { return peer_; }
  std::byte* data() const { return data_; }
  Index bytes() const { return bytes_; }
  // Brings what is sent to data(), or what was received from there.
  void copy() const {
    for (const BoxCopy& box : copies_) box.run();
  }

 private:
  int peer_;
  Index bytes_ = 0;
  std::byte* data_ = nullptr;  // in the array itself where the elements stand there in a row
  std::vector<std::byte> packed_;
  std::vector<BoxCopy> copies_;
};

// One message for each process among `moves`, which are in the order of processes.
std::vector<Message> messages(const Buffer& buffer, const std::vector<PaddingMove>& moves, bool sent) {
  std::vector<Message> all;
  for (auto begin = moves.begin(); begin != moves.end();) {
    const auto end =
        std::find_if(begin, moves.end(), [&](const PaddingMove& m) { return m.process != begin->process; });
    all.emplace_back(buffer, begin, end, sent);
    begin = end;
  }
  return all;
}

Index bytes_of(const std::vector<Message>& all) {
  Index bytes = 0;
  for (const Message& message : all) bytes += message.bytes();
  return bytes;
}

constexpr Index piece = Index{1} << 30;  // bytes that MPI can count at once

Index pieces_of(const std::vector<Message>& all) {
  Index pieces = 0;
  for (const Message& message : all) pieces += (message.bytes() - 1) / piece + 1;
  return pieces;
}

// What holds on this process alone.
void check_here(const Buffer& buffer, const Distribution& distribution, MPI_Comm comm) {
  throw_if_wrong(check(buffer));
  int processes = 1;
  mpi::must_succeed(MPI_Comm_size(comm, &processes), "MPI_Comm_size");
  if (distribution.processes() != processes)
    refuse("the distribution is over " + std::to_string(distribution.processes()) + " processes",
           "must be over the " + std::to_string(processes) + " of the communicator",
           "pass a communicator with as many processes");
  if (buffer.ndim() != distribution.ndim())
    refuse("the buffer has " + std::to_string(buffer.ndim()) + " axes",
           "must have " + std::to_string(distribution.ndim()) + ", as the distribution",
           "pass a buffer with the axes of the distribution");
  const std::vector<Index> shape = distribution.local_shape(mpi::rank_of(comm));
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (buffer.shape[i] != shape[i])
      refuse("the buffer's extent is " + std::to_string(buffer.shape[i]),
             "must be " + std::to_string(shape[i]) + ", the elements that this process holds with padding",
             "pass the whole local buffer", static_cast<Index>(i));
  if (buffer.memory.kind != Memory::Kind::host)
    refuse("the buffer is in " + buffer.memory.name() + " memory", "must be in host memory", "copy it to host memory");
  if (buffer.read_only) refuse("the buffer is read-only", "must be writable", "pass a writable buffer");
  if (!memory_order(buffer).is_unique)
    refuse("the buffer's elements may share memory", "must not, because padding is written",
           "pass a buffer whose elements do not overlap");
}

// A number for all that padding_plan() goes by, which differs where two processes give different distributions.
Index fingerprint(const Distribution& distribution) {
  Digest digest;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    for (const Index number : {Index{axis.dist_type()}, axis.size(), axis.proc_grid_size(), Index{axis.periodic()}})
      digest.add(number);
    for (Index c = 0; c < axis.proc_grid_size(); ++c) {
      for (const Part part : {Part::local, Part::owned, Part::interior}) {
        digest.add(axis.part(c, part).begin);
        digest.add(axis.part(c, part).end);
      }
    }
  }
  return digest.value();
}

void check_together(const Buffer& buffer, const Distribution& distribution, MPI_Comm comm) {
  const ElementType& type = buffer.type;
  const std::vector<MinMax> spreads =
      mpi::min_max({fingerprint(distribution), type.bytes, static_cast<Index>(type.kind), type.native_order,
                    type.description_number()},
                   comm);
  const auto differ = std::find_if(spreads.begin(), spreads.end(), [](const MinMax& s) { return !s.is_same(); });
  if (differ == spreads.end()) return;
  const bool types = differ != spreads.begin();
  refuse("processes " + std::to_string(std::min(differ->smallest_rank, differ->largest_rank)) + " and " +
             std::to_string(std::max(differ->smallest_rank, differ->largest_rank)) + " give different " +
             (types ? "element types" : "distributions"),
         "must be the same on every process",
         types ? "pass parts of one array" : "pass the result of tridap::mpi::gather_distribution");
}

}  // namespace

struct PaddingUpdate::State {
  State(Buffer of_array, const PaddingPlan& plan)
      : buffer(std::move(of_array)),
        receive(messages(buffer, plan.receive, false)),
        send(messages(buffer, plan.send, true)) {
    for (const PaddingMove& move : plan.own) {
      const Buffer to = sub_buffer(buffer, move.here);
      own.emplace_back(to, sub_buffer(buffer, move.there), to);
    }
    requests.reserve(static_cast<std::size_t>(pieces_of(receive) + pieces_of(send)));
  }
  State(const State&) = delete;
  ~State() {
    if (mpi_is_over()) return;
    try {
      if (started) finish();
      for (MPI_Request& request : requests)
        if (request != MPI_REQUEST_NULL) mpi::must_succeed(MPI_Request_free(&request), "MPI_Request_free");
    } catch (const std::exception&) {  // a destructor cannot report an error
    }
    if (failed) new (std::nothrow) Lost{std::move(buffer), std::move(receive), std::move(send)};
  }

  void open(const Channel& channel) {
    const auto init = [&](auto* mpi_init, const char* name, const std::vector<Message>& all) {
      for (const Message& message : all)
        for (Index done = 0; done < message.bytes(); done += piece)
          mpi::must_succeed(
              mpi_init(message.data() + done, static_cast<int>(std::min(piece, message.bytes() - done)), MPI_BYTE,
                       message.peer(), channel.tag, channel.comm, &requests.emplace_back(MPI_REQUEST_NULL)),
              name);
    };
    init(&MPI_Recv_init, "MPI_Recv_init", receive);
    init(&MPI_Send_init, "MPI_Send_init", send);
  }

  void begin() {
    for (const Message& message : send) message.copy();
    or_give_up([this] {  // pieces of one message in their order
      for (MPI_Request& request : requests) mpi::must_succeed(MPI_Start(&request), "MPI_Start");
    });
    started = true;
    for (const BoxCopy& copy : own) copy.run();  // meanwhile
  }

  void finish() {
    or_give_up([this] {
      mpi::must_succeed(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                        "MPI_Waitall");
    });
    for (const Message& message : receive) message.copy();
    started = false;
  }

  template <class Step>
  void or_give_up(Step step) {
    try {
      step();
    } catch (...) {
      started = false;
      failed = true;
      throw;
    }
  }

  struct Lost {  // memory that MPI may read and write still
    Buffer buffer;
    std::vector<Message> receive, send;
  };

  Buffer buffer;
  std::vector<Message> receive, send;
  std::vector<BoxCopy> own;
  std::vector<MPI_Request> requests;
  bool started = false, failed = false;
};

PaddingUpdate::PaddingUpdate(Buffer buffer, const Distribution& distribution, MPI_Comm comm) {
  mpi::collectively(comm, [&] { check_here(buffer, distribution, comm); });
  check_together(buffer, distribution, comm);
  state_ = mpi::collectively(
      comm, [&] { return std::make_unique<State>(std::move(buffer), padding_plan(distribution, mpi::rank_of(comm))); });
  const Channel channel = channel_of(comm);
  mpi::collectively(comm, [&] { state_->open(channel); });
}

PaddingUpdate::PaddingUpdate(PaddingUpdate&&) noexcept = default;
PaddingUpdate& PaddingUpdate::operator=(PaddingUpdate&&) noexcept = default;
PaddingUpdate::~PaddingUpdate() = default;

void PaddingUpdate::update() {
  start();
  wait();
}

void PaddingUpdate::start() {
  if (state_->started)
    refuse("an update is in progress", "must have ended before the next one starts", "call wait() first");
  state_->begin();
}

void PaddingUpdate::wait() {
  if (!state_->started) refuse("no update is in progress", "must have been started", "call start() first");
  state_->finish();
}

Index PaddingUpdate::bytes_sent() const { return bytes_of(state_->send); }
Index PaddingUpdate::bytes_received() const { return bytes_of(state_->receive); }

void update_padding(const DistArray& array, MPI_Comm comm) {
  const Distribution distribution = mpi::gather_distribution(array, comm);
  Buffer buffer;
  mpi::collectively(comm, [&] { buffer = array.buffer; });
  PaddingUpdate(std::move(buffer), distribution, comm).update();
}

}  // namespace tridap::redistribute
