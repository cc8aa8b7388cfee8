#pragma once

#include <tridap/index.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>

namespace tridap::mpi {

/// How the values of two processes become one.
enum class Fold : unsigned char {
  none,
  add,
  multiply,
  smallest,        ///< the smallest value, or a nan, of the processes whose number is not 0
  largest,         ///< the largest value, as above
  first_smallest,  ///< the same where the number is not negative; of equal values, the one with the least number
  first_largest,   ///< the largest value, as above
  every,           ///< whether all values are true
  some,            ///< whether one value is true
  bits             ///< each bit that one of the values has, and the largest number
};

/// What one process adds to a reduction, and what all of them give: one value, and a number that is added unless Fold
/// says otherwise. It is a part of the record with which every call begins.
struct Folded {
  static constexpr std::size_t most_bytes = 32;  ///< of a value: of a complex long double

  std::array<std::byte, most_bytes> value{};  ///< in the machine's byte order; zero behind its last byte
  Index number = 0;
  Fold how = Fold::none;
  char kind = 0;            ///< of the value, as NumPy's dtype.kind: one of "biufcmM", and any for Fold::bits
  unsigned char bytes = 0;  ///< of the value

  /// From and to the numbers of a record.
  static Folded read(const Index* from);
  void write(Index* to) const;
  /// Whether values of this kind and size can be folded so.
  bool is_possible() const;
};
static_assert(sizeof(Folded) == 6 * sizeof(Index), "it travels as whole numbers");

/// Folds two. The result is the same bit for bit if they are exchanged.
void fold(const Folded& a, Folded& b);

/// How many numbers a process reduces at the beginning of a call: first number_of_call(), then its complement, and
/// others, each by its maximum; behind these, a Folded.
inline constexpr std::size_t record_numbers = 28, record_length = record_numbers + sizeof(Folded) / sizeof(Index);
using RecordNumbers = std::array<Index, record_length>;

/// What MPI needs to reduce a record. It is made once in a process.
struct RecordOperation {
  MPI_Datatype record = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;

  void make();  ///< Local. Throws if MPI does.
  void free();
};

/// Reduces a record of each process. **Collective**, on a duplicate of ours.
void reduce_record(RecordNumbers& record, MPI_Comm comm);

}  // namespace tridap::mpi
