#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/receipt.hpp>
#include <tridap/scalapack/process_grid.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace tridap::scalapack {

/// The descriptor of a dense matrix, in ScaLAPACK's order: DTYPE_ = 1, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_.
using Desc = std::array<int, 9>;

/// An array over the memory of a ScaLAPACK matrix.
struct ExportedArray {
  DistArray array;  ///< without axes and memory on a process that is not in the grid
  Receipt receipt;
};

/// This process's part of a ScaLAPACK matrix as an array of two block-cyclic axes, in the matrix's own column-major
/// memory. Local; copies nothing. `local` is the first element of this process's part, which has `LLD_` elements from
/// one column to the next; `owner`, if it is not null, keeps the memory alive. Process r of the array is rank
/// `grid.ranks()[r]`.
///
/// Throws Error if the descriptor is not that of a dense matrix on a context of `grid`, if an entry is out of range, if
/// LLD_ < max(1, LOC(M_)), or if `local` is null although this process has elements.
ExportedArray export_array(const Desc& desc, void* local, const ElementType& type, const ProcessGrid& grid,
                           std::shared_ptr<void> owner = nullptr);
template <class T>
ExportedArray export_array(const Desc& desc, T* local, const ProcessGrid& grid, std::shared_ptr<void> owner = nullptr) {
  return export_array(desc, local, element_type<T>(), grid, std::move(owner));
}

/// Which process owns which elements of a matrix; ranks are those of `grid.comm()`. Local. Throws as export_array().
redistribute::PlacedDistribution placed(const Desc& desc, const ProcessGrid& grid);

/// An array as a ScaLAPACK matrix.
struct ImportedMatrix {
  Desc desc{};              ///< on a process that is not in the grid, CTXT_ is -1, as ScaLAPACK expects
  void* data = nullptr;     ///< this process's part
  bool transposed = false;  ///< the matrix is the transpose of the array, whose memory is row-major
  Receipt receipt;
  DistArray array;  ///< the memory of `data`: the array, or the array that it was moved to
};

/// What import_array() does if ScaLAPACK cannot use an array as it is.
enum class Fit {
  exact,    ///< throws Error, which names the nearest distribution that ScaLAPACK can use
  nearest,  ///< moves the elements to that distribution, column-major
};

/// A matrix over the memory of an array of two axes, each of them block-cyclic, in even blocks, or not distributed.
/// Column-major memory with any leading dimension is the matrix itself. Row-major memory is its transpose, on the
/// context of the transposed grid; the receipt names that. **Collective** over `grid.comm()`: the process at (i, j) of
/// the grid passes the part with the grid coordinates (i, j), and a process that is not in the grid DistArray{}.
///
/// Throws the same Error on every process if any process's array is wrong, has other grid coordinates than `grid`, is
/// read-only or not in host memory, if its elements are not float, double or complex of these, if the memory is neither
/// column-major nor row-major on all processes, or if a number does not fit ScaLAPACK's int.
ImportedMatrix import_array(const DistArray& array, const ProcessGrid& grid, Fit fit = Fit::exact);

/// Why ScaLAPACK cannot use a distribution; nothing: it can. Local; needs neither MPI nor the BLACS.
std::optional<std::string> refusal(const Distribution& distribution);
/// The distribution of the same shape and process grid that ScaLAPACK can use: axes that it cannot use become even
/// blocks. `distribution` itself if it can be used. Throws Error unless it has two axes. Local.
Distribution nearest(const Distribution& distribution);

/// Whether ELPA can use a matrix as it is: square blocks, the first one on process (0, 0).
bool is_elpa_ready(const Desc& desc);

}  // namespace tridap::scalapack
