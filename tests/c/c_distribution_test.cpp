#include "calls.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

using namespace c;

namespace {

std::string text_of(int (*ask)(tridap_distribution, char*, size_t, size_t*), tridap_distribution of) {
  char text[200];
  size_t length = 0;
  EXPECT_EQ(ask(of, text, sizeof text, &length), TRIDAP_OK) << tridap_message();
  EXPECT_EQ(length, std::string(text).size());
  return text;
}

}  // namespace

TEST(CDistribution, EachElementHasTheOwnerThatDealingGives) {
  const std::int64_t shape[] = {11, 7}, grid[] = {processes(), 1};
  tridap_distribute_options options{};
  options.grid = grid;
  tridap_distribution layout{};
  OK(tridap_distribute(2, shape, "c:2,*", world, &options, &layout));
  for (std::int64_t i = 0; i < 11; ++i)
    for (std::int64_t j = 0; j < 7; ++j) {
      const std::int64_t global[] = {i, j};
      std::int64_t owner = -2, local[2] = {-1, -1}, back[2] = {-1, -1};
      int held = -1;
      OK(tridap_owner(layout, global, &owner));
      EXPECT_EQ(owner, i / 2 % processes());
      OK(tridap_local_index(layout, owner, global, TRIDAP_OWNED, local, &held));
      EXPECT_EQ(held, 1);
      EXPECT_EQ(local[0], i / 2 / processes() * 2 + i % 2);
      EXPECT_EQ(local[1], j);
      OK(tridap_global_index(layout, owner, local, back));
      EXPECT_EQ(back[0], i);
      EXPECT_EQ(back[1], j);
    }
  OK(tridap_release(layout.number));
}

TEST(CDistribution, TextsGoThereAndBack) {
  for (const char* const dist : {"b,*", "c:2,*", "*,c", "b,b"}) {
    const tridap_distribution layout = distributed({24, 30}, dist);
    std::int64_t grid[2];
    OK(tridap_grid(layout, grid));
    const std::string text = text_of(tridap_dist_text, layout);
    tridap_distribute_options options{};
    options.grid = grid;
    const std::int64_t shape[] = {24, 30};
    tridap_distribution again{};
    OK(tridap_distribute(2, shape, text.c_str(), world, &options, &again));
    int equal = 0;
    OK(tridap_equal(layout, again, &equal));
    EXPECT_EQ(equal, 1) << dist << " became " << text;
    OK(tridap_release(layout.number));
    OK(tridap_release(again.number));
  }
}

TEST(CDistribution, TextsAreCutAndEndWithANul) {
  const tridap_distribution layout = distributed({24, 30}, "b,*");
  const std::string whole = text_of(tridap_describe, layout);
  char text[6] = "?????";
  size_t length = 0;
  OK(tridap_describe(layout, text, sizeof text, &length));
  EXPECT_EQ(text, whole.substr(0, 5));
  EXPECT_EQ(length, whole.size());
  OK(tridap_describe(layout, nullptr, 0, &length));
  OK(tridap_release(layout.number));
}

TEST(CDistribution, OtherVocabulariesGiveTheirOwners) {
  const int p = processes();
  const std::int64_t shape[] = {10, 6}, grid[] = {p, 1};
  tridap_distribution hpf{}, cyclic{}, chapel{}, blocks{};
  OK(tridap_distribution_of_hpf(2, shape, "( cyclic(2), * )", grid, world, &hpf));
  tridap_distribute_options options{};
  options.grid = grid;
  OK(tridap_distribute(2, shape, "c:2,*", world, &options, &cyclic));
  int equal = 0;
  OK(tridap_equal(hpf, cyclic, &equal));
  EXPECT_EQ(equal, 1);

  const std::int64_t line[] = {4 * p};
  OK(tridap_distribution_of_chapel(1, line, "blockDist", 0, world, &chapel));
  blocks = distributed({4 * p}, "b");
  OK(tridap_equal(chapel, blocks, &equal));
  EXPECT_EQ(equal, 1);
  for (const tridap_distribution each : {hpf, cyclic, chapel, blocks}) OK(tridap_release(each.number));
  EXPECT_REFUSED(tridap_distribution_of_hpf(2, shape, "(BLOCK, SOMEHOW)", nullptr, world, &hpf), "SOMEHOW");
  EXPECT_REFUSED(tridap_distribution_of_chapel(1, line, "dist", 0, world, &chapel), "must be blockDist");
}

