// Cases: one stream of each kind of block, made with Python's zlib (command beside each); every prefix of a
// stream is an error, and so is every stream with one byte changed; the announced size is a bound.
#include "taxel/shape/inflate.h"

#include <gtest/gtest.h>

#include "expect_error.h"

namespace taxel {
using namespace internal;
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string Inflated(const Bytes& stream, std::size_t size) {
  const Bytes out = InflateZlib(stream, size, "part.vtu");
  return std::string(out.begin(), out.end());
}

// zlib.compress(b'stored bytes', 0)
const Bytes kStored = {120, 1,  1,  12,  0,   243, 255, 115, 116, 111, 114, 101,
                       100, 32, 98, 121, 116, 101, 115, 31,  207, 4,   217};
// zlib.compress(b'tactile' + b'!' * 18, 9)
const Bytes kFixed = {120, 218, 43, 73, 76, 46, 201, 204, 73, 85, 196, 0, 0, 85, 249, 5, 57};
// zlib.compress(b'')
const Bytes kNothing = {120, 156, 3, 0, 0, 0, 0, 1};
// zlib.compress(bytes(60000), 9)
const Bytes kZeros = {120, 218, 237, 193, 49, 1, 0, 0, 0, 194, 160, 245, 79,  109, 13,  15, 160, 0, 0, 0, 0,
                      0,   0,   0,   0,   0,  0, 0, 0, 0, 0,   0,   0,   0,   0,   0,   0,  0,   0, 0, 0, 0,
                      0,   0,   0,   0,   0,  0, 0, 0, 0, 0,   0,   0,   0,   0,   0,   0,  0,   0, 0, 0, 0,
                      0,   0,   0,   0,   0,  0, 0, 0, 0, 0,   0,   0,   190, 12,  234, 96, 0,   1};
// zlib.compress(''.join(f'{i * i % 1009} ' for i in range(400)).encode(), 9)
const Bytes kDynamic = {
    120, 218, 29,  148, 217, 129, 196, 48,  8,   67,  91,  161, 132, 112, 227, 254, 27,  155, 167, 249, 216,
    77,  38,  230, 144, 132, 204, 103, 110, 101, 207, 124, 44,  218, 114, 172, 158, 77,  217, 185, 249, 247,
    153, 7,   207, 42,  78,  137, 120, 132, 16,  19,  205, 243, 158, 101, 20,  241, 100, 19,  87,  197, 243,
    202, 58,  158, 245, 142, 13,  113, 195, 115, 249, 189, 124, 63,  206, 31,  113, 143, 120, 111, 59,  42,
    215, 90,  168, 233, 45,  85,  168, 144, 109, 237, 97,  253, 156, 204, 176, 109, 194, 138, 140, 88,  91,
    123, 71,  123, 39,  120, 44,  47,  105, 69,  32,  207, 225, 247, 242, 253, 116, 254, 125, 203, 191, 7,
    198, 176, 204, 181, 106, 240, 44,  65,  79,  116, 168, 81,  97,  52,  242, 63,  116, 26,  118, 82,  227,
    128, 72,  35,  24,  147, 223, 230, 73,  62,  120, 43,  157, 195, 207, 150, 231, 241, 59,  149, 7,   208,
    26,  107, 218, 204, 126, 118, 0,   38,  39,  208, 70,  253, 40,  246, 193, 27,  221, 174, 143, 26,  22,
    64,  201, 7,   206, 133, 0,   245, 31,  253, 156, 156, 228, 172, 35,  233, 11,  57,  71,  86,  119, 75,
    7,   42,  239, 27,  99,  79,  117, 129, 159, 253, 89,  79,  35,  95,  168, 15,  228, 29,  226, 12,  104,
    70,  152, 68,  248, 232, 43,  189, 3,   65,  149, 96,  177, 170, 67,  78,  255, 245, 72,  11,  205, 229,
    193, 67,  250, 163, 67,  160, 104, 61,  0,   49,  67,  32,  46,  44,  169, 120, 68,  78,  82,  172, 16,
    104, 41,  78,  71,  186, 151, 134, 231, 160, 124, 20,  194, 0,   173, 164, 2,   29,  35,  41,  208, 47,
    157, 200, 250, 36,  107, 50,  94,  134, 201, 123, 195, 251, 156, 254, 210, 24,  89,  182, 224, 203, 216,
    22,  71,  224, 32,  234, 37,  72,  7,   209, 222, 19,  115, 90,  163, 234, 67,  184, 252, 100, 189, 227,
    93,  19,  226, 251, 156, 145, 136, 17,  246, 147, 238, 56,  141, 87,  18,  29,  159, 20,  147, 61,  176,
    187, 36,  238, 135, 79,  224, 3,   211, 129, 8,   184, 139, 140, 61,  176, 246, 90,  255, 109, 4,   86,
    209, 36,  28,  145, 106, 160, 73,  165, 160, 234, 224, 120, 201, 84,  178, 41,  227, 199, 152, 3,   96,
    36,  172, 149, 210, 208, 66,  185, 5,   168, 83,  164, 5,   144, 222, 41,  219, 65,  49,  228, 170, 149,
    21,  164, 165, 206, 16,  71,  18,  52,  213, 101, 47,  141, 83,  220, 25,  45,  174, 105, 74,  60,  244,
    173, 100, 104, 232, 154, 116, 59,  232, 196, 202, 108, 116, 255, 100, 127, 220, 8,   230, 193, 180, 152,
    174, 145, 129, 38,  141, 234, 205, 240, 112, 18,  188, 138, 121, 60,  92,  85,  180, 121, 45,  244, 76,
    0,   29,  139, 200, 39,  66,  165, 115, 36,  147, 243, 150, 223, 167, 203, 33,  25,  25,  77,  74,  50,
    153, 128, 193, 209, 10,  100, 131, 130, 78,  217, 13,  105, 130, 68,  130, 22,  106, 15,  84,  89,  128,
    243, 6,   90,  41,  69,  151, 23,  98,  56,  37,  248, 124, 186, 110, 11,  113, 206, 250, 211, 181, 71,
    81,  116, 249, 15,  128, 42,  216, 254, 97,  172, 198, 173, 92,  164, 65,  210, 0,   239, 129, 179, 104,
    236, 50,  143, 118, 11,  133, 40,  156, 162, 199, 123, 227, 81,  231, 239, 200, 42,  98,  0,   61,  242,
    119, 233, 174, 194, 242, 180, 74,  64,  43,  1,   169, 47,  219, 179, 2,   130, 141, 116, 218, 72,  204,
    198, 117, 197, 20,  138, 37,  165, 165, 60,  197, 101, 126, 194, 192, 109, 14,  33,  230, 150, 245, 105,
    226, 114, 175, 92,  170, 5,   135, 199, 159, 68,  7,   39,  2,   188, 79,  75,  68,  23,  7,   143, 226,
    171, 129, 97,  156, 90,  2,   156, 5,   147, 140, 156, 174, 203, 158, 44,  215, 206, 196, 149, 127, 179,
    162, 163, 246, 157, 44,  253, 191, 224, 164, 57,  19,  134, 14,  218, 57,  147, 57,  170, 52,  84,  147,
    41,  167, 86,  4,   71,  152, 51,  160, 250, 176, 252, 104, 200, 28,  185, 196, 130, 235, 160, 97,  202,
    24,  236, 204, 27,  85,  213, 182, 198, 147, 248, 242, 248, 62,  248, 63,  79,  198, 193, 0,   46,  19,
    105, 91,  48,  34,  93,  77,  109, 50,  173, 19,  77,  247, 175, 27,  246, 164, 4,   126, 43,  80,  197,
    247, 223, 100, 196, 224, 215, 31,  12,  143, 30,  73};

std::string Ramp() {
  std::string text;
  for (int i = 0; i < 400; ++i) text += std::to_string(i * i % 1009) + " ";
  return text;
}

TEST(Inflate, StoredBlock) { EXPECT_EQ(Inflated(kStored, 12), "stored bytes"); }
TEST(Inflate, FixedCodesWithOverlappingRun) {
  EXPECT_EQ(Inflated(kFixed, 25), "tactile" + std::string(18, '!'));
}
TEST(Inflate, DynamicCodes) { EXPECT_EQ(Inflated(kDynamic, Ramp().size()), Ramp()); }
TEST(Inflate, Nothing) { EXPECT_EQ(Inflated(kNothing, 0), ""); }
TEST(Inflate, HighestRatio) { EXPECT_EQ(Inflated(kZeros, 60000), std::string(60000, '\0')); }

TEST(Inflate, EveryPrefixIsAnError) {
  for (std::size_t n = 0; n < kDynamic.size(); ++n) {
    const Bytes prefix(kDynamic.begin(), kDynamic.begin() + n);
    EXPECT_THROW(Inflated(prefix, Ramp().size()), Error) << n;
  }
}

// The checksum finds what the codes let pass. The top bits of byte 0 only bound the window, but the head's
// own checksum covers them.
TEST(Inflate, EveryChangedByteIsAnError) {
  for (std::size_t n = 0; n < kDynamic.size(); ++n) {
    Bytes changed = kDynamic;
    changed[n] ^= 0x15;
    EXPECT_THROW(Inflated(changed, Ramp().size()), Error) << n;
  }
}

TEST(Inflate, SizeIsABoundAndMustBeMet) {
  ExpectError([] { Inflated(kFixed, 24); }, {"part.vtu", "more than the announced 24 bytes", "damaged"});
  ExpectError([] { Inflated(kFixed, 26); }, {"part.vtu", "25 bytes instead of 26"});
  ExpectError([] { Inflated(kStored, 11); }, {"more than the announced 11 bytes"});
  // No memory is taken for an announcement that the stream cannot bear out.
  ExpectError([] { Inflated(kFixed, std::size_t{1} << 62); }, {"25 bytes instead of"});
}

TEST(Inflate, ErrorsSayWhatIsWrong) {
  ExpectError([] { Inflated({}, 1); }, {"cut off", "write it again"});
  ExpectError([] { Inflated({0x1f, 0x8b, 8, 0}, 1); }, {"does not start like a zlib stream"});
  ExpectError([] { Inflated({0x78, 0x9c, 0x07}, 1); }, {"block of unknown kind"});
  ExpectError([] { Inflated({0x78, 0x9c, 0x01, 1, 0, 1, 0, 7}, 1); }, {"stored block with a wrong length"});
  // Fixed codes: a run of length 3 at distance 1 (0000001 00000) with nothing before it.
  ExpectError([] { Inflated({0x78, 0x9c, 0x03, 0x02, 0x00}, 3); }, {"before its start"});
  Bytes wrong = kStored;
  wrong.back() ^= 1;
  ExpectError([&] { Inflated(wrong, 12); }, {"wrong checksum"});
}

}  // namespace
}  // namespace taxel
