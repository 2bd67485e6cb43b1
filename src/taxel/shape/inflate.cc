#include "taxel/shape/inflate.h"

#include <algorithm>

#include "taxel/math/error.h"

namespace taxel::internal {

namespace {

constexpr int kLongestCode = 15;
constexpr int kSymbols = 288;

/// Canonical Huffman code: how many codes there are of each length, and the symbols in order of their codes.
struct Huffman {
  std::uint16_t count[kLongestCode + 1] = {};
  std::uint16_t symbol[kSymbols] = {};
};

class Inflater {
 public:
  Inflater(std::span<const std::uint8_t> in, std::size_t size, const std::string& what)
      : in_(in), size_(size), what_(what) {
    out_.reserve(std::min(size, kLargestInflateRatio * in.size()));
  }

  std::vector<std::uint8_t> Run() {
    const unsigned method_and_window = Bits(8), flags = Bits(8);
    if ((method_and_window & 15) != 8 || (method_and_window * 256 + flags) % 31 != 0 || (flags & 32) != 0)
      Fail("does not start like a zlib stream");
    for (bool last = false; !last;) {
      last = Bits(1) == 1;
      switch (Bits(2)) {
        case 0:
          Stored();
          break;
        case 1:
          Compressed(FixedLengths(), FixedDistances());
          break;
        case 2:
          Dynamic();
          break;
        default:
          Fail("has a block of unknown kind");
      }
    }
    if (out_.size() != size_)
      Fail("unpacks to " + std::to_string(out_.size()) + " bytes instead of " + std::to_string(size_));
    CheckSum();
    return std::move(out_);
  }

 private:
  unsigned Bits(int need) {
    while (bit_count_ < need) {
      if (position_ == in_.size()) Fail("is cut off");
      bits_ |= std::uint32_t{in_[position_++]} << bit_count_;
      bit_count_ += 8;
    }
    const unsigned value = bits_ & ((1u << need) - 1);
    bits_ >>= need;
    bit_count_ -= need;
    return value;
  }

  void DropToByte() { bits_ = 0, bit_count_ = 0; }  // at most 7 bits are ever left over

