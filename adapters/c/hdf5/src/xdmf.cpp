#include "xdmf.hpp"

#include <string>
#include <vector>

using namespace tridap;
using namespace tridap::c;

namespace {

std::vector<std::string> names_in(const char* const* names, Index count, const char* what) {
  if (count < 0) refuse_key(what, std::to_string(count) + " names", "must be at least 0", "pass how many there are");
  if (count > 0) need(names, what);
  std::vector<std::string> all;
  for (Index i = 0; i < count; ++i) all.emplace_back(need(names[i], "a name"));
  return all;
}

}  // namespace

hdf5::Xdmf tridap::c::xdmf_of(const tridap_xdmf_options& given) {
  hdf5::Xdmf made;
  if ((given.origin != nullptr || given.spacing != nullptr) && (given.axes < 1 || given.axes > 3))
    refuse_key("axes", std::to_string(given.axes), "must be from 1 to 3",
               "pass how many numbers origin and spacing have");
  if (given.origin != nullptr) made.origin.emplace(given.origin, given.origin + given.axes);
  if (given.spacing != nullptr) made.spacing.emplace(given.spacing, given.spacing + given.axes);
  made.coordinates = names_in(given.coordinates, given.coordinate_count, "coordinates");
  if (given.cells != 0) made.centers = hdf5::Xdmf::Centers::cells;
  made.vectors = given.vectors != 0;
  made.x_first = given.x_first != 0;
  return made;
}

int tridap_xdmf(const char* path, int count, const char* const* names, const tridap_xdmf_options* options) {
  return locally([&] {
    hdf5::write_xdmf(need(path, "path"), names_in(names, count, "names"),
                     options == nullptr ? hdf5::Xdmf() : xdmf_of(*options));
  });
}
