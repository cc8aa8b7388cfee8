// The protocol's index arithmetic against loops written by hand for one kind of axis, and reading and checking captures
// against parsing them only; and the placement of parts on many processes against a loop over all pairs of them.

#include "support/ratios.hpp"
#include <tridap/capture.hpp>
#include <tridap/compare.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/relabel.hpp>

#include <nlohmann/json.hpp>

#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <unordered_map>

namespace {

using tridap::Axis;
using tridap::Index;
using tridap::Location;
using tridap::Part;

constexpr Index size = 1 << 18, grid = 7;

Axis axis_of(const tridap::AxisSpec& spec) {
  tridap::Report report;
  return *tridap::make_axis(size, spec, grid, 0, report);
}

// Numbers that are not known at compile time.
Index hidden(Index value) {
  benchmark::DoNotOptimize(value);
  return value;
}

std::vector<Index> random_globals() {
  std::mt19937_64 random(1);
  std::vector<Index> globals(1 << 16);
  for (Index& global : globals) global = static_cast<Index>(random() % size);
  return globals;
}

// The peers of one kind of axis: loops by hand for the four directions.
struct ByHand {
  std::function<Index()> sweep_owners, sweep_globals;
  std::function<Index(const std::vector<Index>&)> random_owners;
  std::function<Index(const std::vector<Location>&)> random_globals;
};

void add_kind(bench::Ratios& ratios, const std::string& kind, const Axis& made, const ByHand& hand) {
  const auto axis = std::make_shared<const Axis>(made);
  const auto globals = std::make_shared<const std::vector<Index>>(random_globals());
  const auto places = std::make_shared<std::vector<Location>>();
  for (const Index global : *globals) places->push_back(*axis->locate(global));

  ratios.add(
      kind + ": sweep, global to owner and local", 1.5,
      [axis] {
        Index sum = 0;
        axis->for_each_location(0, size, [&](Index, Location place) { sum += place.coordinate ^ place.local; });
        benchmark::DoNotOptimize(sum);
      },
      [hand] { benchmark::DoNotOptimize(hand.sweep_owners()); });
  ratios.add(
      kind + ": sweep, local to global", 1.5,
      [axis] {
        Index sum = 0;
        for (Index c = 0; c < grid; ++c)
          axis->for_each(c, Part::owned, [&](Index local, Index global) { sum += local ^ global; });
        benchmark::DoNotOptimize(sum);
      },
      [hand] { benchmark::DoNotOptimize(hand.sweep_globals()); });
  ratios.add(
      kind + ": random, global to owner and local", 1.5,
      [axis, globals] {
        benchmark::DoNotOptimize(axis->with_kind([&](const auto& of_kind) {
          Index sum = 0;
          for (const Index global : *globals) {
            const auto place = of_kind.locate(global);
            sum += place->coordinate ^ place->local;
          }
          return sum;
        }));
      },
      [hand, globals] { benchmark::DoNotOptimize(hand.random_owners(*globals)); });
  ratios.add(
      kind + ": random, local to global", 1.5,
      [axis, places] {
        benchmark::DoNotOptimize(axis->with_kind([&](const auto& of_kind) {
          Index sum = 0;
          for (const Location& place : *places) sum += of_kind.global_index(place.coordinate, place.local);
          return sum;
        }));
      },
      [hand, places] { benchmark::DoNotOptimize(hand.random_globals(*places)); });
}

ByHand block_by_hand() {
  const Index n = hidden(size), p = hidden(grid), length = (n + p - 1) / p;
  return {[=] {
            Index sum = 0;
            for (Index c = 0; c < p; ++c)
              for (Index g = c * length, l = 0; g < std::min(n, (c + 1) * length); ++g, ++l) sum += c ^ l;
            return sum;
          },
          [=] {
            Index sum = 0;
            for (Index c = 0; c < p; ++c)
              for (Index l = 0, first = c * length; first + l < std::min(n, first + length); ++l)
                sum += l ^ (first + l);
            return sum;
          },
          [=](const std::vector<Index>& globals) {
            Index sum = 0;
            for (const Index g : globals) sum += (g / length) ^ (g % length);
            return sum;
          },
          [=](const std::vector<Location>& places) {
            Index sum = 0;
            for (const Location& place : places) sum += place.coordinate * length + place.local;
            return sum;
          }};
}

ByHand irregular_by_hand(std::vector<Index> starts) {
  const auto bounds = std::make_shared<std::vector<Index>>(std::move(starts));
  bounds->push_back(size);
  return {[=] {
            Index sum = 0;
            const std::vector<Index>& b = *bounds;
            for (std::size_t c = 0; c + 1 < b.size(); ++c)
              for (Index g = b[c], l = 0; g < b[c + 1]; ++g, ++l) sum += static_cast<Index>(c) ^ l;
            return sum;
          },
          [=] {
            Index sum = 0;
            const std::vector<Index>& b = *bounds;
            for (std::size_t c = 0; c + 1 < b.size(); ++c)
              for (Index l = 0; l < b[c + 1] - b[c]; ++l) sum += l ^ (b[c] + l);
            return sum;
          },
          [=](const std::vector<Index>& globals) {
            Index sum = 0;
            const std::vector<Index>& b = *bounds;
            for (const Index g : globals) {
              const Index c = std::upper_bound(b.begin(), b.end(), g) - b.begin() - 1;
              sum += c ^ (g - b[static_cast<std::size_t>(c)]);
            }
            return sum;
          },
          [=](const std::vector<Location>& places) {
            Index sum = 0;
            for (const Location& place : places)
              sum += (*bounds)[static_cast<std::size_t>(place.coordinate)] + place.local;
            return sum;
          }};
}

ByHand cyclic_by_hand(Index block_size) {
  const Index n = hidden(size), p = hidden(grid), k = hidden(block_size);
  return {[=] {
            Index sum = 0, c = 0, round = 0;
            for (Index g = 0; g < n;) {
              for (Index i = 0; i < k && g < n; ++i, ++g) sum += c ^ (round + i);
              if (++c == p) c = 0, round += k;
            }
            return sum;
          },
          [=] {
            Index sum = 0;
            for (Index c = 0; c < p; ++c)
              for (Index l = 0, first = c * k; first < n; first += p * k)
                for (Index i = 0; i < k && first + i < n; ++i, ++l) sum += l ^ (first + i);
            return sum;
          },
          [=](const std::vector<Index>& globals) {
            Index sum = 0;
            for (const Index g : globals) {
              const Index block = g / k;
              sum += (block % p) ^ (block / p * k + g % k);
            }
            return sum;
          },
          [=](const std::vector<Location>& places) {
            Index sum = 0;
            for (const Location& place : places) sum += (place.local / k * p + place.coordinate) * k + place.local % k;
            return sum;
          }};
}

ByHand lists_by_hand(std::vector<std::vector<Index>> all) {
  const auto lists = std::make_shared<const std::vector<std::vector<Index>>>(std::move(all));
  const auto table = std::make_shared<std::vector<Location>>(static_cast<std::size_t>(size));
  for (std::size_t c = 0; c < lists->size(); ++c)
    for (std::size_t l = 0; l < (*lists)[c].size(); ++l)
      (*table)[static_cast<std::size_t>((*lists)[c][l])] = {static_cast<Index>(c), static_cast<Index>(l)};
  return {[=] {
            Index sum = 0;
            for (const Location& place : *table) sum += place.coordinate ^ place.local;
            return sum;
          },
          [=] {
            Index sum = 0;
            for (const auto& list : *lists)
              for (std::size_t l = 0; l < list.size(); ++l) sum += static_cast<Index>(l) ^ list[l];
            return sum;
          },
          [=](const std::vector<Index>& globals) {
            Index sum = 0;
            for (const Index g : globals) {
              const Location& place = (*table)[static_cast<std::size_t>(g)];
              sum += place.coordinate ^ place.local;
            }
            return sum;
          },
          [=](const std::vector<Location>& places) {
            Index sum = 0;
            for (const Location& place : places)
              sum += (*lists)[static_cast<std::size_t>(place.coordinate)][static_cast<std::size_t>(place.local)];
            return sum;
          }};
}

std::vector<std::vector<Index>> shuffled_lists() {
  std::vector<Index> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), Index{0});
  std::shuffle(all.begin(), all.end(), std::mt19937_64(2));
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(grid));
  for (std::size_t i = 0; i < all.size(); ++i) lists[i % lists.size()].push_back(all[i]);
  return lists;
}

