#include "counted.hpp"
#include <tridap/compare.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/fold.hpp>
#include <tridap/padding.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>

using namespace tridap;
using namespace tridap::c;

namespace {

using redistribute::arithmetic::Reduce;

template <class T>
constexpr bool is_complex_v = is_complex<T>::value;

// In what elements are added.
template <class T>
using Sum = std::conditional_t<is_complex_v<T>, std::complex<double>,
                               std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>>;

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The sum of term(i) for [first, end), of pairs of halves, so that rounding errors grow with the logarithm of the
// count.
template <class S, class Term>
S pairwise(Index first, Index end, const Term& term) {
  constexpr Index few = 128;
  if (end - first > few) {
    const Index middle = first + (end - first) / 2;
    return pairwise<S>(first, middle, term) + pairwise<S>(middle, end, term);
  }
  S sum{};
  for (Index i = first; i < end; ++i) sum += term(i);
  return sum;
}

// The sum in S, in which integers wrap around.
template <class S, class T>
S sum_of(const Counted& elements) {
  S all{};
  elements.for_rows([&](const std::byte* row, Index stride, Index count) {
    all += pairwise<S>(0, count, [&](Index i) { return static_cast<S>(load<T>(row + i * stride)); });
  });
  return all;
}

template <class S, class T>
S product_of(const Counted& a, const Counted& b) {
  S all{};
  a.for_rows(b, [&](const std::byte* row, Index stride, const std::byte* other, Index other_stride, Index count) {
    all += pairwise<S>(0, count, [&](Index i) {
      const auto left = static_cast<S>(load<T>(row + i * stride)),
                 right = static_cast<S>(load<T>(other + i * other_stride));
      if constexpr (is_complex_v<T>)
        return std::conj(left) * right;
      else
        return static_cast<S>(left * right);
    });
  });
  return all;
}

template <class T>
char kind_of() {
  if (std::is_same_v<T, bool>) return 'b';
  if (is_complex_v<T>) return 'c';
  if (std::is_floating_point_v<T>) return 'f';
  return std::is_signed_v<T> ? 'i' : 'u';
}

template <class T>
mpi::Folded folded(const T& value, Index number, mpi::Fold how) {
  static_assert(sizeof(T) <= mpi::Folded::most_bytes);
  mpi::Folded made;
  std::memcpy(made.value.data(), &value, sizeof value);
  made.number = number;
  made.how = how;
  made.kind = kind_of<T>();
  made.bytes = sizeof value;
  return made;
}

template <class T>
T value_in(const mpi::Folded& of) {
  T value;
  std::memcpy(&value, of.value.data(), sizeof value);
  return value;
}

// Calls work(T()) with the C++ type T of the elements. Throws Error for others, and for swapped bytes.
template <class Work>
void with_type(const ArrayObject& array, const char* call, Work&& work) {
  const ElementType& type = array.array.buffer.type;
  switch (number_of(type)) {
    case TRIDAP_BOOL:
      return work(bool());
    case TRIDAP_INT8:
      return work(std::int8_t());
    case TRIDAP_INT16:
      return work(std::int16_t());
    case TRIDAP_INT32:
      return work(std::int32_t());
    case TRIDAP_INT64:
      return work(std::int64_t());
    case TRIDAP_UINT8:
      return work(std::uint8_t());
    case TRIDAP_UINT16:
      return work(std::uint16_t());
    case TRIDAP_UINT32:
      return work(std::uint32_t());
    case TRIDAP_UINT64:
      return work(std::uint64_t());
    case TRIDAP_FLOAT32:
      return work(float());
    case TRIDAP_FLOAT64:
      return work(double());
    case TRIDAP_COMPLEX64:
      return work(std::complex<float>());
    case TRIDAP_COMPLEX128:
      return work(std::complex<double>());
    default:
      break;
  }
  refuse(std::string(call) + " is of elements of type " + type.text(), "must be numbers that C computes with",
         "move them to an array of double with the option convert");
}

[[noreturn]] void refuse_type(const ArrayObject& array, const char* call, const char* must) {
  refuse(std::string(call) + " is of elements of type " + array.array.buffer.type.text(), must,
         "use an array of another type");
}

// What a process brings to a reduction, and what becomes of it.
struct Reduction {
  mpi::Folded mine;
  std::function<void(const mpi::Folded&)> write;
};

// Runs a reduction of arrays of one distribution, in the record with which the call begins.
template <class Prepare>
int reduce(const char* name, std::initializer_list<tridap_array> given, void* result, Prepare&& prepare) noexcept {
  Comm comm;
  const int status = locally([&] {
    comm = given.size() == 1 ? comm_of({given.begin()->number})
                             : comm_of({given.begin()->number, (given.begin() + 1)->number});
  });
  if (status != TRIDAP_OK) return status;
  std::vector<std::shared_ptr<ArrayObject>> arrays;
  Reduction reduction;
  Index asked = 0;
  return collectively(
      name, comm, {},
      [&] {
        need(result, "result");
        Digest digest;
        for (const tridap_array array : given) {
          arrays.push_back(find<ArrayObject>(array.number));
          digest.add(fingerprint(*arrays.back()->distribution));
          digest.add(arrays.back()->array.buffer.type.name());
        }
        asked = digest.value();
        reduction = prepare(arrays);
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, name, {}, [&](mpi::Record& record) {
          record.add(asked);
          record.folded = reduction.mine;
        });
        if (!call.is_same(0))
          refuse("the processes give arrays of different types or distributions", "must be parts of one array",
                 "pass the same array on every process");
        reduction.write(call.folded());
      });
}

