#include "taxel/shape/parse_vtk_legacy.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "taxel/math/error.h"
#include "taxel/shape/text_scan.h"
#include "taxel/shape/vtk_cells.h"

namespace taxel::internal {

namespace {

constexpr VtkScalar kInt32{VtkScalar::Kind::kSigned, 4};

class LegacyReader {
 public:
  LegacyReader(std::string_view bytes, const std::string& name)
      : bytes_(bytes), name_(name), scan_(bytes, name) {}

  TetMesh Read() {
    ReadHeader();
    while (!has_points_ || !has_cells_ || !has_types_) ReadSection();
    if (grid_.types.size() + 1 != grid_.offsets.size())
      throw Error("mesh file '" + name_ + "': CELLS holds " + std::to_string(grid_.offsets.size() - 1) +
                  " cells, but CELL_TYPES " + std::to_string(grid_.types.size()) +
                  " types; there must be one type per cell: the file is damaged, write it again");
    TetMesh mesh;
    AppendTets(grid_, name_, &mesh);
    CheckHasTets(mesh, grid_.types.size(), name_);
    return mesh;
  }

 private:
  void ReadHeader() {
    constexpr std::string_view kMagic = "# vtk DataFile Version ";
    const std::string_view first = scan_.Line();
    if (!EqualsIgnoringCase(first.substr(0, kMagic.size()), kMagic))
      Fail("the first line is " + Quoted(first) +
           "; a legacy VTK file starts with '# vtk DataFile Version 3.0'");
    const std::string_view version = first.substr(kMagic.size());
    const auto major = ToInteger(version.substr(0, version.find('.')));
    if (!major || *major < 1 || *major > 5)
      Fail("version " + Quoted(version) +
           " of the legacy VTK format; versions 1 to 5 can be read: write one of them");
    has_offsets_ = *major == 5;
    scan_.Line();  // the title
    const std::string_view form = scan_.Word();
    binary_ = EqualsIgnoringCase(form, "BINARY");
    if (!binary_ && !EqualsIgnoringCase(form, "ASCII"))
      Fail("found " + Quoted(form) + " instead of ASCII or BINARY: the file is damaged, write it again");
    scan_.Line();
  }

  void ReadSection() {
    const std::string_view keyword = scan_.Word();
    if (EqualsIgnoringCase(keyword, "DATASET")) {
      const std::string_view kind = scan_.WordInLine();
      if (!EqualsIgnoringCase(kind, "UNSTRUCTURED_GRID"))
        Fail("DATASET " + Quoted(kind) +
             " holds no tetrahedra; write an UNSTRUCTURED_GRID, or make one from a " +
             "closed surface with 'taxel mesh IN.obj OUT.vtk'");
    } else if (EqualsIgnoringCase(keyword, "POINTS")) {
      Once(&has_points_, "POINTS");
      ReadPoints();
    } else if (EqualsIgnoringCase(keyword, "CELLS")) {
      Once(&has_cells_, "CELLS");
      ReadCells();
    } else if (EqualsIgnoringCase(keyword, "CELL_TYPES")) {
      Once(&has_types_, "CELL_TYPES");
      const std::int64_t count = Count("the number of CELL_TYPES");
      scan_.Line();
      grid_.types = Integers(count, kInt32, "CELL_TYPES");
    } else if (EqualsIgnoringCase(keyword, "FIELD")) {
      SkipField();
    } else if (EqualsIgnoringCase(keyword, "METADATA")) {
      SkipMetadata();
    } else if (keyword.empty() || EqualsIgnoringCase(keyword, "POINT_DATA") ||
               EqualsIgnoringCase(keyword, "CELL_DATA")) {
      const char* missing = !has_points_ ? "POINTS" : (!has_cells_ ? "CELLS" : "CELL_TYPES");
      Fail("found " + (keyword.empty() ? "the end of the file" : Quoted(keyword)) + " before " + missing +
           "; an unstructured grid needs POINTS, CELLS and CELL_TYPES: the file is cut off or damaged");
    } else {
      Fail("unknown section " + Quoted(keyword) +
           "; POINTS, CELLS, CELL_TYPES, FIELD or METADATA can stand here: the file is damaged, write "
           "it again");
    }
  }

  void Once(bool* seen, const char* section) {
    if (*seen) Fail(std::string(section) + " for the second time; it must stand once");
    *seen = true;
  }

  void ReadPoints() {
    const std::int64_t count = Count("the number of POINTS");
    const VtkScalar type = Scalar(scan_.WordInLine());
    scan_.Line();
    RequireRoom(3 * count, type.bytes, "POINTS");
    grid_.points.resize(count);
    if (binary_) {
      for (std::int64_t i = 0; i < 3 * count; ++i)
        grid_.points[i / 3][i % 3] = DecodeDouble(Take(type.bytes), type, true);
      return;
    }
    for (std::int64_t i = 0; i < 3 * count; ++i) {
      const std::string_view word = scan_.Word();
      grid_.points[i / 3][i % 3] = scan_.Coordinate(
          word, [i] { return std::string(1, "xyz"[i % 3]) + " of point " + std::to_string(i / 3); });
    }
  }

