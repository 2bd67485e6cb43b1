// XmlScan:
//   - start, end and empty tags with their parents and places; attributes in both quotes, with blanks
//   - comments, declarations and text are skipped
//   - damage: wrong nesting, cut-off files, malformed tags and attributes, with the line
#include "taxel/shape/xml_scan.h"

#include <gtest/gtest.h>

#include "expect_error.h"

namespace taxel {
using namespace internal;
namespace {

const std::string kName = "gel.vtu";

TEST(XmlScan, WalksOverTheTags) {
  const std::string text =
      "<?xml version='1.0'?><!DOCTYPE x>\n<!-- <no> --><File a = \"1 > 0\" b='two'>text\n<Piece/>more<Points "
      ">"
      "</Points ></File>";
  XmlScan scan(text, kName);
  auto file = scan.Next();
  ASSERT_TRUE(file);
  EXPECT_EQ(file->name, "File");
  EXPECT_EQ(file->parent, "");
  EXPECT_TRUE(file->starts && !file->ends);
  EXPECT_EQ(file->Attribute("a"), "1 > 0");
  EXPECT_EQ(file->Attribute("b"), "two");
  EXPECT_EQ(file->Attribute("c"), "");
  EXPECT_EQ(file->Attribute("c", "three"), "three");
  EXPECT_EQ(text.substr(file->position, 5), "<File");
  EXPECT_EQ(text.substr(file->after, 4), "text");
  EXPECT_EQ(scan.TextEnd(file->after), text.find("<Piece"));
  auto piece = scan.Next();
  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->name, "Piece");
  EXPECT_EQ(piece->parent, "File");
  EXPECT_TRUE(piece->starts && piece->ends);
  auto points = scan.Next();
  ASSERT_TRUE(points);
  EXPECT_EQ(points->parent, "File");  // the empty element is closed
  auto end = scan.Next();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->name, "Points");
  EXPECT_TRUE(!end->starts && end->ends);
  EXPECT_EQ(scan.Next()->name, "File");
  EXPECT_FALSE(scan.Next());
  EXPECT_EQ(scan.TextEnd(text.size()), text.size());
}

void ExpectDamage(const std::string& text, std::initializer_list<std::string> parts) {
  ExpectError(
      [&] {
        XmlScan scan(text, kName);
        while (scan.Next()) {
        }
      },
      parts);
}

TEST(XmlScan, NamesTheDamageAndItsLine) {
  ExpectDamage("<a>\n<b>\n</a>", {"'gel.vtu', line 3", "</a> closes <b>"});
  ExpectDamage("</a>", {"line 1", "</a> closes nothing"});
  ExpectDamage("<a>\n<b></b>", {"line 2", "ends inside <a>", "cut off"});
  ExpectDamage("<a>\n<!-- no end", {"line 2", "'-->' is missing"});
  ExpectDamage("<?xml", {"'?>' is missing"});
  ExpectDamage("<a\nb>", {"line 1", "'b' has no value"});
  ExpectDamage("<a b=3>", {"'b' is not in quotation marks"});
  ExpectDamage("<a b='3>", {"'b' is not in quotation marks"});
  ExpectDamage("<a b='3'", {"not well formed"});
  ExpectDamage("<>", {"'<>' is not well formed"});
  ExpectDamage("<a></a b='1'>", {"not well formed"});
  ExpectDamage("<a/ >", {"not well formed"});
}

}  // namespace
}  // namespace taxel