void add_making(bench::Ratios& ratios) {
  const auto make = [](Index extent) {
    return [extent] {
      benchmark::DoNotOptimize(
          tridap::Distribution::make({extent, extent}, {tridap::block(), tridap::cyclic(2)}, {1000, 1000}).processes());
    };
  };
  ratios.add("make: 10^9 x 10^9 over a million processes, against 10^3 x 10^3", 1.5, make(1000000000), make(1000));
  ratios.add("make: over a million processes, against writing a million numbers", 1.0, make(1000000), [] {
    std::vector<Index> numbers(1000000);
    std::iota(numbers.begin(), numbers.end(), hidden(0));
    benchmark::DoNotOptimize(numbers.data());
  });
}

void add_checking(bench::Ratios& ratios) {
  std::ostringstream out;
  const auto made = tridap::Distribution::make({1000, 1000, 1000},
                                               {tridap::block(), tridap::cyclic(3), tridap::block()}, {16, 16, 16});
  tridap::write_capture(out, made, tridap::Version::v0_10, tridap::element_type<double>());
  const auto text = std::make_shared<const std::string>(out.str());
  ratios.add(
      "check: a capture of 4096 processes x 3 axes, against parsing it", 5.0,
      [text] {  // as the command does
        const tridap::Capture capture = tridap::read_capture(*text);
        benchmark::DoNotOptimize(tridap::check(capture).ok());
        benchmark::DoNotOptimize(tridap::describe(tridap::gather_distribution(capture)).size());
      },
      [text] { benchmark::DoNotOptimize(nlohmann::json::parse(*text).size()); });
}

