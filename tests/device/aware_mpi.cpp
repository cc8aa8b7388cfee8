// MPI that sends and receives memory of the stand-in's device, as MPI that knows CUDA does: each message passes through
// memory of the host, which the library does not see.

#include "support/stand_in_driver.hpp"
#include <tridap/internal/driver.hpp>

#include <mpi.h>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace {

struct Message {
  std::vector<char> host;
  std::uintptr_t to = 0;  // 0: it was sent
};

std::map<MPI_Request, Message>& messages() {
  static std::map<MPI_Request, Message> made;
  return made;
}

bool is_on_device(const void* address) {
  const auto place = tridap::driver::place_of(address);
  return place && place->kind == tridap::driver::Place::Kind::device;
}

std::vector<char> memory_for(int count, MPI_Datatype type) {
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  return std::vector<char>(static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes));
}

}  // namespace

extern "C" {

int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!is_on_device(from)) return PMPI_Isend(from, count, type, to, tag, comm, request);
  Message message{memory_for(count, type)};
  stand_in::Driver::loaded().read(message.host.data(), reinterpret_cast<std::uintptr_t>(from), message.host.size(), 1);
  const int error = PMPI_Isend(message.host.data(), count, type, to, tag, comm, request);
  messages()[*request] = std::move(message);
  return error;
}

int MPI_Irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!is_on_device(to)) return PMPI_Irecv(to, count, type, from, tag, comm, request);
  Message message{memory_for(count, type), reinterpret_cast<std::uintptr_t>(to)};
  const int error = PMPI_Irecv(message.host.data(), count, type, from, tag, comm, request);
  messages()[*request] = std::move(message);
  return error;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const auto found = messages().find(*request);
  const int error = PMPI_Test(request, flag, status);
  if (error != MPI_SUCCESS || *flag == 0 || found == messages().end()) return error;
  const Message& message = found->second;
  if (message.to != 0) stand_in::Driver::loaded().write(message.to, message.host.data(), message.host.size(), 0);
  messages().erase(found);
  return error;
}

}  // extern "C"
