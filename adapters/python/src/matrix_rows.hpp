#pragma once

#include <tridap/receipt.hpp>
#include <tridap/sparse/sparse_rows.hpp>

namespace tridap::python {

/// `_core._SparseRows`: rows of a sparse matrix in the memory of the library that has it, and the receipt of their
/// export. The modules of the libraries make them, and `tridap.Matrix` reads them.
struct MatrixRows {
  SparseRows rows;
  Receipt receipt;
};

}  // namespace tridap::python
