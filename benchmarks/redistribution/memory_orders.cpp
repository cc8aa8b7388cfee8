#include "redistribution/memory_orders.hpp"

#include "support/pairs.hpp"
#include <tridap/make.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <algorithm>
#include <cstring>

namespace bench {

namespace {

using tridap::Buffer;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::Order;
using tridap::redistribute::Redistribution;

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

DistArray make(const Distribution& distribution, Order order) {
  DistArray array;
  array.buffer =
      tridap::allocate(tridap::element_type<double>(), tridap::IndexList(distribution.local_shape(rank_of_world())));
  if (order == Order::column_major)
    array.buffer.strides = tridap::column_major_strides(array.buffer.shape, sizeof(double));
  array.dim_data = distribution.dim_data(rank_of_world());
  std::fill_n(static_cast<double*>(array.buffer.data), tridap::element_count(array.buffer), 1.0);
  return array;
}

// What a program would write: the target's elements in the order in which they stand in memory.
void copy_in_a_loop(const Buffer& from, const Buffer& to) {
  const std::size_t inner = to.strides[0] < to.strides[1] ? 0 : 1, outer = 1 - inner;
  const auto* const source = static_cast<const double*>(from.data);
  auto* const target = static_cast<double*>(to.data);
  const Index from_outer = from.strides[outer] / 8, from_inner = from.strides[inner] / 8,
              to_outer = to.strides[outer] / 8;
  for (Index i = 0; i < to.shape[outer]; ++i)
    for (Index k = 0; k < to.shape[inner]; ++k) target[i * to_outer + k] = source[i * from_outer + k * from_inner];
}

}  // namespace

bool compare_memory_orders() {
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const Index size = 4096;
  const auto rows = Distribution::make({size, size}, {tridap::block(), tridap::whole()}, {processes, 1});
  const auto columns = Distribution::make({size, size}, {tridap::whole(), tridap::block()}, {1, processes});
  bool ok = true;
  for (const Order order : {Order::row_major, Order::column_major}) {
    const Order other = order == Order::row_major ? Order::column_major : Order::row_major;
    const DistArray source = make(rows, order), target = make(rows, other);
    const std::string name =
        std::string("redistribution: ") +
        (order == Order::row_major ? "row-major into column-major" : "column-major into row-major");
    Redistribution stays(rows, rows, sizeof(double), MPI_COMM_WORLD);
    const auto ours = [&] { stays(source, target); };
    ok = compare(
             name + " / loop", 0.6, ours, [&] { copy_in_a_loop(source.buffer, target.buffer); }, 1, 24) &&
         ok;
    const auto copied = static_cast<std::size_t>(tridap::element_count(target.buffer)) * sizeof(double);
    const auto copy = [&] { std::memcpy(target.buffer.data, source.buffer.data, copied); };
    compare(name + " / memcpy", INFINITY, ours, copy, 1, 24);
    tridap::redistribute::Options options;
    options.order = other;
    Redistribution moves(rows, columns, sizeof(double), MPI_COMM_WORLD, options);
    DistArray made = moves(source);
    const auto make_anew = [&] {
      made = {};
      made = moves(source);
    };
    compare(name + ", rows to columns that we allocate / memcpy", INFINITY, make_anew, copy, 1, 24);
    const DistArray given = make(columns, other);
    compare(
        name + ", rows to columns / memcpy", INFINITY, [&] { moves(source, given); }, copy, 1, 24);
  }
  return ok;
}

}  // namespace bench
