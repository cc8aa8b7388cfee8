#include "work.hpp"

#include "contexts.hpp"
#include "memory.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/copy_elements.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <string>
#include <utility>

namespace tridap::scalapack {

namespace {

using redistribute::PlacedDistribution;
using redistribute::Redistribution;

int to_int(Index number, const char* what) {
  if (number > most)
    refuse(std::string(what) + " is " + std::to_string(number), "must fit ScaLAPACK's int",
           "use a smaller matrix, or more processes");
  return static_cast<int>(number);
}

Distribution distribution_on(const Frame& frame, Index m, Index n, const Blocks& rows, const Blocks& columns) {
  return Distribution::make({m, n}, {cyclic(rows.length, rows.first), cyclic(columns.length, columns.first)},
                            {frame.nprow(), frame.npcol()});
}

// A matrix in column-major memory.
Work describe_work(const Frame& frame, Buffer buffer, Distribution whole, const Blocks& rows, const Blocks& columns) {
  const Index lld = *leading_dimension(buffer, 0);
  if (const auto held = checked_multiply(lld, buffer.shape[1]); !held || *held > most)
    refuse("this process's part spans more than 2^31 - 1 elements", "must fit ScaLAPACK's int", "use more processes");
  Work made;
  made.desc = {1,
               frame.context(),
               to_int(whole.axis(0).size(), "the number of rows"),
               to_int(whole.axis(1).size(), "the number of columns"),
               to_int(rows.length, "the length of the blocks"),
               to_int(columns.length, "the length of the blocks"),
               static_cast<int>(rows.first),
               static_cast<int>(columns.first),
               to_int(lld, "the leading dimension")};
  made.array.buffer = std::move(buffer);
  made.array.dim_data = whole.dim_data(frame.process());
  made.whole = std::move(whole);
  made.rows = rows;
  made.columns = columns;
  return made;
}

Buffer allocate_columns(const ElementType& type, const std::vector<Index>& shape) {
  Buffer buffer = allocate(type, shape);
  buffer.strides = column_major_strides(buffer.shape, type.bytes);
  return buffer;
}

Buffer transpose(Buffer buffer) {
  std::swap(buffer.shape[0], buffer.shape[1]);
  std::swap(buffer.strides[0], buffer.strides[1]);
  return buffer;
}

Index bytes_of(const Buffer& buffer) { return element_count(buffer) * buffer.type.bytes; }

}  // namespace

Frame::Frame(const mpi::Call& call, const Place& place)
    : comm_(call.comm()),
      rank_(mpi::rank_of(comm_)),
      nprow_(place.nprow),
      npcol_(place.npcol),
      transposed_(place.way == Way::transposed),
      context_(0) {
  if (transposed_) std::swap(nprow_, npcol_);
  context_ = Contexts::of(*call.duplicates())
                 .context(nprow_, npcol_, transposed_ ? Order::column_major : Order::row_major, comm_);
  for (Index row = 0; row < nprow_; ++row)
    for (Index column = 0; column < npcol_; ++column) {
      const Index number = row * npcol_ + column, of = transposed_ ? column * nprow_ + row : number;
      if (of == rank_) process_ = number;
      in_order_ = in_order_ && of == number;
      ranks_.push_back(of);
    }
}

Work make_work(const Frame& frame, const ElementType& type, Index m, Index n, const Blocks& rows,
               const Blocks& columns) {
  Distribution whole = distribution_on(frame, m, n, rows, columns);
  Buffer buffer = allocate_columns(type, whole.local_shape(frame.process()));
  return describe_work(frame, std::move(buffer), std::move(whole), rows, columns);
}

Work corner_of(const Work& work, const Frame& frame, Index m, Index n) {
  Distribution whole = distribution_on(frame, m, n, work.rows, work.columns);
  const std::vector<Index> shape = whole.local_shape(frame.process());
  return describe_work(frame, sub_buffer(work.buffer(), {{0, shape[0]}, {0, shape[1]}}), std::move(whole), work.rows,
                       work.columns);
}

DistArray bring(const Argument& argument, const Place& place, const Frame& frame, Receipt& receipt) {
  if (place.way != Way::moved) return argument.array;
  const PlacedDistribution target{distribution_on(frame, argument.size(0), argument.size(1), place.rows, place.columns),
                                  frame.ranks()};
  receipt.bytes_copied += bytes_of(argument.array.buffer);
  redistribute::Options options;
  options.order = Order::column_major;
  return Redistribution(argument.whole, target, argument.array.buffer.type.bytes, frame.comm(),
                        options)(argument.array);
}

Work take(const Argument& argument, const DistArray& brought, const Place& place, const Frame& frame,
          Receipt& receipt) {
  const Buffer& buffer = brought.buffer;
  if (place.way == Way::transposed)
    return describe_work(frame, transpose(buffer),
                         distribution_on(frame, argument.size(1), argument.size(0), place.columns, place.rows),
                         place.columns, place.rows);
  Distribution whole = distribution_on(frame, argument.size(0), argument.size(1), place.rows, place.columns);
  if (place.way != Way::copied) return describe_work(frame, buffer, std::move(whole), place.rows, place.columns);
  const Buffer copy = allocate_columns(buffer.type, whole.local_shape(frame.process()));
  copy_elements(buffer, copy);
  receipt.bytes_copied += bytes_of(buffer);
  return describe_work(frame, copy, std::move(whole), place.rows, place.columns);
}

DistArray give(const Answer& answer, const Frame& frame, Order order, Receipt& receipt) {
  if (answer.way != Way::moved && (answer.into == nullptr || answer.way != Way::copied)) {
    DistArray made;
    made.buffer = answer.way == Way::transposed ? transpose(answer.work.buffer()) : answer.work.buffer();
    made.dim_data = answer.to.dim_data(frame.rank());
    return made;
  }
  redistribute::Options options;
  options.order = order;
  options.mapping.fill_padding = true;
  Redistribution plan({answer.work.whole, frame.ranks()}, answer.to, answer.work.buffer().type.bytes, frame.comm(),
                      options);
  receipt.bytes_copied += bytes_of(answer.work.buffer());
  if (answer.into == nullptr) return plan(answer.work.array);
  plan(answer.work.array, *answer.into);
  return *answer.into;
}

}  // namespace tridap::scalapack