template <class T, class Value>
std::function<void(const mpi::Folded&)> writer(void* result) {
  return [result](const mpi::Folded& all) {
    const T value = static_cast<T>(value_in<Value>(all));
    std::memcpy(result, &value, sizeof value);
  };
}

template <class T>
bool is_beyond(const T& value, const T& other, bool largest) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(value)) return true;
  return largest ? value > other : value < other;
}

// A value of this process by kernels, if its elements are on a device: `own()` computes it on the host.
template <class S, class Own>
S value_of(Reduce what, const ArrayObject& array, const ArrayObject* other, Own&& own) {
  if (array.array.buffer.memory.is_on_host()) {
    if (other != nullptr && !other->array.buffer.memory.is_on_host())
      refuse("the second array is on a device, and the first one is not", "must be in the same memory",
             "copy one of them there first");
    return own();
  }
  S value{};
  if (Counted(array).count() > 0) reduce_on_device(what, array, other, element_type<S>(), &value);
  return value;
}

template <class T>
T extreme_of(const Counted& elements, bool largest) {
  T found{};
  bool first = true;
  elements.for_rows([&](const std::byte* row, Index stride, Index count) {
    for (Index i = 0; i < count; ++i) {
      const T value = load<T>(row + i * stride);
      if constexpr (std::is_floating_point_v<T>)
        if (!first && std::isnan(found)) return;
      if (first || is_beyond(value, found, largest)) found = value;
      first = false;
    }
  });
  return found;
}

int extreme(const char* name, tridap_array array, void* result, bool largest) noexcept {
  return reduce(name, {array}, result, [&](const auto& arrays) {
    Reduction made;
    with_type(*arrays[0], name, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (is_complex_v<T>) {
        refuse_type(*arrays[0], name, "must be real, because complex numbers have no order");
      } else {
        const Counted elements(*arrays[0]);
        made.mine = folded(value_of<T>(largest ? Reduce::largest : Reduce::smallest, *arrays[0], nullptr,
                                       [&] { return extreme_of<T>(elements, largest); }),
                           elements.count() > 0 ? 1 : 0, largest ? mpi::Fold::largest : mpi::Fold::smallest);
        made.write = [result, name](const mpi::Folded& all) {
          if (all.number == 0)
            refuse(std::string(name) + " is of an array without elements", "must have some", "test its shape first");
          writer<T, T>(result)(all);
        };
      }
    });
    return made;
  });
}

