#include "protocol/c_abi/handmade.hpp"
#include "support/memory_meter.hpp"
#include <tridap/c_array.hpp>
#include <tridap/check.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <new>
#include <set>
#include <string>

namespace {

using memory_meter::allocations_left;
using memory_meter::largest_allocation;
using tridap::CArray;
using tridap::Index;
using tridap::Report;

constexpr Index big = Index{1} << 62, highest = std::numeric_limits<Index>::max(), lowest = -highest - 1;

std::string verdict(const dap_array& c, int status) {
  std::array<char, 1 << 16> message;
  EXPECT_EQ(dap_array_check(&c, message.data(), message.size()), status) << message.data();
  return message.data();
}

/// The array is refused with a message that says so, by dap_array_check and by from_c, which releases it once.
void expect_refused(Handmade& made, const std::string& says) {
  EXPECT_NE(verdict(made.c, DAP_INVALID).find(says), std::string::npos) << verdict(made.c, DAP_INVALID);
  EXPECT_EQ(made.released, 0);
  try {
    tridap::from_c(CArray(&made.c));
    ADD_FAILURE() << "accepted: " << says;
  } catch (const tridap::Error& error) {
    EXPECT_EQ(made.released, 1);
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    EXPECT_EQ(error.report().errors(), 1) << error.what();
  }
}

using Change = std::function<void(Handmade&)>;

void refuses(const std::string& says, const Change& change) {
  Handmade made;
  change(made);
  expect_refused(made, says);
}

TEST(CArrayFaults, TheHandmadeArrayHasNone) {
  Handmade made;
  EXPECT_NE(verdict(made.c, DAP_OK).find("warning: axis 0: 'units'"), std::string::npos);
  EXPECT_TRUE(tridap::check(tridap::from_c(CArray(&made.c))).ok());
  EXPECT_EQ(made.released, 1);
  EXPECT_THROW(tridap::from_c(nullptr), tridap::Error);
}

TEST(CArrayFaults, CountsAndPointers) {
  for (const Index count : {Index{-1}, lowest, Index{DAP_MAX_COUNT} + 1, big, highest}) {
    const std::string number = std::to_string(count);
    refuses("'dim_count' is " + number, [&](Handmade& m) { m.c.dim_count = count; });
    refuses("axis 0: 'extra_count' is " + number, [&](Handmade& m) { m.dims[0].extra_count = count; });
    Handmade made;
    made.c.buffer.ndim = count;
    EXPECT_NE(verdict(made.c, DAP_INVALID).find("'buffer.ndim' is " + number), std::string::npos);
  }
  refuses("'buffer.shape' is NULL", [](Handmade& m) { m.c.buffer.shape = nullptr; });
  refuses("'buffer.strides' is NULL", [](Handmade& m) { m.c.buffer.strides = nullptr; });
  refuses("'dim_data' is NULL", [](Handmade& m) { m.c.dim_data = nullptr; });
  refuses("axis 0: 'extras' is NULL", [](Handmade& m) { m.dims[0].extras = nullptr; });
  const auto odd = [](auto* pointer) {
    return reinterpret_cast<decltype(pointer)>(reinterpret_cast<std::uintptr_t>(pointer) + 1);
  };
  refuses("'buffer.shape' is misaligned", [&](Handmade& m) { m.c.buffer.shape = odd(m.c.buffer.shape); });
  refuses("'buffer.strides' is misaligned", [&](Handmade& m) { m.c.buffer.strides = odd(m.c.buffer.strides); });
  refuses("'dim_data' is misaligned", [&](Handmade& m) { m.c.dim_data = odd(m.c.dim_data); });
  refuses("axis 0: 'extras' is misaligned", [&](Handmade& m) { m.dims[0].extras = odd(m.dims[0].extras); });
}

TEST(CArrayFaults, Texts) {
  using Text = std::function<dap_text&(Handmade&)>;
  const std::vector<std::pair<std::string, Text>> texts = {
      {"'protocol_version'", [](Handmade& m) -> dap_text& { return m.c.protocol_version; }},
      {"axis 0: 'extras.key'", [](Handmade& m) -> dap_text& { return m.extras[1].key; }},
      {"axis 0: 'extras.json'", [](Handmade& m) -> dap_text& { return m.extras[1].json; }}};
  for (const auto& [name, text] : texts) {
    for (const Index size : {Index{-1}, lowest, Index{DAP_MAX_JSON} + 1, big, highest})
      refuses(name + " is of size " + std::to_string(size), [&, text = text](Handmade& m) { text(m).size = size; });
    refuses(name + " is NULL", [text = text](Handmade& m) { text(m).data = nullptr; });
    for (const char* bytes : {"\xff", "a\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                              "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xe2\x28\xa1", "\xf0\x9f\x98"})
      refuses(name + " is not UTF-8", [&, text = text](Handmade& m) { text(m) = dap_text_of(bytes); });
  }
  for (const char* bytes : {"", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                            "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    Handmade made;
    made.extras[1].key = dap_text_of(bytes);
    EXPECT_EQ(tridap::from_c(CArray(&made.c)).dim_data[0].extras[1].key, bytes);
  }
  refuses("axis 0: 'extras' is a list with 'size'", [](Handmade& m) { m.extras[1].key = dap_text_of("size"); });
  refuses("axis 0: 'extras' is a list with 'units' twice", [](Handmade& m) { m.extras[1].key = dap_text_of("units"); });
}

TEST(CArrayFaults, ExtrasThatAreNoJson) {
  for (const char* json : {"", " ", "m", "[1,", "{\"a\": 1, \"a\": 2}", "[] []", "nan", "'m'", "01", "[1]\nx"}) {
    const std::string shown = std::string(json) == "[1]\nx" ? "[1]\\nx" : json;
    refuses("axis 0: 'extras' is a list with 'origin' as '" + shown + "', but the value must be JSON text: ",
            [&](Handmade& m) { m.extras[1].json = dap_text_of(json); });
  }
  const std::string deep(1000, '['), nul("[1]\0", 4);
  for (const std::string& json : {deep, nul})
    refuses("axis 0: 'extras' is a list with 'origin' as '[", [&](Handmade& m) {
      m.extras[1].json = {json.data(), static_cast<std::int64_t>(json.size())};
    });
  for (const char* json : {"null", "1e300", " \"\\u00e9\" ", "[[], {}]", "123456789012345678901234567890"}) {
    Handmade made;
    made.extras[1].json = dap_text_of(json);
    EXPECT_EQ(tridap::from_c(CArray(&made.c)).dim_data[0].extras[1].value, json);
  }
}

TEST(CArrayFaults, Formats) {
  for (const char* format : {"", "w", "<g", "dd", "2d", "d ", "T{d:x:}", "0x"}) {
    const dap_text text = dap_text_of(format);
    refuses("'buffer.format' is '" + std::string(format) + "'", [&](Handmade& m) { m.c.buffer.format = text; });
    refuses("axis 2: 'indices.format' is '" + std::string(format) + "'",
            [&](Handmade& m) { m.dims[2].indices.format = text; });
  }
}

TEST(CArrayFaults, Devices) {
  static int queue = 0;
  for (const auto& [type, id] :
       std::vector<std::pair<int, int>>{{0, 0}, {-1, 0}, {1, 1}, {2, -1}, {8, 0}, {1 << 30, 0}}) {
    const dap_device device = {type, id, nullptr, nullptr, {}};
    const std::string value = " is (" + std::to_string(type) + ", " + std::to_string(id) + ")";
    refuses("'buffer.device'" + value, [&](Handmade& m) { m.c.buffer.device = device; });
    refuses("axis 2: 'indices.device'" + value, [&](Handmade& m) { m.dims[2].indices.device = device; });
  }
  refuses("'buffer.device.stream' is set", [](Handmade& m) { m.c.buffer.device.stream = &queue; });
  refuses("'buffer.device.event' is set", [](Handmade& m) { m.c.buffer.device.event = &queue; });
  refuses("axis 2: 'indices.device.stream' is set", [](Handmade& m) { m.dims[2].indices.device.stream = &queue; });
  refuses("axis 2: 'indices.device.event' is set", [](Handmade& m) { m.dims[2].indices.device.event = &queue; });
}

TEST(CArrayFaults, EveryByteOfAFlagAndOfAKind) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto value = static_cast<std::uint8_t>(byte);
    const std::string seen = " is " + std::to_string(byte) + ",";
    if (byte > 1) {
      refuses("axis 0: 'periodic'" + seen, [&](Handmade& m) { m.dims[0].periodic = value; });
      refuses("axis 2: 'one_to_one'" + seen, [&](Handmade& m) { m.dims[2].one_to_one = value; });
      Handmade made;
      made.dims[0].has_padding = value;
      EXPECT_NE(verdict(made.c, DAP_INVALID).find("axis 0: 'has_padding'" + seen), std::string::npos);
    }
    const char kind = static_cast<char>(value);
    if (std::string("bcun").find(kind) == std::string::npos)
      refuses("axis 1: 'dist_type' is", [&](Handmade& m) { m.dims[1].dist_type = kind; });
  }
}

TEST(CArrayFaults, NotDistributed) {
  const auto not_distributed = [](const char* version, const Change& change) {
    return [=](Handmade& m) {
      m.c.protocol_version = dap_text_of(version);
      m.dims[1] = {};
      m.dimension(1, 'n', 2, 1, 0);
      change(m);
    };
  };
  refuses("axis 1: 'dist_type' is 'n', must be 'b', 'c' or 'u' in protocol version '0.10.0'",
          not_distributed("0.10.0", [](Handmade&) {}));
  refuses("axis 1: 'proc_grid_size' is 2", not_distributed("0.9.0", [](Handmade& m) { m.dims[1].proc_grid_size = 2; }));
  refuses("axis 1: 'proc_grid_rank' is 1", not_distributed("0.9.0", [](Handmade& m) { m.dims[1].proc_grid_rank = 1; }));
  refuses("axis 1: 'start' is not zero", not_distributed("0.9.0", [](Handmade& m) { m.dims[1].start = 1; }));
  refuses("axis 1: 'stop' is not zero", not_distributed("0.9.0", [](Handmade& m) { m.dims[1].stop = 2; }));
  refuses("axis 1: 'padding' is not zero", not_distributed("0.9.0", [](Handmade& m) { m.dims[1].padding[1] = 2; }));
}

TEST(CArrayFaults, WhatAKindDoesNotUseIsZero) {
  static const char anything = 0;
  using Unused = std::pair<std::string, Change>;
  const auto fields = [](std::size_t axis) {
    return std::vector<Unused>{{"start", [=](Handmade& m) { m.dims[axis].start = 1; }},
                               {"stop", [=](Handmade& m) { m.dims[axis].stop = 1; }},
                               {"block_size", [=](Handmade& m) { m.dims[axis].block_size = 1; }},
                               {"has_padding", [=](Handmade& m) { m.dims[axis].has_padding = 1; }},
                               {"padding", [=](Handmade& m) { m.dims[axis].padding[0] = 1; }},
                               {"padding", [=](Handmade& m) { m.dims[axis].padding[1] = 1; }},
                               {"one_to_one", [=](Handmade& m) { m.dims[axis].one_to_one = 1; }},
                               {"indices", [=](Handmade& m) { m.dims[axis].indices.data = &anything; }},
                               {"indices", [=](Handmade& m) { m.dims[axis].indices.count = 1; }},
                               {"indices", [=](Handmade& m) { m.dims[axis].indices.stride = 1; }},
                               {"indices", [=](Handmade& m) { m.dims[axis].indices.format = dap_text_of("i"); }},
                               {"indices", [=](Handmade& m) { m.dims[axis].indices.device.type = 1; }},
                               {"indices", [=](Handmade& m) { m.dims[axis].indices.device.id = 1; }}};
  };
  const std::vector<std::set<std::string>> used = {
      {"start", "stop", "has_padding", "padding"}, {"start", "block_size"}, {"one_to_one", "indices"}};
  for (std::size_t axis = 0; axis < used.size(); ++axis)
    for (const auto& [name, change] : fields(axis))
      if (used[axis].count(name) == 0) refuses("axis " + std::to_string(axis) + ": '" + name + "' is not zero", change);
  refuses("axis 0: 'padding' is not zero, must be zero without 'has_padding'",
          [](Handmade& m) { m.dims[0].has_padding = 0; });
}

TEST(CArrayFaults, ReservedRoomIsZeroInAKnownMinor) {
  refuses("'flags' is 4", [](Handmade& m) { m.c.flags = 4; });
  refuses("'flags' is 9223372036854775809", [](Handmade& m) { m.c.flags = 1 | (std::uint64_t{1} << 63); });
  for (std::size_t i = 0; i < 8; ++i) refuses("'reserved' is", [&](Handmade& m) { m.c.reserved[i] = 1; });
  for (std::size_t i = 0; i < 4; ++i) {
    refuses("'buffer.reserved' is", [&](Handmade& m) { m.c.buffer.reserved[i] = 1; });
    refuses("axis 1: 'reserved' is", [&](Handmade& m) { m.dims[1].reserved[i] = 1; });
    refuses("axis 1: 'reserved_flags' is", [&](Handmade& m) { m.dims[1].reserved_flags[i] = 1; });
  }
  for (std::size_t i = 0; i < 2; ++i) {
    refuses("'buffer.device.reserved' is", [&](Handmade& m) { m.c.buffer.device.reserved[i] = 1; });
    refuses("axis 2: 'indices.reserved' is", [&](Handmade& m) { m.dims[2].indices.reserved[i] = 1; });
    refuses("axis 2: 'indices.device.reserved' is", [&](Handmade& m) { m.dims[2].indices.device.reserved[i] = 1; });
    refuses("axis 0: 'extras.reserved' is", [&](Handmade& m) { m.extras[1].reserved[i] = 1; });
  }
}

TEST(CArrayFaults, MemoryThatNoBufferDescribes) {
  refuses("an extent of -1", [](Handmade& m) { m.shape[1] = -1; });
  refuses("does not fit 64 bits", [](Handmade& m) { m.shape = {big, 2, 2}; });
  refuses("does not fit 64 bits", [](Handmade& m) { m.shape[0] = big; });
  refuses("to the highest element of the buffer do not fit 64 bits", [](Handmade& m) { m.strides[0] = big; });
  refuses("to the highest element of the buffer do not fit 64 bits", [](Handmade& m) { m.strides[0] = lowest; });
  refuses("address is null", [](Handmade& m) { m.c.buffer.data = nullptr; });
  refuses("axis 2: 'indices' is a list of which the buffer's address",
          [](Handmade& m) { m.dims[2].indices.data = nullptr; });
  for (const Index count : {Index{-1}, lowest, big, highest})
    refuses("axis 2: 'indices' is a list of which", [&](Handmade& m) { m.dims[2].indices.count = count; });
  for (const Index stride : {lowest, big, highest})
    refuses("axis 2: 'indices' is a list of which", [&](Handmade& m) { m.dims[2].indices.stride = stride; });
}

TEST(CArrayFaults, AStatedNumberIsOnlyANumber) {
  for (const Index number : {big, highest, lowest, Index{-1}}) {
    const std::vector<Change> changes = {[=](Handmade& m) { m.dims[0].size = number; },
                                         [=](Handmade& m) { m.dims[0].proc_grid_size = number; },
                                         [=](Handmade& m) { m.dims[0].proc_grid_rank = number; },
                                         [=](Handmade& m) { m.dims[0].start = number; },
                                         [=](Handmade& m) { m.dims[0].stop = number; },
                                         [=](Handmade& m) { m.dims[0].padding[0] = number; },
                                         [=](Handmade& m) { m.dims[0].padding[1] = number; },
                                         [=](Handmade& m) { m.dims[1].size = number; },
                                         [=](Handmade& m) { m.dims[1].start = number; },
                                         [=](Handmade& m) { m.dims[1].block_size = number; },
                                         [=](Handmade& m) { m.dims[2].size = number; },
                                         [=](Handmade& m) { m.dims[1].proc_grid_size = number; },
                                         [=](Handmade& m) {
                                           for (dap_dimension& d : m.dims) d.size = d.proc_grid_size = number;
                                         }};
    for (const Change& change : changes) {
      Handmade made;
      change(made);
      std::array<char, 1000> message;
      largest_allocation = 0;
      const int status = dap_array_check(&made.c, message.data(), message.size());
      const tridap::DistArray array = tridap::from_c(CArray(&made.c));
      EXPECT_EQ(status == DAP_OK, tridap::check(array).ok()) << message.data();
      EXPECT_LT(largest_allocation, 10000u) << message.data();
    }
  }
  Handmade made;  // 2^62 indices of one byte, and a size that would hold them: nobody reads, nobody allocates
  made.dims[2].size = made.dims[2].indices.count = big;
  made.dims[2].indices.format = dap_text_of("b");
  made.dims[2].indices.stride = 1;
  largest_allocation = 0;
  EXPECT_NE(verdict(made.c, DAP_INVALID).find("axis 2: 'indices'"), std::string::npos);
  EXPECT_LT(largest_allocation, 10000u);
}

TEST(CArrayFaults, AHundredThousandDimensions) {
  Handmade made;
  const std::size_t many = 100000;
  made.shape.assign(many, 1);
  made.strides.assign(many, 8);
  dap_dimension one = {};
  one.dist_type = 'b';
  one.size = one.stop = one.proc_grid_size = 1;
  made.dims.assign(many, one);
  made.c.buffer.shape = made.shape.data();
  made.c.buffer.strides = made.strides.data();
  made.c.dim_data = made.dims.data();
  made.c.buffer.ndim = made.c.dim_count = static_cast<Index>(many);
  EXPECT_EQ(verdict(made.c, DAP_OK), "");
  EXPECT_EQ(tridap::from_c(CArray(&made.c)).ndim(), static_cast<Index>(many));
  EXPECT_EQ(tridap::from_c(tridap::to_c(tridap::from_c(CArray(&made.c)))).ndim(), static_cast<Index>(many));
  EXPECT_EQ(made.released, 2);
  for (dap_dimension& d : made.dims) d.periodic = 7;  // all are counted, a hundred are kept
  try {
    tridap::from_c(CArray(&made.c));
    ADD_FAILURE() << "accepted";
  } catch (const tridap::Error& error) {
    EXPECT_EQ(error.report().errors(), static_cast<Index>(many));
    EXPECT_EQ(static_cast<Index>(error.report().findings().size()), Report::kept_per_rule);
  }
  EXPECT_EQ(made.released, 3);
}

/// Calls `step` with memory for 0, 1, 2, ... allocations until it has enough; returns how often it had not.
int starve(const std::function<void()>& step) {
  for (int enough = 0;; ++enough) {
    allocations_left = enough;
    try {
      step();
      allocations_left = -1;
      return enough;
    } catch (const std::bad_alloc&) {
      allocations_left = -1;
    }
  }
}

TEST(CArrayFaults, WhereverMemoryEndsAnArrayIsReleasedOnce) {
  Handmade made;
  const int imports = starve([&] { tridap::from_c(CArray(&made.c)); });
  EXPECT_GT(imports, 10);
  EXPECT_EQ(made.released, imports + 1);
  made.dims[1].periodic = 9;
  const int refusals = starve([&] {
    try {
      tridap::from_c(CArray(&made.c));
    } catch (const tridap::Error&) {
    }
  });
  EXPECT_GT(refusals, 10);
  EXPECT_EQ(made.released, imports + 1 + refusals + 1);
}

TEST(CArrayFaults, WhereverMemoryEndsAnExportLeavesNothingBehind) {
  Handmade made;
  tridap::DistArray array = tridap::from_c(CArray(&made.c));
  EXPECT_GT(starve([&] { tridap::to_c(array); }), 5);
  EXPECT_EQ(made.released, 0);
  array = {};
  EXPECT_EQ(made.released, 1);
}

TEST(CArrayCheck, WhereverMemoryEndsItSaysSo) {
  Handmade made;
  std::array<char, 100> message;
  int status = DAP_NO_MEMORY;
  for (int enough = 0; status != DAP_OK; ++enough) {
    allocations_left = enough;
    status = dap_array_check(&made.c, message.data(), message.size());
    allocations_left = -1;
    ASSERT_TRUE(status == DAP_OK || (status == DAP_NO_MEMORY && std::string(message.data()) == "out of memory"));
  }
  EXPECT_EQ(made.released, 0);
}

TEST(CArrayFaults, EveryFaultIsNamedAtOnce) {
  Handmade made;
  made.c.flags = 8;
  made.c.buffer.format = dap_text_of("w");
  made.dims[0].periodic = 2;
  made.dims[1].stop = 4;
  made.dims[2].indices.device.type = 99;
  try {
    tridap::from_c(CArray(&made.c));
    ADD_FAILURE() << "accepted";
  } catch (const tridap::Error& error) {
    EXPECT_EQ(error.report().errors(), 5) << error.what();
  }
}

TEST(CArrayCheck, ItsMessageFitsAndIsText) {
  Handmade made;
  made.dims[0].start = 8;  // a fault of the protocol, not of the header
  const std::string whole = verdict(made.c, DAP_INVALID);
  EXPECT_NE(whole.find("[block.bounds]"), std::string::npos) << whole;
  for (std::size_t size = 0; size < whole.size() + 3; ++size) {
    std::vector<char> message(size, '?');
    EXPECT_EQ(dap_array_check(&made.c, message.data(), size), DAP_INVALID);
    if (size > 0) {
      EXPECT_EQ(message.data(), whole.substr(0, size - 1));
    }
  }
  EXPECT_EQ(dap_array_check(&made.c, nullptr, 100), DAP_INVALID);
  Handmade euro;  // three bytes that stay together
  euro.extras[1].key = dap_text_of("\xe2\x82\xac");
  const std::string warning = verdict(euro.c, DAP_OK);
  const std::size_t at = warning.find("\xe2\x82\xac");
  ASSERT_NE(at, std::string::npos);
  for (std::size_t cut : {at, at + 1, at + 2}) {
    std::vector<char> message(cut + 1, '?');
    EXPECT_EQ(dap_array_check(&euro.c, message.data(), message.size()), DAP_OK);
    EXPECT_EQ(message.data(), warning.substr(0, at));
  }
  EXPECT_EQ(made.released + euro.released, 0);
}

}  // namespace