TEST(CDistribution, TheDescriptorOfAMatrixGivesItsOwners) {
  const int p = processes(), desc[] = {1, -1, 9, 8, 2, 3, 0, 0, 9};
  tridap_distribution matrix{};
  OK(tridap_distribution_of_desc(desc, p, 1, TRIDAP_ROW_MAJOR, world, &matrix));
  for (std::int64_t i = 0; i < 9; ++i) {
    const std::int64_t global[] = {i, 7};
    std::int64_t owner = -1;
    OK(tridap_owner(matrix, global, &owner));
    EXPECT_EQ(owner, i / 2 % p);
  }
  OK(tridap_release(matrix.number));
}

TEST(CDistribution, AGridOfMpiGivesBlocks) {
  const int p = processes(), dims[] = {p, 1}, periods[] = {0, 1};
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(world, 2, dims, periods, 0, &cart);
  const std::int64_t shape[] = {3 * p + 1, 5};
  tridap_distribution layout{};
  OK(tridap_distribution_of_cart(2, shape, 1, cart, &layout));
  std::int64_t begin[2], end[2], local[2];
  OK(tridap_bounds(layout, TRIDAP_HERE, TRIDAP_INTERIOR, begin, end));
  OK(tridap_local_shape(layout, TRIDAP_HERE, local));
  EXPECT_EQ(end[0] - begin[0], rank() == 0 ? 4 : 3);
  EXPECT_EQ(end[1] - begin[1], 5);
  EXPECT_EQ(local[1], 7);  // the periodic axis has padding at its ends
  EXPECT_REFUSED(tridap_distribution_of_cart(2, shape, 1, world, &layout), "no Cartesian topology");
  MPI_Comm_free(&cart);
}

TEST(CDistribution, ListsOfAllProcessesMakeAnAxis) {
  const std::int64_t here[] = {2 * rank() + 1, 2 * rank()};
  tridap_distribution layout{};
  OK(tridap_distribution_of_lists(2, here, world, &layout));
  for (std::int64_t i = 0; i < 2 * processes(); ++i) {
    std::int64_t owner = -1, local = -1;
    int held = 0;
    OK(tridap_owner(layout, &i, &owner));
    EXPECT_EQ(owner, i / 2);
    OK(tridap_local_index(layout, owner, &i, TRIDAP_OWNED, &local, &held));
    EXPECT_EQ(local, 1 - i % 2);
  }
  char text[10];
  EXPECT_REFUSED(tridap_dist_text(layout, text, sizeof text, nullptr), "must not have lists");
  OK(tridap_release(layout.number));
}

TEST(CDistribution, TheDimDataOfAllProcessesMakeIt) {
  dap_dimension dimension{};
  dimension.dist_type = 'b';
  dimension.size = 3 * processes();
  dimension.proc_grid_size = processes();
  dimension.proc_grid_rank = rank();
  dimension.start = 3 * rank();
  dimension.stop = dimension.start + 3;
  tridap_distribution layout{}, blocks = distributed({3 * processes()}, "b");
  OK(tridap_distribution_of_dim_data(1, &dimension, world, &layout));
  int equal = 0;
  OK(tridap_equal(layout, blocks, &equal));
  EXPECT_EQ(equal, 1);
  OK(tridap_release(layout.number));
  OK(tridap_release(blocks.number));
  if (rank() == 0) dimension.stop = 2;
  EXPECT_REFUSED(tridap_distribution_of_dim_data(1, &dimension, world, &layout), "block");
}

