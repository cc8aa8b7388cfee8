#include <tridap/c/objects.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>

#include <string>
#include <utility>

using namespace tridap;
using namespace tridap::c;
using redistribute::PaddingOperation;
using redistribute::PaddingUpdate;

namespace {

using Arrays = std::vector<std::shared_ptr<ArrayObject>>;

Arrays arrays_of(int count, const tridap_array* given, const Comm& comm) {
  if (count < 0) refuse("count is " + std::to_string(count), "must be at least 0", "pass the number of arrays");
  Arrays arrays;
  for (int i = 0; i < count; ++i) {
    arrays.push_back(find<ArrayObject>(need(given, "arrays")[i].number));
    if (arrays.back()->comm != comm)
      refuse("array " + std::to_string(i) + " has another communicator than array 0", "must have the same one",
             "update the arrays of each communicator in a call of their own");
  }
  return arrays;
}

// The communicator of the first array, or of another one if that is no handle.
int find_comm(int count, const tridap_array* arrays, Comm& comm) noexcept {
  return locally([&] {
    for (int i = 0; i < count && arrays != nullptr && comm == nullptr; ++i) comm = communicator_of(arrays[i].number);
    if (comm == nullptr) comm = comm_of({});
  });
}

std::optional<PaddingUpdate>& kept_in(ArrayObject& array, PaddingOperation operation) {
  return operation == PaddingOperation::sum ? array.sum : array.fill;
}

// A number for the plans that arrays have kept, the same on all processes if all of them have the same ones.
Index plans_number(const Arrays& arrays, PaddingOperation operation) {
  Digest digest;
  for (const auto& array : arrays) {
    const auto& kept = kept_in(*array, operation);
    digest.add(kept ? kept->number() : -1);
  }
  return digest.value();
}

bool all_have_plans(const Arrays& arrays, PaddingOperation operation) {
  for (const auto& array : arrays)
    if (!kept_in(*array, operation)) return false;
  return true;
}

// Updates several arrays: all messages are on their way before the first one is awaited.
int update(const char* name, int count, const tridap_array* given, PaddingOperation operation) noexcept {
  Comm comm;
  if (const int status = find_comm(count, given, comm); status != TRIDAP_OK) return status;
  Arrays arrays;
  return collectively(
      name, comm, {}, [&] { arrays = arrays_of(count, given, comm); },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, name, {}, [&](mpi::Record& record) {
          record.add(count);
          record.add(plans_number(arrays, operation));
          record.add(all_have_plans(arrays, operation) ? 1 : 0);
        });
        if (!call.is_same(0))
          refuse("the processes give from " + std::to_string(call.smallest(0)) + " to " +
                     std::to_string(call.largest(0)) + " arrays",
                 "must be as many on every process", "pass the same arrays on every process, in the same order");
        if (!call.is_same(1) || call.smallest(2) == 0)
          for (const auto& array : arrays)
            kept_in(*array, operation).emplace(array->array.buffer, *array->distribution, call.comm(), operation);
        for (const auto& array : arrays) kept_in(*array, operation)->start(array->stream);
        for (const auto& array : arrays) kept_in(*array, operation)->wait();
      });
}

// A call of a plan makes no reduction, so that this process cannot tell the others that it has no plan.
std::shared_ptr<PaddingObject> plan_or_end(tridap_padding padding, const char* name) {
  try {
    return find<PaddingObject>(padding.number);
  } catch (...) {
    keep_failure();
    end_job_with_message(name, communicator_of(padding.number));
  }
}

}  // namespace

int tridap_update_padding(tridap_array array) {
  return update("tridap_update_padding", 1, &array, PaddingOperation::fill);
}

int tridap_update_paddings(int count, const tridap_array* arrays) {
  return update("tridap_update_paddings", count, arrays, PaddingOperation::fill);
}

int tridap_sum_padding(tridap_array array) { return update("tridap_sum_padding", 1, &array, PaddingOperation::sum); }

int tridap_sum_paddings(int count, const tridap_array* arrays) {
  return update("tridap_sum_paddings", count, arrays, PaddingOperation::sum);
}

int tridap_padding_make(int count, const tridap_array* arrays, int sum, tridap_padding* padding) {
  Comm comm;
  if (const int status = find_comm(count, arrays, comm); status != TRIDAP_OK)
    return give<PaddingObject>(status, number_in(padding), comm, nullptr);
  auto made = std::make_shared<PaddingObject>();
  return making_together<PaddingObject>(
      "tridap_padding_make", number_in(padding), comm, {}, [&] { made->arrays = arrays_of(count, arrays, comm); },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_padding_make", {}, [&](mpi::Record& record) { record.add(count); });
        if (!call.is_same(0))
          refuse("the processes give from " + std::to_string(call.smallest(0)) + " to " +
                     std::to_string(call.largest(0)) + " arrays",
                 "must be as many on every process", "pass the same arrays on every process, in the same order");
        const auto operation = sum != 0 ? PaddingOperation::sum : PaddingOperation::fill;
        for (const auto& array : made->arrays)
          made->updates.emplace_back(array->array.buffer, *array->distribution, call.comm(), operation);
        return made;
      });
}

int tridap_padding_start(tridap_padding padding) {
  return locally([&] {
    need_mpi();
    const auto of = plan_or_end(padding, "tridap_padding_start");
    for (std::size_t i = 0; i < of->updates.size(); ++i) of->updates[i].start(of->arrays[i]->stream);
  });
}

int tridap_padding_wait(tridap_padding padding) {
  return locally([&] {
    need_mpi();
    const auto of = plan_or_end(padding, "tridap_padding_wait");
    for (PaddingUpdate& each : of->updates) each.wait();
  });
}
