// Lists of taxels in files:
//   - CSV with and without normals; blanks, comments, empty lines, CR, CRLF, byte-order mark
//   - JSON: object with and without normals, keys in either order, list of triples, of six-tuples
//   - broken CSV and JSON, one by one, with the line; every prefix of a good JSON file is refused
//   - files: extension, missing, folder, empty
#include "taxel/skin/layout_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../shape/expect_error.h"

namespace taxel {
namespace {

const std::vector<Vec3> kPoints = {{0.001, -0.002, 0.03}, {0.0015, 0, 1e-3}},
                        kNormals = {{0, 0, 1}, {0, -0.6, 0.8}};

TEST(LayoutCsv, WithAndWithoutNormals) {
  const LayoutSites plain = ParseLayoutCsv("x,y,z\n0.001,-0.002,0.03\n0.0015,0,1e-3\n", "a.csv");
  EXPECT_EQ(plain.points, kPoints);
  EXPECT_TRUE(plain.normals.empty());
  const LayoutSites full =
      ParseLayoutCsv("x,y,z,nx,ny,nz\n0.001,-0.002,0.03,0,0,1\n0.0015,0,1e-3,0,-0.6,0.8", "a.csv");
  EXPECT_EQ(full.points, kPoints);
  EXPECT_EQ(full.normals, kNormals);
}

TEST(LayoutCsv, BlanksCommentsAndLineEnds) {
  for (const char* text :
       {"\xEF\xBB\xBFx,y,z\r\n0.001,-0.002,0.03\r\n0.0015,0,1e-3\r\n",
        "# pad of the thumb\n\n X , Y,\tz\n# first\n 0.001 , -0.002,+0.03 \n\n0.0015,0,1e-3\n\n",
        "x,y,z\r0.001,-0.002,0.03\r0.0015,0,1e-3\r"})
    EXPECT_EQ(ParseLayoutCsv(text, "a.csv").points, kPoints) << text;
}

TEST(LayoutCsv, Broken) {
  const auto expect = [](const std::string& text, std::initializer_list<std::string> parts) {
    ExpectError([&] { ParseLayoutCsv(text, "a.csv"); }, {"layout file 'a.csv'"});
    ExpectError([&] { ParseLayoutCsv(text, "a.csv"); }, parts);
  };
  expect("", {"is empty (0 bytes)"});
  expect("\n\n# only words\n", {"line 3", "no header", "x,y,z"});
  expect("x,y,z\n", {"line 1", "no taxel below the header"});
  expect("0.1,0.2,0.3\n", {"line 1", "header is '0.1,0.2,0.3'", "x,y,z,nx,ny,nz"});
  expect("x;y;z\n1;2;3\n", {"header is 'x;y;z'", "commas"});
  expect("x,y,z,\n1,2,3,\n", {"header is 'x,y,z,'"});
  expect("x,y,z,nx,ny\n", {"header is"});
  expect("z,y,x\n", {"header is"});
  expect("x,y,z\n0.1,0.2\n", {"line 2", "2 columns, but the header has 3"});
  expect("x,y,z\n0.1,0.2,0.3\n0.1,0.2,0.3,0.4\n", {"line 3", "4 columns, but the header has 3"});
  expect("x,y,z,nx,ny,nz\n0.1,0.2,0.3,0,0,1\r\n0.1,0.2,0.", {"line 3", "3 columns, but the header has 6"});
  expect("x,y,z\n0.1,,0.3\n", {"line 2", "y of taxel 0 is missing"});
  expect("x,y,z\n0.1,0.2,0.3\n0.1,0.2,high\n", {"line 3", "z of taxel 1 is 'high', not a number", "metres"});
  expect("x,y,z\n0.1,0.2 0.3,0\n", {"y of taxel 0 is '0.2 0.3'"});
  expect("x,y,z\n0.1,\"0.2\",0\n", {"not a number"});
  expect("x,y,z\nnan,0,0\n", {"line 2", "x of taxel 0 is nan; it must be finite"});
  expect("x,y,z\n0,-inf,0\n", {"y of taxel 0 is -inf"});
  expect("x,y,z\n0,0,1e999\n", {"z of taxel 0 is inf"});
  expect("x,y,z\n0,12.5,0\n", {"line 2", "y of taxel 0 is 12.5 m", "millimetres", "divide by 1000"});
  expect("x,y,z,nx,ny,nz\n0,0,0,0,0,0\n", {"line 2", "normal of taxel 0 has no length"});
  expect("x,y,z,nx,ny,nz\n0,0,0,0,nan,1\n", {"ny of taxel 0 is nan"});
  std::string many = "x,y,z\n";
  for (int i = 0; i < kMaxTaxels + 1; ++i) many += "0,0,0\n";
  expect(many, {"line 65538", "more than 65536 taxels"});
}

TEST(LayoutJson, Shapes) {
  for (const char* text :
       {"{\"points\": [[0.001, -0.002, 0.03], [0.0015, 0, 1e-3]]}", "[[0.001,-0.002,0.03],[0.0015,0,1E-3]]",
        "\xEF\xBB\xBF[[0.001,-0.002,0.03],[0.0015,0,1E-3]]",
        "\r\n[\n\t[0.001, -0.002, 3.0e-2],\r\n [0.0015, 0, 0.001 ] ]\r\n"}) {
    const LayoutSites sites = ParseLayoutJson(text, "a.json");
    EXPECT_EQ(sites.points, kPoints) << text;
    EXPECT_TRUE(sites.normals.empty());
  }
  for (const char* text :
       {"{\"points\": [[0.001,-0.002,0.03],[0.0015,0,1e-3]], \"normals\": [[0,0,1],[0,-0.6,0.8]]}",
        "{\"normals\": [[0,0,1],[0,-0.6,0.8]], \"points\": [[0.001,-0.002,0.03],[0.0015,0,1e-3]]}",
        "[[0.001,-0.002,0.03,0,0,1],[0.0015,0,1e-3,0,-0.6,0.8]]"}) {
    const LayoutSites sites = ParseLayoutJson(text, "a.json");
    EXPECT_EQ(sites.points, kPoints) << text;
    EXPECT_EQ(sites.normals, kNormals) << text;
  }
  // A normal may have any length.
  EXPECT_EQ(ParseLayoutJson("{\"points\":[[0,0,1]],\"normals\":[[0,0,25]]}", "a").normals[0].z, 25);
}

TEST(LayoutJson, EveryPrefixIsRefused) {
  const std::string text =
      "{\"points\": [[0.001,-0.002,0.03],[0.0015,0,1e-3]],\n \"normals\": [[0,0,1],[0,-0.6,0.8]]}";
  for (std::size_t n = 0; n < text.size(); ++n)
    EXPECT_THROW(ParseLayoutJson(text.substr(0, n), "a.json"), Error) << text.substr(0, n);
}

TEST(LayoutJson, Broken) {
  const auto expect = [](const std::string& text, std::initializer_list<std::string> parts) {
    ExpectError([&] { ParseLayoutJson(text, "a.json"); }, {"layout file 'a.json'"});
    ExpectError([&] { ParseLayoutJson(text, "a.json"); }, parts);
  };
  expect("", {"is empty (0 bytes)"});
  expect("  \n", {"line 2", "the file ends", "is it complete?"});
  expect("points", {"line 1", "'points'", "a list [...] or an object"});
  expect("[]", {"the list has no point"});
  expect("{}", {"'}' where a key in quotation marks is expected"});
  expect("{\"points\": []}", {"\"points\" has no point"});
  expect("{\"normals\": [[0,0,1]]}", {"key \"points\" is missing"});
  expect("{\"points\": [[0,0,1]],\n \"radius\": 3}", {"line 2", "key 'radius' is unknown", "\"normals\""});
  expect("{\"points\": [[0,0,1]],\n \"points\": [[0,0,1]]}", {"line 2", "\"points\" is there twice"});
  expect("{\"points: [[0,0,1]]}", {"no closing quotation mark"});
  expect("{\"points\" [[0,0,1]]}", {"'[' where ':' is expected"});
  expect("{\"points\": [[0,0,1],[0,0,2]], \"normals\": [[0,0,1]]}", {"2 points but 1 normals"});
  expect("{\"points\": [[0,0,1,0,0,1]]}", {"row of 6 numbers; 3 are needed"});
  expect("[[0,0,1],\n[0,1]]", {"line 2", "row of 2 numbers; 3 (a point) or 6"});
  expect("[[0,0,1],\n[0,0,1,0,0,1]]", {"line 2", "rows of 3 and of 6"});
  expect("[[0,0,1,0,0,1,2]]", {"more than 6 numbers"});
  expect("[0,0,1]", {"'0' where '[' is expected"});
  expect("[[0,0,NaN]]", {"'NaN' where a number such as 0.05 (metres) is expected"});
  expect("[[0,0,null]]", {"'null'"});
  expect("[[0,0,\"1\"]]", {"a number"});
  for (const char* number : {"+1", ".5", "1.", "01", "-", "1e", "0x1", "--1", "1.e2"})
    expect(std::string("[[0,0,") + number + "]]", {"expected"});
  expect("[[0,0,1e999]]", {"z of taxel 0 is inf"});
  expect("[[0,0,1],\n[0,30,1]]", {"line 2", "y of taxel 1 is 30 m", "millimetres"});
  expect("[[0,0,1,0,0,0]]", {"normal of taxel 0 has no length"});
  expect("{\"points\":[[0,0,1]],\"normals\":[[0,0,0]]}", {"normal of taxel 0 has no length"});
  expect("[[0,0,1],]", {"']' where '[' is expected"});
  expect("[[0,0,1]] x", {"'x' where the end of the file is expected"});
  expect(std::string("[[0,0,1]]\0x", 11), {"the end of the file is expected"});
}

TEST(ReadLayoutFile, FilesAndExtensions) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "taxel_layout_file_test";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  };
  EXPECT_EQ(ReadLayoutFile(write("a.csv", "x,y,z\r\n0.001,-0.002,0.03\r\n0.0015,0,1e-3\r\n")).points,
            kPoints);
  EXPECT_EQ(ReadLayoutFile(write("a.JSON", "[[0.001,-0.002,0.03],[0.0015,0,1e-3]]")).points, kPoints);
  ExpectError([&] { ReadLayoutFile(write("a.txt", "x,y,z\n")); }, {"a.txt", "'.txt'", ".csv or a .json"});
  ExpectError([&] { ReadLayoutFile(write("none.csv", "")); }, {"none.csv", "is empty"});
  ExpectError([&] { ReadLayoutFile((folder / "no.csv").string()); },
              {"no.csv", "does not exist", "current folder"});
  std::filesystem::create_directories(folder / "folder.csv");
  ExpectError([&] { ReadLayoutFile((folder / "folder.csv").string()); }, {"is a folder"});
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace taxel