  void ReadCells() {
    const std::int64_t count = Count("the number of CELLS"), size = Count("the size of CELLS");
    scan_.Line();
    const std::size_t start = scan_.position();
    if (has_offsets_ && EqualsIgnoringCase(scan_.Word(), "OFFSETS")) {
      grid_.offsets = NamedIntegers(count, "OFFSETS");
      if (const std::string_view word = scan_.Word(); !EqualsIgnoringCase(word, "CONNECTIVITY"))
        Fail("found " + Quoted(word) +
             " instead of CONNECTIVITY after the OFFSETS: the file is damaged, write it again");
      grid_.connectivity = NamedIntegers(size, "CONNECTIVITY");
      if (grid_.offsets.empty()) grid_.offsets.push_back(0);
      return;
    }
    scan_.MoveTo(start);
    const std::vector<std::int64_t> list = Integers(size, kInt32, "CELLS");
    if (count > size)
      Fail("CELLS announces " + std::to_string(count) + " cells in " + std::to_string(size) +
           " numbers; each cell takes at least one: the file is damaged, write it again");
    grid_.offsets.reserve(count + 1);
    grid_.offsets.push_back(0);
    grid_.connectivity.reserve(size - count);
    std::int64_t at = 0;
    for (std::int64_t c = 0; c < count; ++c) {
      const std::int64_t points = at < size ? list[at] : -1;
      if (points < 0 || points > size - at - 1)
        Fail("CELLS: cell " + std::to_string(c) + " does not fit into the announced " + std::to_string(size) +
             " numbers (each cell is its number of points, then the points): the file is damaged, "
             "write it again");
      grid_.connectivity.insert(grid_.connectivity.end(), list.begin() + at + 1,
                                list.begin() + at + 1 + points);
      grid_.offsets.push_back(static_cast<std::int64_t>(grid_.connectivity.size()));
      at += 1 + points;
    }
    if (at != size)
      Fail("CELLS: the " + std::to_string(count) + " cells take " + std::to_string(at) +
           " of the announced " + std::to_string(size) +
           " numbers; they must take all: the file is damaged, write it again");
  }

  std::vector<std::int64_t> NamedIntegers(std::int64_t count, const char* section) {
    const VtkScalar type = Scalar(scan_.WordInLine());
    scan_.Line();
    return Integers(count, type, section);
  }

  std::vector<std::int64_t> Integers(std::int64_t count, VtkScalar type, const char* section) {
    RequireRoom(count, type.bytes, section);
    std::vector<std::int64_t> values(count);
    for (std::int64_t i = 0; i < count; ++i) {
      if (binary_) {
        values[i] = DecodeInteger(Take(type.bytes), type, true);
        continue;
      }
      const std::string_view word = scan_.Word();
      const auto value = ToInteger(word);
      if (!value)
        Fail("number " + std::to_string(i) + " of the " + std::to_string(count) + " of " + section + " is " +
             (word.empty() ? "missing; the file is cut off: write it again"
                           : Quoted(word) + ", not a whole number: the file is damaged, write it again"));
      values[i] = *value;
    }
    return values;
  }

  /// FIELD name n, then n arrays "name components tuples type" with their values. It may stand before the
  /// grid.
  void SkipField() {
    scan_.WordInLine();
    const std::int64_t arrays = Count("the number of arrays of FIELD");
    scan_.Line();
    for (std::int64_t a = 0; a < arrays;) {
      const std::string_view array = scan_.Word();
      if (array.empty()) Fail("the file ends inside FIELD; it is cut off: write it again");
      if (EqualsIgnoringCase(array, "METADATA")) {
        SkipMetadata();
        continue;
      }
      const std::int64_t components = Count("the components of a FIELD array"),
                         tuples = Count("the tuples of a FIELD array");
      const std::string_view type = scan_.WordInLine();
      // Both factors are below 2^31, so that the product fits.
      SkipArray(components * tuples, type);
      ++a;
    }
  }

  void SkipArray(std::int64_t count, std::string_view type) {
    if (EqualsIgnoringCase(type, "string")) {
      scan_.Line();
      RequireRoom(count, 1, "FIELD", 1);
      for (std::int64_t i = 0; i < count; ++i) binary_ ? SkipBinaryString() : static_cast<void>(scan_.Line());
      return;
    }
    if (EqualsIgnoringCase(type, "bit")) {
      scan_.Line();
      const std::int64_t stored = binary_ ? (count + 7) / 8 : count;
      RequireRoom(stored, 1, "FIELD");
      for (std::int64_t i = 0; i < stored; ++i)
        binary_ ? static_cast<void>(Take(1)) : static_cast<void>(scan_.Word());
      return;
    }
    const VtkScalar scalar = Scalar(type);
    scan_.Line();
    RequireRoom(count, scalar.bytes, "FIELD");
    if (binary_) {
      scan_.MoveTo(scan_.position() + count * scalar.bytes);
    } else {
      for (std::int64_t i = 0; i < count; ++i) scan_.Word();
    }
  }

