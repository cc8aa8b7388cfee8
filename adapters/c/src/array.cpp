#include <tridap/c/objects.hpp>
#include <tridap/c/words.hpp>
#include <tridap/c_array.hpp>
#include <tridap/check.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace tridap;
using namespace tridap::c;

namespace {

std::string extents_text(const std::vector<Index>& extents) {
  std::string text;
  for (const Index extent : extents) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "1 element" : text + " elements";
}

// Throws Error unless memory has the shape of a process's part.
void need_shape(const Buffer& buffer, const std::vector<Index>& extents) {
  if (std::equal(buffer.shape.begin(), buffer.shape.end(), extents.begin(), extents.end())) return;
  refuse("the memory has " + extents_text({buffer.shape.begin(), buffer.shape.end()}),
         "must have " + extents_text(extents) + ", as the part of this process, with its padding",
         "allocate what tridap_local_shape says");
}

}  // namespace

int tridap_array_of(tridap_distribution distribution, const tridap_memory* memory, tridap_array* array) {
  std::shared_ptr<void> owner;  // which releases the memory also if the call fails
  if (const int status = locally([&] { owner = owner_of(memory); }); status != TRIDAP_OK) return status;
  return making<ArrayObject>(number_in(array), communicator_of(distribution.number), [&] {
    const auto of = find<DistributionObject>(distribution.number);
    need(memory, "memory");
    const Index process = process_of(*of, TRIDAP_HERE);
    const std::vector<Index> extents = of->distribution->local_shape(process);
    DeviceStream stream;
    Buffer buffer = buffer_of(*memory, std::move(owner), extents, stream);
    need_shape(buffer, extents);
    auto made = array_over(std::move(buffer), of->distribution, process);
    throw_if_wrong(check(made->array));
    made->stream = stream;
    return made;
  });
}

int tridap_allocate(tridap_distribution distribution, tridap_type type, tridap_order order, tridap_array* array) {
  return making<ArrayObject>(number_in(array), communicator_of(distribution.number), [&] {
    const auto of = find<DistributionObject>(distribution.number);
    const Index process = process_of(*of, TRIDAP_HERE);
    const IndexList extents(of->distribution->local_shape(process));
    Buffer buffer = allocate(element_type_of(type), extents);
    if (order == TRIDAP_COLUMN_MAJOR) buffer.strides = column_major_strides(extents, buffer.type.bytes);
    return array_over(std::move(buffer), of->distribution, process);
  });
}

int tridap_array_from_dap(dap_array* array, MPI_Comm comm, tridap_array* result) {
  CArray owned(array);
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<ArrayObject>(status, number_in(result), over, nullptr);
  DistArray part;
  return making_together<ArrayObject>(
      "tridap_array_from_dap", number_in(result), over, {},
      [&] {
        need(owned.get(), "array");
        part = from_c(std::move(owned));
      },
      [&](MPI_Comm caller) {
        auto whole = std::make_shared<const Distribution>(mpi::gather_distribution(part, caller));
        return array_over(std::move(part.buffer), std::move(whole), rank_in(over));
      });
}

int tridap_array_to_dap(tridap_array array, dap_array** result) {
  return locally([&] {
    *need(result, "result") = nullptr;
    const auto of = find<ArrayObject>(array.number);
    CArray made = to_c(of->array);
    made->buffer.device.stream = device_of(*of).stream;
    *result = made.release();
  });
}

int tridap_check(const dap_array* array, MPI_Comm comm, int64_t* errors, char* text, size_t size, size_t* length) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK) return status;
  DistArray part;
  dap_array borrowed{};
  return collectively(
      "tridap_check", over, {},
      [&] {
        need(errors, "errors");
        if (size > 0) need(text, "text");
        borrowed = *need(array, "array");
        borrowed.deleter = nullptr;
        part = from_c(CArray(&borrowed));
      },
      [&](MPI_Comm caller) {
        const Report report = mpi::check(part, caller);
        *errors = report.errors();
        keep_checked(report);
        write_text(in_c(report).text(), text, size, length);
      });
}

int tridap_array_memory(tridap_array array, tridap_memory* memory) {
  return locally([&] {
    const auto of = find<ArrayObject>(array.number);
    const Buffer& buffer = of->array.buffer;
    tridap_memory& to = *need(memory, "memory");
    to = {};
    to.data = buffer.data;
    to.type = number_of(buffer.type);
    to.ndim = static_cast<int>(buffer.ndim());
    to.extents = of->extents.data();
    to.strides = of->strides.data();
    to.order = is_row_major(buffer) ? TRIDAP_ROW_MAJOR : TRIDAP_COLUMN_MAJOR;
    to.read_only = buffer.read_only ? 1 : 0;
    to.device = device_of(*of);
  });
}

int tridap_distribution_of(tridap_array array, tridap_distribution* distribution) {
  return making<DistributionObject>(number_in(distribution), communicator_of(array.number), [&] {
    const auto of = find<ArrayObject>(array.number);
    return std::make_shared<DistributionObject>(of->distribution, of->comm);
  });
}

int tridap_interior(tridap_array array, int64_t* begin, int64_t* end) {
  return locally([&] {
    const auto of = find<ArrayObject>(array.number);
    const std::vector<Range> ranges = of->distribution->part(of->process, Part::interior);
    if (ranges.empty()) return;
    need(begin, "begin");
    need(end, "end");
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      begin[i] = ranges[i].begin;
      end[i] = ranges[i].end;
    }
  });
}
