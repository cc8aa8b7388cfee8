#pragma once

#include <tridap/buffer.hpp>

#include <optional>

namespace tridap::globalarrays {

/// GA's number of a type; nothing where it must be registered. No GA call.
std::optional<int> built_in(const ElementType& type);
/// GA's number of any type; those that GA does not know are registered by their size, once for the program: GA keeps
/// them beyond its end, and has room for 239. The same calls in the same order on every process. Throws Error where
/// there is no room.
int ga_type(const ElementType& type);
/// What a number of GA's own stands for; null: it was registered. No GA call.
const ElementType* built_in_type(int ga_type);
/// What GA's number stands for, for good; null: a registered one that was not registered here.
const ElementType* element_type_of(int ga_type);

}  // namespace tridap::globalarrays
