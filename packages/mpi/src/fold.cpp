#include <tridap/internal/call.hpp>
#include <tridap/internal/fold.hpp>
#include <tridap/internal/state.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tridap::mpi {

namespace {

// NumPy's bool, whose sum is "or" and whose product is "and".
struct Truth {
  bool is = false;
};

// NumPy's datetime64 and timedelta64: a count, of which the least is "not a time", which goes on as a nan does.
struct Time {
  std::int64_t count = 0;
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
};

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};

template <class T>
bool is_nan(const T& a) {
  if constexpr (std::is_same_v<T, Time>)
    return a.count == Time::none;
  else if constexpr (IsComplex<T>::value)
    return std::isnan(a.real()) || std::isnan(a.imag());
  else if constexpr (std::is_floating_point_v<T>)
    return std::isnan(a);
  else
    return false;
}

template <class T>
bool is_less(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Time>)
    return a.count < b.count;
  else if constexpr (std::is_same_v<T, Truth>)
    return a.is < b.is;
  else if constexpr (IsComplex<T>::value)
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  else
    return a < b;
}

template <class T>
T sum(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Truth>)
    return {a.is || b.is};
  else if constexpr (std::is_same_v<T, Time>)
    return is_nan(a) || is_nan(b) ? Time{Time::none} : Time{sum(a.count, b.count)};
  else if constexpr (std::is_integral_v<T>)  // beyond the largest it goes on from the least, as NumPy's does
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}

template <class T>
T product(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Truth>)
    return {a.is && b.is};
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else if constexpr (IsComplex<T>::value)  // as NumPy's; C++ would look for infinite parts behind nans
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  else
    return a * b;
}

// One of the two that goes before the other by value: a nan goes before all. Equal ones do not.
template <class T>
bool goes_before(const T& a, const T& b, bool smallest) {
  if (is_nan(a) || is_nan(b)) return is_nan(a) && !is_nan(b);
  return smallest ? is_less(a, b) : is_less(b, a);
}

template <class T>
T value_of(const Folded& folded) {
  T value{};
  std::memcpy(&value, folded.value.data(), sizeof(T));
  return value;
}

template <class T>
void set(Folded& folded, const T& value) {
  std::memcpy(folded.value.data(), &value, sizeof(T));
}

// Their extreme, where some processes have none.
template <class T>
const Folded& extreme(const Folded& a, const Folded& b) {
  const bool smallest = a.how == Fold::smallest || a.how == Fold::first_smallest;
  const bool by_number = a.how == Fold::first_smallest || a.how == Fold::first_largest;
  const auto has_none = [&](const Folded& folded) { return by_number ? folded.number < 0 : folded.number == 0; };
  if (has_none(a)) return b;
  if (has_none(b)) return a;
  const T first = value_of<T>(a), second = value_of<T>(b);
  if (goes_before(first, second, smallest)) return a;
  if (goes_before(second, first, smallest)) return b;
  return by_number && b.number < a.number ? b : a;
}

// The result of two for which a.how and the type are the same.
template <class T>
Folded folded(const Folded& a, const Folded& b) {
  Folded made = a;
  made.number = a.number + b.number;
  switch (a.how) {
    case Fold::add:
      set(made, sum(value_of<T>(a), value_of<T>(b)));
      break;
    case Fold::multiply:
      if constexpr (!std::is_same_v<T, Time>) set(made, product(value_of<T>(a), value_of<T>(b)));
      break;
    case Fold::smallest:
    case Fold::largest:
      made.value = extreme<T>(a, b).value;
      break;
    case Fold::first_smallest:
    case Fold::first_largest:
      made = extreme<T>(a, b);
      break;
    default:
      break;
  }
  return made;
}

Folded folded_bits(const Folded& a, const Folded& b) {
  Folded made = a;
  for (std::size_t i = 0; i < a.value.size(); ++i) made.value[i] = a.value[i] | b.value[i];
  made.number = std::max(a.number, b.number);
  return made;
}

