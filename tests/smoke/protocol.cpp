// The headers, the library and the package files are of one version, and an axis is dealt as the protocol says.
#include <tridap/dap.h>
#include <tridap/library.hpp>
#include <tridap/make.hpp>

#include <iostream>
#include <string>

int main() {
  const std::string library = tridap::library_version();
  const std::string header = std::to_string(TRIDAP_VERSION_MAJOR) + "." + std::to_string(TRIDAP_VERSION_MINOR) + "." +
                             std::to_string(TRIDAP_VERSION_PATCH);
  const auto dealt = tridap::Distribution::make({10}, {tridap::cyclic(3)}, {2});  // 0-2 and 6-8; 3-5 and 9
  const bool right = library == INSTALLED_VERSION && header == library && dealt.local_shape(1)[0] == 4;
  std::cout << (right ? "works: TriDAP "
                      : "FAILED: the package files are " INSTALLED_VERSION ", the headers " + header + ", the library ")
            << library << "\n";
  return right ? 0 : 1;
}
