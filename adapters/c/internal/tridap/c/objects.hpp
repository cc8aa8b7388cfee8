#pragma once

#include <tridap/c/status.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/receipt.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace tridap::c {

struct DistributionObject final : Object {
  static constexpr Kind kind = Kind::distribution;
  DistributionObject(Distribution of, const Comm& over)
      : DistributionObject(std::make_shared<const Distribution>(std::move(of)), over) {}
  DistributionObject(std::shared_ptr<const Distribution> of, const Comm& over)
      : distribution(std::move(of)), rank(rank_in(over)) {}
  std::shared_ptr<const Distribution> distribution;
  Index rank;                  ///< of this process
  std::shared_ptr<void> kept;  ///< memory of the program's that lives as long as the handle
};

struct ArrayObject final : Object {
  static constexpr Kind kind = Kind::array;
  DistArray array;                                   ///< of version 0.10, checked
  std::shared_ptr<const Distribution> distribution;  ///< of the whole array
  Index process = 0;                                 ///< this one, of the distribution
  DeviceStream stream = {};                          ///< on which memory of a device was last written
  std::vector<std::int64_t> extents, strides;        ///< of the buffer, for tridap_array_memory()
  /// What an update of the padding of this array and others keeps for its next call.
  struct KeptUpdate {
    std::vector<std::uint64_t> numbers;  ///< of the handles of all of them
    redistribute::PaddingUpdate update;
  };
  std::optional<KeptUpdate> fill, sum;
};

struct PlanObject final : Object {
  static constexpr Kind kind = Kind::plan;
  explicit PlanObject(redistribute::Redistribution of) : plan(std::move(of)) {}
  redistribute::Redistribution plan;
  ElementType type;                                       ///< of the sources
  std::optional<ElementType> made;                        ///< of the targets that the plan makes, if it is another one
  std::vector<std::shared_ptr<ArrayObject>> in_progress;  ///< from start to wait
  bool is_in_progress() const override { return !in_progress.empty(); }
};

struct PaddingObject final : Object {
  static constexpr Kind kind = Kind::padding;
  explicit PaddingObject(redistribute::PaddingUpdate of) : update(std::move(of)) {}
  std::vector<std::shared_ptr<ArrayObject>> arrays;
  redistribute::PaddingUpdate update;
  bool started = false;
  bool is_in_progress() const override { return started; }
};

struct GhostsObject final : Object {
  static constexpr Kind kind = Kind::ghosts;
  GhostsObject(GhostedArray of, GhostUpdate with, DeviceStream in)
      : array(std::move(of)), update(std::move(with)), stream(in) {}
  GhostedArray array;
  GhostUpdate update;
  DeviceStream stream;  ///< on which memory of a device was last written
  bool started = false;
  bool is_in_progress() const override { return started; }
};

/// A list of `count` numbers of the program; throws Error if it is NULL.
std::vector<Index> list_of(const std::int64_t* numbers, Index count, const char* name);
/// The bytes of a file; throws Error that says what it must be.
std::string file_text(const std::string& path, const std::string& what);
/// The element type that a number of tridap_type means, and back.
ElementType element_type_of(tridap_type type);
tridap_type number_of(const ElementType& type);

/// The process that an argument `process` means; throws Error if the distribution does not have it.
Index process_of(const DistributionObject& of, std::int64_t process);
tridap::Part part_of(tridap_part part);
Copy copy_of(tridap_copy copy);
inline Order order_of(tridap_order order) {
  return order == TRIDAP_COLUMN_MAJOR ? Order::column_major : Order::row_major;
}

/// Owns memory of the program: releases it by `memory->release`, if there is one.
std::shared_ptr<void> owner_of(const tridap_memory* memory);
/// The buffer that describes memory of the program. Extents that are not given are `extents`. `stream` becomes that on
/// which memory of a device was last written. `owner` is owner_of(&memory).
Buffer buffer_of(const tridap_memory& memory, std::shared_ptr<void> owner, const std::vector<Index>& extents,
                 DeviceStream& stream);

/// Orders our work on memory after the stream on which a device last wrote it. Throws Error if the driver fails.
void order_after_stream(const Memory& memory, const DeviceStream& stream);
inline void order_after_stream(const ArrayObject& array) {
  order_after_stream(array.array.buffer.memory, array.stream);
}
/// Where the memory of an array is, with its stream.
dap_device device_of(const ArrayObject& array);
/// Throws Error unless all of these have one communicator: on another one, the processes would wait for each other.
void need_one_communicator(std::initializer_list<const Object*> all);

/// This process's part of an array of a distribution, over a buffer.
std::shared_ptr<ArrayObject> array_over(Buffer buffer, std::shared_ptr<const Distribution> distribution, Index process);

}  // namespace tridap::c