Folded folded_truth(const Folded& a, const Folded& b) {
  Folded made = a;
  const bool first = value_of<Truth>(a).is, second = value_of<Truth>(b).is;
  set(made, Truth{a.how == Fold::every ? first && second : first || second});
  made.number = a.number + b.number;
  return made;
}

using Folding = Folded (*)(const Folded&, const Folded&);

// The function for a kind whose values have one of the sizes of these types; null: there is none.
template <class... T>
Folding of_size(std::size_t bytes) {
  Folding found = nullptr;
  ((found = found == nullptr && bytes == sizeof(T) ? &folded<T> : found), ...);
  return found;
}

Folding folding_of(const Folded& given) {
  const bool is_truth = given.kind == 'b' && given.bytes == sizeof(Truth);
  if (given.how == Fold::bits) return given.bytes <= Folded::most_bytes ? &folded_bits : nullptr;
  if (given.how == Fold::every || given.how == Fold::some) return is_truth ? &folded_truth : nullptr;
  switch (given.kind) {
    case 'b':
      return is_truth ? &folded<Truth> : nullptr;
    case 'i':
      return of_size<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(given.bytes);
    case 'u':
      return of_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(given.bytes);
    case 'f':
      return of_size<float, double, long double>(given.bytes);
    case 'c':
      return of_size<std::complex<float>, std::complex<double>, std::complex<long double>>(given.bytes);
    case 'm':
    case 'M':
      return given.how == Fold::multiply ? nullptr : of_size<Time>(given.bytes);
    default:
      return nullptr;
  }
}

// What MPI calls for the records of `*count` processes. It is not told which call they begin.
void reduce_records(void* in, void* out, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const Index*>(in);
  auto* b = static_cast<Index*>(out);
  for (int i = 0; i < *count; ++i, a += record_length, b += record_length) {
    std::transform(a, a + record_numbers, b, b, [](Index left, Index right) { return std::max(left, right); });
    Folded right = Folded::read(b + record_numbers);
    if (right.how == Fold::none) continue;
    fold(Folded::read(a + record_numbers), right);
    right.write(b + record_numbers);
  }
}

}  // namespace

Folded Folded::read(const Index* from) {
  Folded made;
  std::memcpy(static_cast<void*>(&made), from, sizeof(Folded));
  return made;
}

void Folded::write(Index* to) const { std::memcpy(to, this, sizeof(Folded)); }

bool Folded::is_possible() const { return folding_of(*this) != nullptr; }

// Ordered by their bytes first, so that every process computes the same expression.
void fold(const Folded& a, Folded& b) {
  const Folding folding = folding_of(a);
  if (folding == nullptr || a.how != b.how || a.kind != b.kind || a.bytes != b.bytes) return;
  const bool ordered = std::memcmp(&a, &b, sizeof(Folded)) <= 0;
  b = ordered ? folding(a, b) : folding(b, a);
}

void RecordOperation::make() {
  if (operation != MPI_OP_NULL) return;
  if (record == MPI_DATATYPE_NULL) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    must_succeed(MPI_Type_contiguous(static_cast<int>(record_length), MPI_INT64_T, &made), "MPI_Type_contiguous");
    record = made;
  }
  must_succeed(MPI_Type_commit(&record), "MPI_Type_commit");
  MPI_Op made = MPI_OP_NULL;
  must_succeed(MPI_Op_create(reduce_records, 1, &made), "MPI_Op_create");
  operation = made;
}

void RecordOperation::free() {
  if (record != MPI_DATATYPE_NULL) MPI_Type_free(&record);
  if (operation != MPI_OP_NULL) MPI_Op_free(&operation);
}

void reduce_record(RecordNumbers& record, MPI_Comm comm) {
  const RecordOperation& made = state().record_operation;
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, record.data(), 1, made.record, made.operation, comm), "MPI_Allreduce");
}

}  // namespace tridap::mpi
