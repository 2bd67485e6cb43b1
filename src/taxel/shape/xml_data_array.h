// The numbers of one <DataArray> of an XML VTK file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "taxel/shape/vtk_cells.h"
#include "taxel/shape/xml_scan.h"

namespace taxel::internal {

/// What the head of the file says about all of its arrays.
struct XmlEncoding {
  bool big_endian = false;
  int header_bytes = 4;  // of each size in front of binary data: 4 (UInt32) or 8 (UInt64)
  bool zlib = false;     // vtkZLibDataCompressor
  /// Where offset 0 of appended data lies (behind its '_'); npos when there is none.
  std::size_t appended = std::string_view::npos;
  bool appended_base64 = false;
};

/// One array as its tag describes it.
struct XmlDataArray {
  std::string name;  // "connectivity", "points", ... for messages
  VtkScalar type;
  enum class Format { kAscii, kBinary, kAppended } format = Format::kAscii;
  std::size_t position = 0;                  // of the tag
  std::size_t text_begin = 0, text_end = 0;  // inline data
  std::uint64_t offset = 0;                  // appended data
};

/// Understands the attributes type, format and offset. Throws Error, naming the value and what is allowed.
XmlDataArray DescribeArray(const XmlTag& tag, const XmlScan& scan, const std::string& name);

/// Decodes arrays of one file. In all, at most the file's size is decoded: arrays that share their bytes,
/// which no writer makes, would otherwise let a small file fill the memory.
class XmlArrayReader {
 public:
  XmlArrayReader(std::string_view bytes, const std::string& name, const XmlEncoding& encoding)
      : bytes_(bytes), name_(name), encoding_(encoding), budget_(bytes.size()) {}

  /// Exactly `count` numbers, else Error. `count` is only believed as far as the bytes at hand bear it out.
  std::vector<double> Doubles(const XmlDataArray& array, std::uint64_t count);
  std::vector<std::int64_t> Integers(const XmlDataArray& array, std::uint64_t count);

 private:
  class Source;
  std::vector<std::uint8_t> Bytes(const XmlDataArray& array, std::uint64_t count);
  std::vector<std::uint8_t> Unpack(const XmlDataArray& array, std::uint64_t wanted, Source* source) const;
  std::vector<std::uint64_t> Sizes(Source* source, std::uint64_t count) const;
  template <typename Number, typename FromWord>
  std::vector<Number> FromText(const XmlDataArray& array, std::uint64_t count, FromWord from_word);
  void Spend(const XmlDataArray& array, std::size_t bytes);
  std::string Where(const XmlDataArray& array) const;
  [[noreturn]] void Fail(const XmlDataArray& array, const std::string& message) const;

  std::string_view bytes_;
  const std::string& name_;
  XmlEncoding encoding_;
  std::size_t budget_;
};

}  // namespace taxel::internal
