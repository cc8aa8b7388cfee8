#include "device/device_moved.hpp"
#include "support/effort.hpp"

#include <array>
#include <complex>
#include <memory>
#include <string>
#include <vector>

using namespace on_device;

namespace {

using Kind = tridap::ElementType::Kind;
using tridap::redistribute::Scaling;

const std::array<ElementType, 12> types = {ElementType{Kind::unsigned_integer, 1, true},
                                           {Kind::unsigned_integer, 2, true},
                                           {Kind::unsigned_integer, 4, true},
                                           {Kind::unsigned_integer, 8, true},
                                           {Kind::signed_integer, 1, true},
                                           {Kind::signed_integer, 2, true},
                                           {Kind::signed_integer, 4, true},
                                           {Kind::signed_integer, 8, true},
                                           {Kind::floating, 4, true},
                                           {Kind::floating, 8, true},
                                           {Kind::complex, 8, true},
                                           {Kind::complex, 16, true}};

bool is_whole(const ElementType& type) {
  return type.kind == Kind::signed_integer || type.kind == Kind::unsigned_integer;
}

/// Numbers of many digits, which roundings would tell apart.
moves::Write digits_of(Index salt) {
  return [salt](std::byte* to, const ElementType& type, const moves::List& name) {
    const Index parts = type.kind == Kind::complex ? 2 : 1, bytes = type.bytes / parts;
    for (Index part = 0; part < parts; ++part, to += bytes) {
      const auto bits = static_cast<std::int64_t>(moves::hash(name, salt + 7 * part));
      const double real = static_cast<double>(bits) / 9e18;
      if (is_whole(type))
        std::memcpy(to, &bits, moves::at(bytes));
      else
        bytes == 4 ? moves::put_real(to, static_cast<float>(real)) : moves::put_real(to, real);
    }
  };
}

/// One move with arithmetic, on devices and on the host.
class Computed {
 public:
  Computed(const Case& given, Index seed)
      : case_(given), truth_(given), rank_(on::rank(world)), seed_(seed), same_(seed), dice_(seed * 64 + rank_) {
    const Index from = same_.up_to(11);
    const Index to = same_.one_in(2) ? from : from + same_.up_to(11 - from);
    from_ = types[static_cast<std::size_t>(from)];
    to_ = types[static_cast<std::size_t>(to)];
    if (same_.one_in(4)) return;
    scaling_ = {factor(), same_.one_in(2) ? 0 : factor()};
  }

  void expect_same_bits(const Where& from, const Where& to, Path path = Path::automatic) {
    Options options;
    options.mapping = case_.mapping;
    options.convert = from_ != to_;
    options.path = path;
    Redistribution plan(case_.source.placed(), case_.target.placed(), from_.bytes, world, options);
    const oracle::Stand stand_from = stand(case_.source), stand_to = stand(case_.target);
    Part source(case_.source, rank_, from_, stand_from, from(dice_)),
        target(case_.target, rank_, to_, stand_to, to(dice_));
    Part host_source(case_.source, rank_, from_, stand_from, {}), host_target(case_.target, rank_, to_, stand_to, {});
    for (Part* const each : {&source, &host_source}) each->set(each->host.picture(truth_.given(rank_), digits_of(1)));
    for (Part* const each : {&target, &host_target}) each->set(each->host.picture(truth_.moved(rank_), digits_of(2)));
    plan(source.stamped(), target.stamped(), scaling_);
    plan(host_source.stamped(), host_target.stamped(), scaling_);
    EXPECT_TRUE(target.now() == host_target.now())
        << from_.name() << " to " << to_.name() << ", alpha " << scaling_.alpha << ", beta " << scaling_.beta
        << ", seed " << seed_ << ":" << moves::text(case_);
  }

 private:
  std::complex<double> factor() {
    const double whole = static_cast<double>(same_.up_to(9) - 4);
    if (is_whole(to_)) return whole;
    const double real = whole == 0 ? 0 : whole / 7;
    return {real, to_.kind == Kind::complex && same_.one_in(2) ? 0.3 : 0};
  }
  oracle::Stand stand(const moves::Side& side) { return moves::any_stand(side.array.axes.size(), dice_); }

  const Case& case_;
  moves::Truth truth_;
  Index rank_, seed_;
  Dice same_, dice_;  // on all processes, and here
  ElementType from_, to_;
  Scaling scaling_;
};

void for_random_arithmetic(Index first, Index count, const std::function<void(Computed&)>& visit) {
  stand_in::Driver::loaded();
  const Index taken = effort::seeds(first, count, count / (effort::sanitized ? 10 : 4));
  for (Index seed = first; seed < first + taken; ++seed) {
    const Case given = moves::any_case(seed, on::processes(world));
    Computed computed(given, seed);
    visit(computed);
    if (moves::failed_anywhere(world)) return;
  }
}

}  // namespace

TEST(DeviceArithmetic, HasTheBitsOfTheHost) {
  for_random_arithmetic(5000, 600,
                        [](Computed& computed) { computed.expect_same_bits(in_device_memory, in_device_memory); });
}

TEST(DeviceArithmetic, HasTheBitsOfTheHostThroughSlots) {
  const Where anywhere = [](Dice& dice) { return dice.one_in(3) ? std::nullopt : std::optional<int>(stand_in::pool); };
  for (const Path path : moves::paths)
    for_random_arithmetic(6000, 150, [&](Computed& computed) { computed.expect_same_bits(anywhere, anywhere, path); });
}
