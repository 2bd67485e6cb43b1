// The numbers of a <DataArray>:
//   - what its tag says: type, format, offset; and what is refused
//   - ASCII, base64 with the header padded apart or not, raw appended data, both byte orders, 8-byte headers
//   - too few, too many, not numbers; bytes that are not there; more than the file holds
#include "taxel/shape/xml_data_array.h"

#include <gtest/gtest.h>

#include <cstring>

#include "expect_error.h"

namespace taxel {
using namespace internal;
namespace {

const std::string kName = "gel.vtu";

struct Described {
  std::string text;
  XmlDataArray array;
};

Described Describe(const std::string& attributes, const std::string& body) {
  Described d{"<DataArray " + attributes + ">" + body + "</DataArray>", {}};
  XmlScan scan(d.text, kName);
  d.array = DescribeArray(*scan.Next(), scan, "points");
  return d;
}

TEST(DescribeArray, ReadsTypeFormatAndPlace) {
  const Described d = Describe("type='UInt16' format='appended' offset='20'", "");
  EXPECT_EQ(d.array.type.kind, VtkScalar::Kind::kUnsigned);
  EXPECT_EQ(d.array.type.bytes, 2);
  EXPECT_EQ(d.array.format, XmlDataArray::Format::kAppended);
  EXPECT_EQ(d.array.offset, 20u);
  const Described plain = Describe("type='Float32'", " 1 2 ");
  EXPECT_EQ(plain.array.format, XmlDataArray::Format::kAscii);
  EXPECT_EQ(plain.text.substr(plain.array.text_begin, plain.array.text_end - plain.array.text_begin),
            " 1 2 ");
  ExpectError([] { Describe("type='Half'", ""); }, {"line 1", "'points' has type 'Half'", "Float32"});
  ExpectError([] { Describe("type='Int8' format='hex'", ""); }, {"format 'hex'", "ascii, binary, appended"});
  ExpectError([] { Describe("type='Int8' format='appended' offset='x'", ""); },
              {"offset 'x'", "whole number"});
  ExpectError([] { Describe("type='Int8' format='appended'", ""); }, {"offset ''"});
}

TEST(XmlArrayReader, ReadsText) {
  const Described d = Describe("type='Float64'", "\n 1.5 -2e-3\t7 ");
  EXPECT_EQ(XmlArrayReader(d.text, kName, {}).Doubles(d.array, 3), (std::vector<double>{1.5, -2e-3, 7}));
  ExpectError([&] { XmlArrayReader(d.text, kName, {}).Doubles(d.array, 4); },
              {"'gel.vtu'", "'points'", "3 numbers instead of 4"});
  ExpectError([&] { XmlArrayReader(d.text, kName, {}).Integers(d.array, 3); },
              {"line 2", "number 0 of DataArray 'points'", "'1.5'", "Int64"});
}

std::string Base64(const std::string& bytes) {
  static const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (int k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
  }
  return out;
}

template <class T>
std::string Raw(std::initializer_list<T> values, bool big_endian = false) {
  std::string out;
  for (T v : values) {
    char bytes[sizeof v];
    std::memcpy(bytes, &v, sizeof v);
    std::string one(bytes, sizeof v);
    out += big_endian ? std::string(one.rbegin(), one.rend()) : one;
  }
  return out;
}

TEST(XmlArrayReader, ReadsBase64HoweverTheHeaderIsPadded) {
  const std::string data = Raw({-3, 70000, 11});
  for (const std::string& body : {Base64(Raw({12u}) + data), Base64(Raw({12u})) + "\n " + Base64(data)}) {
    const Described d = Describe("type='Int32' format='binary'", body);
    EXPECT_EQ(XmlArrayReader(d.text, kName, {}).Integers(d.array, 3),
              (std::vector<std::int64_t>{-3, 70000, 11}));
  }
  XmlEncoding big;
  big.big_endian = true;
  big.header_bytes = 8;
  const Described d = Describe("type='Float64' format='binary'",
                               Base64(Raw({std::uint64_t{16}}, true) + Raw({0.25, -1e9}, true)));
  EXPECT_EQ(XmlArrayReader(d.text, kName, big).Doubles(d.array, 2), (std::vector<double>{0.25, -1e9}));
}

TEST(XmlArrayReader, ReadsAppendedBytes) {
  Described d = Describe("type='Int16' format='appended' offset='3'", "");
  XmlEncoding encoding;
  encoding.appended = d.text.size() + 1;
  d.text += "_xyz" + Raw({4u}) + Raw<std::int16_t>({-5, 6}) + "tail";
  EXPECT_EQ(XmlArrayReader(d.text, kName, encoding).Integers(d.array, 2), (std::vector<std::int64_t>{-5, 6}));
  ExpectError([&] { XmlArrayReader(d.text, kName, {}).Integers(d.array, 2); }, {"no <AppendedData>"});
  d.array.offset = 1000;
  ExpectError([&] { XmlArrayReader(d.text, kName, encoding).Integers(d.array, 2); }, {"offset 1000"});
}

TEST(XmlArrayReader, RefusesBytesThatAreNotThere) {
  const auto read = [](const std::string& body, std::uint64_t count) {
    const Described d = Describe("type='Int32' format='binary'", body);
    XmlArrayReader(d.text, kName, {}).Integers(d.array, count);
  };
  ExpectError([&] { read(Base64(Raw({12u}) + Raw({1, 2, 3})), 2); }, {"12 bytes instead of 8", "byte_order"});
  ExpectError([&] { read(Base64(Raw({12u}) + Raw({1, 2})), 3); }, {"cut off"});
  ExpectError([&] { read("AA*AAAAAAAAA", 1); }, {"'*' in its base64 data"});
  ExpectError([&] { read(Base64(Raw({12u})), ~std::uint64_t{0}); },
              {"would hold 18446744073709551615 numbers"});
  EXPECT_NO_THROW(read("", 0));
}

TEST(XmlArrayReader, DecodesNoMoreThanTheFileHolds) {
  const Described small = Describe("type='Int32'", "1 2 3 4 5 6 7 8");
  XmlArrayReader reader(small.text, kName, {});
  int reads = 0;
  ExpectError(
      [&] {
        for (; reads < 100; ++reads) reader.Integers(small.array, 8);
      },
      {"shares its bytes with other arrays"});
  EXPECT_GE(reads, 1);
  EXPECT_LT(reads, 10);
}

}  // namespace
}  // namespace taxel
