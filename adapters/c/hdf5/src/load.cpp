#include <tridap/c/objects.hpp>
#include <tridap/hdf5/load.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/hdf5_steps.hpp>
#include <tridap/internal/typed.hpp>

#include <algorithm>
#include <optional>
#include <string>

using namespace tridap;
using namespace tridap::c;

namespace {

// What every process asks of a file.
struct FromFile {
  std::string path, name;
  hdf5::LoadOptions options;
  Order order = Order::row_major;

  void read(const char* given_path, const char* given_name, const tridap_load_options* asked) {
    path = need(given_path, "path");
    name = need(given_name, "name");
    if (asked == nullptr) return;
    if (asked->has_step != 0) options.step = asked->step;
    order = order_of(asked->order);
  }

  // Two numbers of the record.
  void bring(mpi::Record& record, const std::optional<Distribution>& distribution) const {
    Digest digest;
    digest.add(path);
    digest.add(name);
    digest.add(options.step.value_or(-1));
    digest.add(distribution ? fingerprint(*distribution) : Index{-1});
    record.add(digest.value());
    record.add(mpi::said_of_directory(distribution));
  }

  static void compare(const mpi::Call& call) {
    if (!call.is_same(0))
      refuse("the processes give different paths, names, steps or distributions", "must be the same on every process",
             "pass the same on every process");
    mpi::need_same_directory(call, 1);
  }
};

// Loads inside of a call, in which the processes have compared their arguments. `make` returns the buffer, given what
// the file says and the distribution, which is that of the file if none is given. **Collective.**
template <class Make>
Receipt load_in(const mpi::Call& call, const FromFile& from, std::optional<Distribution>& to, Make&& make) {
  const hdf5::Search search(from.path, from.name, call.comm(), {false, !to, to.has_value(), from.options.most_listed});
  hdf5::Stored stored;
  hdf5::Reading reading;
  Buffer buffer;
  mpi::collectively(call.comm(), [&] {
    stored = search.understood();
    if (!to) to = hdf5::default_distribution(stored, mpi::processes_of(call.comm()));
    buffer = make(stored, *to);
    reading = hdf5::check_to_load(buffer, stored, *to, call.comm(), from.options);
  });
  return hdf5::load_checked(buffer, search.file(), stored, *to, call.comm(), reading, from.options);
}

void describe(const hdf5::Stored& from, tridap_stored* to) {
  const auto ndim = from.shape.size();
  if (ndim > TRIDAP_MOST_AXES)
    refuse("the array has " + std::to_string(ndim) + " axes", "must have at most " + std::to_string(TRIDAP_MOST_AXES),
           "load it by tridap_load");
  *to = {};
  to->ndim = static_cast<int>(ndim);
  std::copy(from.shape.begin(), from.shape.end(), to->shape);
  to->steps = from.steps.value_or(-1);
  to->type = number_of(hdf5::element_type(from.type));
}

}  // namespace

int tridap_load(const char* path, const char* name, MPI_Comm comm, tridap_distribution distribution,
                const tridap_load_options* options, tridap_array* array) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<ArrayObject>(status, number_in(array), over, nullptr);
  FromFile from;
  std::optional<Distribution> to;
  return making_together<ArrayObject>(
      "tridap_load", number_in(array), over, mpi::Library::hdf5,
      [&] {
        from.read(path, name, options);
        if (distribution.number == 0) return;
        const auto given = find<DistributionObject>(distribution.number);
        if (given->comm != over)
          refuse("the distribution has another communicator", "must be one of `comm`",
                 "pass the communicator with which the distribution was made");
        to = *given->distribution;
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_load", mpi::Library::hdf5,
                             [&](mpi::Record& record) { from.bring(record, to); });
        FromFile::compare(call);
        return call.run([&] {
          const Index rank = rank_in(over);
          Buffer buffer;
          load_in(call, from, to, [&](const hdf5::Stored& stored, const Distribution& whole) {
            const IndexList extents(whole.local_shape(rank));
            buffer = allocate(hdf5::element_type(stored.type), extents);
            if (from.order == Order::column_major) buffer.strides = column_major_strides(extents, buffer.type.bytes);
            return buffer;
          });
          return array_over(std::move(buffer), std::make_shared<const Distribution>(std::move(*to)), rank);
        });
      });
}

int tridap_load_into(const char* path, const char* name, tridap_array array, const tridap_load_options* options,
                     tridap_receipt* receipt) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({array.number}); }); status != TRIDAP_OK) return status;
  FromFile from;
  std::shared_ptr<ArrayObject> into;
  std::optional<Distribution> to;
  return collectively(
      "tridap_load_into", comm, mpi::Library::hdf5,
      [&] {
        from.read(path, name, options);
        into = find<ArrayObject>(array.number);
        to = *into->distribution;
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_load_into", mpi::Library::hdf5, [&](mpi::Record& record) {
          from.bring(record, to);
          record.add(into->array.buffer.type.kind == ElementType::Kind::bfloat);
        });
        FromFile::compare(call);
        if (!call.is_same(2))
          refuse("the processes give arrays of different element types", "must be parts of one array",
                 "pass the same array on every process");
        call.run([&] {
          write_receipt(
              load_in(call, from, to, [&](const hdf5::Stored&, const Distribution&) { return into->array.buffer; }),
              receipt);
        });
      });
}

int tridap_find(const char* path, const char* name, MPI_Comm comm, tridap_stored* stored,
                tridap_distribution* distribution) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<DistributionObject>(status, number_in(distribution), over, nullptr);
  FromFile from;
  std::shared_ptr<DistributionObject> made;
  const int status = collectively(
      "tridap_find", over, mpi::Library::hdf5,
      [&] {
        from.read(path, name, nullptr);
        need(stored, "stored");
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_find", mpi::Library::hdf5,
                             [&](mpi::Record& record) { from.bring(record, {}); });
        FromFile::compare(call);
        call.run([&] {
          const hdf5::Search search(from.path, from.name, call.comm(), {});
          mpi::collectively(call.comm(), [&] {
            const hdf5::Stored found = search.understood();
            describe(found, stored);
            made = std::make_shared<DistributionObject>(
                hdf5::default_distribution(found, mpi::processes_of(call.comm())), over);
          });
        });
      });
  return give<DistributionObject>(status, number_in(distribution), over, std::move(made));
}
