#pragma once

#include <tridap/distribution.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/make.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What other libraries and languages call their distributions, as distributions of the protocol (PROTOCOL,
/// Conversions that the texts name). Extents, offsets and widths count elements; indices are 0-based unless a base is
/// named. Whatever is wrong throws Error; `axis` is for its messages.
namespace tridap {

/// The indices of an axis as languages write them: low..high, both included; empty where `high < low`.
struct Bounds {
  Index low = 0, high = -1;
};

/// One axis as another vocabulary lays it out.
struct TranslatedAxis {
  Axis axis;
  Index index_base = 0;             ///< what the vocabulary calls our global index 0
  std::vector<std::string> losses;  ///< what the protocol cannot say, apart from the base
  /// Elements that a coordinate's storage there has room for along this axis, where it may have room for more than it
  /// holds; nothing: as many as it holds.
  std::function<Index(Index coordinate)> allocated = {};
};

/// An array as another vocabulary lays it out: the distribution, and beside it what the protocol has no word for.
///
/// ScaLAPACK's 5 x 5 in blocks of 2 x 2 over a 2 x 3 grid in column-major order has index bases {1, 1}, our process 1
/// at (0, 1) is its process 2, and `losses` has three lines.
struct Translation {
  Distribution distribution;
  std::vector<Index> index_base;                ///< by axis: what the vocabulary calls our global index 0
  Order process_order = Order::row_major;       ///< how its process numbers ravel the grid; ours are row-major
  Order storage_order = Order::row_major;       ///< of a local buffer; the buffer's strides say it
  std::optional<Index> leading_dimension = {};  ///< elements from a local column to the next, where it is prescribed
  std::vector<std::string> losses = {};         ///< what the protocol cannot say, in words, as in a Receipt
  std::vector<std::function<Index(Index coordinate)>> allocated = {};  ///< TranslatedAxis::allocated, by axis

  Index foreign_process(Index process) const;  ///< their number, from 0, of our process
  Index process(Index foreign) const;          ///< our process of their number
  bool same_processes() const;                 ///< both numberings are one: no permutation

