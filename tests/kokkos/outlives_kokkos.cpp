// Kokkos is initialised once in a process: lifetime_test runs this program once for each thing that outlives it, and
// reads what it says. Ends with "the end".

#include <tridap/kokkos/axis_view.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using tridap::Buffer;
using tridap::kokkos::export_buffer;
using tridap::kokkos::shared_view;
using View = Kokkos::View<double*, Kokkos::LayoutStride, Kokkos::HostSpace>;

struct Loud {
  std::vector<double> memory = std::vector<double>(4, 1.0);
  ~Loud() { std::puts("owner released"); }
};

Buffer owned_buffer() {
  const auto loud = std::make_shared<Loud>();
  return tridap::row_major(loud->memory.data(), {4}, std::shared_ptr<void>(loud, loud.get()));
}

View imported() { return shared_view<double*>(owned_buffer()); }

Buffer exported() { return export_buffer(Kokkos::View<double*, Kokkos::HostSpace>("exported", 4)); }

void refused() {
  try {
    imported();
  } catch (const tridap::Error& error) {
    std::printf("refused: %s\n", error.what());
  }
}

// What lives on, and is used and let go of after Kokkos::finalize.
struct Left {
  std::vector<View> views;
  std::vector<Buffer> buffers;
  tridap::kokkos::AxisView<> axis;
};

Left leave(const std::string& what) {
  Left left;
  if (what == "view" || what == "both") left.views = {imported(), imported()};
  if (what == "view") left.views.push_back(left.views[0]);
  if (what == "buffer" || what == "both") left.buffers = {exported()};
  if (what == "two buffers") left.buffers = {exported(), exported()};
  if (what == "subview") left.views = {Kokkos::subview(imported(), std::make_pair(1, 3))};
  if (what == "round trip") left.buffers = {export_buffer(imported())};
  if (what == "unmanaged") {
    const Buffer buffer = owned_buffer();
    left.buffers = {export_buffer(tridap::kokkos::view<double*>(buffer), buffer.owner)};
  }
  if (what == "axis") {
    const std::vector<int> narrow = {3, 1};
    tridap::DistArray array;
    array.dim_data.resize(1);
    array.dim_data[0].size = 2;
    array.dim_data[0].dist = tridap::Unstructured{tridap::IndexBuffer(tridap::row_major(narrow.data(), {2})), false};
    left.axis = tridap::kokkos::axis_view(array, 0);
  }
  if (what == "clean") {
    imported();
    exported();
  }
  return left;
}

}  // namespace

int main(int, char** argv) {
  Left left;
  Kokkos::initialize();
  left = leave(argv[1]);
  std::printf("alive: %d imported, %d exported\n", static_cast<int>(tridap::kokkos::Living::all().imported()),
              static_cast<int>(tridap::kokkos::Living::all().exported()));
  Kokkos::finalize();
  std::puts("finalised");
  for (View& view : left.views) view(0) += 1;  // the memory is still there
  for (const Buffer& buffer : left.buffers) static_cast<double*>(buffer.data)[3] += 1;
  if (left.axis.extent() > 0) std::printf("axis: %d\n", static_cast<int>(left.axis(0)));
  left = {};
  refused();
  std::puts("the end");
}
