#include <tridap/receipt.hpp>
#include <tridap/text.hpp>

namespace tridap {

std::string Receipt::text() const {
  std::string line =
      std::string(shared ? "shared" : "copied") + ", " + std::to_string(bytes_copied) + " bytes copied, ";
  if (bytes_synchronized > 0) line += std::to_string(bytes_synchronized) + " bytes synchronized, ";
  if (shared) line += same_address ? "same address, " : "at an offset, ";
  line += number_text(seconds, 3) + " s";
  for (std::size_t i = 0; i < losses.size(); ++i) line += (i == 0 ? "; not kept: " : ", ") + losses[i];
  return line;
}

}  // namespace tridap
