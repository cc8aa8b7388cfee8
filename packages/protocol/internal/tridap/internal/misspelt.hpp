#pragma once

#include <string>
#include <vector>

namespace tridap {

/// The one of `given` that is probably meant as `key`: it differs in capitals, '_', '-' and spaces alone, or in one
/// letter, or if `key` has more than five letters in two. Two neighbouring letters in the wrong order count as one.
/// Empty: there is none. "Stop" and "sotp" are 'stop', and "start" is not.
std::string misspelt(const std::string& key, const std::vector<std::string>& given);

/// The remedy for a key that is missing: "rename 'Stop' to 'stop'". Empty if no key of `given` looks like it.
std::string rename_remedy(const std::string& key, const std::vector<std::string>& given);

}  // namespace tridap
