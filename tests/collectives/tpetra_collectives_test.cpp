#include "collectives/counted.hpp"
#include <tridap/tpetra/import.hpp>

namespace {

using counted::second;
using tridap::tpetra::ArrayMap;

class TpetraCollectives : public counted::OfKind {};

// Fewer with another Trilinos is well.
TEST_P(TpetraCollectives, OfMapsAndImports) {
  const std::string& kind = GetParam();
  const long most = kind == "lists" ? 11 : kind == "block" || kind == "one_axis" ? 4 : 7;
  constexpr auto if_needed = tridap::Copy::if_needed;
  tridap::tpetra::ArrayMapOptions options;
  options.reorder = true;
  EXPECT_LE(second([&] { return ArrayMap(x, MPI_COMM_WORLD, options); }).messages, most);
  const ArrayMap layout(x, MPI_COMM_WORLD, options);
  EXPECT_LE(second([&] { return tridap::tpetra::import_vector<double>(x, layout, if_needed); }).messages, 2);
  const auto import = [&] { return tridap::tpetra::import_vector<double>(x, MPI_COMM_WORLD, if_needed, options); };
  EXPECT_LE(second(import).messages, most);
}

INSTANTIATE_TEST_SUITE_P(, TpetraCollectives, testing::ValuesIn(counted::kinds), counted::name_of);

}  // namespace
