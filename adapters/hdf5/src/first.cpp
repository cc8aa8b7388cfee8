#include "first.hpp"

#include <tridap/internal/typed.hpp>

#include <algorithm>
#include <cstring>

namespace tridap::hdf5 {

std::string told_by_first(std::string text, mpi::Faults faults, MPI_Comm comm) {
  struct {
    Index failed, bytes;
    char begin[4080];
  } message{faults.ok() ? 0 : 1, static_cast<Index>(text.size()), {}};
  constexpr auto room = static_cast<Index>(sizeof(message.begin));
  std::memcpy(message.begin, text.data(), static_cast<std::size_t>(std::min(message.bytes, room)));
  mpi::broadcast(&message, 1, 0, comm);
  if (message.failed != 0) mpi::throw_faults(std::move(faults), comm);
  if (message.bytes <= room) {
    text.assign(message.begin, static_cast<std::size_t>(message.bytes));
    return text;
  }
  mpi::collectively(comm, [&] { text.resize(static_cast<std::size_t>(message.bytes)); });
  mpi::broadcast(text.data(), message.bytes, 0, comm);
  return text;
}

void Written::number(Index value) { all_.append(reinterpret_cast<const char*>(&value), sizeof(value)); }

void Written::text(const std::string& value) {
  number(static_cast<Index>(value.size()));
  all_ += value;
}

void Written::numbers(const std::vector<Index>& values) {
  number(static_cast<Index>(values.size()));
  all_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Index));
}

Index ToRead::number() {
  Index value = 0;
  std::memcpy(&value, all_.data() + at_, sizeof(value));
  at_ += sizeof(value);
  return value;
}

std::string ToRead::text() {
  const auto bytes = static_cast<std::size_t>(number());
  std::string value = all_.substr(at_, bytes);
  at_ += bytes;
  return value;
}

std::vector<Index> ToRead::numbers() {
  std::vector<Index> values(static_cast<std::size_t>(number()));
  const std::size_t bytes = values.size() * sizeof(Index);
  if (bytes > 0) std::memcpy(values.data(), all_.data() + at_, bytes);
  at_ += bytes;
  return values;
}

}  // namespace tridap::hdf5
