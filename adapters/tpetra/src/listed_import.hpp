#pragma once

#include <Tpetra_Distributor.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_ImportExportData.hpp>
#include <Tpetra_Map.hpp>

#include <algorithm>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::tpetra {

using LocalOrdinal = Tpetra::Map<>::local_ordinal_type;

/// The lists that an Import is made of: local indices, and the ranks on the other side, ascending.
struct ImportLists {
  std::vector<LocalOrdinal> permute_to, permute_from;  ///< moves on this process
  std::vector<LocalOrdinal> remote, exported;          ///< received into, and sent from
  std::vector<int> remote_ranks, export_ranks;
};

/// An Import made from known lists, without a search for the owners of ids. It moves only what is in a list. Tpetra has
/// such a constructor, but it is private. Nothing communicates.
class ListedImport : public Tpetra::Import<> {
 public:
  using Map = Tpetra::Map<>;
  using Maps = Teuchos::RCP<const Map>;

  ListedImport(const Maps& source, const Maps& target, const ImportLists& lists)
      : ListedImport(source, target, lists, Teuchos::rcp(new Map)) {}  // of this process alone

 private:
  using Data = Tpetra::ImportExportData<LocalOrdinal, Map::global_ordinal_type, Map::node_type>;

  ListedImport(const Maps& source, const Maps& target, const ImportLists& lists, const Maps& nothing)
      : Tpetra::Import<>(nothing, nothing, Teuchos::ArrayView<int>(), Teuchos::ArrayView<const LocalOrdinal>(),
                         Teuchos::ArrayView<const int>()) {
    TransferData_ = Teuchos::rcp(new Data(source, target));
    fill(TransferData_->permuteToLIDs_, lists.permute_to);
    fill(TransferData_->permuteFromLIDs_, lists.permute_from);
    fill(TransferData_->remoteLIDs_, lists.remote);
    fill(TransferData_->exportLIDs_, lists.exported);
    TransferData_->exportPIDs_.assign(lists.export_ranks.begin(), lists.export_ranks.end());
    TransferData_->numSameIDs_ = 0;
    TransferData_->isLocallyComplete_ = true;
    TransferData_->distributor_.createFromSendsAndRecvs(TransferData_->exportPIDs_,
                                                        Teuchos::ArrayView<const int>(lists.remote_ranks));
  }

  template <class Views>
  static void fill(Views& views, const std::vector<LocalOrdinal>& list) {
    views = Views("tridap::tpetra::ListedImport", list.size());
    std::copy(list.begin(), list.end(), views.view_host().data());
    views.modify_host();
    views.sync_device();
  }
};

}  // namespace tridap::tpetra

#pragma GCC visibility pop
