#include <tridap/element_format.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <map>
#include <string>

namespace {

using tridap::ElementType;
using tridap::Index;
using Kind = ElementType::Kind;

constexpr const char* orders = "@=<>!";

bool little() {
  const int one = 1;
  char first = 0;
  std::memcpy(&first, &one, 1);
  return first == 1;
}

bool swaps(char order) { return order == (little() ? '>' : '<') || (order == '!' && little()); }

/// Every format with a type, written out; opaque ones excepted.
std::map<std::string, ElementType> all_formats() {
  std::map<std::string, ElementType> all;
  const auto add = [&](const std::string& letters, Kind kind, Index standard, Index native) {
    all[letters] = all["@" + letters] = {kind, native, true};
    if (standard == 0) return;
    for (const char order : {'=', '<', '>', '!'})
      all[order + letters] = {kind, standard, standard == 1 || !swaps(order)};
  };
  add("?", Kind::boolean, 1, sizeof(bool));
  add("b", Kind::signed_integer, 1, sizeof(signed char));
  add("B", Kind::unsigned_integer, 1, sizeof(unsigned char));
  add("h", Kind::signed_integer, 2, sizeof(short));
  add("H", Kind::unsigned_integer, 2, sizeof(unsigned short));
  add("i", Kind::signed_integer, 4, sizeof(int));
  add("I", Kind::unsigned_integer, 4, sizeof(unsigned));
  add("l", Kind::signed_integer, 4, sizeof(long));
  add("L", Kind::unsigned_integer, 4, sizeof(unsigned long));
  add("q", Kind::signed_integer, 8, sizeof(long long));
  add("Q", Kind::unsigned_integer, 8, sizeof(unsigned long long));
  add("n", Kind::signed_integer, 0, sizeof(std::size_t));
  add("N", Kind::unsigned_integer, 0, sizeof(std::size_t));
  add("e", Kind::floating, 2, 2);
  add("E", Kind::bfloat, 2, 2);
  add("f", Kind::floating, 4, sizeof(float));
  add("d", Kind::floating, 8, sizeof(double));
  add("g", Kind::floating, 0, sizeof(long double));
  add("Zf", Kind::complex, 8, sizeof(std::complex<float>));
  add("Zd", Kind::complex, 16, sizeof(std::complex<double>));
  add("Zg", Kind::complex, 0, sizeof(std::complex<long double>));
  return all;
}

/// Opaque formats of at most three digits, the slow way.
std::optional<ElementType> opaque(std::string format) {
  if (!format.empty() && std::string(orders).find(format.front()) != std::string::npos) format.erase(0, 1);
  for (Index bytes = 1; bytes < 1000; ++bytes)
    for (const char letter : {'x', 's'})
      if (format == std::to_string(bytes) + letter) return ElementType{Kind::opaque, bytes, true};
  if (format == "x" || format == "s") return ElementType{Kind::opaque, 1, true};
  return std::nullopt;
}

TEST(ElementFormat, EveryTextOfUpToThreeLettersIsOneOfTheListOrRefused) {
  const std::string alphabet = "@=<>!?bBhHiIlLqQnNeEfdgZcswxOtX0159 -+:(T{&|" + std::string(1, '\0');
  const std::map<std::string, ElementType> all = all_formats();
  std::size_t accepted = 0, opaques = 0;
  const auto expect = [&](const std::string& text) {
    const std::optional<ElementType> type = tridap::parse_element_format(text);
    const auto known = all.find(text);
    if (known != all.end()) {
      ++accepted;
      EXPECT_TRUE(type == known->second) << "'" << text << "'";
    } else if (!text.empty() && (text.back() == 'x' || text.back() == 's')) {
      const std::optional<ElementType> expected = opaque(text);
      opaques += expected.has_value();
      EXPECT_TRUE(type == expected) << "'" << text << "'";
    } else {
      EXPECT_FALSE(type.has_value()) << "'" << text << "'";
    }
  };
  expect("");
  for (const char a : alphabet) {
    expect({a});
    for (const char b : alphabet) {
      expect({a, b});
      for (const char c : alphabet) expect({a, b, c});
    }
  }
  EXPECT_EQ(accepted, all.size());
  EXPECT_EQ(accepted, 21u * 2 + 17u * 4);
  EXPECT_EQ(opaques, 2u * (1 + 5 + 3 + 5 * 3 + 3 * 4));
}

TEST(ElementFormat, OpaqueLengthsFit64Bits) {
  EXPECT_EQ(tridap::parse_element_format("9223372036854775807x")->bytes, 9223372036854775807);
  for (const char* format : {"9223372036854775808x", "99999999999999999999s", "0x", "05x", "-1x", "5 x", "5xx", "5"})
    EXPECT_FALSE(tridap::parse_element_format(format)) << format;
  EXPECT_FALSE(tridap::parse_element_format(std::string(1000, '9') + "x"));
}

TEST(ElementFormat, EveryTypeWithAFormatComesBackFromIt) {
  for (const auto& [text, type] : all_formats()) {
    const std::optional<std::string> format = tridap::element_format(type);
    ASSERT_TRUE(format) << text;
    EXPECT_TRUE(tridap::parse_element_format(*format) == type) << text << " -> " << *format;
    EXPECT_NE(std::string(orders).find(format->front()), std::string::npos) << *format;
  }
  for (const Index bytes : {Index{1}, Index{5}, Index{1} << 62}) {
    const ElementType type{Kind::opaque, bytes, true};
    EXPECT_EQ(tridap::element_format(type), std::to_string(bytes) + "x");
    EXPECT_TRUE(tridap::parse_element_format(*tridap::element_format(type)) == type);
  }
}

TEST(ElementFormat, IsWrittenWithItsByteOrder) {
  const std::string own = little() ? "<" : ">", other = little() ? ">" : "<";
  EXPECT_EQ(tridap::element_format(tridap::element_type<double>()), own + "d");
  EXPECT_EQ(tridap::element_format({Kind::signed_integer, 4, false}), other + "i");
  EXPECT_EQ(tridap::element_format(tridap::element_type<bool>()), own + "?");
  EXPECT_EQ(tridap::element_format({Kind::unsigned_integer, 1, false}), own + "B");  // one byte has no order
  EXPECT_EQ(tridap::element_format(tridap::element_type<long double>()), "@g");
}

TEST(ElementFormat, TypesWithoutAFormatHaveNone) {
  const Index extended = sizeof(long double);
  for (const ElementType& type :
       {ElementType{Kind::floating, 3, true}, ElementType{Kind::floating, 0, true}, ElementType{Kind::boolean, 2, true},
        ElementType{Kind::signed_integer, 16, true}, ElementType{Kind::complex, 4, true},
        ElementType{Kind::floating, extended, false}, ElementType{Kind::complex, 2 * extended, false},
        ElementType{Kind::opaque, 0, true}, ElementType{Kind::opaque, -1, true}})
    EXPECT_FALSE(tridap::element_format(type)) << type.name();
}

}  // namespace
