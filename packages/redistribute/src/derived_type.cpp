#include "stream.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/duplicates.hpp>

namespace tridap::redistribute {

namespace {

using mpi::must_succeed;

constexpr Index most_blocks = Index{1} << 30;  // in one call of MPI, which counts by int

// Calls visit(first, count) for numbers from 0 to n - 1.
template <class Visit>
void in_groups(Index n, Visit&& visit) {
  for (Index first = 0; first < n; first += most_blocks)
    visit(first, static_cast<int>(std::min(most_blocks, n - first)));
}

// Blocks of one type. `extent`: bytes from one element of a block to the next.
class Blocks {
 public:
  explicit Blocks(Index extent) : extent_(extent) {}
  void add(Index address, Index count) {
    in_groups(count, [&](Index first, int now) {
      addresses_.push_back(static_cast<MPI_Aint>(address + first * extent_));
      counts_.push_back(now);
    });
  }
  DerivedType of(MPI_Datatype type) const {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    must_succeed(
        MPI_Type_create_hindexed(static_cast<int>(counts_.size()), counts_.data(), addresses_.data(), type, &made),
        "MPI_Type_create_hindexed");
    return DerivedType::owning(made);
  }

 private:
  Index extent_;
  std::vector<int> counts_;
  std::vector<MPI_Aint> addresses_;
};

// A type with another number of bytes from one element to the next.
DerivedType resized(MPI_Datatype type, Index extent) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  must_succeed(MPI_Type_create_resized(type, 0, static_cast<MPI_Aint>(extent), &made), "MPI_Type_create_resized");
  return DerivedType::owning(made);
}

// So many bytes. As few units as possible, which MPI copies faster; the same at both ends, because elements are equally
// long.
DerivedType element(Index bytes) {
  const std::pair<Index, MPI_Datatype> units[] = {{8, MPI_INT64_T}, {4, MPI_INT32_T}, {2, MPI_INT16_T}, {1, MPI_BYTE}};
  const auto& unit = *std::find_if(std::begin(units), std::end(units), [&](auto& u) { return bytes % u.first == 0; });
  Blocks blocks(unit.first);
  blocks.add(0, bytes / unit.first);
  return blocks.of(unit.second);
}

// The elements along an axis, each of which is `inner`.
DerivedType along(const AxisPieces& axis, const DerivedType& inner) {
  const DerivedType stepping = resized(inner.get(), axis.step);
  std::vector<DerivedType> sections;
  for (const Section& section : axis.sections) {
    Blocks blocks(axis.step);
    for (const Piece& piece : section.pieces) blocks.add(piece.here, piece.length);
    DerivedType once = blocks.of(stepping.get());
    if (section.repeat > 1) {
      once = resized(once.get(), section.here_step);
      Blocks repetitions(section.here_step);
      repetitions.add(0, section.repeat);
      once = repetitions.of(once.get());
    }
    sections.push_back(std::move(once));
  }
  if (sections.size() == 1) return std::move(sections[0]);
  std::vector<MPI_Datatype> types;
  for (const DerivedType& section : sections) types.push_back(section.get());
  const std::vector<int> counts(types.size(), 1);
  const std::vector<MPI_Aint> addresses(types.size(), 0);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  must_succeed(
      MPI_Type_create_struct(static_cast<int>(types.size()), counts.data(), addresses.data(), types.data(), &made),
      "MPI_Type_create_struct");
  return DerivedType::owning(made);
}

}  // namespace

DerivedType::DerivedType(const Pieces& pieces) : DerivedType() {
  Blocks chunk(pieces.here_bytes_);
  chunk.add(pieces.here_first_, pieces.chunk_);
  *this = chunk.of(element(pieces.here_bytes_).get());
  for (std::size_t axis = pieces.axes_.size(); axis-- > 0;) *this = along(*pieces.axes_[axis], *this);
  must_succeed(MPI_Type_commit(&type_), "MPI_Type_commit");
}

DerivedType DerivedType::owning(MPI_Datatype handle) {
  DerivedType type;
  type.type_ = handle;
  return type;
}

DerivedType::~DerivedType() {
  if (type_ != MPI_DATATYPE_NULL && !mpi::mpi_is_over()) MPI_Type_free(&type_);
}

}  // namespace tridap::redistribute
