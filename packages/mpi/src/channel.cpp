#include <tridap/internal/channel.hpp>
#include <tridap/mpi/agree.hpp>

#include <memory>

namespace tridap::mpi {

namespace {

// How many tags there are.
int tags(MPI_Comm comm) {
  int* highest = nullptr;
  int found = 0;
  must_succeed(MPI_Comm_get_attr(comm, MPI_TAG_UB, &highest, &found), "MPI_Comm_get_attr");
  return found != 0 ? *highest : 32767;  // that every MPI has
}

int free_channel(MPI_Comm, int, void* value, void*) {
  const std::unique_ptr<Channel> channel(static_cast<Channel*>(value));
  return mpi_is_over() ? MPI_SUCCESS : MPI_Comm_free(&channel->comm);
}

}  // namespace

bool mpi_is_over() {
  int over = 0;
  MPI_Finalized(&over);
  return over != 0;
}

Channel channel_of(MPI_Comm comm) {
  Channel* kept = nullptr;
  int found = 0;
  must_succeed(MPI_Comm_get_attr(comm, attribute_key<free_channel>(), &kept, &found), "MPI_Comm_get_attr");
  if (found == 0) {
    auto made = collectively(comm, [] {
      attribute_key<free_channel>();
      return std::make_unique<Channel>();
    });
    Duplicate ours(comm);
    made->comm = ours.get();
    must_succeed_everywhere(MPI_Comm_set_attr(comm, attribute_key<free_channel>(), made.get()), "MPI_Comm_set_attr",
                            comm);
    ours.release();
    kept = made.release();
  }
  const Channel channel = *kept;
  kept->tag = kept->tag == tags(kept->comm) ? 0 : kept->tag + 1;
  return channel;
}

}  // namespace tridap::mpi
