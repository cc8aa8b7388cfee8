#pragma once

#include <tridap/sparse/linear_operator.hpp>
#include <tridap/tpetra/array_map.hpp>

#include <Tpetra_Operator.hpp>

namespace tridap::tpetra {

using Operator = Tpetra::Operator<double>;

/// The product with an operator of Tpetra. Its vectors have the local indices of the range map and of the domain map,
/// numbered process after process; the maps are one-to-one. **Collective** over the communicator of the range map; `op`
/// must not be null.
LinearOperator export_operator(const Teuchos::RCP<const Operator>& op);

/// An operator of Tpetra whose apply() is the product of `op`, which gets the memory of Tpetra's vectors. The rows and
/// columns of each process are its local indices on the maps. apply() has no transpose. What `op` throws on one
/// process, apply() throws on all; it costs one reduction for each vector. **Collective** over the communicator of
/// `range_map`: throws the same Error on every process if `op` is wrong, or does not fit the maps.
Teuchos::RCP<const Operator> import_operator(const LinearOperator& op, const Teuchos::RCP<const Map>& range_map,
                                             const Teuchos::RCP<const Map>& domain_map);
/// The same on contiguous maps, whose ids are the global numbers of rows and columns.
Teuchos::RCP<const Operator> import_operator(const LinearOperator& op, const Communicator& comm);

}  // namespace tridap::tpetra
