#include "map_parts.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/tpetra/array_map.hpp>

#include <Teuchos_RCPStdSharedPtrConversions.hpp>

#include <new>

namespace tridap::tpetra {

namespace {

using OfMpi = Teuchos::MpiComm<int>;

// The Teuchos communicator of a duplicate, which it keeps: maps and vectors have it after the caller's communicator is
// freed.
struct Lasting {
  std::shared_ptr<mpi::Duplicates> duplicates;
  std::optional<OfMpi> comm;
};

// What is attached to the duplicates of a communicator.
struct KeptTeuchos {
  TeuchosComm comm;
};

// The Teuchos communicator of the duplicate for Trilinos. It is made once, which needs a message.
TeuchosComm teuchos_of(const std::shared_ptr<mpi::Duplicates>& duplicates) {
  if (const KeptTeuchos* const kept = duplicates->attached<KeptTeuchos>()) return kept->comm;
  const mpi::Call call(duplicates->ours(), "the first call of tridap::tpetra", mpi::Library::trilinos);
  const MPI_Comm comm = duplicates->of(mpi::Library::trilinos);
  return call.run([&] {
    const auto place = std::make_shared<Lasting>(Lasting{duplicates, {}});
    place->comm.emplace(Teuchos::RCP<const Teuchos::OpaqueWrapper<MPI_Comm>>(Teuchos::opaqueWrapper(comm)));
    auto made = std::make_unique<KeptTeuchos>(KeptTeuchos{Teuchos::rcp(std::shared_ptr<OfMpi>(place, &*place->comm))});
    TeuchosComm teuchos = made->comm;
    if (duplicates->caller() != MPI_COMM_NULL) duplicates->attach(std::move(made), mpi::Duplicates::caller_frees);
    return teuchos;
  });
}

}  // namespace

Communicator::Communicator(MPI_Comm comm)
    : duplicates_(mpi::made_duplicates_of(comm)), ours_(duplicates_->ours()), teuchos_(teuchos_of(duplicates_)) {}

Communicator::Communicator(const TeuchosComm& comm) : teuchos_(comm) {
  MPI_Comm raw = MPI_COMM_SELF;
  if (comm.is_null()) refuse("the communicator is null", "", "give a communicator");
  if (const auto* mpi = dynamic_cast<const OfMpi*>(comm.get()))
    raw = *mpi->getRawMpiComm();
  else if (comm->getSize() != 1)
    refuse("the communicator is neither an MPI nor a one-process communicator", "", "give a Teuchos::MpiComm");
  duplicates_ = mpi::made_duplicates_of(raw);
  ours_ = duplicates_->ours();
}

namespace detail {

Region::Region(const char* name) {
  static_assert(sizeof(mpi::Region) <= sizeof(region_));
  new (region_) mpi::Region(name);
}

Region::~Region() { std::launder(reinterpret_cast<mpi::Region*>(region_))->~Region(); }

Collective::Collective(const Communicator& comm, const char* name) {
  static_assert(sizeof(mpi::Call) <= sizeof(call_));
  new (call_) mpi::Call(comm.duplicates_, name, mpi::Library::trilinos);
}

Collective::~Collective() { std::launder(reinterpret_cast<mpi::Call*>(call_))->~Call(); }

void Collective::end_job_of_several() const {
  std::launder(reinterpret_cast<const mpi::Call*>(call_))->run([] { throw std::bad_alloc(); });
}

InTrilinos::InTrilinos() { mpi::state().locks.take(mpi::Library::trilinos, mpi::state().this_thread()); }

InTrilinos::~InTrilinos() { mpi::state().locks.give(mpi::Library::trilinos, mpi::state().this_thread()); }

}  // namespace detail

MPI_Comm Communicator::caller() const { return duplicates_->caller_or_ours(); }

}  // namespace tridap::tpetra
