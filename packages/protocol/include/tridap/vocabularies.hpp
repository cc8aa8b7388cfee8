#pragma once

#include <tridap/distribution.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/make.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The distributions of other libraries and languages, by their own names, as distributions of the protocol (PROTOCOL,
/// Conversions that the texts name). Extents, offsets and widths count elements. Indices begin at 0 unless a base is
/// named. A wrong argument throws Error; `axis` is the number of the axis in its message.
namespace tridap {

/// The indices of an axis as languages write them: low..high, both included. The axis is empty if `high < low`.
struct IndexBounds {
  Index low = 0, high = -1;
};

/// One axis as another library or language distributes it.
struct TranslatedAxis {
  Axis axis;
  Index index_base = 0;             ///< the foreign index of global index 0
  std::vector<std::string> losses;  ///< what the protocol cannot represent, except the base
  /// The extent of a coordinate's foreign storage along this axis, elements, if it can be larger than the number of
  /// elements held. Empty: it is the number of elements held.
  std::function<Index(Index coordinate)> allocated = {};
};

/// An array as another library or language distributes it: its distribution, and properties that the protocol does not
/// have.
///
/// ScaLAPACK's 5 x 5 matrix in blocks of 2 x 2 over a 2 x 3 grid in column-major order has index bases {1, 1}. Process
/// 1 of the protocol, at (0, 1), is its process 2. `losses` has three lines.
struct Translation {
  Distribution distribution;
  std::vector<Index> index_base;           ///< by axis: the foreign index of global index 0
  Order process_order = Order::row_major;  ///< how foreign process numbers ravel the grid; the protocol's are row-major
  Order storage_order = Order::row_major;  ///< of a local buffer; the strides of the buffer state it too
  std::optional<Index> leading_dimension = {};  ///< elements from a local column to the next, if it is prescribed
  std::vector<std::string> losses = {};         ///< what the protocol cannot represent, in words, as in a Receipt
  std::vector<std::function<Index(Index coordinate)>> allocated = {};  ///< TranslatedAxis::allocated, by axis

  Index foreign_process(Index process) const;  ///< the foreign number, from 0, of a process of the protocol
  Index process(Index foreign) const;          ///< the process of the protocol with a foreign number
  bool same_processes() const;                 ///< both numberings are the same

