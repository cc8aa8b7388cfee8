#include "memory.hpp"
#include "python_line.hpp"
#include "routines.hpp"
#include "work.hpp"
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>

#include <optional>
#include <string>
#include <utility>

namespace tridap::scalapack {

namespace {

// A factor as it is multiplied: the matrix of `argument`, or its transpose.
struct Operand {
  Argument argument;
  Op op = Op::none;

  bool is_turned() const { return op != Op::none; }
  Index rows() const { return argument.size(is_turned() ? 1 : 0); }
  Index columns() const { return argument.size(is_turned() ? 0 : 1); }
};

char letter_of(Op op) { return op == Op::none ? 'N' : op == Op::transpose ? 'T' : 'C'; }

std::string named(const Operand& factor) {
  const char* const ops[] = {"", "the transpose of ", "the adjoint of "};
  return std::string(ops[static_cast<int>(factor.op)]) + factor.argument.name;
}

void check_factors(const Operand& a, const Operand& b) {
  if (a.columns() != b.rows())
    refuse(named(a) + " has " + std::to_string(a.columns()) + " columns, and " + named(b) + " has " +
               std::to_string(b.rows()) + " rows",
           "must be the same", "pass matrices that can be multiplied");
  need_one_type(a.argument, b.argument);
}

// The grid of an array over one row or one column of processes can be read as the other one of its transpose, because
// process r stays process r.
bool is_line(const Distribution& whole) {
  return whole.axis(0).proc_grid_size() == 1 || whole.axis(1).proc_grid_size() == 1;
}

Argument transposed_argument(Argument argument) {
  Buffer& buffer = argument.array.buffer;
  std::swap(buffer.shape[0], buffer.shape[1]);
  std::swap(buffer.strides[0], buffer.strides[1]);
  std::swap(argument.array.dim_data[0], argument.array.dim_data[1]);
  argument.whole = Distribution({argument.whole.axis(1), argument.whole.axis(0)});
  std::swap(argument.columns, argument.rows);
  argument.turned = !argument.turned;
  return argument;
}

// Reads a factor over 1 x p processes as its transpose over p x 1 processes. The adjoint has no such form.
void stand_in_rows(Operand& factor) {
  const Distribution& whole = factor.argument.whole;
  if (factor.op == Op::adjoint || !is_line(whole) || whole.axis(1).proc_grid_size() == 1) return;
  factor.argument = transposed_argument(std::move(factor.argument));
  factor.op = factor.op == Op::none ? Op::transpose : Op::none;
}

bool has_grid(const Distribution& whole, Index nprow, Index npcol) {
  return whole.axis(0).proc_grid_size() == nprow && whole.axis(1).proc_grid_size() == npcol;
}

// Throws Error with the line that moves a factor to another distribution over its own process grid.
[[noreturn]] void refuse_factor(const Argument& factor, const char* python_name, const Distribution& to,
                                const std::string& must) {
  const auto as_was_given = [&](const Distribution& whole) {
    if (factor.vector) return Distribution({whole.axis(0)});
    return factor.turned ? Distribution({whole.axis(1), whole.axis(0)}) : whole;
  };
  const Distribution target = as_was_given(to);
  const bool is_wide_vector = factor.vector && to.axis(1).proc_grid_size() > 1;
  refuse("the array " + std::string(factor.name) + " is " + describe(as_was_given(factor.whole)), must,
         is_wide_vector ? "pass copy=if_needed, because a vector is over one column of processes"
                        : "move it to " + describe(target) + " (in Python " + python_line(python_name, target) +
                              "), or pass copy=if_needed");
}

// Where the first factor is.
Place place_of_first(const Argument& a, Copy copy) {
  if (copy == Copy::never && refusal(a.whole))
    refuse_factor(a, "A", nearest(a.whole), "ScaLAPACK needs blocks of one length");
  return place_of(a, Need::blocks, false, copy);
}

// Where the second factor is, beside the first one.
Place place_of_second(const Argument& b, const Place& a, Copy copy) {
  const auto rows = blocks_of(b.whole.axis(0)), columns = blocks_of(b.whole.axis(1));
  if (copy != Copy::always && rows && columns && has_grid(b.whole, a.nprow, a.npcol)) {
    const auto of = [](const Axis& axis, const Blocks& blocks) {
      return axis.proc_grid_size() == 1 ? Blocks{block_length(axis.size(), 1), 0} : blocks;
    };
    return {Way::copied, a.nprow, a.npcol, of(b.whole.axis(0), *rows), of(b.whole.axis(1), *columns)};
  }
  const Blocks of_rows{block_length(b.size(0), a.nprow), 0}, of_columns{block_length(b.size(1), a.npcol), 0};
  if (copy == Copy::never) {
    const Distribution beside = Distribution::make(
        {b.size(0), b.size(1)}, {cyclic(of_rows.length), cyclic(of_columns.length)}, {a.nprow, a.npcol});
    refuse_factor(b, "b", beside, "must be in blocks of one length over the same processes as a");
  }
  return {Way::moved, a.nprow, a.npcol, of_rows, of_columns};
}

// An axis of the product: of a factor, or one of another length with its blocks.
Axis product_axis(const Operand& factor, std::size_t axis, Index size) {
  const auto number = static_cast<Index>(axis);
  return factor.is_turned() ? resized(factor.argument.whole, size, size).axis(number)
                            : factor.argument.whole.axis(number);
}

// How the product is distributed: its rows as those of a, and its columns as those of b.
Distribution product_distribution(const Operand& a, const Operand& b, const Argument& given_b, bool vector) {
  const Index m = a.rows(), n = b.columns();
  if (vector) return resized(given_b.whole, m, 1);
  const Axis rows = product_axis(a, 0, m), columns = product_axis(b, 1, n);
  if (rows.proc_grid_size() * columns.proc_grid_size() == a.argument.whole.processes())
    return Distribution({rows, columns});
  return resized(a.argument.whole, m, n);
}

Blocks blocks_or(const std::optional<Blocks>& blocks, Index size, Index processes) {
  return blocks ? *blocks : Blocks{block_length(size, processes), 0};
}

template <class T>
void multiply(const Operand& a, const Work& of_a, const Operand& b, const Work& of_b, const Work& c) {
  const char left = letter_of(a.op), right = letter_of(b.op);
  const int m = c.desc[2], n = c.desc[3], k = static_cast<int>(a.columns());
  const T with = 1, without = 0;
  Routines<T>::gemm(&left, &right, &m, &n, &k, &with, of_a.data<T>(), &one, &one, of_a.desc.data(), of_b.data<T>(),
                    &one, &one, of_b.desc.data(), &without, c.data<T>(), &one, &one, c.desc.data());
}

// P?GEMM only reads the factors, so that column-major memory is used as it is.
Place in_place_if_columns(Place place, const Argument& argument) {
  if (place.way == Way::copied && argument.columns) place.way = Way::in_place;
  return place;
}

DistArray product(const Operand& a, const Place& place_a, const Operand& b, const Place& place_b, const Frame& frame,
                  const Distribution& to, Order order, Receipt& receipt) {
  const DistArray brought_a = bring(a.argument, place_a, frame, receipt),
                  brought_b = bring(b.argument, place_b, frame, receipt);
  const bool fits = has_grid(to, frame.nprow(), frame.npcol()) && frame.in_order();
  const auto rows = blocks_of(to.axis(0)), columns = blocks_of(to.axis(1));
  Work of_a, of_b, c;
  mpi::collectively(frame.comm(), [&] {
    of_a = take(a.argument, brought_a, place_a, frame, receipt);
    of_b = take(b.argument, brought_b, place_b, frame, receipt);
    c = make_work(frame, a.argument.array.buffer.type, a.rows(), b.columns(),
                  blocks_or(fits ? rows : std::nullopt, a.rows(), frame.nprow()),
                  blocks_or(fits ? columns : std::nullopt, b.columns(), frame.npcol()));
  });
  with_scalar(a.argument.array.buffer.type,
              [&](auto* of) { multiply<std::remove_pointer_t<decltype(of)>>(a, of_a, b, of_b, c); });
  return give({c, to, fits && rows && columns ? Way::in_place : Way::moved, nullptr}, frame, order, receipt);
}

}  // namespace

Product matmul(const DistArray& a, const DistArray& b, MPI_Comm comm, const MatmulOptions& options) {
  const mpi::Region region("tridap::scalapack::matmul");
  const Index flags = 4 * static_cast<Index>(options.a) + static_cast<Index>(options.b);
  Given of_a{"a", a, options.of_a}, of_b{"b", b, options.of_b, false, true};
  return make_routine("scalapack::matmul", comm, number_of({options.copy}, flags), of_a, &of_b, [&](auto& call) {
    Operand left{read_argument(of_a, call, 0), options.a}, right{read_argument(of_b, call, 1), options.b};
    check_factors(left, right);
    const Argument given = right.argument;
    const auto rows = [](const Operand& of) { return of.argument.whole.axis(0).proc_grid_size(); };
    if (is_line(left.argument.whole) && is_line(right.argument.whole) && rows(left) != rows(right)) {
      stand_in_rows(left);
      stand_in_rows(right);
    }
    const Place first = place_of_first(left.argument, options.copy);
    const Place place_b = in_place_if_columns(place_of_second(right.argument, first, options.copy), right.argument),
                place_a = in_place_if_columns(first, left.argument);
    Product made;
    made.of_c = product_distribution(left, right, given, given.vector);
    if (left.rows() == 0 || right.columns() == 0 || left.columns() == 0) {
      made.c = mpi::collectively(call.comm(),
                                 [&] { return empty_answer(made.of_c, a.buffer.type, mpi::rank_of(call.comm())); });
    } else {
      const Order order = left.argument.columns && right.argument.columns ? Order::column_major : Order::row_major;
      made.c = product(left, place_a, right, place_b, Frame(call, place_a), made.of_c, order, made.receipt);
    }
    if (given.vector) {
      made.c = as_given(std::move(made.c), 1);
      made.of_c = Distribution({made.of_c.axis(0)});
    }
    made.receipt.shared = made.receipt.same_address = false;
    return made;
  });
}

}  // namespace tridap::scalapack
