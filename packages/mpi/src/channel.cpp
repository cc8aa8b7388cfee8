#include <tridap/internal/channel.hpp>
#include <tridap/mpi/agree.hpp>

#include <memory>
#include <utility>

namespace tridap::mpi {

namespace {

// How many tags there are.
int tags(MPI_Comm comm) {
  int* highest = nullptr;
  int found = 0;
  must_succeed(MPI_Comm_get_attr(comm, MPI_TAG_UB, &highest, &found), "MPI_Comm_get_attr");
  return found != 0 ? *highest : 32767;  // that every MPI has
}

// A channel that belongs to a communicator.
struct OwnChannel : Channel {
  ~OwnChannel() {
    if (comm != MPI_COMM_NULL && !mpi_is_over()) MPI_Comm_free(&comm);
  }
};

}  // namespace

bool mpi_is_over() {
  int over = 0;
  MPI_Finalized(&over);
  return over != 0;
}

Channel channel_of(MPI_Comm comm) {
  auto* kept = attached<OwnChannel>(comm);
  if (kept == nullptr) {
    auto made = collectively(comm, [] { return std::make_unique<OwnChannel>(); });
    made->comm = Duplicate(comm).release();
    kept = &attach(std::move(made), comm);
  }
  const Channel channel = *kept;
  kept->tag = kept->tag == tags(kept->comm) ? 0 : kept->tag + 1;
  return channel;
}

}  // namespace tridap::mpi
