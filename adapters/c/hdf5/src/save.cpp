#include "xdmf.hpp"
#include <tridap/c/objects.hpp>
#include <tridap/hdf5/save.hpp>

#include <string>
#include <vector>

using namespace tridap;
using namespace tridap::c;

namespace {

hdf5::Attribute attribute_of(const tridap_attribute& given) {
  const std::string name = need(given.name, "the name of an attribute");
  if (given.text != nullptr) return {name, std::string(given.text)};
  tridap_memory memory{};
  memory.data = const_cast<void*>(need(given.data, "the data of an attribute"));
  memory.type = given.type;
  memory.read_only = 1;
  DeviceStream unused;
  std::vector<Index> extents;
  if (given.count < 0)
    refuse("attribute " + std::string(given.name) + " has " + std::to_string(given.count) + " numbers",
           "must be at least 1, or 0 for one without an axis", "leave out an attribute without numbers");
  if (given.count != 0) extents.push_back(given.count);
  return {name, buffer_of(memory, nullptr, extents, unused)};
}

// The arguments of a call on this process.
struct Saving {
  std::string path;
  std::vector<std::shared_ptr<ArrayObject>> kept;
  std::vector<hdf5::Named> arrays;
  hdf5::SaveOptions options;

  void read(const Comm& comm, const char* given_path, int count, const char* const* names, const tridap_array* given,
            const tridap_save_options* asked) {
    path = need(given_path, "path");
    if (count < 1) refuse_key("count", std::to_string(count), "must be at least 1", "pass the number of arrays");
    need(names, "names");
    need(given, "arrays");
    for (int i = 0; i < count; ++i) {
      auto array = find<ArrayObject>(given[i].number);
      if (array->comm != comm)
        refuse("array " + std::to_string(i) + " has another communicator than array 0", "must have the same one",
               "save the arrays of each communicator in a file of their own");
      arrays.push_back({need(names[i], "a name"), array->array, *array->distribution});
      kept.push_back(std::move(array));
    }
    if (asked != nullptr) read_options(*asked);
  }

 private:
  void read_options(const tridap_save_options& asked) {
    if (asked.has_step != 0) options.step = asked.step;
    if (asked.chunks != nullptr) {
      const auto ndim = static_cast<Index>(arrays.front().array.dim_data.size());
      if (asked.chunk_count != 0 && asked.chunk_count != ndim)
        refuse_key("chunks", "a list of " + std::to_string(asked.chunk_count),
                   "must have " + std::to_string(ndim) + " extents, one for each axis",
                   "pass a longer or a shorter list");
      options.chunks = list_of(asked.chunks, ndim, "chunks");
    }
    options.compression = static_cast<int>(asked.compression);
    if (asked.attribute_count > 0) need(asked.attributes, "attributes");
    for (Index i = 0; i < asked.attribute_count; ++i) options.attributes.push_back(attribute_of(asked.attributes[i]));
    if (asked.has_time != 0) options.time = asked.time;
    if (asked.xdmf != nullptr) options.xdmf = xdmf_of(*asked.xdmf);
  }
};

}  // namespace

int tridap_save(const char* path, int count, const char* const* names, const tridap_array* arrays,
                const tridap_save_options* options, tridap_receipt* receipt) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of(count, arrays); }); status != TRIDAP_OK) return status;
  Saving saving;
  return collectively(
      "tridap_save", comm, mpi::Library::hdf5, [&] { saving.read(comm, path, count, names, arrays, options); },
      [&](MPI_Comm caller) { write_receipt(hdf5::save(saving.path, saving.arrays, caller, saving.options), receipt); });
}
