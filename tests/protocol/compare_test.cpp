#include "support/oracle.hpp"
#include <tridap/compare.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>

namespace {

using oracle::List;
using tridap::Comparison;
using tridap::Distribution;
using tridap::Index;
using tridap::Part;
using tridap::Pattern;

/// Every element of an array with all that hold it: the process, and where it stands there.
struct Table {
  Distribution distribution;
  std::map<List, std::map<Index, List>> held;

  explicit Table(const oracle::Array& array) : distribution(array.distribution()) {
    for (Index p = 0; p < array.processes(); ++p)
      for (const auto& [local, global] : array.elements(p, Part::owned)) held[global][p] = local;
  }

  /// "process 1", "processes 0, 1", "nobody"
  std::string owners(const List& global) const {
    const auto found = held.find(global);
    if (found == held.end()) return "by no process";
    std::string text = found->second.size() == 1 ? "by process " : "by processes ";
    std::size_t said = 0;
    for (const auto& [process, local] : found->second)
      if (++said <= 4) text += (said == 1 ? "" : ", ") + std::to_string(process);
    return text + (said > 4 ? ", ..." : "");
  }
};

bool same_owners(const Table& a, const Table& b) {
  const auto processes = [](const auto& one, const auto& other) { return one.first == other.first; };
  return std::equal(a.held.begin(), a.held.end(), b.held.begin(), b.held.end(), [&](const auto& x, const auto& y) {
    return x.first == y.first &&
           std::equal(x.second.begin(), x.second.end(), y.second.begin(), y.second.end(), processes);
  });
}

/// The index that a difference names.
List named(const std::string& difference) {
  List index;
  const std::size_t begin = difference.find('(') + 1, end = difference.find(')');
  for (std::size_t at = begin; at < end; at = difference.find_first_of(",)", at) + 1)
    index.push_back(std::stoll(difference.substr(at)));
  return index;
}

void expect_comparison(const Table& a, const Table& b) {
  const Comparison comparison = tridap::compare(a.distribution, b.distribution);
  const auto shown = [&] { return tridap::describe(a.distribution) + " | " + tridap::describe(b.distribution); };
  const bool owners = same_owners(a, b);
  ASSERT_EQ(comparison.same_owners, owners) << shown() << ": " << comparison.difference;
  ASSERT_EQ(comparison.same_places, a.held == b.held) << shown();
  ASSERT_EQ(comparison.difference.empty(), comparison.same_places) << shown();
  if (owners) {
    if (!comparison.same_places) {
      ASSERT_EQ(comparison.difference, "the owners are the same, but their local indices differ");
    }
    return;
  }
  const List index = named(comparison.difference);
  const std::string here = a.owners(index), there = b.owners(index);
  ASSERT_EQ(comparison.difference, "index (" + comparison.difference.substr(7, comparison.difference.find(')') - 7) +
                                       ") is owned " + here + " here and " + there + " there");
  const auto in_a = a.held.find(index), in_b = b.held.find(index);
  ASSERT_TRUE(in_a != a.held.end() || in_b != b.held.end()) << shown();
  if (here != there || in_a == a.held.end() || in_b == b.held.end()) return;
  ASSERT_GT(in_a->second.size(), 4U) << shown();  // the names are cut short
}

/// The same lists where `size` counts the distinct indices.
oracle::Axis counted_once(oracle::Axis axis) {
  std::set<Index> all;
  for (const List& held : axis.held) all.insert(held.begin(), held.end());
  for (tridap::Dimension& d : axis.dims) d.size = static_cast<Index>(all.size());
  return axis;
}

oracle::Axis as_lists(const oracle::Axis& axis) {
  std::vector<List> lists;
  for (Index c = 0; c < axis.grid(); ++c) {
    const auto begin = axis.held_by(c).begin();
    lists.emplace_back(begin + axis.part(c, Part::owned).begin, begin + axis.part(c, Part::owned).end);
  }
  return oracle::unstructured(lists);
}

/// Axes of one size, spelled in every way.
std::vector<oracle::Axis> axes_of(Index size) {
  std::vector<oracle::Axis> all;
  for (Index grid = 1; grid <= 4; ++grid) {
    for (Index length = 1; length <= 4; ++length)
      for (Index first = 0; first < grid; ++first) all.push_back(oracle::cyclic(size, length, grid, first));
    if (grid == 4 && size > 5) continue;
    for (const List& counts : oracle::splits(size, grid)) all.push_back(oracle::block(counts));
  }
  const std::size_t plain = all.size();
  for (std::size_t i = 0; i < plain; i += 7) all.push_back(as_lists(all[i]));
  if (size < 2) return all;
  List up, down, gapped;
  for (Index g = 0; g < size; ++g) {
    up.push_back(g);
    down.insert(down.begin(), g);
    gapped.push_back(2 * g - 1);
  }
  const List half(up.begin(), up.begin() + size / 2), rest(up.begin() + size / 2, up.end());
  for (const auto& lists : {std::vector<List>{down}, {gapped}, {rest, half}, {half, rest}, {{}, down}, {{-1}, half}})
    all.push_back(oracle::unstructured(lists));
  if (size % 2 == 0) all.push_back(oracle::unstructured({half, half}));
  all.push_back(counted_once(oracle::unstructured({up, half})));
  all.push_back(oracle::block({size - 1, 1}, {1}));
  if (size > 2) all.push_back(oracle::block({1, size - 2, 1}, {1, 0}));
  all.push_back(oracle::block({1, size - 1}, {1}, {1, 1}));
  return all;
}

TEST(Compare, AllPairsOfSmallAxesAreAsTheirTablesSay) {
  for (Index size = 0; size <= 8; ++size) {
    std::vector<Table> tables;
    for (const oracle::Axis& axis : axes_of(size)) tables.emplace_back(oracle::Array({axis}));
    const std::size_t stride = size > 5 ? 3 : 1;  // of the larger ones a third, each with each kind
    for (std::size_t i = 0; i < tables.size(); ++i)
      for (std::size_t j = i % stride; j < tables.size(); j += stride) {
        if (tables[i].distribution.shape() != tables[j].distribution.shape()) continue;
        ASSERT_NO_FATAL_FAILURE(expect_comparison(tables[i], tables[j]));
      }
  }
}

std::vector<oracle::Axis> few_axes(Index size) {
  std::vector<oracle::Axis> all = {oracle::block({size}),         oracle::block({1, size - 1}),
                                   oracle::block({size, 0}),      oracle::block({0, size, 0, 0}),
                                   oracle::cyclic(size, 1, 2),    oracle::cyclic(size, 1, 2, 1),
                                   oracle::cyclic(size, 2, 4, 3), oracle::block({size - 1, 1}, {size > 1 ? 1 : 0})};
  List up;
  for (Index g = 0; g < size; ++g) up.push_back(g);
  all.push_back(counted_once(oracle::unstructured({up, up})));
  all.push_back(counted_once(oracle::unstructured({up, up, {}, {}})));
  all.push_back(counted_once(oracle::unstructured({up, {}, {up.rbegin(), up.rend()}, {}})));
  all.push_back(counted_once(oracle::unstructured({up, {0}})));
  return all;
}

TEST(Compare, AllPairsOfTwoAxesOverAnyProcessGridsAreAsTheirTablesSay) {
  for (const List& shape : {List{1, 1}, {2, 1}, {1, 2}, {2, 2}, {1, 3}, {3, 2}}) {
    std::vector<Table> tables;
    for (const oracle::Axis& a : few_axes(shape[0]))
      for (const oracle::Axis& b : few_axes(shape[1])) tables.emplace_back(oracle::Array({a, b}));
    for (std::size_t i = 0; i < tables.size(); ++i)
      for (std::size_t j = i % 3; j < tables.size(); j += 3)  // a third of them, each with each kind
        ASSERT_NO_FATAL_FAILURE(expect_comparison(tables[i], tables[j]));
  }
}

TEST(Compare, ThreeAxesOverAnyProcessGridsAreAsTheirTablesSay) {
  std::vector<Table> tables;
  const std::vector<oracle::Axis> two = few_axes(2), one = few_axes(1);
  for (std::size_t i = 0; i < two.size(); ++i)
    for (std::size_t j = 0; j < one.size(); ++j)
      for (std::size_t k = (i + j) % 3; k < one.size(); k += 5)
        tables.emplace_back(oracle::Array({one[j], two[i], one[k]}));
  for (std::size_t i = 0; i < tables.size(); i += 7)
    for (std::size_t j = 0; j < tables.size(); ++j) ASSERT_NO_FATAL_FAILURE(expect_comparison(tables[i], tables[j]));
}

/// Many processes that hold one element, or one of two, over grids that only in part are the same.
TEST(Compare, SharedIndicesOverOtherGridsAreAsTheirTablesSay) {
  const auto all_hold = [](Index grid, const List& held) {
    return counted_once(oracle::unstructured(std::vector<List>(static_cast<std::size_t>(grid), held)));
  };
  std::vector<Table> tables;
  for (const auto& [rows, columns] : {std::pair<Index, Index>{12, 1}, {1, 12}, {6, 2}, {2, 6}, {4, 3}, {3, 4}})
    for (const List& held : {List{0}, {0, 1}, {1, 0}}) {
      const Index size = static_cast<Index>(held.size());
      tables.emplace_back(oracle::Array({all_hold(rows, held), all_hold(columns, {0})}));
      tables.emplace_back(oracle::Array({all_hold(rows, held), all_hold(columns, {0, 1})}));
      std::vector<List> odd(static_cast<std::size_t>(rows), held);
      odd.back() = {0};
      tables.emplace_back(oracle::Array({counted_once(oracle::unstructured(odd)), all_hold(columns, {0})}));
      tables.emplace_back(oracle::Array({oracle::block({size}), all_hold(rows * columns, {0})}));
    }
  for (const Table& a : tables)
    for (const Table& b : tables)
      if (a.distribution.shape() == b.distribution.shape()) {
        ASSERT_NO_FATAL_FAILURE(expect_comparison(a, b));
      }
}

/// While it lives, this program may use a gigabyte.
struct OneGigabyte {
  rlimit before{};

