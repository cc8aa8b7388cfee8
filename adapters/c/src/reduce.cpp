#include <tridap/c/objects.hpp>
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

template <class T>
constexpr bool is_complex_v = is_complex<T>::value;

// In what elements are added.
template <class T>
using Sum = std::conditional_t<is_complex_v<T>, std::complex<double>,
                               std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>>;

// The elements of an array that this process counts, each element of the whole array once: its interior, without the
// indices of a list that a lower process has, too.
class Counted {
 public:
  explicit Counted(const ArrayObject& array) : box_(array.array.buffer) {
    const Distribution& whole = *array.distribution;
    box_ = sub_buffer(box_, whole.part(array.process, Part::interior));
    const Indices coordinates = whole.coordinates(array.process);
    kept_.resize(static_cast<std::size_t>(whole.ndim()));
    for (Index i = 0; i < whole.ndim(); ++i) {
      const UnstructuredKind* const lists = whole.axis(i).unstructured();
      if (lists == nullptr || !lists->shares_indices()) continue;
      auto& kept = kept_[static_cast<std::size_t>(i)].emplace();
      const Index here = coordinates[static_cast<std::size_t>(i)];
      for (Index local = 0; local < lists->count(here); ++local)
        if (lists->locate(lists->global_index(here, local))->coordinate == here) kept.push_back(local);
    }
  }

  Index count() const {
    Index all = 1;
    for (std::size_t i = 0; i < kept_.size(); ++i) all *= extent(i);
    return all;
  }

  // Calls visit(address, stride in bytes, count) for rows of elements, which are along the last axis.
  template <class Visit>
  void for_rows(Visit&& visit) const {
    for_rows(*this, [&](const std::byte* row, Index stride, const std::byte*, Index, Index count) {
      visit(row, stride, count);
    });
  }

  // The same for this array and another one with the same elements here: visit(address, stride, address, stride,
  // count).
  template <class Visit>
  void for_rows(const Counted& other, Visit&& visit) const {
    if (count() == 0) return;
    const auto* const data = static_cast<const std::byte*>(box_.data);
    const auto* const others = static_cast<const std::byte*>(other.box_.data);
    if (kept_.empty()) return visit(data, Index{0}, others, Index{0}, Index{1});
    const std::size_t last = kept_.size() - 1;
    const Index stride = box_.strides[last], other_stride = other.box_.strides[last];
    std::vector<Index> at(kept_.size(), 0);
    while (true) {
      Index offset = 0, other_offset = 0;
      for (std::size_t i = 0; i < last; ++i) {
        offset += local(i, at[i]) * box_.strides[i];
        other_offset += local(i, at[i]) * other.box_.strides[i];
      }
      if (!kept_[last]) {
        visit(data + offset, stride, others + other_offset, other_stride, box_.shape[last]);
      } else {
        for (const Index index : *kept_[last])
          visit(data + offset + index * stride, Index{0}, others + other_offset + index * other_stride, Index{0},
                Index{1});
      }
      std::size_t axis = last;
      while (axis > 0 && ++at[axis - 1] == extent(axis - 1)) at[--axis] = 0;
      if (axis == 0) return;
    }
  }

 private:
  Index extent(std::size_t axis) const {
    return kept_[axis] ? static_cast<Index>(kept_[axis]->size()) : box_.shape[axis];
  }
  Index local(std::size_t axis, Index at) const {
    return kept_[axis] ? (*kept_[axis])[static_cast<std::size_t>(at)] : at;
  }

  Buffer box_;
  std::vector<std::optional<std::vector<Index>>> kept_;
};

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
  if (!array.array.buffer.memory.is_on_host())
    refuse(std::string(call) + " is of an array in the memory of a device", "must be in memory of the host",
           "copy it there first");
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
        made.mine = folded(extreme_of<T>(elements, largest), elements.count() > 0 ? 1 : 0,
                           largest ? mpi::Fold::largest : mpi::Fold::smallest);
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

}  // namespace

int tridap_sum(tridap_array array, void* result) {
  return reduce("tridap_sum", {array}, result, [&](const auto& arrays) {
    Reduction made;
    with_type(*arrays[0], "tridap_sum", [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, bool>) {
        refuse_type(*arrays[0], "tridap_sum", "must be numbers");
      } else {
        made.mine = folded(sum_of<Sum<T>, T>(Counted(*arrays[0])), 0, mpi::Fold::add);
        made.write = writer<T, Sum<T>>(result);
      }
    });
    return made;
  });
}

int tridap_dot(tridap_array a, tridap_array b, void* result) {
  return reduce("tridap_dot", {a, b}, result, [&](const auto& arrays) {
    const ArrayObject &left = *arrays[0], &right = *arrays[1];
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
        made.mine = folded(product_of<Sum<T>, T>(Counted(left), Counted(right)), 0, mpi::Fold::add);
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
        made.mine = folded(squares_of<T>(Counted(*arrays[0])), 0, mpi::Fold::add);
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
