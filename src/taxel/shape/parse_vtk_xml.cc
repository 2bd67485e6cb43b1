#include "taxel/shape/parse_vtk_xml.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "taxel/math/error.h"
#include "taxel/shape/text_scan.h"
#include "taxel/shape/vtk_cells.h"
#include "taxel/shape/xml_data_array.h"
#include "taxel/shape/xml_scan.h"

namespace taxel::internal {

namespace {

/// The arrays can be decoded only when the whole head is known: appended data stands behind the last piece.
struct Piece {
  std::uint64_t point_count = 0, cell_count = 0;
  std::size_t position = 0;
  std::optional<XmlDataArray> points, connectivity, offsets, types;
};

class XmlReader {
 public:
  XmlReader(std::string_view bytes, const std::string& name)
      : bytes_(bytes), name_(name), scan_(bytes, name) {}

  TetMesh Read() {
    ReadTags();
    if (!has_file_) scan_.FailAt(0, "no <VTKFile> in this XML file; is it a VTK file?");
    if (pieces_.empty())
      throw Error("mesh file '" + name_ +
                  "': no <Piece> in the unstructured grid; the mesh is empty: write it again");
    XmlArrayReader arrays(bytes_, name_, encoding_);
    TetMesh mesh;
    std::size_t cell_count = 0;
    for (const Piece& piece : pieces_) {
      const VtkGrid grid = ReadGrid(piece, &arrays);
      AppendTets(grid, name_, &mesh);
      cell_count += grid.types.size();
    }
    CheckHasTets(mesh, cell_count, name_);
    return mesh;
  }

 private:
  void ReadTags() {
    while (const auto tag = scan_.Next()) {
      if (tag->starts) ReadTag(*tag);
      if (encoding_.appended != std::string_view::npos) return;  // raw bytes follow, which are no XML
    }
  }

  void ReadTag(const XmlTag& tag) {
    if (tag.parent.empty()) {
      ReadFileTag(tag);
    } else if (tag.name == "Piece") {
      Piece piece;
      piece.position = tag.position;
      piece.point_count = Count(tag, "NumberOfPoints");
      piece.cell_count = Count(tag, "NumberOfCells");
      pieces_.push_back(std::move(piece));
    } else if (tag.name == "DataArray" && (tag.parent == "Points" || tag.parent == "Cells")) {
      ReadArrayTag(tag);
    } else if (tag.name == "AppendedData") {
      ReadAppendedTag(tag);
    }
  }

  void ReadFileTag(const XmlTag& tag) {
    if (tag.name != "VTKFile")
      scan_.FailAt(tag.position, "the outermost element is <" + std::string(tag.name.substr(0, 40)) +
                                     ">; a VTK file has <VTKFile>: is this a VTK file?");
    has_file_ = true;
    const std::string_view type = tag.Attribute("type");
    if (type != "UnstructuredGrid")
      scan_.FailAt(tag.position,
                   "<VTKFile> has type " + Quoted(type) +
                       "; only UnstructuredGrid (a .vtu file) holds tetrahedra: write one, or make one " +
                       "from a closed surface with 'taxel mesh IN.obj OUT.vtk'");
    const std::string_view order = tag.Attribute("byte_order", "LittleEndian");
    if (order != "LittleEndian" && order != "BigEndian")
      scan_.FailAt(tag.position, "byte_order is " + Quoted(order) + "; allowed: LittleEndian, BigEndian");
    encoding_.big_endian = order == "BigEndian";
    const std::string_view header = tag.Attribute("header_type", "UInt32");
    if (header != "UInt32" && header != "UInt64")
      scan_.FailAt(tag.position, "header_type is " + Quoted(header) + "; allowed: UInt32, UInt64");
    encoding_.header_bytes = header == "UInt64" ? 8 : 4;
    const std::string_view compressor = tag.Attribute("compressor");
    if (!compressor.empty() && compressor != "vtkZLibDataCompressor")
      scan_.FailAt(tag.position,
                   "compressor is " + Quoted(compressor) +
                       "; allowed: vtkZLibDataCompressor or none: write the file with one of them");
    encoding_.zlib = !compressor.empty();
  }

