#include <tridap/c/objects.hpp>
#include <tridap/c/words.hpp>
#include <tridap/capture.hpp>
#include <tridap/mpi/watch.hpp>
#include <tridap/mpi/write_capture.hpp>

using namespace tridap;
using namespace tridap::c;

int tridap_write_capture(tridap_array array, const char* path) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({array.number}); }); status != TRIDAP_OK) return status;
  std::shared_ptr<ArrayObject> of;
  std::string to;
  return collectively(
      "tridap_write_capture", comm, {},
      [&] {
        of = find<ArrayObject>(array.number);
        to = need(path, "path");
      },
      [&](MPI_Comm caller) { mpi::write_capture(of->array, to, caller); });
}

int tridap_check_capture(const char* path, int64_t* errors, char* text, size_t size, size_t* length) {
  return locally([&] {
    const Report report = check(read_capture(file_text(need(path, "path"), "a capture")));
    *need(errors, "errors") = report.errors();
    keep_checked(report);
    write_text(in_c(report).text(), text, size, length);
  });
}

int tridap_watch(double seconds, MPI_Comm comm) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK) return status;
  return collectively(
      "tridap_watch", over, {}, [] {}, [&](MPI_Comm caller) { mpi::watch(seconds, caller); });
}
