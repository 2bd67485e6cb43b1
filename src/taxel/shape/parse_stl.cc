#include "taxel/shape/parse_stl.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "taxel/math/error.h"
#include "taxel/shape/text_scan.h"

namespace taxel::internal {

namespace {

constexpr std::size_t kHeaderBytes = 84;    // 80 of comment, 4 of count
constexpr std::size_t kTriangleBytes = 50;  // normal, three corners (4-byte floats), 2 bytes of attributes

std::uint32_t ReadLittleEndian32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

float ReadFloat(std::string_view bytes, std::size_t at) {
  const std::uint32_t bits = ReadLittleEndian32(bytes, at);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

bool IsText(std::string_view bytes, const std::string& name) {
  // A text file cannot match the size of a binary one: four printable characters as a count announce more
  // than 7 GB.
  if (bytes.size() >= kHeaderBytes &&
      bytes.size() == kHeaderBytes + kTriangleBytes * std::uint64_t{ReadLittleEndian32(bytes, 80)})
    return false;
  // A damaged binary file that starts with "solid" is known by the zero in its count (fewer than 2^24
  // triangles).
  return EqualsIgnoringCase(TextScan(bytes, name).Word(), "solid") &&
         bytes.substr(0, kHeaderBytes).find('\0') == bytes.npos;
}

TriangleMesh ParseBinary(std::string_view bytes, const std::string& name) {
  if (bytes.size() < kHeaderBytes)
    throw Error(
        "mesh file '" + name + "' has " + std::to_string(bytes.size()) +
        " bytes; an STL file starts with 'solid' (text) or has a header of 84 bytes (binary): is this an STL "
        "file?");
  const std::uint64_t count = ReadLittleEndian32(bytes, 80);
  const std::uint64_t expected = kHeaderBytes + kTriangleBytes * count;
  if (bytes.size() != expected)
    FailAtByte(name, 80,
               "binary STL announces " + std::to_string(count) + " triangles, which take " +
                   std::to_string(expected) + " bytes, but the file has " + std::to_string(bytes.size()) +
                   "; it is damaged or cut off: export it again");
  TriangleMesh soup;
  soup.vertices.reserve(3 * count);
  soup.triangles.reserve(count);
  for (std::size_t t = 0; t < count; ++t) {
    const int first = static_cast<int>(soup.vertices.size());
    for (int corner = 0; corner < 3; ++corner) {
      const std::size_t at = kHeaderBytes + kTriangleBytes * t + 12 * (corner + 1);
      const Vec3 p{ReadFloat(bytes, at), ReadFloat(bytes, at + 4), ReadFloat(bytes, at + 8)};
      if (!is_finite(p))
        FailAtByte(name, at,
                   "corner " + std::to_string(corner) + " of triangle " + std::to_string(t) + " is (" +
                       ToText(p.x) + ", " + ToText(p.y) + ", " + ToText(p.z) +
                       "); coordinates must be finite: repair or remove the triangle");
      soup.vertices.push_back(p);
    }
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  return soup;
}

class TextReader {
 public:
  TextReader(std::string_view text, const std::string& name) : scan_(text, name) {}

  TriangleMesh Read() {
    for (std::string_view word; !(word = scan_.Word()).empty();) {
      if (!EqualsIgnoringCase(word, "solid")) FailExpecting("solid", word);
      scan_.Line();  // the solid's name may hold any words
      ReadFacets();
    }
    return std::move(soup_);
  }

 private:
  void ReadFacets() {
    for (;;) {
      const std::string_view word = scan_.Word();
      if (EqualsIgnoringCase(word, "endsolid")) break;
      if (!EqualsIgnoringCase(word, "facet")) FailExpecting("facet' or 'endsolid", word);
      ReadFacet();
    }
    scan_.Line();
  }

  void ReadFacet() {
    Expect("normal");
    for (int i = 0; i < 3; ++i) scan_.Word();  // unused, and often "nan" for slivers
    Expect("outer");
    Expect("loop");
    const int first = static_cast<int>(soup_.vertices.size());
    for (int corner = 0; corner < 3; ++corner) {
      Expect("vertex");
      Vec3 p;
      for (int i = 0; i < 3; ++i) {
        const std::string_view word = scan_.Word();
        p[i] = scan_.Coordinate(word, [&] {
          return std::string(1, "xyz"[i]) + " of corner " + std::to_string(corner) + " of triangle " +
                 std::to_string(soup_.triangles.size());
        });
      }
      soup_.vertices.push_back(p);
    }
    const std::string_view word = scan_.Word();
    if (EqualsIgnoringCase(word, "vertex"))
      scan_.Fail("triangle " + std::to_string(soup_.triangles.size()) +
                 " has more than 3 corners; STL holds triangles only: triangulate on export");
    if (!EqualsIgnoringCase(word, "endloop")) FailExpecting("endloop", word);
    Expect("endfacet");
    soup_.triangles.push_back({first, first + 1, first + 2});
  }

  void Expect(std::string_view keyword) {
    const std::string_view word = scan_.Word();
    if (!EqualsIgnoringCase(word, keyword)) FailExpecting(keyword, word);
  }

  [[noreturn]] void FailExpecting(std::string_view keyword, std::string_view word) const {
    scan_.Fail("text STL: expected '" + std::string(keyword) + "', found " +
               (word.empty() ? "the end of the file; it is cut off: export it again"
                             : Quoted(word) + "; the file is damaged: export it again"));
  }

  TextScan scan_;
  TriangleMesh soup_;
};

}  // namespace

TriangleMesh ParseStl(std::string_view bytes, const std::string& name) {
  CheckFileSize(bytes, name);
  const TriangleMesh soup = IsText(bytes, name) ? TextReader(bytes, name).Read() : ParseBinary(bytes, name);
  if (soup.triangles.empty())
    throw Error("mesh file '" + name + "': STL without a triangle; export the surface again");
  TriangleMesh mesh = MergeVertices(soup);
  if (mesh.triangles.empty())
    throw Error(
        "mesh file '" + name + "': all " + std::to_string(soup.triangles.size()) +
        " triangles have two corners at one place; the mesh has no surface: export it with more digits");
  return mesh;
}

}  // namespace taxel::internal
