// Exports from Global Arrays and imports into them, against Global Arrays' own calls by hand.

#include "support/pairs.hpp"
#include <tridap/globalarrays.hpp>

#include <ga.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace {

using tridap::Index;
namespace ga = tridap::globalarrays;

int rank = 0, processes = 1;

int make(std::vector<std::int64_t> shape) {
  char name[] = "by hand";
  return NGA_Create64(C_DBL, static_cast<int>(shape.size()), shape.data(), name, nullptr);
}

// This process's part of a Global Array, by Global Arrays' own calls.
struct LocalPart {
  std::int64_t low[2], high[2], leading[2] = {1, 1};
  void* data = nullptr;

  explicit LocalPart(int handle) {
    NGA_Distribution64(handle, rank, low, high);
    NGA_Access64(handle, low, high, &data, leading);
  }
  void close(int handle) { NGA_Release_update64(handle, low, high); }
};

// The cost must not grow with the array.
bool out_of() {
  bool ok = true;
  const int small = make({1'000}), large = make({100'000'000}), square = make({10'000, 10'000});
  const auto export_one = [](int handle) {
    const ga::ExportedArray out = ga::export_array(handle);
    if (out.receipt.bytes_copied != 0 || out.array.buffer.data == nullptr) std::abort();
  };
  const auto by_hand = [](int handle) {
    LocalPart part(handle);
    if (part.data == nullptr) std::abort();
    part.close(handle);  // as every access must be, and as ours is
  };
  constexpr int times = 2000,
                pairs = 100;  // long samples: on a shared core a process begins with the cache contents of another
  for (const auto& [name, handle] : {std::pair{"10^3", small}, {"10^8", large}, {"10^4 x 10^4", square}})
    ok = bench::compare(
             std::string("globalarrays: ") + name + ", export", 4, [&, handle = handle] { export_one(handle); },
             [&, handle = handle] { by_hand(handle); }, times, pairs) &&
         ok;
  ok = bench::compare(
           "globalarrays: export of 10^8 against 10^3", 1.2, [&] { export_one(large); }, [&] { export_one(small); },
           times, pairs) &&
       ok;
  GA_Destroy(square);
  GA_Destroy(large);
  GA_Destroy(small);
  return ok;
}

// The code by hand for an array whose distribution is the default of Global Arrays.
int copy_by_hand(const tridap::Buffer& buffer, std::int64_t size) {
  const int handle = make({size, size});
  std::memcpy(LocalPart(handle).data, buffer.data,
              static_cast<std::size_t>(tridap::element_count(buffer)) * sizeof(double));
  GA_Sync();
  return handle;
}

// Copies ordinary memory to a new Global Array. Freeing it is not measured.
bool into(Index size) {
  const int like = make({size, size});
  const tridap::Distribution distribution = ga::placed(like).distribution();
  GA_Destroy(like);
  if (distribution.processes() != processes) std::abort();
  tridap::DistArray array;
  array.dim_data = distribution.dim_data(rank);
  array.buffer = tridap::allocate(tridap::element_type<double>(), distribution.local_shape(rank));
  std::memset(array.buffer.data, 1, static_cast<std::size_t>(tridap::element_count(array.buffer)) * sizeof(double));

  double ours = INFINITY, theirs = INFINITY;
  for (int turn = 0; turn < 40; ++turn) {
    if (turn % 2 == 0) {
      ga::ImportedArray made;
      const auto import = [&] { made = ga::import_array(array, MPI_COMM_WORLD, tridap::Copy::if_needed); };
      ours = std::min(ours, bench::sample(import, 1, MPI_COMM_WORLD));
      if (made.receipt.bytes_copied != tridap::element_count(array.buffer) * array.buffer.type.bytes) std::abort();
      made = {};
      ga::collect();
    } else {
      int made = 0;
      theirs = std::min(theirs, bench::sample([&] { made = copy_by_hand(array.buffer, size); }, 1, MPI_COMM_WORLD));
      GA_Destroy(made);
    }
  }
  return bench::line("globalarrays: import of " + std::to_string(size) + " x " + std::to_string(size), ours / theirs,
                     1.1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  bool ok = false;
  {
    const ga::Session session;
    ok = out_of();
    ok = into(4096) && ok;
  }
  MPI_Finalize();
  return ok ? 0 : 1;
}
