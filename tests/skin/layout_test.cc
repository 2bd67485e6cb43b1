// Layouts from descriptions:
//   - every kind on every body it can have: the keys reach the function behind them, degrees become radians
//   - CountTaxels says what MakeLayout makes; taxels is checked by both, the message names the right number
//   - direction and within keep one side of a finger; sites, files; poisson is on the true surface
//   - every key is read or refused; every error opens with the sensor's name
#include "taxel/skin/layout.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../shape/expect_error.h"
#include "../shape/test_meshes.h"
#include "layout_checks.h"
#include "taxel/shape/signed_distance.h"

namespace taxel {
namespace {

constexpr double kPi = 3.14159265358979323846;

BodyOptions Named(const char* name) {
  BodyOptions options;
  options.name = name;
  return options;
}
const Body& PadBody() {
  static const Body body(Box{{0.02, 0.03, 0.01}}, Named("pad"));
  return body;
}
const Body& MeshBody() {
  static const Body body(test::Icosphere(3, 0.02), Named("tip"));
  return body;
}
Description Describe(const Description::Entries& entries) { return {"sensor 'skin'", entries}; }

// Makes the layout and checks what holds for all: frames, every key read, the count told beforehand.
Layout Make(const Description::Entries& entries, const Body& body, const LayoutSites* sites = nullptr) {
  const Description description = Describe(entries);
  const Layout layout = MakeLayout(description, body, sites);
  test::CheckFrames(layout);
  description.CheckAllRead();
  return layout;
}
void ExpectMakeError(const Description::Entries& entries, const Body& body,
                     std::initializer_list<std::string> parts) {
  ExpectError([&] { MakeLayout(Describe(entries), body); }, {"sensor 'skin'"});
  ExpectError([&] { MakeLayout(Describe(entries), body); }, parts);
}
void ExpectCountError(const Description::Entries& entries, std::initializer_list<std::string> parts) {
  ExpectError([&] { CountTaxels(Describe(entries)); }, {"sensor 'skin'"});
  ExpectError([&] { CountTaxels(Describe(entries)); }, parts);
}

TEST(MakeLayout, GridOnABox) {
  const Layout plain = Make({{"shape", "3 4"}}, PadBody());
  EXPECT_EQ(plain.points, BoxFaceGrid({0.02, 0.03, 0.01}, "+z", 3, 4).points);
  EXPECT_EQ(CountTaxels(Describe({{"shape", "3 4"}})), 12);
  const Layout full = Make({{"layout", "grid"},
                            {"shape", "2 5"},
                            {"face", "-y"},
                            {"pitch", "0.003 0.002"},
                            {"center", "0.001, -0.0005"},
                            {"taxels", "10"}},
                           PadBody());
  EXPECT_EQ(full.points, BoxFaceGrid({0.02, 0.03, 0.01}, "-y", 2, 5, 0.003, 0.002, 0.001, -0.0005).points);
  EXPECT_TRUE(full.plane);
  const Layout square = Make({{"shape", "2 5"}, {"pitch", "0.003"}}, PadBody());
  EXPECT_EQ(square.grid.du, 0.003);
  EXPECT_EQ(square.grid.dv, 0.003);
}

TEST(MakeLayout, GridOnAHalfSpace) {
  const Body ground(HalfSpace{}, Named("ground"));
  const Layout layout = Make({{"shape", "2 3"}, {"pitch", "0.01 0.02"}, {"center", "0.5 -0.2"}}, ground);
  EXPECT_LT(norm(layout.points[0] - Vec3{0.49, -0.21, 0}), 1e-16);
  EXPECT_EQ(layout.normals[0], (Vec3{0, 0, 1}));
  ExpectMakeError({{"shape", "2 3"}}, ground, {"endless", "pitch"});
  ExpectMakeError({{"shape", "2 3"}, {"pitch", "0.01"}, {"face", "+z"}}, ground, {"face=\"+z\"", "only one"});
  ExpectMakeError({{"shape", "2 3"}, {"pitch", "0.01"}, {"around", "0 90"}}, ground,
                  {"around=\"0 90\"", "half_space"});
}

TEST(MakeLayout, WrappedGridsTakeDegrees) {
  WrapRange range;
  range.around_from = -kPi / 4, range.around_to = kPi / 2, range.along_from = -0.004, range.along_to = 0.009;
  for (const Primitive& shape : {Primitive(Cylinder{0.01, 0.03}), Primitive(Capsule{0.01, 0.03})}) {
    const Body body(shape, Named("finger"));
    EXPECT_EQ(Make({{"shape", "3 4"}}, body).points, WrappedGrid(shape, 3, 4).points);
    const Layout layout = Make({{"shape", "3 4"}, {"around", "-45 90"}, {"along", "-0.004 0.009"}}, body);
    EXPECT_EQ(layout.points, WrappedGrid(shape, 3, 4, range).points);
    EXPECT_FALSE(layout.wraps);
  }
  range.along_from = -kPi / 6, range.along_to = kPi / 3;
  for (const Primitive& shape : {Primitive(Sphere{0.01}), Primitive(Ellipsoid{{0.01, 0.012, 0.02}})}) {
    const Body body(shape, Named("finger"));
    EXPECT_EQ(Make({{"shape", "3 4"}}, body).points, WrappedGrid(shape, 3, 4).points);
    const Layout layout = Make({{"shape", "3 4"}, {"around", "-45 90"}, {"along", "-30 60"}}, body);
    const Layout expected = WrappedGrid(shape, 3, 4, range);
    for (int i = 0; i < 12; ++i) EXPECT_LT(norm(layout.points[i] - expected.points[i]), 1e-16);
  }
}

TEST(MakeLayout, PointsFilesAndSites) {
  const std::string path = testing::TempDir() + "taxel_layout_test.csv";
  std::ofstream(path) << "x,y,z,nx,ny,nz\n0,0,0.005,0,0,1\n0.004,0.003,0.005,0,0.6,0.8\n";
  const LayoutSites sites{{{0, 0, 0.005}, {0.004, 0.003, 0.005}}, {{0, 0, 1}, {0, 0.6, 0.8}}};
  const Description::Entries kinds[] = {
      {{"points", "0 0 0.005  0.004 0.003 0.005"}, {"normals", "0 0 1 0 3 4"}, {"radius", "0.002"}},
      {{"layout", "points"},
       {"points", "0,0,0.005, 0.004,0.003,0.005"},
       {"normals", "0 0 1 0 3 4"},
       {"radius", "0.002"},
       {"taxels", "2"}},
      {{"file", path}, {"radius", "0.002"}},
      {{"layout", "file"}, {"file", path}, {"radius", "0.002"}},
      {{"layout", "sites"}, {"taxels", "2"}, {"radius", "0.002"}}};
  for (const auto& entries : kinds) {
    const Layout layout = Make(entries, PadBody(), &sites);
    EXPECT_EQ(CountTaxels(Describe(entries)), 2);
    EXPECT_EQ(layout.points, sites.points);
    EXPECT_LT(norm(layout.normals[1] - Vec3{0, 0.6, 0.8}), 1e-15);
    EXPECT_NEAR(layout.areas[0], kPi * 4e-6, 1e-15);
  }
  // Without normals: those of the surface.
  EXPECT_EQ(Make({{"points", "0 0 0.005  0.004 0.003 0.005"}}, PadBody()).normals[1], (Vec3{0, 0, 1}));
  std::filesystem::remove(path);
}

TEST(MakeLayout, VerticesOfOneSide) {
  const Layout all = Make({{"layout", "vertices"}}, MeshBody());
  EXPECT_EQ(all.count(), 642);
  EXPECT_NEAR(test::SumOfAreas(all) / SurfaceArea(MeshBody().Surface()), 1, 1e-12);
  const Layout half = Make({{"layout", "vertices"}, {"direction", "0 2 0"}}, MeshBody());
  for (const Vec3& n : half.normals) EXPECT_GE(n.y, -1e-12);
  EXPECT_GT(half.count(), 300);
  const Layout cap = Make({{"layout", "vertices"}, {"direction", "0 -1 1"}, {"within", "30"}}, MeshBody());
  for (const Vec3& n : cap.normals) EXPECT_GE(dot(n, normalized({0, -1, 1})), std::cos(kPi / 6) - 1e-9);
  EXPECT_NEAR(cap.count(), 642 * (1 - std::cos(kPi / 6)) / 2, 8);
  ExpectMakeError({{"layout", "vertices"}}, PadBody(), {"body 'pad' is a box", "grid", "mesh"});
  ExpectMakeError({{"layout", "vertices"}, {"direction", "0 0 0"}}, MeshBody(),
                  {"direction=\"0 0 0\"", "not all 0"});
  ExpectMakeError({{"layout", "vertices"}, {"within", "30"}}, MeshBody(), {"within=\"30\" needs direction"});
  ExpectMakeError({{"layout", "vertices"}, {"direction", "0 0 1"}, {"within", "200"}}, MeshBody(),
                  {"0 to 180"});
  // The cap that remains is open: nothing looks down.
  const TriangleMesh leaf{{{0, 0, 0}, {0.01, 0, 0}, {0, 0.01, 0}}, {{0, 1, 2}}};
  ExpectMakeError({{"layout", "vertices"}, {"direction", "0 0 -1"}}, Body(leaf, Named("leaf")),
                  {"no vertex of the mesh faces direction=\"0 0 -1\" within 90 degrees", "raise within"});
  ExpectMakeError({{"layout", "poisson"}, {"count", "3"}, {"direction", "0 0 -1"}}, Body(leaf, Named("leaf")),
                  {"no triangle of the surface faces"});
}

TEST(MakeLayout, PoissonMakesExactlyTheNumberAskedFor) {
  for (const Description::Entries& entries :
       {Description::Entries{{"layout", "poisson"}, {"taxels", "57"}},
        {{"layout", "poisson"}, {"count", "57"}},
        {{"layout", "poisson"}, {"count", "57"}, {"taxels", "57"}, {"seed", "4"}},
        {{"layout", "poisson"}, {"taxels", "57"}, {"direction", "1 0 0"}, {"within", "60"}}}) {
    EXPECT_EQ(CountTaxels(Describe(entries)), 57);
    EXPECT_EQ(Make(entries, MeshBody()).count(), 57);
    EXPECT_EQ(Make(entries, PadBody()).count(), 57);
  }
  const Layout side =
      Make({{"layout", "poisson"}, {"taxels", "57"}, {"direction", "1 0 0"}, {"within", "60"}}, MeshBody());
  for (const Vec3& n : side.normals) EXPECT_GE(n.x, 0.5 - 1e-12);
  EXPECT_NEAR(test::SumOfAreas(side) / (SurfaceArea(MeshBody().Surface()) * 0.25), 1, 0.05);
  EXPECT_NE(Make({{"layout", "poisson"}, {"count", "57"}}, MeshBody()).points,
            Make({{"layout", "poisson"}, {"count", "57"}, {"seed", "1"}}, MeshBody()).points);
  const Layout spaced = Make({{"layout", "poisson"}, {"spacing", "0.004"}}, MeshBody());
  EXPECT_EQ(spaced.points, PoissonLayout(MeshBody().Surface(), 0.004, 0).points);
  EXPECT_EQ(Make({{"layout", "poisson"}, {"spacing", "0.004"}, {"taxels", std::to_string(spaced.count())}},
                 MeshBody())
                .count(),
            spaced.count());
}

TEST(MakeLayout, PoissonOnRoundPrimitivesIsOnTheTrueSurface) {
  for (const Primitive& shape : {Primitive(Sphere{0.012}), Primitive(Cylinder{0.01, 0.03}),
                                 Primitive(Capsule{0.01, 0.03}), Primitive(Ellipsoid{{0.01, 0.012, 0.02}})}) {
    const Layout layout = Make({{"layout", "poisson"}, {"taxels", "200"}}, Body(shape, Named("finger")));
    for (int i = 0; i < 200; ++i) {
      EXPECT_NEAR(SignedDistance(shape, layout.points[i]), 0, 1e-12);
      EXPECT_LT(norm(SignedDistanceGradient(shape, layout.points[i]) - layout.normals[i]), 1e-6);
    }
  }
  ExpectMakeError({{"layout", "poisson"}, {"taxels", "20"}}, Body(HalfSpace{}, Named("ground")),
                  {"body 'ground' is a half space", "endless"});
}

TEST(MakeLayout, TaxelsIsCheckedAndTheMessageNamesTheNumber) {
  ExpectMakeError({{"layout", "vertices"}, {"taxels", "600"}}, MeshBody(),
                  {"taxels=\"600\"", "vertices", "body 'tip'", "has 642", "write taxels=\"642\""});
  ExpectMakeError({{"shape", "3 4"}, {"taxels", "13"}}, PadBody(), {"write taxels=\"12\""});
  ExpectCountError({{"shape", "3 4"}, {"taxels", "13"}},
                   {"taxels=\"13\"", "write taxels=\"12\" or leave it out"});
  ExpectCountError({{"points", "0 0 1 0 0 2"}, {"taxels", "1"}}, {"has 2"});
  for (const char* kind : {"vertices", "sites", "poisson"}) {
    ExpectCountError({{"layout", kind}}, {kind, "needs taxels", "MuJoCo fixes the size of sensordata"});
    EXPECT_EQ(CountTaxels(Describe({{"layout", kind}, {"taxels", "31"}})), 31);
  }
  ExpectCountError({{"layout", "poisson"}, {"spacing", "0.01"}}, {"needs taxels"});
  ExpectCountError({{"layout", "sites"}, {"taxels", "0"}}, {"taxels=\"0\"", "1 to 65536"});
  ExpectCountError({{"layout", "sites"}, {"taxels", "1.5"}}, {"taxels=\"1.5\""});
}

TEST(MakeLayout, WrongInput) {
  const Body finger(Cylinder{0.01, 0.03}, Named("finger")), ball(Sphere{0.01}, Named("ball"));
  ExpectMakeError({}, PadBody(), {"there is no layout", "shape=\"rows columns\"", "poisson"});
  ExpectCountError({}, {"there is no layout"});
  ExpectMakeError({{"layout", "hex"}}, PadBody(),
                  {"layout=\"hex\" is not grid, points, vertices, poisson, sites or file"});
  ExpectMakeError({{"layout", "grid"}}, PadBody(), {"needs shape"});
  ExpectMakeError({{"shape", "3"}}, PadBody(), {"shape=\"3\" is not two whole numbers"});
  ExpectMakeError({{"shape", "3 4.5"}}, PadBody(), {"shape=\"3 4.5\""});
  ExpectMakeError({{"shape", "300 300"}}, PadBody(), {"300 rows x 300 columns", "at most 65536"});
  ExpectCountError({{"shape", "300 300"}}, {"at most 65536"});
  ExpectMakeError(
      {{"shape", "3 4"}}, MeshBody(),
      {"body 'tip' is a mesh", "vertices", "poisson", "points", "sites", "file", "or put the grid on a box"});
  ExpectMakeError({{"shape", "3 4"}, {"face", "up"}}, PadBody(), {"face \"up\"", "+x, -x"});
  ExpectMakeError({{"shape", "3 4"}, {"pitch", "0.1 0.1 0.1"}}, PadBody(), {"pitch=", "one or two numbers"});
  ExpectMakeError({{"shape", "3 4"}, {"pitch", "0"}}, PadBody(), {"pitch=\"0\""});
  ExpectMakeError({{"shape", "3 4"}, {"pitch", "0.01"}}, PadBody(), {"does not fit", "0.04 m x 0.03 m"});
  ExpectMakeError({{"shape", "3 4"}, {"center", "1"}}, PadBody(), {"center=\"1\"", "two numbers"});
  ExpectMakeError({{"shape", "3 4"}, {"center", "0 0.02"}}, PadBody(), {"center 0 0.02 is not on face +z"});
  ExpectMakeError({{"shape", "3 4"}, {"around", "0 90"}}, PadBody(),
                  {"around=\"0 90\" has no meaning", "box"});
  ExpectMakeError({{"shape", "3 4"}, {"face", "+z"}}, finger,
                  {"face=\"+z\" has no meaning", "cylinder", "around"});
  ExpectMakeError({{"shape", "3 4"}, {"pitch", "0.01"}}, ball, {"pitch=\"0.01\" has no meaning", "sphere"});
  ExpectMakeError({{"shape", "3 4"}, {"around", "0"}}, finger, {"around=\"0\"", "degrees"});
  ExpectMakeError({{"shape", "3 4"}, {"around", "350 10"}}, finger,
                  {"around from 350 to 10 degrees", "-10 10"});
  ExpectMakeError({{"shape", "3 4"}, {"along", "-0.02 0.01"}}, finger,
                  {"along from -0.02 to 0.01 m", "-0.015 to 0.015"});
  ExpectMakeError({{"shape", "3 4"}, {"along", "0 100"}}, ball, {"along=\"0 100\"", "latitudes in degrees"});
  ExpectMakeError({{"layout", "points"}}, PadBody(), {"needs points"});
  ExpectCountError({{"layout", "points"}}, {"needs points"});
  ExpectMakeError({{"points", "0 0 0.005 1"}}, PadBody(), {"points has 4 numbers", "multiple of 3"});
  ExpectCountError({{"points", "0 0 0.005 1"}}, {"points has 4 numbers"});
  ExpectMakeError({{"points", "0 0 nan"}}, PadBody(), {"points=\"0 0 nan\" is not a list of numbers"});
  ExpectMakeError({{"points", "0 0 0.005"}, {"normals", "0 0"}}, PadBody(), {"normals has 2 numbers"});
  ExpectMakeError({{"points", "0 0 0.005"}, {"normals", "0 0 1 0 0 1"}}, PadBody(),
                  {"1 points but 2 normals"});
  ExpectMakeError({{"points", "0 0 0.005"}}, PadBody(), {"without neighbours", "radius"});
  ExpectMakeError({{"points", "0 0 5"}, {"radius", "0.001"}}, PadBody(), {"taxel 0 at 0 0 5", "body 'pad'"});
  ExpectMakeError({{"points", "0 0 0.005"}, {"radius", "5"}}, PadBody(), {"radius=\"5\"", "1e-6 to 1 m"});
  ExpectMakeError({{"layout", "file"}}, PadBody(), {"needs file"});
  ExpectMakeError({{"file", "no_such.csv"}}, PadBody(), {"layout file 'no_such.csv' does not exist"});
  ExpectCountError({{"file", "no_such.csv"}}, {"does not exist"});
  ExpectMakeError({{"layout", "sites"}, {"taxels", "2"}}, PadBody(), {"found no site"});
  ExpectMakeError({{"layout", "poisson"}}, MeshBody(), {"needs taxels", "spacing"});
  ExpectMakeError({{"layout", "poisson"}, {"count", "5"}, {"spacing", "0.01"}}, MeshBody(),
                  {"exclude each other"});
  ExpectMakeError({{"layout", "poisson"}, {"count", "5"}, {"taxels", "6"}}, MeshBody(),
                  {"count is 5 but taxels is 6"});
  ExpectMakeError({{"layout", "poisson"}, {"count", "0"}}, MeshBody(), {"count=\"0\""});
  ExpectMakeError({{"layout", "poisson"}, {"spacing", "-1"}}, MeshBody(), {"spacing=\"-1\""});
  ExpectMakeError({{"layout", "poisson"}, {"count", "5"}, {"seed", "-1"}}, MeshBody(), {"seed=\"-1\""});
}

TEST(MakeLayout, KeysOfOtherLayoutsAreRefused) {
  ExpectMakeError({{"shape", "3 4"}, {"points", "0 0 1"}}, PadBody(),
                  {"points=\"0 0 1\" belongs to layout=\"points\", not to \"grid\""});
  ExpectCountError({{"shape", "3 4"}, {"spacing", "0.1"}}, {"spacing=\"0.1\" belongs to layout=\"poisson\""});
  ExpectMakeError({{"layout", "poisson"}, {"count", "5"}, {"face", "+x"}}, PadBody(),
                  {"face=\"+x\" belongs to layout=\"grid\""});
  ExpectMakeError({{"shape", "3 4"}, {"within", "30"}}, PadBody(), {"layout=\"vertices\" or \"poisson\""});
  // What nobody knows is left to CheckAllRead.
  const Description typo = Describe({{"shape", "3 4"}, {"pich", "0.001"}});
  MakeLayout(typo, PadBody());
  ExpectError([&] { typo.CheckAllRead(); }, {"pich", "did you mean \"pitch\"?"});
}

}  // namespace
}  // namespace taxel