// What a process adds to a sum of squares: in long double, if double has overflowed or underflowed.
template <class T>
long double squares_of(const Counted& elements) {
  const auto add = [&](auto zero) {
    using Real = decltype(zero);
    Real all = 0;
    elements.for_rows([&](const std::byte* row, Index stride, Index count) {
      all += pairwise<Real>(0, count, [&](Index i) {
        const T value = load<T>(row + i * stride);
        if constexpr (is_complex_v<T>) {
          const auto re = static_cast<Real>(value.real()), im = static_cast<Real>(value.imag());
          return re * re + im * im;
        } else {
          const auto real = static_cast<Real>(value);
          return real * real;
        }
      });
    });
    return all;
  };
  constexpr double tiny = 1e-280;
  const double sum = add(double());
  return std::isfinite(sum) && sum > tiny ? sum : add(static_cast<long double>(0));
}

// The same; by kernels in double.
template <class T>
long double squares(const ArrayObject& array) {
  if (array.array.buffer.memory.is_on_host()) return squares_of<T>(Counted(array));
  return value_of<double>(Reduce::squares, array, nullptr, [] { return 0.0; });
}

}  // namespace

int tridap_sum(tridap_array array, void* result) {
  return reduce("tridap_sum", {array}, result, [&](const auto& arrays) {
    Reduction made;
    with_type(*arrays[0], "tridap_sum", [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, bool>) {
        refuse_type(*arrays[0], "tridap_sum", "must be numbers");
      } else {
        made.mine = folded(
            value_of<Sum<T>>(Reduce::sum, *arrays[0], nullptr, [&] { return sum_of<Sum<T>, T>(Counted(*arrays[0])); }),
            0, mpi::Fold::add);
        made.write = writer<T, Sum<T>>(result);
      }
    });
    return made;
  });
}

int tridap_dot(tridap_array a, tridap_array b, void* result) {
  return reduce("tridap_dot", {a, b}, result, [&](const auto& arrays) {
    const ArrayObject &left = *arrays[0], &right = *arrays[1];
    need_one_communicator({&left, &right});
    if (left.array.buffer.type != right.array.buffer.type)
      refuse("the elements are " + left.array.buffer.type.text() + " and " + right.array.buffer.type.text(),
             "must be of one type", "move one of the arrays with the option convert");
    const Comparison compared = compare(interior_of(*left.distribution), interior_of(*right.distribution));
    if (!compared.same_owners || !compared.same_places)
      refuse("the arrays of tridap_dot have different distributions: " + compared.difference, "must have the same one",
             "move one of them to the distribution of the other");
    Reduction made;
    with_type(left, "tridap_dot", [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, bool>) {
        refuse_type(left, "tridap_dot", "must be numbers");
      } else {
        made.mine = folded(value_of<Sum<T>>(Reduce::vdot, left, &right,
                                            [&] { return product_of<Sum<T>, T>(Counted(left), Counted(right)); }),
                           0, mpi::Fold::add);
        made.write = writer<T, Sum<T>>(result);
      }
    });
    return made;
  });
}

int tridap_norm(tridap_array array, double* result) {
  return reduce("tridap_norm", {array}, result, [&](const auto& arrays) {
    Reduction made;
    with_type(*arrays[0], "tridap_norm", [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, bool>) {
        refuse_type(*arrays[0], "tridap_norm", "must be numbers");
      } else {
        made.mine = folded(squares<T>(*arrays[0]), 0, mpi::Fold::add);
        made.write = [result](const mpi::Folded& all) {
          *result = static_cast<double>(std::sqrt(value_in<long double>(all)));
        };
      }
    });
    return made;
  });
}

int tridap_max(tridap_array array, void* result) { return extreme("tridap_max", array, result, true); }

int tridap_min(tridap_array array, void* result) { return extreme("tridap_min", array, result, false); }