  /// The extents of a process's foreign storage, in elements. They are its local shape, or larger if whole blocks are
  /// allocated.
  Indices allocated_shape(Index process) const;
  /// The strides of that storage by axis, in elements. A prescribed leading dimension is the stride of the last axis.
  /// Throws Error if they do not fit 64 bits.
  Indices strides(Index process) const;
};

/// Makes an array of axes. Adds to the losses the base of every axis, and a numbering of processes that differs from
/// the protocol's. Throws Error if the number of processes does not fit 64 bits.
Translation translation(std::vector<TranslatedAxis> axes, Order process_order = Order::row_major,
                        Order storage_order = Order::row_major);

/// High Performance Fortran 2.0, section 3 (DISTRIBUTE, ALIGN). Arrays are A(low:high); their base is `low`. The
/// numbering of a PROCESSORS arrangement depends on the compiler, so no permutation is given.
namespace hpf {

/// BLOCK: m -> (m div L, m mod L) with L = ceil(size / processors); trailing processors may be empty.
TranslatedAxis block(IndexBounds array, Index processors, Index axis = 0);
/// BLOCK(n): the same with L = n. n * processors must be at least the size.
TranslatedAxis block_of(IndexBounds array, Index processors, Index n, Index axis = 0);
/// CYCLIC(k): m -> processor (m div k) mod processors; CYCLIC is CYCLIC(1).
TranslatedAxis cyclic(IndexBounds array, Index processors, Index k = 1, Index axis = 0);
/// `*`: the axis is not distributed.
TranslatedAxis collapsed(IndexBounds array, Index axis = 0);

/// A template that arrays are aligned with.
struct Template {
  Index size = 0, processors = 1;
  std::optional<Index> length;  ///< n of BLOCK(n), k of CYCLIC(k); absent: plain BLOCK or CYCLIC
};

/// ALIGN A(I) WITH T(offset + I), both counted from 0, and T is BLOCK: index m is on the processor of T's index offset
/// + m. If the offset is not 0, time and memory are proportional to the number of processors. Throws Error if A is not
/// within T.
TranslatedAxis align_block(IndexBounds array, Index offset, const Template& with, Index axis = 0);
/// The same if T is CYCLIC(k): the result is cyclic and begins with processor (offset / k) mod processors. If the
/// offset is not a multiple of k, the result lists the indices of each processor. That is a loss; time and memory are
/// proportional to the size, which is at most `most_listed`.
TranslatedAxis align_cyclic(IndexBounds array, Index offset, const Template& with, Index axis = 0);

/// GEN_BLOCK(sizes) of HPF 2.0, section 8: one block for each processor, of these lengths. They are at least 0, and
/// their sum is at least the size; what is beyond the array is not used. Array 1..10 in blocks of 2, 5 and 4: elements
/// 0 and 1, 2 to 6, 7 to 9.
TranslatedAxis gen_block(IndexBounds array, const std::vector<Index>& sizes, Index axis = 0);
/// INDIRECT(map) of HPF 2.0, section 8: `map` has an entry for each element, the number of its processor, from 1. The
/// result lists the indices of each processor in ascending order. The size is at most `most_listed`.
TranslatedAxis indirect(IndexBounds array, Index processors, const std::vector<Index>& map, Index axis = 0);
/// SHADOW(width) of HPF 2.0, section 8, for an axis that is BLOCK, BLOCK(n), GEN_BLOCK or `*`: every share has `width`
/// elements of its neighbours on both sides. The shadow before the first and after the last element of the array is not
/// described, because it repeats no element. Throws Error for another kind of axis, or if the protocol refuses the
/// padding, because a share is shorter. SHADOW(low:high) with different widths cannot be represented.
TranslatedAxis shadow(const TranslatedAxis& of, Index width, Index axis = 0);

}  // namespace hpf

/// ScaLAPACK (Users' Guide, sections 4.3 and 4.4): two-dimensional block-cyclic, and one-dimensional block for band
/// matrices. Indices begin at 1; local matrices are column-major with leading dimension LLD.
namespace scalapack {

/// The entries of a matrix descriptor, by their own names, without the context.
struct Descriptor {
  Index m = 0, n = 0;        ///< rows and columns
  Index mb = 1, nb = 1;      ///< rows and columns of a block
  Index rsrc = 0, csrc = 0;  ///< process row and column that hold the first block
  std::optional<Index> lld;  ///< leading dimension on every process, elements; absent: the smallest on each
};

/// A BLACS grid; its `order` is that of BLACS_GRIDINIT: 'R' is row-major, 'C' column-major.
struct Grid {
  Index nprow = 1, npcol = 1;
  Order order = Order::row_major;
};

/// LOC(): the number of rows or columns on process `iproc` of `nprocs`, of n in blocks of nb, if process `isrcproc`
/// holds the first block. The arguments are those of NUMROC.
Index loc(Index n, Index nb, Index iproc, Index isrcproc, Index nprocs);
/// The smallest LLD on a process row: max(1, LOC(M)).
Index least_lld(const Descriptor& descriptor, Index nprow, Index myrow);

/// Rows or columns: m -> process (src + m div nb) mod nprocs.
TranslatedAxis block_cyclic(Index n, Index nb, Index nprocs, Index src = 0, Index axis = 0);
/// Rows or columns of a band matrix (section 4.4): at most one block for each process, nb * nprocs >= n. The result is
/// block if src = 0. Otherwise it is cyclic, since the first process does not own the first block.
TranslatedAxis block(Index n, Index nb, Index nprocs, Index src = 0, Index axis = 0);
/// A matrix.
Translation matrix(const Descriptor& descriptor, const Grid& grid);

}  // namespace scalapack

/// Parallel ESSL (Guide and Reference, Distributing your data; its tables 1 to 7). Indices begin at 0.
namespace essl {

/// m -> (m div L, m mod L), L = ceil(M / P).
TranslatedAxis block(Index m, Index p, Index axis = 0);
/// m -> (m mod P, m div P).
TranslatedAxis cyclic(Index m, Index p, Index axis = 0);
/// m -> ((m mod T) div r, m div T, m mod r), T = r P: process, block on it, position in the block.
TranslatedAxis block_cyclic(Index m, Index r, Index p, Index axis = 0);
/// An m x n matrix in blocks of r x s over a p x q grid: two block-cyclic axes. Local matrices are column-major, as in
/// Fortran.
Translation matrix(Index m, Index n, Index r, Index s, Index p, Index q);

}  // namespace essl

/// Chapel's standard distributions (modules BlockDist, CyclicDist, BlockCycDist, StencilDist of Chapel 2). The base of
/// a domain low..high is `low`. Locales are numbered in row-major order.
namespace chapel {

/// blockDist over a bounding box of n indices: i -> locale clamp(floor((i - box.low) * locales / n), 0, locales - 1);
/// indices outside of the box are on the outer locales. If the number of locales does not divide n, or the domain is
/// not the box, time and memory are proportional to the number of locales.
TranslatedAxis block_dist(IndexBounds domain, IndexBounds box, Index locales, Index axis = 0);
/// cyclicDist: i -> locale (i - start_idx) mod locales, never negative.
TranslatedAxis cyclic_dist(IndexBounds domain, Index start_idx, Index locales, Index axis = 0);
/// blockCycDist: i -> locale floor((i - start_idx) / block_size) mod locales, never negative. Locales allocate whole
/// blocks (`allocated`): index i is in slot j div T * block_size + j mod block_size, with j = i - domain.low and T =
/// block_size * locales. So if a domain begins inside a block, the result lists the indices in the order of that
/// storage: 2..12 from start index 1 in blocks of 2 is 4, 3, 8, 7, 12, 11 on the second of two locales. That is a loss;
/// time and memory are proportional to the size, which is at most `most_listed`. It is another loss if the storage of a
/// locale has a gap before its last elements. If a domain begins before `start_idx`, Chapel halts. Here the blocks
/// continue below `start_idx`, which is a loss too.
TranslatedAxis block_cyc_dist(IndexBounds domain, Index start_idx, Index block_size, Index locales, Index axis = 0);
/// stencilDist: blockDist with `fluff` more elements on both sides of every locale. `size` includes the outer fluff,
/// and the base is domain.low - fluff. If periodic, the outer fluff mirrors the other end. Otherwise it is owned
/// although it is not a part of the array, which is a loss. Time and memory are those of blockDist. `periodic` is
/// ignored if the fluff is 0. An empty domain has no fluff. Throws Error if a locale has fewer elements than its
/// neighbour's fluff, or has no index and therefore no fluff.
TranslatedAxis stencil_dist(IndexBounds domain, IndexBounds box, Index fluff, bool periodic, Index locales,
                            Index axis = 0);
/// The grid over which these distributions arrange a list of locales (_factor of DSIUtil): the prime factors of
/// `locales`, smallest first, each go to the smallest extent so far; then the extents are sorted in descending order.
/// 12 locales over 2 axes are 6 x 2. Throws Error if an argument is less than 1.
std::vector<Index> default_grid(Index ndim, Index locales);

}  // namespace chapel

/// Julia's DistributedArrays (DArray). Chunks, their processes and the local arrays are column-major. Indices begin at
/// 1. The number of a process is its position in `procs`, from 0.
namespace julia {

/// The first n mod p ranges have n div p + 1 elements, the others n div p. If n < p, the first n ranges have one each
/// and the others are empty.
TranslatedAxis range(Index n, Index p, Index axis = 0);
/// distribute(A) over a grid of processes.
Translation darray(const std::vector<Index>& size, const std::vector<Index>& grid);
/// The grid that distribute(A) uses for a number of processes (defaultdist): the prime factors of `processes`, largest
/// first, each divide the longest axis of the chunks so far, and the last one of several. A factor that is longer than
/// this axis is left out, so that the grid may have fewer processes. A 100 x 30 array over 12 processes: 6 x 2. Throws
/// Error if `processes` is less than 1, if an extent is negative, or if there are no axes.
std::vector<Index> default_grid(const std::vector<Index>& size, Index processes);

}  // namespace julia

/// X10 (language specification, Distributions: Dist.makeBlock).
namespace x10 {

/// q = n div places, r = n mod places: the first r places have q + 1 elements, the others q. The base is region.low.
TranslatedAxis block(IndexBounds region, Index places, Index axis = 0);
/// A region in blocks along one of its axes. The other axes are not distributed.
Translation block_along(const std::vector<IndexBounds>& region, Index along, Index places);
/// Dist.makeBlockBlock(region, first, second) (BlockBlockDist): blocks along two axes, over d0 x d1 places. d0 is a
/// power of two, ceil(log2(places) / 2) its exponent, but at most the extent of axis `first` (less one if that is odd),
/// and 1 if the extent is 1; d1 = ceil(places / d0). Block k begins at ceil(k * size / d). Place i is at (i mod d0, i
/// div d0). If d0 * d1 is more than the number of places, X10 gives two blocks to some of them, which is not a product
/// of axes: that is an Error, as more places than there are elements are.
Translation block_block(const std::vector<IndexBounds>& region, Index first, Index second, Index places);

}  // namespace x10

/// Process grids of MPI_Cart_create (MPI 4.0, section 8.5), which numbers processes in row-major order, as the protocol
/// does.
namespace mpi_cart {

/// The arguments of MPI_Cart_create.
struct Grid {
  std::vector<Index> dims;
  std::vector<bool> periods;
  bool reorder = false;  ///< MPI may number the processes differently from the old communicator: a loss
};

/// An array distributed over the grid as by MPE_Decomp1d: the first n mod dim coordinates have one element more than
/// the others. Every share has `width` elements of its neighbours on both sides. On a periodic axis the outer edges
/// have them too. They mirror the other end and are included in `size`, and the base is -width. Throws Error if a share
/// has fewer than `width` elements.
Translation block(const std::vector<Index>& shape, const Grid& grid, Index width = 0);

}  // namespace mpi_cart

}  // namespace tridap
