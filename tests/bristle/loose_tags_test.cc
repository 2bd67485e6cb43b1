// LooseTags:
//   - start, end and empty tags in any case and with blanks; attributes in straight and typographic quotation
//     marks; the text between tags without comments; entities; lines
//   - nesting is checked, tag by tag
// The damage it names is tested where it is read: sensor_xml_test.cc.
#include "taxel/bristle/loose_tags.h"

#include <gtest/gtest.h>

#include "../shape/expect_error.h"

namespace taxel {
using namespace internal;
namespace {

const std::string kPath = "sensors.xml";

TEST(LooseTags, WalksOverTagsAndText) {
  const std::string text = "a<B c = '1'>d<!-- no -->e< /b ><F/ >";
  LooseTags tags(text, kPath);
  auto tag = tags.Next();
  ASSERT_TRUE(tag);
  EXPECT_EQ(tags.text(), "a");
  EXPECT_EQ(tag->name, "b");
  EXPECT_TRUE(tag->starts && !tag->ends && !tag->as_printed);
  EXPECT_EQ(tags.depth(), 1u);
  ASSERT_NE(tag->Find("c"), nullptr);
  EXPECT_EQ(*tag->Find("c"), "1");
  EXPECT_EQ(tag->Find("d"), nullptr);
  EXPECT_EQ(text.substr(tag->position, 2), "<B");
  EXPECT_EQ(text.substr(tag->after, 1), "d");
  tag = tags.Next();
  ASSERT_TRUE(tag);
  EXPECT_EQ(tags.text(), "de");
  EXPECT_TRUE(!tag->starts && tag->ends);
  EXPECT_EQ(tags.depth(), 0u);
  tag = tags.Next();
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->name, "f");
  EXPECT_TRUE(tag->starts && tag->ends);
  EXPECT_FALSE(tags.Next());
  EXPECT_EQ(tags.Line(0), 1u);
}

TEST(LooseTags, QuotationMarks) {
  for (const char* text : {"<a b=\"c\">", "<a b='c'>", "<a b=“c”>", "<a b=„c“>", "<a b=”c”>", "<a b=‘c’>",
                           "<a b=″c″>", "< a  b = \" c \" >", "<a b=\"c”>"}) {
    const auto tag = LooseTags(text, kPath).Next();
    ASSERT_TRUE(tag && tag->Find("b")) << text;
    EXPECT_EQ(*tag->Find("b"), "c") << text;
  }
  const auto tag = LooseTags("<a b=\"don't\" c='\"' d=“”>", kPath).Next();
  EXPECT_EQ(*tag->Find("b"), "don't");
  EXPECT_EQ(*tag->Find("c"), "\"");
  EXPECT_EQ(*tag->Find("d"), "");
}

TEST(LooseTags, EntitiesAndLines) {
  const std::string text = "<a>\n<b>\n\n</b></a>";
  LooseTags tags(text, kPath);
  EXPECT_EQ(tags.Decoded("1 &lt; 2 &amp;&amp; &quot;x&apos; &gt;", 0), "1 < 2 && \"x' >");
  ExpectError([&] { tags.Decoded("a &#38; b", 4); }, {"line 2", "'&#38;' is an entity", "&amp;"});
  EXPECT_EQ(tags.Line(text.size()), 4u);
  EXPECT_EQ(tags.Line(0), 1u);  // also back again
  EXPECT_EQ(tags.Line(4), 2u);
  EXPECT_EQ(TrimBlanks(" \t\r\n a b \n"), "a b");
  EXPECT_EQ(TrimBlanks(" \n"), "");
}

TEST(LooseTags, Nesting) {
  const auto walk = [](const std::string& text) {
    LooseTags tags(text, kPath);
    while (tags.Next()) {
    }
  };
  EXPECT_NO_THROW(walk("<a><b/><C></c></A>"));
  ExpectError([&] { walk("<a><b></a></b>"); }, {"</a> stands where <b> of line 1 is open"});
  ExpectError([&] { walk("<a>\n<b>"); }, {"line 2", "<b> is never closed"});
  ExpectError([&] { walk("<a></a></a>"); }, {"</a> closes nothing"});
}

}  // namespace
}  // namespace taxel