  OneGigabyte() {
    getrlimit(RLIMIT_AS, &before);
    rlimit limit = before;
    limit.rlim_cur = rlim_t{1} << 30;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~OneGigabyte() { setrlimit(RLIMIT_AS, &before); }
};

// The square of the processes would be some gigabytes.
TEST(Compare, ManyProcessesThatShareIndicesAreNoMatter) {
  const OneGigabyte limit;
  const Index processes = 24000;
  const auto shared = [](Index grid) {
    return tridap::unstructured(std::vector<List>(static_cast<std::size_t>(grid), {5, 7}));
  };
  const auto array = [&](Index rows, Index columns) {
    return Distribution::make({2 * rows, 2 * columns}, {shared(rows), shared(columns)}, {rows, columns});
  };
  const Distribution line = Distribution::make({2 * processes}, {shared(processes)}, {processes});
  EXPECT_TRUE(tridap::compare(line, line).same_places);
  EXPECT_EQ(line.local_index(processes - 1, {7}), (List{1}));
  const Distribution tall = array(processes, 1), wide = array(2, processes / 2);
  EXPECT_TRUE(tridap::compare(wide, wide).same_places);
  EXPECT_TRUE(tridap::compare(tall, wide).same_places);
  EXPECT_TRUE(tridap::compare(array(processes / 2, 2), array(processes / 4, 4)).same_places);
}

Distribution made(const List& shape, const std::vector<tridap::AxisSpec>& specs, const List& grid) {
  return Distribution::make(shape, specs, grid);
}

TEST(Compare, ColumnOfElementsOverAColumnOrARowOfProcessesIsTheSame) {
  const Comparison same = tridap::compare(made({4, 1}, {tridap::block(), tridap::whole()}, {4, 1}),
                                          made({4, 1}, {tridap::cyclic(), tridap::block()}, {4, 1}));
  EXPECT_TRUE(same.same_places);
  const Distribution row = made({1, 1}, {tridap::block(), tridap::block()}, {1, 4});
  EXPECT_TRUE(tridap::compare(made({1, 1}, {tridap::block(), tridap::block()}, {4, 1}), row).same_places);
  EXPECT_EQ(tridap::compare(made({4, 2}, {tridap::block(), tridap::block()}, {4, 1}),
                            made({4, 2}, {tridap::block(), tridap::block()}, {2, 2}))
                .difference,
            "index (1, 0) is owned by process 1 here and by process 0 there");
}

TEST(Compare, DifferentShapesAreSaid) {
  const Distribution a = made({4, 3}, {tridap::block(), tridap::block()}, {1, 1});
  const Comparison comparison = tridap::compare(a, made({4, 2}, {tridap::block(), tridap::block()}, {1, 1}));
  EXPECT_FALSE(comparison.same_owners || comparison.same_places);
  EXPECT_EQ(comparison.difference, "the shape is (4, 3) here and (4, 2) there");
  EXPECT_EQ(tridap::compare(a, made({4}, {tridap::block()}, {1})).difference, "the shape is (4, 3) here and (4) there");
  EXPECT_TRUE(tridap::compare(Distribution({}), Distribution({})).same_places);
}

TEST(FirstDifference, IsThereWhereTheTablesOfTwoSmallAxesDiffer) {
  for (Index size = 0; size <= 6; ++size) {
    std::vector<oracle::Axis> axes = axes_of(size);
    if (size > 3)
      for (const bool periodic : {false, true}) axes.push_back(oracle::block({2, size - 2}, {1}, {1, 1}, periodic));
    axes.push_back(axes_of(size + 1).front());
    for (const oracle::Axis& a : axes)
      for (const oracle::Axis& b : axes)
        for (Index c = 0; c < std::min(a.grid(), b.grid()); ++c) {
          const auto at = static_cast<std::size_t>(c);
          const bool same = a.size() == b.size() && a.grid() == b.grid() && a.held[at] == b.held[at] &&
                            a.interior[at].begin == b.interior[at].begin && a.interior[at].end == b.interior[at].end;
          const auto found = tridap::first_difference(a.dims[at], b.dims[at]);
          ASSERT_EQ(!found, same) << (found ? found->given_text() + " | " + found->expected_text() : "no difference");
          ASSERT_TRUE(!found || found->given != found->expected) << found->key;
        }
  }
}

TEST(FirstDifference, OfDescriptionsThatAreWrongIsFoundToo) {
  const auto axis = oracle::cyclic(12, 2, 3);
  tridap::Dimension wrong = axis.dims[1];
  wrong.dist = tridap::Cyclic{wrong.dist_type() == 'c' ? std::get<tridap::Cyclic>(wrong.dist).start : 0,
                              std::numeric_limits<Index>::max()};
  const auto found = tridap::first_difference(wrong, axis.dims[1]);
  EXPECT_TRUE(found && found->key == "block_size");
  wrong = axis.dims[1];
  wrong.dist = tridap::Block{2, -5, {}};
  EXPECT_TRUE(tridap::first_difference(wrong, axis.dims[1]));
}

TEST(Compare, ListsWithSharedIndicesCountedOnceAreTheSame) {
  const oracle::Axis lists = oracle::unstructured({{3, 1}, {1}}), none = oracle::unstructured({{}, {}});
  expect_comparison(Table(oracle::Array({lists})), Table(oracle::Array({counted_once(lists)})));
  const oracle::Axis block = oracle::block({1, 1}), alone = oracle::unstructured({{0}}),
                     twice = oracle::unstructured({{0}, {0}});
  expect_comparison(Table(oracle::Array({none})), Table(oracle::Array({lists})));
  expect_comparison(Table(oracle::Array({block})), Table(oracle::Array({alone})));
  expect_comparison(Table(oracle::Array({alone})), Table(oracle::Array({block})));
  expect_comparison(Table(oracle::Array({block, block})), Table(oracle::Array({lists, twice})));
  expect_comparison(Table(oracle::Array({alone, twice})), Table(oracle::Array({twice, alone})));
  expect_comparison(Table(oracle::Array({lists})), Table(oracle::Array({none})));
}

TEST(Compare, IndicesAtTheEndsOf64BitsAreHeldApart) {
  const Index last = std::numeric_limits<Index>::max(), first = std::numeric_limits<Index>::min();
  const Table a(oracle::Array({oracle::unstructured({{last}, {first}})}));
  const Table b(oracle::Array({oracle::unstructured({{first}, {last}})}));
  expect_comparison(a, a);
  expect_comparison(a, b);
  expect_comparison(a, Table(oracle::Array({oracle::unstructured({{last, first}})})));
}

/// The dealing of an axis by trying all that there are.
struct Truth {
  char dist_type = 'u';
  Pattern dealing = Pattern::unstructured;
  Index block_size = 0, first = 0;
};

Truth truth_of(const oracle::Axis& axis) {
  std::vector<List> owned = as_lists(axis).held;
  List all, counts;
  for (const List& list : owned) {
    all.insert(all.end(), list.begin(), list.end());
    counts.push_back(static_cast<Index>(list.size()));
  }
  const Index size = static_cast<Index>(all.size()), grid = axis.grid();
  bool block = true, regular = false;
  for (Index i = 0; i < size; ++i) block = block && all[static_cast<std::size_t>(i)] == i;
  for (Index length = 0; length <= size; ++length) {
    List dealt;
    for (Index c = 0, left = size; c < grid; left -= dealt.back(), ++c) dealt.push_back(std::min(left, length));
    regular = regular || dealt == counts;
  }
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  regular = regular || *most - *least <= 1;
  if (block && grid == 1) return {'b', Pattern::undistributed};
  if (block) return {'b', regular ? Pattern::block : Pattern::irregular_block};
  for (Index length = 1; length <= size; ++length)
    for (Index first = 0; first < grid; ++first)
      if (oracle::cyclic(size, length, grid, first).held == owned)
        return {'c', length == 1 ? Pattern::cyclic : Pattern::block_cyclic, length, first};
  return {};
}

void expect_dealing(const oracle::Axis& axis) {
  const tridap::Axis given(axis.dims), simple = tridap::simplest(given);
  const Truth truth = truth_of(axis);
  const char* const names[] = {"undistributed", "block", "irregular block", "cyclic", "block-cyclic", "unstructured"};
  std::string line = names[static_cast<int>(truth.dealing)];
  Index block_size = truth.block_size, first = truth.first;
  if (given.dist_type() == 'c') {  // as its dictionaries say
    const auto of = [&](Index c) { return std::get<tridap::Cyclic>(given.dimension(c).dist); };
    block_size = of(0).block_size;
    line = block_size == 1 ? "cyclic" : "block-cyclic";
    first = 0;
    while (of(first).start != 0) ++first;
  }
  if (block_size > 1) line += " by " + std::to_string(block_size);
  if (first > 0) line += " from coordinate " + std::to_string(first);
  const auto* said = std::get_if<tridap::Block>(&axis.dims[0].dist);
  if (said != nullptr && said->padding) line = "padded " + line;
  std::size_t total = 0;
  std::set<Index> distinct;
  for (const List& list : as_lists(axis).held) {
    total += list.size();
    distinct.insert(list.begin(), list.end());
  }
  if (distinct.size() < total) line += " with shared indices";
  if (axis.dims[0].periodic) line = "periodic " + line;
  ASSERT_EQ(tridap::describe(given), line);
  ASSERT_EQ(tridap::pattern(given), truth.dealing) << line;
  ASSERT_EQ(simple.dist_type(), truth.dist_type) << line;
  ASSERT_EQ(tridap::describe(Distribution({given})),
            line + " over " + std::to_string(axis.grid()) + (axis.grid() == 1 ? " process" : " processes"));
  if (const auto* cyclic = std::get_if<tridap::CyclicKind>(&simple.kind())) {
    ASSERT_EQ(cyclic->block_size(), truth.block_size);
    ASSERT_EQ(cyclic->first(), truth.first);
  }
  ASSERT_EQ(simple.size(), axis.size());
  ASSERT_EQ(simple.proc_grid_size(), axis.grid());
  for (Index c = 0; c < axis.grid(); ++c) {
    ASSERT_EQ(simple.part(c, Part::local), axis.part(c, Part::local)) << line;
    ASSERT_EQ(simple.count(c), axis.part(c, Part::owned).size());
    for (Index local = 0; local < axis.part(c, Part::local).end; ++local)
      ASSERT_EQ(simple.global_index(c, local), axis.held_by(c)[static_cast<std::size_t>(local)]) << line;
  }
}

TEST(Pattern, IsTheSimplestThatExplainsAnAxis) {
  for (Index size = 0; size <= 8; ++size) {
    const std::vector<oracle::Axis> axes = axes_of(size);
    for (const oracle::Axis& axis : axes) {
      ASSERT_NO_FATAL_FAILURE(expect_dealing(axis));
      ASSERT_NO_FATAL_FAILURE(expect_dealing(as_lists(axis)));
    }
    for (Index length = 5; length <= 9; ++length)
      for (Index grid = 1; grid <= 3; ++grid)
        for (Index first = 0; first < grid; ++first) {
          ASSERT_NO_FATAL_FAILURE(expect_dealing(oracle::cyclic(size, length, grid, first)));
          ASSERT_NO_FATAL_FAILURE(expect_dealing(as_lists(oracle::cyclic(size, length, grid, first))));
        }
  }
  for (const oracle::Axis& axis : oracle::mixed_axes()) ASSERT_NO_FATAL_FAILURE(expect_dealing(axis));
  expect_dealing(oracle::unstructured({{0, 2}, {1, 4}, {3, 5}}));  // as cyclic, up to a point
  expect_dealing(oracle::block({4}, {}, {1, 1}, true));
}

TEST(Describe, NamesEveryAxisAndTheProcessGrid) {
  EXPECT_EQ(tridap::describe(made({4, 6}, {tridap::block(), tridap::cyclic()}, {2, 3})),
            "block x cyclic over 2 x 3 processes");
  EXPECT_EQ(tridap::describe(made({4, 6}, {tridap::cyclic(), tridap::cyclic()}, {1, 1})),
            "cyclic x cyclic over 1 x 1 process");
  EXPECT_EQ(tridap::describe(made({4, 6}, {tridap::whole(), tridap::block()}, {1, 1})),
            "undistributed x undistributed over 1 x 1 process");
  EXPECT_EQ(tridap::describe(Distribution({})), "one element on one process");
}

TEST(Describe, NamesACyclicAxisAsItWasMade) {
  for (const Index processes : {1, 2}) {
    const Distribution cyclic = made({80}, {tridap::cyclic(64)}, {processes});
    const Distribution block = made({80}, {tridap::BlockSpec{{}, List{0, 64}}}, {2});
    const std::string over = processes == 1 ? " over 1 process" : " over 2 processes";
    EXPECT_EQ(tridap::describe(cyclic), "block-cyclic by 64" + over);
    EXPECT_EQ(tridap::describe(made({80}, {tridap::cyclic(64, processes - 1)}, {processes})),
              "block-cyclic by 64" + std::string(processes == 1 ? "" : " from coordinate 1") + over);
    EXPECT_EQ(tridap::describe(made({processes}, {tridap::cyclic()}, {processes})), "cyclic" + over);
    EXPECT_EQ(tridap::pattern(cyclic.axis(0)), processes == 1 ? Pattern::undistributed : Pattern::block);
    if (processes == 2) {
      EXPECT_TRUE(tridap::compare(cyclic, block).same_places);
      EXPECT_EQ(tridap::describe(block), "block over 2 processes");
    }
  }
}

TEST(Balance, CountsWhatEveryProcessOwns) {
  const std::vector<oracle::Axis> axes = oracle::mixed_axes();
  std::vector<oracle::Array> arrays = {oracle::Array({})};
  for (const oracle::Axis& a : axes) {
    arrays.push_back(oracle::Array({a}));
    for (const oracle::Axis& b : axes) arrays.push_back(oracle::Array({a, b, oracle::cyclic(3, 1, 2)}));
  }
  arrays.push_back(oracle::Array({oracle::block({0, 0}), oracle::block({3})}));
  for (const oracle::Array& array : arrays) {
    Index least = 1000, most = 0, total = 0;
    for (Index p = 0; p < array.processes(); ++p) {
      const auto owned = static_cast<Index>(array.elements(p, Part::owned).size());
      const auto held = static_cast<Index>(array.elements(p, Part::local).size());
      least = std::min(least, owned);
      most = std::max(most, owned);
      total += owned;
      ASSERT_EQ(tridap::local_bytes(array.distribution(), p, 8), 8 * held);
    }
    const tridap::Balance balance = tridap::balance(array.distribution());
    const double mean = static_cast<double>(total) / static_cast<double>(array.processes());
    ASSERT_EQ(balance.smallest, least);
    ASSERT_EQ(balance.largest, most);
    ASSERT_DOUBLE_EQ(balance.mean, mean);
    ASSERT_DOUBLE_EQ(balance.imbalance(), total == 0 ? 0 : static_cast<double>(most) / mean);
  }
}

const Index huge = Index{1} << 62;
const Index million = 1000000;

TEST(Compare, HugeAxesOverAMillionCoordinatesFinish) {
  const Index length = (huge - 1) / million + 1;
  const Distribution block = made({huge}, {tridap::block()}, {million});
  EXPECT_TRUE(tridap::compare(block, made({huge}, {tridap::cyclic(length)}, {million})).same_places);
  EXPECT_EQ(tridap::describe(made({huge}, {tridap::cyclic(length)}, {million})),
            "block-cyclic by " + std::to_string(length) + " over 1000000 processes");
  const Distribution cyclic = made({huge}, {tridap::cyclic(7, 3)}, {million});
  EXPECT_TRUE(tridap::compare(cyclic, cyclic).same_places);
  EXPECT_EQ(tridap::compare(cyclic, made({huge}, {tridap::cyclic(7, 4)}, {million})).difference,
            "index (0) is owned by process 3 here and by process 4 there");
  EXPECT_EQ(
      tridap::compare(made({huge}, {tridap::cyclic(7)}, {million - 1}), made({huge}, {tridap::cyclic(7)}, {million}))
          .difference,
      "index (6999993) is owned by process 0 here and by process 999999 there");
  EXPECT_EQ(tridap::describe(cyclic), "block-cyclic by 7 from coordinate 3 over 1000000 processes");
  EXPECT_EQ(
      tridap::compare(made({huge}, {tridap::cyclic(huge - 1)}, {2}), made({huge}, {tridap::cyclic(huge - 1, 1)}, {2}))
          .difference,
      "index (0) is owned by process 0 here and by process 1 there");
}

TEST(Balance, HugeSharesAreCountedOrSaidNotToFit) {
  const tridap::Balance balance = tridap::balance(made({huge}, {tridap::cyclic(2)}, {3}));
  EXPECT_EQ(balance.largest, huge / 3 + 1);
  EXPECT_EQ(balance.smallest, huge / 3 - (huge % 3 == 1 ? 1 : 0));
  EXPECT_EQ(tridap::local_bytes(made({huge / 4}, {tridap::block()}, {1}), 0, 4), huge);
  EXPECT_THROW(tridap::local_bytes(made({huge}, {tridap::block()}, {1}), 0, 8), tridap::Error);
  EXPECT_THROW(tridap::local_bytes(made({huge, huge}, {tridap::block(), tridap::block()}, {1, 1}), 0, 1),
               tridap::Error);
  const tridap::Balance most = tridap::balance(made({huge, huge}, {tridap::block(), tridap::block()}, {1, 1}));
  EXPECT_EQ(most.largest, std::numeric_limits<Index>::max());
  EXPECT_EQ(
      tridap::balance(made({huge, huge, 0}, {tridap::block(), tridap::block(), tridap::block()}, {1, 1, 1})).largest,
      0);
}

}  // namespace