  void ReadArrayTag(const XmlTag& tag) {
    if (pieces_.empty())
      scan_.FailAt(tag.position, "<DataArray> outside of a <Piece>; the file is damaged, write it again");
    Piece& piece = pieces_.back();
    if (tag.parent == "Points") {
      const std::string_view components = tag.Attribute("NumberOfComponents");
      if (components != "3")
        scan_.FailAt(tag.position,
                     "the points have NumberOfComponents " + Quoted(components) + "; it must be 3");
      piece.points = DescribeArray(tag, scan_, "points");
      return;
    }
    const std::string_view name = tag.Attribute("Name");
    if (name == "connectivity") piece.connectivity = DescribeArray(tag, scan_, "connectivity");
    if (name == "offsets") piece.offsets = DescribeArray(tag, scan_, "offsets");
    if (name == "types") piece.types = DescribeArray(tag, scan_, "types");
  }

  void ReadAppendedTag(const XmlTag& tag) {
    const std::string_view encoding = tag.Attribute("encoding");
    if (encoding != "raw" && encoding != "base64")
      scan_.FailAt(tag.position,
                   "<AppendedData> has encoding " + Quoted(encoding) + "; allowed: raw, base64");
    encoding_.appended_base64 = encoding == "base64";
    const std::size_t mark = bytes_.find_first_not_of(" \t\r\n", tag.after);
    if (tag.ends || mark == bytes_.npos || bytes_[mark] != '_')
      scan_.FailAt(tag.position,
                   "'_' is missing at the start of <AppendedData>; the file is damaged, write it again");
    encoding_.appended = mark + 1;
  }

  std::uint64_t Count(const XmlTag& tag, std::string_view attribute) const {
    const auto count = ToInteger(tag.Attribute(attribute));
    if (!count || *count < 0 || *count > std::numeric_limits<std::int32_t>::max())
      scan_.FailAt(tag.position, std::string(attribute) + " is " + Quoted(tag.Attribute(attribute)) +
                                     "; it must be a whole number from 0 to 2147483647");
    return static_cast<std::uint64_t>(*count);
  }

  VtkGrid ReadGrid(const Piece& piece, XmlArrayReader* arrays) const {
    VtkGrid grid;
    if (piece.point_count == 0 && piece.cell_count == 0) return grid;
    const auto require = [&](const std::optional<XmlDataArray>& array,
                             const char* name) -> const XmlDataArray& {
      if (!array)
        scan_.FailAt(piece.position,
                     std::string("this <Piece> has no DataArray for its ") + name +
                         "; a grid needs points, connectivity, offsets and types: write the file again");
      return *array;
    };
    const std::vector<double> xyz = arrays->Doubles(require(piece.points, "points"), 3 * piece.point_count);
    grid.points.resize(piece.point_count);
    for (std::size_t i = 0; i < xyz.size(); ++i) grid.points[i / 3][static_cast<int>(i % 3)] = xyz[i];
    grid.types = arrays->Integers(require(piece.types, "types"), piece.cell_count);
    grid.offsets = arrays->Integers(require(piece.offsets, "offsets"), piece.cell_count);
    const std::int64_t size = grid.offsets.empty() ? 0 : grid.offsets.back();
    if (size < 0)
      throw Error("mesh file '" + name_ + "': the last of the offsets is " + std::to_string(size) +
                  "; it must be the size of the connectivity: the file is damaged, write it again");
    grid.offsets.insert(grid.offsets.begin(), 0);
    grid.connectivity =
        arrays->Integers(require(piece.connectivity, "connectivity"), static_cast<std::uint64_t>(size));
    return grid;
  }

  std::string_view bytes_;
  const std::string& name_;
  XmlScan scan_;
  XmlEncoding encoding_;
  bool has_file_ = false;
  std::vector<Piece> pieces_;
};

}  // namespace

TetMesh ParseVtkXmlTets(std::string_view bytes, const std::string& name) {
  return XmlReader(bytes, name).Read();
}

}  // namespace taxel::internal
