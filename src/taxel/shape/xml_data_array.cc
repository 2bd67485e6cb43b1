#include "taxel/shape/xml_data_array.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "taxel/math/error.h"
#include "taxel/shape/inflate.h"
#include "taxel/shape/text_scan.h"

namespace taxel::internal {

namespace {

int Base64Value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : (c == '/' ? 63 : -1);
}

}  // namespace

XmlDataArray DescribeArray(const XmlTag& tag, const XmlScan& scan, const std::string& name) {
  using Kind = VtkScalar::Kind;
  static constexpr struct {
    std::string_view name;
    VtkScalar scalar;
  } kScalars[] = {{"Float32", {Kind::kFloat, 4}}, {"Float64", {Kind::kFloat, 8}},
                  {"Int8", {Kind::kSigned, 1}},   {"UInt8", {Kind::kUnsigned, 1}},
                  {"Int16", {Kind::kSigned, 2}},  {"UInt16", {Kind::kUnsigned, 2}},
                  {"Int32", {Kind::kSigned, 4}},  {"UInt32", {Kind::kUnsigned, 4}},
                  {"Int64", {Kind::kSigned, 8}},  {"UInt64", {Kind::kUnsigned, 8}}};
  XmlDataArray array;
  array.name = name;
  array.position = tag.position;
  array.text_begin = tag.after;
  array.text_end = tag.ends ? tag.after : scan.TextEnd(tag.after);
  const std::string_view type = tag.Attribute("type");
  for (const auto& s : kScalars)
    if (type == s.name) array.type = s.scalar;
  if (array.type.bytes == 0)
    scan.FailAt(tag.position, "DataArray '" + name + "' has type " + Quoted(type) +
                                  "; allowed: Float32, Float64, Int8 to Int64, UInt8 to UInt64");
  const std::string_view format = tag.Attribute("format", "ascii");
  if (format == "binary") {
    array.format = XmlDataArray::Format::kBinary;
  } else if (format == "appended") {
    array.format = XmlDataArray::Format::kAppended;
    const auto offset = ToInteger(tag.Attribute("offset"));
    if (!offset || *offset < 0)
      scan.FailAt(tag.position, "DataArray '" + name + "' has offset " + Quoted(tag.Attribute("offset")) +
                                    "; appended data needs a whole number from 0");
    array.offset = static_cast<std::uint64_t>(*offset);
  } else if (format != "ascii") {
    scan.FailAt(tag.position, "DataArray '" + name + "' has format " + Quoted(format) +
                                  "; allowed: ascii, binary, appended");
  }
  return array;
}

/// Bytes as the file holds them, raw or base64. In base64 VTK pads the header and the data apart, other
/// writers encode them as one; starting afresh after each padding reads both.
class XmlArrayReader::Source {
 public:
  Source(const XmlArrayReader& reader, const XmlDataArray& array, std::size_t begin, std::size_t end,
         bool base64)
      : reader_(reader),
        array_(array),
        text_(reader.bytes_),
        begin_(begin),
        position_(begin),
        end_(end),
        base64_(base64) {}

  std::vector<std::uint8_t> Read(std::uint64_t count) {
    const std::uint64_t most = base64_ ? (end_ - position_) / 4 * 3 + pending_count_ : end_ - position_;
    if (count > most)
      reader_.Fail(
          array_,
          "needs " + std::to_string(count) + " more bytes, but " + std::to_string(most) +
              " are left; the file is cut off or its header_type or byte_order is wrong: write it again");
    std::vector<std::uint8_t> out(count);
    if (!base64_) {
      std::copy_n(text_.begin() + position_, count, out.begin());
      position_ += count;
      return out;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if (pending_count_ == 0) DecodeFour();
      out[i] = pending_[3 - pending_count_--];
    }
    return out;
  }

  std::size_t used() const { return position_ - begin_; }

