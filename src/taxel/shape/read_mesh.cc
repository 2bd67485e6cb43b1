#include "taxel/shape/read_mesh.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>

#include "taxel/math/error.h"
#include "taxel/shape/parse_obj.h"
#include "taxel/shape/parse_stl.h"
#include "taxel/shape/parse_vtk.h"
#include "taxel/shape/read_file.h"
#include "taxel/shape/text_scan.h"

namespace taxel {
using namespace internal;

namespace {

namespace fs = std::filesystem;

std::string ReadMeshFile(const std::string& path) {
  return ReadFile("mesh file", path, std::numeric_limits<std::int32_t>::max(),
                  "at most 2147483647 can be read: simplify the mesh");
}

bool HasExtension(const std::string& path, std::string_view extension) {
  return EqualsIgnoringCase(fs::path(path).extension().string(), extension);
}

/// Text collects in memory and is written at once, so that a full disk is noticed in one place.
void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out)
    throw Error("mesh file '" + path +
                "' cannot be written; check that its folder exists and that you may write there");
  out << text;
  out.close();
  if (!out) throw Error("mesh file '" + path + "' could not be written to its end; is the disk full?");
}

void AppendPoint(const Vec3& p, std::string* text) {
  *text += ToText(p.x) + ' ' + ToText(p.y) + ' ' + ToText(p.z) + '\n';
}

}  // namespace

TriangleMesh ReadTriangleMesh(const std::string& path) {
  if (HasExtension(path, ".obj")) return ParseObj(ReadMeshFile(path), path);
  if (HasExtension(path, ".stl")) return ParseStl(ReadMeshFile(path), path);
  const std::string who = "mesh file '" + path + "': ";
  if (HasExtension(path, ".vtk") || HasExtension(path, ".vtu"))
    throw Error(
        who +
        "a VTK file holds tetrahedra, but a surface is wanted (.obj or .stl); read it with ReadTetMesh "
        "and take its BoundarySurface");
  throw Error(who + "extension '" + fs::path(path).extension().string() +
              "' is unknown; a surface is read from .obj or .stl: convert the file");
}

TetMesh ReadTetMesh(const std::string& path) {
  if (HasExtension(path, ".vtk") || HasExtension(path, ".vtu")) {
    TetMesh mesh = ParseVtkTets(ReadMeshFile(path), path);
    CheckAndOrient(&mesh, path.c_str());
    return mesh;
  }
  const std::string who = "mesh file '" + path + "': ";
  if (HasExtension(path, ".obj") || HasExtension(path, ".stl"))
    throw Error(
        who +
        "a surface has no tetrahedra, but a volume is wanted (.vtk or .vtu); make one with 'taxel mesh " +
        path + " OUT.vtk'");
  throw Error(who + "extension '" + fs::path(path).extension().string() +
              "' is unknown; tetrahedra are read from .vtk or .vtu: convert the file");
}

void WriteVtk(const TetMesh& mesh, const std::string& path, const std::vector<double>* point_values,
              const std::string& value_name) {
  if (point_values && point_values->size() != mesh.vertices.size())
    throw Error("mesh file '" + path + "': " + std::to_string(point_values->size()) + " point values for " +
                std::to_string(mesh.vertices.size()) + " vertices; give one value per vertex");
  if (point_values && (value_name.empty() || value_name.find_first_of(" \t\r\n\v\f") != std::string::npos))
    throw Error("mesh file '" + path + "': the value name " + Quoted(value_name) +
                " is empty or holds a blank, which VTK cannot store; use letters, digits and '_'");
  std::string text = "# vtk DataFile Version 3.0\ntaxel\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS " +
                     std::to_string(mesh.vertices.size()) + " double\n";
  for (const Vec3& p : mesh.vertices) AppendPoint(p, &text);
  const std::string count = std::to_string(mesh.tets.size());
  text += "CELLS " + count + ' ' + std::to_string(5 * mesh.tets.size()) + '\n';
  for (const auto& t : mesh.tets) {
    text += '4';
    for (int v : t) text += ' ' + std::to_string(v);
    text += '\n';
  }
  text += "CELL_TYPES " + count + '\n';
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) text += "10\n";
  if (point_values) {
    text += "POINT_DATA " + std::to_string(mesh.vertices.size()) + "\nSCALARS " + value_name +
            " double 1\nLOOKUP_TABLE default\n";
    for (double value : *point_values) text += ToText(value) + '\n';
  }
  WriteFile(path, text);
}

void WriteObj(const TriangleMesh& mesh, const std::string& path) {
  std::string text = "# taxel\n";
  for (const Vec3& p : mesh.vertices) {
    text += "v ";
    AppendPoint(p, &text);
  }
  for (const auto& t : mesh.triangles) {
    text += 'f';
    for (int v : t) text += ' ' + std::to_string(v + 1);
    text += '\n';
  }
  WriteFile(path, text);
}

}  // namespace taxel