  /// One symbol, bit by bit: the codes of each length are consecutive numbers, so `code - first` counts into
  /// them.
  int Decode(const Huffman& h) {
    int code = 0, first = 0, index = 0;
    for (int length = 1; length <= kLongestCode; ++length) {
      code |= static_cast<int>(Bits(1));
      const int count = h.count[length];
      if (code - count < first) return h.symbol[index + (code - first)];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    Fail("holds an unknown code");
  }

  Huffman Build(const std::uint8_t* lengths, int n) const {
    Huffman h;
    for (int i = 0; i < n; ++i) ++h.count[lengths[i]];
    int left = 1;  // codes still free at this length
    for (int length = 1; length <= kLongestCode; ++length) {
      left = 2 * left - h.count[length];
      if (left < 0) Fail("has a code table with too many codes");
    }
    int offset[kLongestCode + 2] = {};
    for (int length = 1; length <= kLongestCode; ++length)
      offset[length + 1] = offset[length] + h.count[length];
    for (int i = 0; i < n; ++i)
      if (lengths[i] != 0) h.symbol[offset[lengths[i]]++] = static_cast<std::uint16_t>(i);
    h.count[0] = 0;
    return h;
  }

  Huffman FixedLengths() const {
    std::uint8_t lengths[kSymbols];
    for (int i = 0; i < kSymbols; ++i) lengths[i] = i < 144 ? 8 : (i < 256 ? 9 : (i < 280 ? 7 : 8));
    return Build(lengths, kSymbols);
  }
  Huffman FixedDistances() const {
    std::uint8_t lengths[30];
    std::fill(std::begin(lengths), std::end(lengths), 5);
    return Build(lengths, 30);
  }

  void Stored() {
    DropToByte();
    const unsigned length = Bits(16), complement = Bits(16);
    if (length != (~complement & 0xffff)) Fail("has a stored block with a wrong length");
    if (in_.size() - position_ < length) Fail("is cut off");
    CheckRoom(length);
    out_.insert(out_.end(), in_.begin() + position_, in_.begin() + position_ + length);
    position_ += length;
  }

  void Dynamic() {
    static constexpr std::uint8_t kOrder[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    const int length_codes = 257 + static_cast<int>(Bits(5)), distance_codes = 1 + static_cast<int>(Bits(5));
    const int order_codes = 4 + static_cast<int>(Bits(4));
    if (length_codes > 286 || distance_codes > 30) Fail("has a code table of a wrong size");
    std::uint8_t lengths[286 + 30] = {};
    for (int i = 0; i < order_codes; ++i) lengths[kOrder[i]] = static_cast<std::uint8_t>(Bits(3));
    const Huffman length_code = Build(lengths, 19);
    std::fill(std::begin(lengths), std::end(lengths), 0);
    for (int i = 0; i < length_codes + distance_codes;) {
      const int symbol = Decode(length_code);
      if (symbol < 16) {
        lengths[i++] = static_cast<std::uint8_t>(symbol);
        continue;
      }
      if (symbol == 16 && i == 0) Fail("repeats a code length before the first one");
      const std::uint8_t value = symbol == 16 ? lengths[i - 1] : 0;
      int repeat = symbol == 16   ? 3 + static_cast<int>(Bits(2))
                   : symbol == 17 ? 3 + static_cast<int>(Bits(3))
                                  : 11 + static_cast<int>(Bits(7));
      if (i + repeat > length_codes + distance_codes) Fail("has a code table of a wrong size");
      while (repeat-- > 0) lengths[i++] = value;
    }
    Compressed(Build(lengths, length_codes), Build(lengths + length_codes, distance_codes));
  }

  void Compressed(const Huffman& lengths, const Huffman& distances) {
    static constexpr std::uint16_t kLength[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                  15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                  67, 83, 99, 115, 131, 163, 195, 227, 258};
    static constexpr std::uint8_t kLengthBits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                     2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static constexpr std::uint16_t kDistance[30] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    static constexpr std::uint8_t kDistanceBits[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                       6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
    constexpr int kEndOfBlock = 256;
    for (int symbol; (symbol = Decode(lengths)) != kEndOfBlock;) {
      if (symbol < kEndOfBlock) {
        CheckRoom(1);
        out_.push_back(static_cast<std::uint8_t>(symbol));
        continue;
      }
      symbol -= kEndOfBlock + 1;
      if (symbol >= 29) Fail("holds an unknown code");
      std::size_t length = kLength[symbol] + Bits(kLengthBits[symbol]);
      const int distance_symbol = Decode(distances);
      if (distance_symbol >= 30) Fail("holds an unknown code");
      const std::size_t distance = kDistance[distance_symbol] + Bits(kDistanceBits[distance_symbol]);
      if (distance > out_.size()) Fail("refers to bytes before its start");
      CheckRoom(length);
      // Byte by byte, because a run may overlap its own source.
      while (length-- > 0) out_.push_back(out_[out_.size() - distance]);
    }
  }

  void CheckRoom(std::size_t more) const {
    if (more > size_ - out_.size())
      Fail("unpacks to more than the announced " + std::to_string(size_) + " bytes");
  }

  void CheckSum() {
    DropToByte();
    std::uint32_t announced = 0;
    for (int i = 0; i < 4; ++i) announced = announced << 8 | Bits(8);
    constexpr std::uint32_t kModulus = 65521;
    std::uint32_t a = 1, b = 0;
    for (std::size_t i = 0; i < out_.size();) {
      // 5552 bytes are the most that keep b below 2^32 between two reductions.
      for (const std::size_t end = std::min(out_.size(), i + 5552); i < end; ++i) b += a += out_[i];
      a %= kModulus, b %= kModulus;
    }
    if (announced != (b << 16 | a)) Fail("has a wrong checksum");
  }

  [[noreturn]] void Fail(const std::string& message) const {
    throw Error(what_ + ": the compressed data " + message + "; the file is damaged: write it again");
  }

  std::span<const std::uint8_t> in_;
  std::size_t size_;
  const std::string& what_;
  std::size_t position_ = 0;
  std::uint32_t bits_ = 0;
  int bit_count_ = 0;
  std::vector<std::uint8_t> out_;
};

}  // namespace

std::vector<std::uint8_t> InflateZlib(std::span<const std::uint8_t> compressed, std::size_t size,
                                      const std::string& what) {
  return Inflater(compressed, size, what).Run();
}

}  // namespace taxel::internal