 private:
  void DecodeFour() {
    int values[4], count = 0, padding = 0;
    while (count < 4) {
      if (position_ == end_)
        reader_.Fail(array_, "has base64 data that ends too early; the file is cut off: write it again");
      const char c = text_[position_++];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
      values[count] = c == '=' ? 0 : Base64Value(c);
      padding += c == '=';
      if (values[count] < 0 || (padding > 0 && c != '=') || padding > 2)
        reader_.Fail(array_, "has " + Quoted(std::string_view(&c, 1)) + " in its base64 data (byte " +
                                 std::to_string(position_ - 1) +
                                 " of the file), which cannot stand there; the file is "
                                 "damaged, write it again");
      ++count;
    }
    const int bits = values[0] << 18 | values[1] << 12 | values[2] << 6 | values[3];
    // Filled from the back, so that pending_[3 - pending_count_] is always the next byte.
    pending_count_ = 3 - padding;
    for (int i = 0; i < pending_count_; ++i)
      pending_[3 - pending_count_ + i] = static_cast<std::uint8_t>(bits >> (16 - 8 * i) & 0xff);
  }

  const XmlArrayReader& reader_;
  const XmlDataArray& array_;
  std::string_view text_;
  std::size_t begin_, position_, end_;
  bool base64_;
  std::uint8_t pending_[3] = {};
  int pending_count_ = 0;
};

std::vector<double> XmlArrayReader::Doubles(const XmlDataArray& array, std::uint64_t count) {
  if (array.format == XmlDataArray::Format::kAscii) return FromText<double>(array, count, ToNumber);
  const std::vector<std::uint8_t> bytes = Bytes(array, count);
  std::vector<double> out(count);
  for (std::uint64_t i = 0; i < count; ++i)
    out[i] = DecodeDouble(&bytes[i * array.type.bytes], array.type, encoding_.big_endian);
  return out;
}

std::vector<std::int64_t> XmlArrayReader::Integers(const XmlDataArray& array, std::uint64_t count) {
  if (array.format == XmlDataArray::Format::kAscii) return FromText<std::int64_t>(array, count, ToInteger);
  const std::vector<std::uint8_t> bytes = Bytes(array, count);
  std::vector<std::int64_t> out(count);
  for (std::uint64_t i = 0; i < count; ++i)
    out[i] = DecodeInteger(&bytes[i * array.type.bytes], array.type, encoding_.big_endian);
  return out;
}

template <typename Number, typename FromWord>
std::vector<Number> XmlArrayReader::FromText(const XmlDataArray& array, std::uint64_t count,
                                             FromWord from_word) {
  Spend(array, array.text_end - array.text_begin);
  TextScan scan(bytes_, name_, array.text_begin, array.text_end);
  std::vector<Number> out;
  out.reserve(std::min<std::uint64_t>(count, (scan.remaining() + 1) / 2));
  for (std::string_view word; !(word = scan.Word()).empty();) {
    const auto number = from_word(word);
    if (!number)
      scan.Fail("number " + std::to_string(out.size()) + " of DataArray '" + array.name + "' is " +
                Quoted(word) + ", which is not a number of type " +
                (std::is_same_v<Number, double> ? "Float64" : "Int64") +
                ": the file is damaged, write it again");
    out.push_back(*number);
  }
  if (out.size() != count)
    Fail(array, "holds " + std::to_string(out.size()) + " numbers instead of " + std::to_string(count) +
                    "; the file is damaged, write it again");
  return out;
}