// The largest number of elements that two processes have in common, from blocks to cyclic.
Index largest_overlap(Index elements, Index processes) {
  Index largest = 0;
  for (Index s = 0; s < processes; ++s) {
    const Index begin = elements / processes * s, end = elements / processes * (s + 1);
    for (Index t = 0; t < processes; ++t) {
      const auto below = [&](Index i) { return i / processes + (i % processes > t ? 1 : 0); };
      largest = std::max(largest, below(end) - below(begin));
    }
  }
  return largest;
}

void add_placing(bench::Ratios& ratios) {
  using tridap::block;
  using tridap::Distribution;
  using tridap::whole;
  constexpr Index processes = 4000, elements = processes * processes * 10;
  const Distribution blocks = Distribution::make({elements}, {block()}, {processes});
  const Distribution dealt = Distribution::make({elements}, {tridap::cyclic()}, {processes});
  ratios.add(
      "relabel: 4000 processes from blocks to cyclic, against a loop over all pairs", 15.0,
      [=] { benchmark::DoNotOptimize(tridap::redistribute::relabel({blocks}, {dealt}, 8, processes).bytes_kept); },
      [] { benchmark::DoNotOptimize(largest_overlap(hidden(elements), processes)); });
  const Index n = 4000, many = 100000;
  const Distribution x = Distribution::make({n, n, n}, {whole(), block(), block()}, {1, 250, 400});
  const Distribution y = Distribution::make({n, n, n}, {block(), whole(), block()}, {250, 1, 400});
  ratios.add(
      "relabel: 100000 pencils, against writing their 25 million overlaps", 1.5,
      [=] { benchmark::DoNotOptimize(tridap::redistribute::relabel({x}, {y}, 8, many).bytes_kept); },
      [] {
        std::vector<Index> numbers(25'000'000);
        std::iota(numbers.begin(), numbers.end(), hidden(0));
        benchmark::DoNotOptimize(numbers.data());
      });
}

}  // namespace

int main(int, char** argv) {
  bench::Ratios ratios;
  const std::vector<Index> starts = {0, 10, 10, 50000, 123456, 200000, 262000};
  const auto lists = shuffled_lists();
  add_kind(ratios, "block", axis_of(tridap::block()), block_by_hand());
  add_kind(ratios, "irregular block", axis_of(tridap::block_at(starts)), irregular_by_hand(starts));
  add_kind(ratios, "cyclic", axis_of(tridap::cyclic()), cyclic_by_hand(1));
  add_kind(ratios, "block-cyclic", axis_of(tridap::cyclic(5)), cyclic_by_hand(5));
  add_kind(ratios, "unstructured", axis_of(tridap::unstructured(lists)), lists_by_hand(lists));
  add_making(ratios);
  add_checking(ratios);
  add_placing(ratios);
  return ratios.run(argv[0]) ? 0 : 1;
}
