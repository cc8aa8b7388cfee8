#include "stand_in_kernels.hpp"

#include <kernels.hpp>
#include <reduce.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace stand_in {

namespace {

using tridap::device::find_places, tridap::device::copy_rows, tridap::device::read_turned, tridap::device::write_turned;
using tridap::device::Long, tridap::device::Place, tridap::device::PullTask, tridap::device::SlotTask;
using tridap::device::threads;

std::size_t number(int thread) { return static_cast<std::size_t>(thread); }

template <class Phase>
void for_each_thread(Phase&& phase) {
  for (int thread = 0; thread < threads; ++thread) phase(thread);
}

// Memory that a block shares is not initialised.
template <class Shared>
std::unique_ptr<Shared> shared_memory() {
  auto made = std::make_unique<Shared>();
  std::memset(static_cast<void*>(made.get()), 0xa5, sizeof(Shared));
  return made;
}

template <class Word>
void rows(const void* argument, unsigned, unsigned) {
  const PullTask& task = *static_cast<const PullTask*>(argument);
  for (Long tile = 0; tile < task.tiles; ++tile) {
    const auto block = shared_memory<tridap::device::SharedRows>();
    std::array<Place, threads> own{};  // each thread's
    for_each_thread([&](int thread) { own.at(number(thread)) = find_places<false>(task, tile, *block, thread); });
    for_each_thread([&](int thread) { copy_rows<Word>(task, *block, own.at(number(thread)), thread); });
  }
}

template <class Word>
void turned(const void* argument, unsigned, unsigned) {
  const PullTask& task = *static_cast<const PullTask*>(argument);
  for (Long tile = 0; tile < task.tiles; ++tile) {
    const auto block = shared_memory<tridap::device::SharedTurned<Word>>();
    const auto words = shared_memory<tridap::device::SharedWords<Word>>();
    std::array<Place, threads> own{};
    for_each_thread([&](int thread) { own.at(number(thread)) = find_places<true>(task, tile, *block, thread); });
    for_each_thread([&](int thread) { read_turned(task, *block, *words, own.at(number(thread)), thread); });
    for_each_thread([&](int thread) { write_turned(task, *block, *words, thread); });
  }
}

template <class Word>
void slot(const void* argument, unsigned blocks, unsigned of_a_block) {
  const Long all = Long{blocks} * of_a_block;
  for (Long thread = 0; thread < all; ++thread)
    tridap::device::move_slot<Word>(*static_cast<const SlotTask*>(argument), thread, all);
}

void combine(const void* argument, unsigned blocks, unsigned of_a_block) {
  const Long all = Long{blocks} * of_a_block;
  for (Long thread = 0; thread < all; ++thread)
    tridap::device::combine_elements(*static_cast<const tridap::device::CombineTask*>(argument), thread, all);
}

void combine_slot(const void* argument, unsigned blocks, unsigned of_a_block) {
  const Long all = Long{blocks} * of_a_block;
  for (Long thread = 0; thread < all; ++thread)
    tridap::device::combine_slot(*static_cast<const SlotTask*>(argument), thread, all);
}

template <class Wide>
void reduce(const void* argument, unsigned blocks, unsigned) {
  const auto& task = *static_cast<const tridap::device::ReduceTask*>(argument);
  for (Long number = 0; number < Long{blocks}; ++number) {
    const auto block = shared_memory<tridap::device::SharedValues<Wide>>();
    for_each_thread([&](int thread) { reduce_elements(task, number, Long{blocks}, *block, thread); });
    for (int half = threads / 2; half > 0; half /= 2)
      for_each_thread([&](int thread) { reduce_halves(task, number, *block, half, thread); });
    for_each_thread([&](int thread) { write_result(task, number, *block, thread); });
  }
}

struct Kernel {
  std::string name;
  void (*run)(const void*, unsigned, unsigned);
  std::size_t argument_bytes;
};

template <class Word>
void add(std::vector<Kernel>& all, const char* bytes) {
  all.push_back({std::string("tridap_rows_") + bytes, rows<Word>, sizeof(PullTask)});
  all.push_back({std::string("tridap_turned_") + bytes, turned<Word>, sizeof(PullTask)});
  all.push_back({std::string("tridap_slot_") + bytes, slot<Word>, sizeof(SlotTask)});
}

template <class Wide>
void add_reduction(std::vector<Kernel>& all, const char* name) {
  all.push_back({std::string("tridap_reduce_") + name, reduce<Wide>, sizeof(tridap::device::ReduceTask)});
}

std::vector<Kernel>& kernels() {
  static std::vector<Kernel>* const all = [] {
    auto* const made = new std::vector<Kernel>;
    made->push_back({"tridap_nothing", [](const void*, unsigned, unsigned) {}, sizeof(int)});
    made->push_back({"tridap_combine", combine, sizeof(tridap::device::CombineTask)});
    made->push_back({"tridap_combine_slot", combine_slot, sizeof(SlotTask)});
    add_reduction<std::int64_t>(*made, "i64");
    add_reduction<std::uint64_t>(*made, "u64");
    add_reduction<double>(*made, "f64");
    add_reduction<tridap::device::Complex<double>>(*made, "c128");
    add<std::uint8_t>(*made, "1");
    add<std::uint16_t>(*made, "2");
    add<std::uint32_t>(*made, "4");
    add<std::uint64_t>(*made, "8");
    add<tridap::device::Word16>(*made, "16");
    return made;
  }();
  return *all;
}

}  // namespace

void* kernel(const char* name) {
  for (Kernel& each : kernels())
    if (each.name == name) return &each;
  return nullptr;
}

std::function<void()> with_arguments(void* kernel, void** arguments, unsigned blocks, unsigned of_a_block) {
  const Kernel& found = *static_cast<const Kernel*>(kernel);
  const auto* const begin = static_cast<const unsigned char*>(arguments[0]);
  const std::vector<unsigned char> copied(begin, begin + found.argument_bytes);
  return [&found, copied, blocks, of_a_block] { found.run(copied.data(), blocks, of_a_block); };
}

}  // namespace stand_in
