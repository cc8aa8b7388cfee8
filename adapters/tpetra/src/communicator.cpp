#include "map_parts.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/tpetra/array_map.hpp>

#include <Teuchos_RCPStdSharedPtrConversions.hpp>

namespace tridap::tpetra {

namespace {

// The Teuchos communicator of an MPI communicator. It is made once, which needs a message, and kept as an attribute of
// the MPI communicator until that is freed.
TeuchosComm kept_with(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL)
    refuse("the communicator is null", "", "give a communicator");  // MPI would end the program
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    const auto drop = [](MPI_Comm, int, void* kept, void*) -> int {
      delete static_cast<TeuchosComm*>(kept);
      return MPI_SUCCESS;
    };
    mpi::must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &made, nullptr), "MPI_Comm_create_keyval");
    return made;
  }();
  void* kept = nullptr;
  int found = 0;
  mpi::must_succeed(MPI_Comm_get_attr(comm, key, &kept, &found), "MPI_Comm_get_attr");
  if (found == 0) {
    using OfMpi = Teuchos::MpiComm<int>;
    std::shared_ptr<std::optional<OfMpi>> place;
    const auto raw = mpi::collectively(comm, [&] {
      place = std::make_shared<std::optional<OfMpi>>();
      return Teuchos::RCP<const Teuchos::OpaqueWrapper<MPI_Comm>>(Teuchos::opaqueWrapper(comm));
    });
    place->emplace(raw);
    auto made = mpi::collectively(
        comm, [&] { return std::make_unique<TeuchosComm>(Teuchos::rcp(std::shared_ptr<OfMpi>(place, &**place))); });
    mpi::must_succeed_everywhere(MPI_Comm_set_attr(comm, key, made.get()), "MPI_Comm_set_attr", comm);
    kept = made.release();
  }
  return *static_cast<TeuchosComm*>(kept);
}

}  // namespace

Communicator::Communicator(MPI_Comm comm) : raw_(comm), teuchos_(kept_with(comm)) {}

Communicator::Communicator(const TeuchosComm& comm) : raw_(MPI_COMM_SELF), teuchos_(comm) {
  if (comm.is_null()) refuse("the communicator is null", "", "give a communicator");
  if (const auto* mpi = dynamic_cast<const Teuchos::MpiComm<int>*>(comm.get()))
    raw_ = *mpi->getRawMpiComm();
  else if (comm->getSize() != 1)
    refuse("the communicator is neither an MPI nor a one-process communicator", "", "give a Teuchos::MpiComm");
}

}  // namespace tridap::tpetra
