#include <tridap/c/objects.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/region.hpp>

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

PaddingUpdate plan_of(const Arrays& arrays, PaddingOperation operation, MPI_Comm comm) {
  std::vector<redistribute::PaddedBuffer> all;
  for (const auto& array : arrays) all.push_back({array->array.buffer, *array->distribution});
  return PaddingUpdate(std::move(all), comm, operation);
}

std::optional<ArrayObject::KeptUpdate>& kept_in(ArrayObject& array, PaddingOperation operation) {
  return operation == PaddingOperation::sum ? array.sum : array.fill;
}

// Updates several arrays in one exchange. The plan is kept with the first one.
int update(const char* name, int count, const tridap_array* given, PaddingOperation operation) noexcept {
  const mpi::Region region("tridap::redistribute::PaddingUpdate::update");
  Comm comm;
  if (const int status = locally([&] { comm = comm_of(count, given); }); status != TRIDAP_OK) return status;
  Arrays arrays;
  std::vector<std::uint64_t> numbers;
  std::optional<ArrayObject::KeptUpdate> none;
  std::optional<ArrayObject::KeptUpdate>* kept = &none;
  return collectively(
      name, comm, {},
      [&] {
        arrays = arrays_of(count, given, comm);
        for (const auto& array : arrays) order_after_stream(*array);
        for (int i = 0; i < count; ++i) numbers.push_back(given[i].number);
        if (!arrays.empty()) kept = &kept_in(*arrays.front(), operation);
        if (*kept && (*kept)->numbers != numbers) kept->reset();
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, name, {}, [&](mpi::Record& record) {
          record.add(*kept ? (*kept)->update.number() : -1);  // the same if all processes have the same plan
        });
        if (!call.is_same(0) || call.smallest(0) < 0)
          kept->emplace(ArrayObject::KeptUpdate{std::move(numbers), plan_of(arrays, operation, call.comm())});
        (*kept)->update.start();
        (*kept)->update.wait();
      });
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
  if (const int status = locally([&] { comm = comm_of(count, arrays); }); status != TRIDAP_OK)
    return give<PaddingObject>(status, number_in(padding), comm, nullptr);
  Arrays all;
  return making_together<PaddingObject>(
      "tridap_padding_make", number_in(padding), comm, {}, [&] { all = arrays_of(count, arrays, comm); },
      [&](MPI_Comm caller) {
        auto made = std::make_shared<PaddingObject>(
            plan_of(all, sum != 0 ? PaddingOperation::sum : PaddingOperation::fill, caller));
        made->arrays = std::move(all);
        return made;
      });
}

int tridap_padding_start(tridap_padding padding) {
  return locally([&] {
    need_mpi();
    const auto of = find_or_end_job<PaddingObject>(padding.number, "tridap_padding_start");
    for (const auto& array : of->arrays)
      or_end_job("tridap_padding_start", of->comm, [&] { order_after_stream(*array); });
    of->update.start();
    of->started = true;
  });
}

int tridap_padding_wait(tridap_padding padding) {
  return locally([&] {
    need_mpi();
    const auto of = find_or_end_job<PaddingObject>(padding.number, "tridap_padding_wait");
    of->started = false;
    of->update.wait();
  });
}
