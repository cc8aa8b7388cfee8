#pragma once

#include <tridap/buffer.hpp>

#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// GA's number of a type; std::nullopt: it must be registered. No GA call.
std::optional<int> built_in(const ElementType& type);
/// GA's number of any type. Types that GA does not know are registered by their size, once for the program. GA keeps
/// them beyond its end, and has room for 239. The calls must be the same, in the same order, on every process. Throws
/// Error if there is no room.
int ga_type(const ElementType& type);
/// The type that one of GA's own numbers means; null: it was registered. No GA call.
const ElementType* built_in_type(int ga_type);
/// The type that GA's number means; the pointer stays valid. Null: the type was registered, but not here.
const ElementType* element_type_of(int ga_type);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
