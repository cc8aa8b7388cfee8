#include <tridap/internal/persistent_messages.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/internal/wait.hpp>

#include <algorithm>
#include <exception>

namespace tridap::mpi {

PersistentMessages::~PersistentMessages() {
  if (mpi_is_over()) return;
  try {
    if (started_) wait();
    for (MPI_Request& request : requests_)
      if (request != MPI_REQUEST_NULL) must_succeed(MPI_Request_free(&request), "MPI_Request_free");
  } catch (const std::exception&) {  // a destructor cannot report an error
  }
}

// One request for each piece of a message, in their order.
template <class Init>
void PersistentMessages::add(Index bytes, const Channel& channel, Init&& init) {
  owner_ = channel.owner;
  constexpr Index most = most_counted(1);
  requests_.reserve(requests_.size() + static_cast<std::size_t>((bytes + most - 1) / most));
  in_pieces(bytes, most, [&](Index done, int count) { init(done, count, &requests_.emplace_back(MPI_REQUEST_NULL)); });
}

void PersistentMessages::add_receipt(int rank, std::byte* data, Index bytes, const Channel& channel) {
  add(bytes, channel, [&](Index done, int count, MPI_Request* request) {
    must_succeed(MPI_Recv_init(data + done, count, MPI_BYTE, rank, channel.tag, channel.comm, request),
                 "MPI_Recv_init");
  });
}

void PersistentMessages::add_send(int rank, const std::byte* data, Index bytes, const Channel& channel) {
  add(bytes, channel, [&](Index done, int count, MPI_Request* request) {
    must_succeed(MPI_Send_init(data + done, count, MPI_BYTE, rank, channel.tag, channel.comm, request),
                 "MPI_Send_init");
  });
}

template <class Step>
void PersistentMessages::or_give_up(Step step) {
  try {
    step();
  } catch (...) {
    started_ = false;
    failed_ = true;
    throw;
  }
}

void PersistentMessages::start() {
  or_give_up([this] {
    for (MPI_Request& request : requests_) must_succeed(MPI_Start(&request), "MPI_Start");
  });
  started_ = true;
}

void PersistentMessages::wait() {
  or_give_up([this] { wait_for(requests_); });
  started_ = false;
}

}  // namespace tridap::mpi