TEST(CDistribution, DimDataThatBreakARuleAreRefused) {
  dap_dimension dimension{};
  dimension.dist_type = 'c';
  dimension.size = 12;
  tridap_distribution layout{};
  EXPECT_REFUSED(tridap_distribution_of_dim_data(1, &dimension, world, &layout), "proc_grid_size");
  dimension.proc_grid_size = processes();
  dimension.proc_grid_rank = rank();
  EXPECT_REFUSED(tridap_distribution_of_dim_data(1, &dimension, world, &layout), "block_size");
}

TEST(CDistribution, TheTextOfDimDataIsReadAgain) {
  for (const char* const dist : {"b,c:2", "b,b", "c,*"}) {
    tridap_distribute_options halo{};
    halo.padding = 1;
    const std::int64_t shape[] = {12, 9};
    tridap_distribution layout{}, again{};
    OK(tridap_distribute(2, shape, dist, world, &halo, &layout));
    std::size_t length = 0;
    OK(tridap_dim_data_text(layout, TRIDAP_HERE, nullptr, 0, &length));
    std::vector<char> text(length + 1);
    OK(tridap_dim_data_text(layout, TRIDAP_HERE, text.data(), text.size(), nullptr));
    OK(tridap_distribution_of_dim_data_text(text.data(), world, &again));
    int equal = 0;
    OK(tridap_equal(layout, again, &equal));
    EXPECT_EQ(equal, 1);
    OK(tridap_release(layout.number));
    OK(tridap_release(again.number));
  }
}

TEST(CDistribution, TextsThatAreNoDimDataAreRefused) {
  const std::string whole = R"({"dist_type": "b", "size": 4, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, )";
  tridap_distribution layout{};
  const auto refused = [&](const char* text, const char* words) {
    EXPECT_REFUSED(tridap_distribution_of_dim_data_text(rank() == processes() - 1 ? text : "[]", world, &layout),
                   words);
    OK(tridap_release(layout.number));
  };
  refused(nullptr, "dim_data is NULL");
  refused("[{", "json.document");
  refused("3", "must be a sequence of dictionaries");
  refused("[{}]", "the dictionary of the axis is empty");
  refused(("[" + whole + R"("stop": 5}])").c_str(), "block.bounds");
  refused(("[" + whole + R"("stop": "4"}])").c_str(), "type.integer");
}

TEST(CDistribution, WrongArgumentsNameWhatIsWrong) {
  tridap_distribution made{};
  const std::int64_t shape[] = {8, 8}, grid[] = {processes() + 1, 1};
  EXPECT_REFUSED(tridap_distribute(2, shape, "b,q", world, nullptr, &made), "dist is 'b,q'");
  EXPECT_REFUSED(tridap_distribute(2, shape, "b", world, nullptr, &made), "must have a text for each of the 2 axes");
  EXPECT_REFUSED(tridap_distribute(2, nullptr, "b,b", world, nullptr, &made), "shape is NULL");
  EXPECT_REFUSED(tridap_distribute(-1, shape, "b,b", world, nullptr, &made), "ndim is -1");
  EXPECT_REFUSED(tridap_distribute(2, shape, "b,b", world, nullptr, nullptr), "the address of the result is NULL");
  EXPECT_REFUSED(tridap_distribute(2, shape, "b,b", MPI_COMM_NULL, nullptr, &made), "MPI_COMM_NULL");
  EXPECT_REFUSED(tridap_distribute(2, shape, "u:none.json,b", world, nullptr, &made), "none.json");
  tridap_distribute_options options{};
  options.grid = grid;
  EXPECT_REFUSED(tridap_distribute(2, shape, "b,b", world, &options, &made), "the communicator has");
  options.grid = nullptr;
  options.padding = 1;
  const std::int32_t periodic[] = {1, 0};
  options.periodic = periodic;
  EXPECT_REFUSED(tridap_distribute(2, shape, "c,b", world, &options, &made), "must be 'b' or '*'");

  const tridap_distribution layout = distributed({8, 8}, "b,*");
  const std::int64_t outside[] = {8, 0};
  std::int64_t number = 0, indices[2];
  EXPECT_REFUSED(tridap_owner(layout, outside, &number), "axis 0: the global index is 8");
  EXPECT_REFUSED(tridap_local_shape(layout, processes(), indices), "the process is");
  OK(tridap_release(layout.number));
}
