#include "taxel/shape/parse_obj.h"

#include <algorithm>
#include <cstdint>

#include "taxel/math/error.h"
#include "taxel/shape/text_scan.h"

namespace taxel::internal {

namespace {

constexpr std::string_view kIgnored[] = {
    "vn",     "vt", "vp", "o",   "g",     "s",        "mg",       "usemtl",     "mtllib",   "usemap",
    "maplib", "l",  "p",  "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"};
constexpr std::string_view kFreeForm[] = {"cstype", "deg",  "bmat",  "step", "curv", "curv2",
                                          "surf",   "parm", "trim",  "hole", "scrv", "sp",
                                          "end",    "con",  "ctech", "stech"};

bool IsIn(const auto& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

/// Positive numbers may name vertices further down, so their range is known only at the end of the file.
struct LargestIndex {
  std::int64_t value = 0;
  std::size_t position = 0;
};

/// The vertex (from 0) of a corner such as "7", "7/2", "7//3", "-1/2/3".
int ParseCorner(const TextScan& scan, std::string_view corner, std::int64_t vertex_count,
                LargestIndex* largest) {
  const auto bad = [&] {
    scan.Fail("face corner " + Quoted(corner) +
              " is not of the form v, v/vt, v//vn or v/vt/vn with whole numbers");
  };
  const std::size_t slash = corner.find('/');
  const auto number = ToInteger(corner.substr(0, slash));
  if (!number) bad();
  for (std::size_t begin = slash, part = 1; begin != corner.npos; ++part) {
    const std::size_t end = corner.find('/', begin + 1);
    const std::string_view reference = corner.substr(begin + 1, end == corner.npos ? end : end - begin - 1);
    if (part > 2 || (!reference.empty() && !ToInteger(reference))) bad();
    begin = end;
  }
  if (*number == 0)
    scan.Fail("face corner " + Quoted(corner) +
              " uses vertex 0; OBJ counts vertices from 1 (or -1 for the last one)");
  if (*number < -vertex_count)
    scan.Fail("face corner " + Quoted(corner) + " counts back past the first vertex; only " +
              std::to_string(vertex_count) + " vertices stand above this line");
  if (*number < 0) return static_cast<int>(vertex_count + *number);
  if (*number > largest->value) *largest = {*number, scan.last()};
  return static_cast<int>(std::min<std::int64_t>(*number - 1, INT32_MAX));
}

/// To the end of the line or, after a backslash, of its continuation.
void SkipStatement(TextScan* scan) {
  while (!scan->WordInLine().empty()) {
  }
}

}  // namespace

TriangleMesh ParseObj(std::string_view text, const std::string& name) {
  CheckFileSize(text, name);
  TriangleMesh mesh;
  LargestIndex largest;
  TextScan scan(text, name);
  for (; scan.remaining() > 0; scan.Line()) {
    const std::string_view keyword = scan.WordInLine();
    const std::size_t keyword_position = scan.last();
    if (keyword.empty() || keyword[0] == '#') continue;
    if (keyword == "v") {
      Vec3 p;
      for (int i = 0; i < 3; ++i) {
        const std::string_view word = scan.WordInLine();
        p[i] = scan.Coordinate(word, [&] {
          return std::string(1, "xyz"[i]) + " of vertex " + std::to_string(mesh.vertices.size() + 1);
        });
      }
      mesh.vertices.push_back(p);
      SkipStatement(&scan);
    } else if (keyword == "f") {
      std::array<int, 3> fan{};
      int corners = 0;
      for (std::string_view word; !(word = scan.WordInLine()).empty() && word[0] != '#'; ++corners) {
        const int v = ParseCorner(scan, word, static_cast<std::int64_t>(mesh.vertices.size()), &largest);
        if (corners > 2) fan[1] = fan[2];
        fan[std::min(corners, 2)] = v;
        if (corners >= 2) mesh.triangles.push_back(fan);
      }
      if (corners < 3)
        scan.FailAt(keyword_position,
                    "face with " + std::to_string(corners) +
                        " corner(s); a face needs at least 3: remove the line or complete it");
    } else if (IsIn(kFreeForm, keyword)) {
      scan.Fail("free-form geometry (" + Quoted(keyword) + ") cannot be read; export the shape as polygons");
    } else if (IsIn(kIgnored, keyword)) {
      SkipStatement(&scan);
    } else {
      scan.Fail("unknown keyword " + Quoted(keyword) +
                "; OBJ lines start with v, f, vn, vt, o, g, s, usemtl, mtllib, " +
                "l, p or #: is this an OBJ file?");
    }
  }
  const auto count = static_cast<std::int64_t>(mesh.vertices.size());
  if (largest.value > count)
    scan.FailAt(largest.position, "face uses vertex " + std::to_string(largest.value) +
                                      ", but the file has " + std::to_string(count) +
                                      " vertices (counted from 1)");
  if (mesh.triangles.empty())
    throw Error("mesh file '" + name + "': " + std::to_string(count) +
                " vertices, but no face ('f' line); export the surface as polygons, not as points or curves");
  return mesh;
}

}  // namespace taxel::internal
