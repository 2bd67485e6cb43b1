// Cases: extensions in either case; every file error; inverted tetrahedra are mended; what is written reads
// back bit for bit; wrong arguments of the writers.
#include "taxel/shape/read_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "expect_error.h"

namespace taxel {
namespace {

namespace fs = std::filesystem;

class ReadMesh : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("taxel_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& file) const { return (folder_ / file).string(); }
  std::string Write(const std::string& file, const std::string& text) const {
    std::ofstream(Path(file), std::ios::binary) << text;
    return Path(file);
  }
  static std::string Load(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

// Coordinates that need all 17 digits, a subnormal, and a negative zero.
TetMesh Tetrahedron() {
  return {{{0.1 + 0.2, -1.0 / 3, 2e-17},
           {1.0 / 7, 5e-324, -0.0},
           {-0.7, 1.0 / 11, 1e22 / 3e22},
           {0.25, 0.5, -2.0 / 3}},
          {{0, 1, 2, 3}}};
}

TEST_F(ReadMesh, RepositoryFiles) {
  EXPECT_EQ(ReadTriangleMesh(TAXEL_TEST_DATA "/l_shape.obj").triangles.size(), 44u);
  const TetMesh mesh = ReadTetMesh(TAXEL_TEST_DATA "/l_shape_h10.vtk");
  EXPECT_EQ(mesh.vertices.size(), 99u);
  EXPECT_EQ(mesh.tets.size(), 240u);
  EXPECT_NEAR(TotalVolume(mesh), EnclosedVolume(ReadTriangleMesh(TAXEL_TEST_DATA "/l_shape.obj")), 1e-16);
  EXPECT_GT(ReadTriangleMesh(TAXEL_TEST_DATA "/dumbbell.obj").triangles.size(), 100u);
  EXPECT_EQ(ReadTriangleMesh(TAXEL_TEST_DATA "/readers/meshio.obj").triangles.size(), 12u);
}

TEST_F(ReadMesh, ExtensionInEitherCase) {
  fs::copy_file(TAXEL_TEST_DATA "/l_shape.obj", Path("a.OBJ"));
  fs::copy_file(TAXEL_TEST_DATA "/readers/vtk_binary.stl", Path("b.Stl"));
  fs::copy_file(TAXEL_TEST_DATA "/l_shape_h10.vtk", Path("c.VTK"));
  fs::copy_file(TAXEL_TEST_DATA "/readers/vtk_ascii.vtu", Path("d.vTu"));
  EXPECT_EQ(ReadTriangleMesh(Path("a.OBJ")).triangles.size(), 44u);
  EXPECT_EQ(ReadTriangleMesh(Path("b.Stl")).triangles.size(), 12u);
  EXPECT_EQ(ReadTetMesh(Path("c.VTK")).tets.size(), 240u);
  EXPECT_EQ(ReadTetMesh(Path("d.vTu")).tets.size(), 5u);
}

TEST_F(ReadMesh, ErrorsOfFiles) {
  ExpectError([&] { ReadTriangleMesh("no/such.obj"); },
              {"'no/such.obj'", "does not exist", fs::current_path().string(), "check the path"});
  ExpectError([&] { ReadTetMesh("no/such.vtk"); }, {"'no/such.vtk'", "does not exist"});
  ExpectError([&] { ReadTriangleMesh(Write("empty.stl", "")); }, {"empty.stl'", "is empty"});
  ExpectError([&] { ReadTetMesh(Write("empty.vtu", "")); }, {"empty.vtu'", "is empty"});
  fs::create_directory(Path("folder.obj"));
  ExpectError([&] { ReadTriangleMesh(Path("folder.obj")); }, {"folder.obj'", "is a folder", "name a file"});
  fs::create_symlink("/dev/zero", Path("endless.stl"));
  ExpectError([&] { ReadTriangleMesh(Path("endless.stl")); }, {"endless.stl'", "not a regular file"});
  ExpectError([&] { ReadTriangleMesh("part.ply"); }, {"'part.ply'", "'.ply'", ".obj or .stl", "convert"});
  ExpectError([&] { ReadTetMesh("part.msh"); }, {"'part.msh'", "'.msh'", ".vtk or .vtu", "convert"});
  ExpectError([&] { ReadTriangleMesh("part"); }, {"extension ''", ".obj or .stl"});
  ExpectError([&] { ReadTriangleMesh("part.vtu"); },
              {"'part.vtu'", "tetrahedra", "ReadTetMesh", "BoundarySurface"});
  ExpectError([&] { ReadTetMesh("part.obj"); }, {"'part.obj'", "surface", "taxel mesh part.obj OUT.vtk"});
  ExpectError([&] { ReadTriangleMesh(Write("bad.obj", "v 1 2 x")); }, {Path("bad.obj"), "line 1", "'x'"});
}

TEST_F(ReadMesh, OrientsTetrahedra) {
  TetMesh inverted = Tetrahedron();
  CheckAndOrient(&inverted, "mesh");
  std::swap(inverted.tets[0][0], inverted.tets[0][1]);
  WriteVtk(inverted, Path("a.vtk"));
  EXPECT_GT(TetVolume(ReadTetMesh(Path("a.vtk")), 0), 0);
}

TEST_F(ReadMesh, FlatTetrahedronIsAnErrorWithTheFile) {
  TetMesh flat = Tetrahedron();
  flat.vertices[3] = 0.5 * (flat.vertices[0] + flat.vertices[1]);
  WriteVtk(flat, Path("flat.vtk"));
  ExpectError([&] { ReadTetMesh(Path("flat.vtk")); }, {Path("flat.vtk"), "tetrahedron 0", "no volume"});
}

TEST_F(ReadMesh, VtkReadsBackBitForBit) {
  TetMesh mesh = Tetrahedron();
  CheckAndOrient(&mesh, "mesh");
  const std::vector<double> values = {0.1, 1.0 / 3, -2, 1e5};
  WriteVtk(mesh, Path("a.vtk"), &values, "pressure_Pa");
  const TetMesh read = ReadTetMesh(Path("a.vtk"));
  EXPECT_EQ(read.vertices, mesh.vertices);
  EXPECT_TRUE(std::signbit(read.vertices[1].z));
  EXPECT_EQ(read.tets, mesh.tets);
  const std::string text = Load(Path("a.vtk"));
  EXPECT_NE(
      text.find(
          "POINT_DATA 4\nSCALARS pressure_Pa double 1\nLOOKUP_TABLE default\n0.1\n0.3333333333333333\n-2\n"),
      std::string::npos)
      << text;
}

TEST_F(ReadMesh, ObjReadsBackBitForBit) {
  TriangleMesh mesh{Tetrahedron().vertices, {{0, 1, 2}, {3, 2, 1}}};
  WriteObj(mesh, Path("a.obj"));
  const TriangleMesh read = ReadTriangleMesh(Path("a.obj"));
  EXPECT_EQ(read.vertices, mesh.vertices);
  EXPECT_EQ(read.triangles, mesh.triangles);
}

TEST_F(ReadMesh, ErrorsOfTheWriters) {
  const std::vector<double> three = {1, 2, 3}, four = {1, 2, 3, 4};
  ExpectError([&] { WriteVtk(Tetrahedron(), Path("a.vtk"), &three); },
              {"a.vtk'", "3 point values", "4 vertices"});
  ExpectError([&] { WriteVtk(Tetrahedron(), Path("a.vtk"), &four, "my pressure"); },
              {"a.vtk'", "'my pressure'", "blank"});
  ExpectError([&] { WriteVtk(Tetrahedron(), Path("a.vtk"), &four, ""); }, {"a.vtk'", "empty"});
  EXPECT_FALSE(fs::exists(Path("a.vtk")));
  ExpectError([&] { WriteVtk(Tetrahedron(), Path("no/a.vtk")); },
              {"no/a.vtk'", "cannot be written", "folder exists"});
  ExpectError([&] { WriteObj({}, Path("no/a.obj")); }, {"no/a.obj'", "cannot be written"});
  ExpectError([&] { WriteObj({{{1, 2, 3}}, {{0, 0, 0}}}, "/dev/full"); }, {"'/dev/full'", "disk full"});
}

}  // namespace
}  // namespace taxel
