// TextScan and its helpers:
//   - words over lines and within a line, backslash continuation, LF, CRLF and CR, byte-order mark,
//   sub-ranges
//   - integers and numbers: signs, overflow on both sides, trailing rubbish
//   - coordinates: missing, no number, too large; messages name the file and the right line
//   - quoting of unprintable and long words; case; file sizes
#include "taxel/shape/text_scan.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "expect_error.h"

namespace taxel {
using namespace internal;
namespace {

const std::string kName = "gel.obj";

std::vector<std::string> Words(TextScan* scan) {
  std::vector<std::string> out;
  for (std::string_view w; !(w = scan->Word()).empty();) out.emplace_back(w);
  return out;
}

TEST(TextScan, WordsGoOverLineEnds) {
  TextScan scan("\xEF\xBB\xBF v 1.5\t2\r\n\n  3\r4\v5", kName);
  EXPECT_EQ(Words(&scan), (std::vector<std::string>{"v", "1.5", "2", "3", "4", "5"}));
  EXPECT_EQ(scan.remaining(), 0u);
  EXPECT_EQ(scan.Word(), "");
}

TEST(TextScan, WordsInALineStopAtItsEnd) {
  TextScan scan("f 1 \\\r\n 2\\\n3\nv", kName);
  for (const char* word : {"f", "1", "2", "3", "", ""}) EXPECT_EQ(scan.WordInLine(), word);
  EXPECT_EQ(scan.Line(), "");
  EXPECT_EQ(scan.WordInLine(), "v");
  // A backslash elsewhere is a character.
  TextScan path("a\\b c\\", kName);
  EXPECT_EQ(path.WordInLine(), "a\\b");
  EXPECT_EQ(path.WordInLine(), "c\\");
}

TEST(TextScan, LinesEndInThreeWays) {
  TextScan scan("one\r\ntwo\rthree\n\nfive", kName);
  for (const char* line : {"one", "two", "three", "", "five", ""}) EXPECT_EQ(scan.Line(), line);
}

TEST(TextScan, StaysInItsRange) {
  TextScan scan("aa bb cc", kName, 3, 5);
  EXPECT_EQ(Words(&scan), std::vector<std::string>{"bb"});
  scan.MoveTo(99);
  EXPECT_EQ(scan.position(), 5u);
}

TEST(TextScan, MessagesNameTheLineOfTheLastWord) {
  TextScan scan("a\r\nb\rc d\ne", kName);
  Words(&scan);
  ExpectError([&] { scan.FailAt(scan.last(), "no"); }, {"mesh file 'gel.obj', line 4: no"});
  TextScan again("a\r\nb\rc d\ne", kName);
  for (int i = 0; i < 4; ++i) again.Word();
  ExpectError([&] { again.Fail("odd"); }, {"line 3: odd"});
  ExpectError([] { FailAtByte(kName, 17, "odd"); }, {"mesh file 'gel.obj', byte 17: odd"});
}

TEST(TextScan, CoordinatesAreFiniteNumbers) {
  const TextScan scan("x", kName);
  const auto what = [] { return std::string("y of vertex 3"); };
  EXPECT_EQ(scan.Coordinate("-2.5e-3", what), -0.0025);
  EXPECT_EQ(scan.Coordinate("1e100", what), 1e100);
  ExpectError([&] { scan.Coordinate("", what); }, {"y of vertex 3 is missing", "three numbers"});
  ExpectError([&] { scan.Coordinate("1,5", what); }, {"y of vertex 3 is '1,5'", "not a number"});
  for (const char* word : {"nan", "inf", "-1.1e100", "1e999"})
    ExpectError([&] { scan.Coordinate(word, what); }, {word, "finite and at most 1e+100"});
}

TEST(ToInteger, TakesTheWholeWordOrNothing) {
  EXPECT_EQ(ToInteger("+42"), 42);
  EXPECT_EQ(ToInteger("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* word : {"", "+", "+-1", "++1", "4.0", "4x", " 4", "9223372036854775808"})
    EXPECT_FALSE(ToInteger(word)) << word;
}

TEST(ToNumber, KnowsTooSmallFromTooLarge) {
  EXPECT_EQ(ToNumber("+1.5e-3"), 0.0015);
  EXPECT_EQ(ToNumber("1e-999"), 0);
  EXPECT_EQ(ToNumber("-0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(ToNumber("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*ToNumber("nan")));
  for (const char* word : {"", "+-1", "1.5f", "0x10", "1e", "one"}) EXPECT_FALSE(ToNumber(word)) << word;
}

TEST(Quoted, IsSafeToPrint) {
  EXPECT_EQ(Quoted("a\x01\xff~"), "'a??~'");
  EXPECT_EQ(Quoted(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(Quoted(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(EqualsIgnoringCase, KnowsAsciiOnly) {
  EXPECT_TRUE(EqualsIgnoringCase("CELL_types", "cell_TYPES"));
  EXPECT_FALSE(EqualsIgnoringCase("cell", "cells"));
  EXPECT_FALSE(EqualsIgnoringCase("[", "{"));  // 0x20 apart, as letters are
}

TEST(CheckFileSize, RefusesNothingAndTooMuch) {
  EXPECT_NO_THROW(CheckFileSize("x", kName));
  ExpectError([] { CheckFileSize("", kName); }, {"'gel.obj' is empty (0 bytes)"});
  // Only the size is looked at, never the bytes.
  const char byte = 0;
  ExpectError([&] { CheckFileSize(std::string_view(&byte, std::size_t{1} << 31), kName); },
              {"2147483648 bytes", "2147483647"});
}

}  // namespace
}  // namespace taxel
