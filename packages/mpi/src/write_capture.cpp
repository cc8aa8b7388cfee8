#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/capture_entry.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/new_file.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/internal/write_entries.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/write_capture.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace tridap::mpi {

namespace {

constexpr Index piece_bytes = Index{1} << 20;

// Rank 0: the file, and memory for what arrives.
struct Writer {
  NewFile file;
  std::vector<Index> sizes;  // bytes of each process's entry
  std::vector<char> piece = std::vector<char>(static_cast<std::size_t>(piece_bytes));

  Writer(const std::string& path, Index processes) : file(path), sizes(static_cast<std::size_t>(processes)) {}
};

Index number_of(const std::string& path) {
  Digest digest;
  digest.add(path);
  return digest.value();
}

// Throws the Error of two processes whose paths differ. **Collective.**
void refuse_paths(const std::string& path, MPI_Comm comm) {
  const MinMax all = mpi::min_max({number_of(path)}, comm).front();
  collectively(comm, [&] {
    const Index rank = rank_of(comm);
    if (rank == all.smallest_rank || rank == all.largest_rank)
      refuse("the path is " + clean(path), "must be the same on every process",
             "pass one path; rank 0 writes one file for all processes");
  });
}

// A synchronous send: an entry waits on its own process until rank 0 asks for it.
void send_entry(const std::string& entry, MPI_Comm comm) {
  in_pieces(static_cast<Index>(entry.size()), piece_bytes, [&](Index done, int count) {
    must_succeed(MPI_Ssend(entry.data() + done, count, MPI_CHAR, 0, 0, comm), "MPI_Ssend");
  });
}

// Receives every entry, even after the file cannot be written any more, because its sender waits.
void receive_entries(Writer& writer, const std::string& entry, Faults& faults, MPI_Comm comm) {
  const auto write = [&](const char* bytes, std::size_t count) {
    if (faults.ok()) faults.attempt([&] { writer.file.write(bytes, count); });
  };
  const auto write_text = [&](const std::string& text) { write(text.data(), text.size()); };
  faults.attempt([&] { writer.file.write(capture_begin + entry); });
  for (std::size_t process = 1; process < writer.sizes.size(); ++process) {
    faults.attempt([&] { write_text(capture_between); });
    in_pieces(writer.sizes[process], piece_bytes, [&](Index, int count) {
      must_succeed(
          MPI_Recv(writer.piece.data(), count, MPI_CHAR, static_cast<int>(process), 0, comm, MPI_STATUS_IGNORE),
          "MPI_Recv");
      write(writer.piece.data(), static_cast<std::size_t>(count));
    });
  }
  faults.attempt([&] { write_text(capture_end); });
  if (faults.ok()) faults.attempt([&] { writer.file.complete(); });
}

// Writes what `entry_of()` returns on each process.
template <class EntryOf>
void write_all(const std::string& path, EntryOf entry_of, MPI_Comm comm) {
  std::string entry;
  const Call call(comm, "mpi::write_capture", {}, [&](Record& record) {
    entry = entry_of();
    record.add(number_of(path));
  });
  comm = call.comm();
  if (!call.is_same(0)) refuse_paths(path, comm);
  std::unique_ptr<Writer> writer = collectively(comm, [&] {  // which opens the file
    return rank_of(comm) == 0 ? std::make_unique<Writer>(path, MpiCollectives(comm).processes()) : nullptr;
  });
  Faults faults;
  const auto bytes = static_cast<Index>(entry.size());
  must_succeed(MPI_Gather(&bytes, 1, MPI_INT64_T, writer ? writer->sizes.data() : nullptr, 1, MPI_INT64_T, 0, comm),
               "MPI_Gather");
  if (writer)
    receive_entries(*writer, entry, faults, comm);
  else
    send_entry(entry, comm);
  writer.reset();  // removes an incomplete file before any process continues
  throw_faults(std::move(faults), comm);
}

}  // namespace

void write_entry(const std::string& path, const std::string& entry) {
  NewFile file(path);
  file.write(capture_begin + entry + capture_end);
  file.complete();
}

void write_entries(const std::string& path, const std::string& entry, MPI_Comm comm) {
  write_all(
      path, [&] { return entry; }, comm);
}

void write_capture(const DistArray& array, const std::string& path, MPI_Comm comm) {
  write_all(
      path, [&] { return capture_entry(rank_of(comm), described(array)); }, comm);
}

}  // namespace tridap::mpi