/// Uncompressed data is one size (bytes), then the bytes.
std::vector<std::uint8_t> XmlArrayReader::Bytes(const XmlDataArray& array, std::uint64_t count) {
  if (count > std::numeric_limits<std::uint64_t>::max() / 8)
    Fail(array, "would hold " + std::to_string(count) + " numbers; the file is damaged, write it again");
  const std::uint64_t wanted = count * static_cast<std::uint64_t>(array.type.bytes);
  std::size_t begin = array.text_begin, end = array.text_end;
  bool base64 = true;
  if (array.format == XmlDataArray::Format::kAppended) {
    if (encoding_.appended == std::string_view::npos)
      Fail(array,
           "refers to appended data, but the file has no <AppendedData>; it is cut off: write it again");
    if (array.offset > bytes_.size() - encoding_.appended)
      Fail(array, "has offset " + std::to_string(array.offset) + ", but the appended data has " +
                      std::to_string(bytes_.size() - encoding_.appended) +
                      " bytes; the file is cut off: write it again");
    begin = encoding_.appended + array.offset;
    end = bytes_.size();
    base64 = encoding_.appended_base64;
  }
  if (wanted == 0) return {};  // writers disagree on what stands for nothing
  Source source(*this, array, begin, end, base64);
  std::vector<std::uint8_t> out;
  if (encoding_.zlib) {
    out = Unpack(array, wanted, &source);
  } else {
    const std::uint64_t size = Sizes(&source, 1)[0];
    if (size != wanted)
      Fail(array, "holds " + std::to_string(size) + " bytes instead of " + std::to_string(wanted) +
                      "; the file is damaged, or its header_type or byte_order is wrong: write it again");
    out = source.Read(size);
  }
  Spend(array, source.used());
  return out;
}

std::vector<std::uint64_t> XmlArrayReader::Sizes(Source* source, std::uint64_t count) const {
  const VtkScalar type{VtkScalar::Kind::kUnsigned, encoding_.header_bytes};
  // Read() refuses what the file cannot hold; the division keeps the product from wrapping before it gets
  // there.
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  const std::vector<std::uint8_t> bytes =
      source->Read(count > kNever / type.bytes ? kNever : count * type.bytes);
  std::vector<std::uint64_t> sizes(count);
  for (std::uint64_t i = 0; i < count; ++i)
    sizes[i] = static_cast<std::uint64_t>(DecodeInteger(&bytes[i * type.bytes], type, encoding_.big_endian));
  return sizes;
}

/// Compressed data is: number of blocks, unpacked bytes of a block, unpacked bytes of the last block (0: a
/// whole one), packed bytes of each block; then the blocks.
std::vector<std::uint8_t> XmlArrayReader::Unpack(const XmlDataArray& array, std::uint64_t wanted,
                                                 Source* source) const {
  const std::vector<std::uint64_t> head = Sizes(source, 3);
  const std::uint64_t blocks = head[0], block = head[1], last = head[2];
  const std::vector<std::uint64_t> packed = Sizes(source, blocks);
  const std::uint64_t whole = blocks > 0 && last > 0 ? blocks - 1 : blocks;
  const bool fits = blocks > 0 && last <= wanted && (whole == 0 || block <= wanted / whole);
  if (!fits || whole * block + last != wanted)
    Fail(array, "announces " + std::to_string(blocks) + " blocks of " + std::to_string(block) +
                    " bytes, the last of " + std::to_string(last) + ", for data of " +
                    std::to_string(wanted) +
                    " bytes; the file is damaged, or its header_type or byte_order is wrong: write it again");
  std::vector<std::uint8_t> out;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::uint64_t size = b < whole ? block : last;
    const std::vector<std::uint8_t> in = source->Read(packed[b]);
    if (size / kLargestInflateRatio > in.size())
      Fail(array, "block " + std::to_string(b) + " would grow from " + std::to_string(in.size()) + " to " +
                      std::to_string(size) + " bytes, more than the " + std::to_string(kLargestInflateRatio) +
                      "-fold that zlib can reach; the file is damaged, write it again");
    const std::vector<std::uint8_t> unpacked =
        InflateZlib(in, size, Where(array) + ", block " + std::to_string(b));
    out.insert(out.end(), unpacked.begin(), unpacked.end());
  }
  return out;
}

void XmlArrayReader::Spend(const XmlDataArray& array, std::size_t bytes) {
  if (bytes > budget_)
    Fail(array, "shares its bytes with other arrays: together they are larger than the file; write it again");
  budget_ -= bytes;
}

std::string XmlArrayReader::Where(const XmlDataArray& array) const {
  return "mesh file '" + name_ + "', DataArray '" + array.name + "' (tag at byte " +
         std::to_string(array.position) + ")";
}

void XmlArrayReader::Fail(const XmlDataArray& array, const std::string& message) const {
  throw Error(Where(array) + ": " + message);
}

}  // namespace taxel::internal