  /// The two top bits of a string's first byte say how many bytes (1, 2, 4, 8) hold its length.
  void SkipBinaryString() {
    RequireRoom(1, 1, "FIELD");
    const int kind = static_cast<unsigned char>(bytes_[scan_.position()]) >> 6;
    const int length_bytes = kind == 3 ? 1 : (kind == 2 ? 2 : (kind == 1 ? 4 : 8));
    RequireRoom(1, length_bytes, "FIELD");
    const std::uint8_t* bytes = Take(length_bytes);
    std::uint64_t length = bytes[0] & 0x3f;
    for (int i = 1; i < length_bytes; ++i) length = length << 8 | bytes[i];
    if (length > scan_.remaining()) FailRoom(length, scan_.remaining(), "FIELD");
    scan_.MoveTo(scan_.position() + length);
  }

  /// METADATA runs up to an empty line.
  void SkipMetadata() {
    scan_.Line();
    while (scan_.remaining() > 0 && !scan_.Line().empty()) {
    }
  }

  std::int64_t Count(const char* what) {
    const std::string_view word = scan_.WordInLine();
    const auto count = ToInteger(word);
    if (!count || *count < 0 || *count > std::numeric_limits<std::int32_t>::max())
      Fail(std::string(what) + " is " + Quoted(word) + "; it must be a whole number from 0 to 2147483647");
    return *count;
  }

  VtkScalar Scalar(std::string_view word) const {
    using Kind = VtkScalar::Kind;
    static constexpr struct {
      std::string_view name;
      VtkScalar scalar;
    } kScalars[] = {{"float", {Kind::kFloat, 4}},
                    {"double", {Kind::kFloat, 8}},
                    {"char", {Kind::kSigned, 1}},
                    {"signed_char", {Kind::kSigned, 1}},
                    {"unsigned_char", {Kind::kUnsigned, 1}},
                    {"short", {Kind::kSigned, 2}},
                    {"unsigned_short", {Kind::kUnsigned, 2}},
                    {"int", {Kind::kSigned, 4}},
                    {"unsigned_int", {Kind::kUnsigned, 4}},
                    {"vtkidtype", {Kind::kSigned, 4}},
                    {"vtktypeint32", {Kind::kSigned, 4}},
                    {"vtktypeuint32", {Kind::kUnsigned, 4}},
                    {"long", {Kind::kSigned, 8}},
                    {"unsigned_long", {Kind::kUnsigned, 8}},
                    {"vtktypeint64", {Kind::kSigned, 8}},
                    {"vtktypeuint64", {Kind::kUnsigned, 8}}};
    for (const auto& s : kScalars)
      if (EqualsIgnoringCase(word, s.name)) return s.scalar;
    Fail("type " + Quoted(word) + " is unknown; use float, double, int, long, vtktypeint64 or their like");
  }

  /// Counts are only announcements: nothing is reserved for more than the bytes at hand can spell out.
  /// In ASCII each number takes a digit and a blank, the last one perhaps no blank.
  void RequireRoom(std::int64_t count, int bytes_each, const char* section, int characters_each = 2) const {
    const std::int64_t each = binary_ ? bytes_each : characters_each;
    const auto room = static_cast<std::int64_t>(scan_.remaining()) + (binary_ ? 0 : 1);
    if (count > room / each) FailRoom(count, room / each, section);
  }

  [[noreturn]] void FailRoom(std::uint64_t count, std::uint64_t room, const char* section) const {
    Fail(std::string(section) + " announces " + std::to_string(count) +
         " values, but the file has bytes for " + std::to_string(room) +
         " at most; it is cut off: write it again");
  }

  /// Lines mean nothing in a binary file.
  [[noreturn]] void Fail(const std::string& message) const {
    if (binary_) FailAtByte(name_, scan_.last(), message);
    scan_.Fail(message);
  }

  const std::uint8_t* Take(int count) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(bytes_.data()) + scan_.position();
    scan_.MoveTo(scan_.position() + count);
    return bytes;
  }

  std::string_view bytes_;
  const std::string& name_;
  TextScan scan_;
  bool binary_ = false, has_offsets_ = false;
  bool has_points_ = false, has_cells_ = false, has_types_ = false;
  VtkGrid grid_;
};

}  // namespace

TetMesh ParseVtkLegacyTets(std::string_view bytes, const std::string& name) {
  return LegacyReader(bytes, name).Read();
}

}  // namespace taxel::internal