  /// The extents of a process's storage there, in elements: its local shape, or more where whole blocks are allocated.
  Indices allocated_shape(Index process) const;
  /// Elements from one local index to the next, by axis, in that storage; a prescribed leading dimension is the stride
  /// of the last axis. Throws Error where they do not fit 64 bits.
  Indices strides(Index process) const;
};

/// Joins axes; the base of every axis and a numbering of processes that differs from ours are added to the losses.
/// Throws Error where the processes do not fit 64 bits.
Translation translation(std::vector<TranslatedAxis> axes, Order process_order = Order::row_major,
                        Order storage_order = Order::row_major);

/// High Performance Fortran 2.0, section 3 (DISTRIBUTE, ALIGN). Arrays are A(low:high), their base is `low`; how a
/// PROCESSORS arrangement is numbered is left to compilers, so that no permutation is told.
namespace hpf {

/// BLOCK: m -> (m div L, m mod L) with L = ceil(size / processors); trailing processors may be empty.
TranslatedAxis block(Bounds array, Index processors, Index axis = 0);
/// BLOCK(n): the same with L = n, where n * processors must reach the size.
TranslatedAxis block_of(Bounds array, Index processors, Index n, Index axis = 0);
/// CYCLIC(k): m -> processor (m div k) mod processors; CYCLIC is CYCLIC(1).
TranslatedAxis cyclic(Bounds array, Index processors, Index k = 1, Index axis = 0);
/// `*`: the axis is not distributed.
TranslatedAxis collapsed(Bounds array, Index axis = 0);

/// A template that arrays are aligned with.
struct Template {
  Index size = 0, processors = 1;
  std::optional<Index> length;  ///< n of BLOCK(n), k of CYCLIC(k); nothing: plain BLOCK or CYCLIC
};

/// ALIGN A(I) WITH T(offset + I), both counted from 0, T under BLOCK: index m goes where T's offset + m is. Takes time
/// and memory in proportion to the processors where the offset is not 0. Throws where A does not lie within T.
TranslatedAxis align_block(Bounds array, Index offset, const Template& with, Index axis = 0);
/// The same with T under CYCLIC(k): cyclic, processor (offset / k) mod processors being served first. Where the offset
/// is no multiple of k the processors' indices are listed: a loss, in proportion to the size, which `most_listed`
/// limits.
TranslatedAxis align_cyclic(Bounds array, Index offset, const Template& with, Index axis = 0);

}  // namespace hpf

/// ScaLAPACK (Users' Guide, sections 4.3 and 4.4): two-dimensional block-cyclic, and one-dimensional block for band
/// matrices. Indices begin at 1; local matrices are column-major with leading dimension LLD.
namespace scalapack {

/// What a descriptor says of a matrix, but for its context; spelled as there.
struct Descriptor {
  Index m = 0, n = 0;        ///< rows and columns
  Index mb = 1, nb = 1;      ///< rows and columns of a block
  Index rsrc = 0, csrc = 0;  ///< process row and column that hold the first block
  std::optional<Index> lld;  ///< leading dimension on every process, elements; nothing: each has its least
};

/// A BLACS grid; its `order` is that of BLACS_GRIDINIT: 'R' is row-major, 'C' column-major.
struct Grid {
  Index nprow = 1, npcol = 1;
  Order order = Order::row_major;
};

/// LOC(): how many of n rows or columns in blocks of nb come to process `iproc` of `nprocs`, `isrcproc` holding the
/// first block. The arguments are those of NUMROC.
Index loc(Index n, Index nb, Index iproc, Index isrcproc, Index nprocs);
/// The least LLD on a process row: max(1, LOC(M)).
Index least_lld(const Descriptor& descriptor, Index nprow, Index myrow);

/// Rows or columns: m -> process (src + m div nb) mod nprocs.
TranslatedAxis block_cyclic(Index n, Index nb, Index nprocs, Index src = 0, Index axis = 0);
/// Rows or columns of a band matrix (section 4.4): at most one block for each process, nb * nprocs >= n. Block for
/// src = 0, otherwise cyclic, since the first process is not the first owner.
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
/// m -> ((m mod T) div r, m div T, m mod r), T = r P: process, block there, place in the block.
TranslatedAxis block_cyclic(Index m, Index r, Index p, Index axis = 0);
/// An m x n matrix in blocks of r x s over a p x q grid: the product of two block-cyclic axes. Local matrices are
/// column-major, as in Fortran.
Translation matrix(Index m, Index n, Index r, Index s, Index p, Index q);

}  // namespace essl

/// Chapel's standard distributions (modules BlockDist, CyclicDist, BlockCycDist, StencilDist of Chapel 2). A domain
/// low..high begins at `low`; locales are numbered row-major.
namespace chapel {

/// blockDist over a bounding box of n indices: i -> locale clamp(floor((i - box.low) * locales / n), 0, locales - 1);
/// what lies outside of the box goes to the outer locales. Takes time and memory in proportion to the locales where
/// these do not divide n, or the domain is not the box.
TranslatedAxis block_dist(Bounds domain, Bounds box, Index locales, Index axis = 0);
/// cyclicDist: i -> locale (i - start_idx) mod locales, never negative.
TranslatedAxis cyclic_dist(Bounds domain, Index start_idx, Index locales, Index axis = 0);
/// blockCycDist: i -> locale floor((i - start_idx) / block_size) mod locales, never negative. Locales allocate whole
/// blocks (`allocated`), where index i stands in slot j div T * block_size + j mod block_size, with j = i - domain.low
/// and T = block_size * locales. So a domain that begins inside a block is listed, in the order of that storage: 2..12
/// from start index 1 in blocks of 2 is 4, 3, 8, 7, 12, 11 on the second of two locales. That is a loss, in proportion
/// to the size, which `most_listed` limits; another one where the storage of a locale has a gap before its last
/// elements. Chapel halts where a domain begins before `start_idx`; here the dealing goes on below it, a loss too.
TranslatedAxis block_cyc_dist(Bounds domain, Index start_idx, Index block_size, Index locales, Index axis = 0);
/// stencilDist: blockDist with `fluff` elements more on both sides of every locale. The outer fluff counts in `size`,
/// and the base is domain.low - fluff; a periodic one mirrors the other end, otherwise it is owned although it is no
/// part of the array: a loss. Time and memory as blockDist. `periodic` is ignored where the fluff is 0, and an empty
/// domain has no fluff. Throws where a locale has less than its neighbour's fluff, or no index, and so no fluff there.
TranslatedAxis stencil_dist(Bounds domain, Bounds box, Index fluff, bool periodic, Index locales, Index axis = 0);

}  // namespace chapel

/// Julia's DistributedArrays (DArray): chunks, their processes and the local arrays are column-major; indices begin at
/// 1. A process's number is its place in `procs`, from 0.
namespace julia {

/// The first n mod p ranges get one more than n div p; where n < p, one each and then none.
TranslatedAxis range(Index n, Index p, Index axis = 0);
/// distribute(A) over a grid of processes.
Translation darray(const std::vector<Index>& size, const std::vector<Index>& grid);

}  // namespace julia

/// X10 (language specification, Distributions: Dist.makeBlock).
namespace x10 {

/// q = n div places, r = n mod places: the first r places get q + 1. Begins at region.low.
TranslatedAxis block(Bounds region, Index places, Index axis = 0);
/// A region in blocks along one of its axes, the others whole.
Translation block_along(const std::vector<Bounds>& region, Index along, Index places);

}  // namespace x10

/// Process grids of MPI_Cart_create (MPI 4.0, section 8.5), which number processes row-major as we do.
namespace mpi_cart {

/// The arguments of MPI_Cart_create.
struct Grid {
  std::vector<Index> dims;
  std::vector<bool> periods;
  bool reorder = false;  ///< MPI may give the processes other numbers than in the old communicator: a loss
};

/// An array dealt over the grid, as MPE_Decomp1d does it: the first n mod dim coordinates get one more. `width`
/// elements of the neighbours stand on both sides of every share. On a periodic axis this holds at the outer edges too:
/// these mirror the other end and count in `size`, and the base is -width. Throws where a share is narrower than
/// `width`.
Translation block(const std::vector<Index>& shape, const Grid& grid, Index width = 0);

}  // namespace mpi_cart

}  // namespace tridap
