#include "taxel/shape/text_scan.h"

#include <charconv>
#include <limits>

#include "taxel/math/error.h"

namespace taxel::internal {

namespace {

bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool IsSpace(char c) { return IsBlank(c) || IsLineEnd(c); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view WithoutPlus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  return word;
}

}  // namespace

std::string Quoted(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string out = "'";
  for (char c : word.substr(0, kLongest)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (word.size() > kLongest ? "...'" : "'");
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (Lower(a[i]) != Lower(b[i])) return false;
  return true;
}

std::optional<std::int64_t> ToInteger(std::string_view word) {
  word = WithoutPlus(word);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<double> ToNumber(std::string_view word) {
  word = WithoutPlus(word);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not say on which side; writers spell tiny numbers with a negative exponent or as
    // 0.000...
    const bool tiny = word.find("e-") != word.npos || word.find("E-") != word.npos ||
                      word.starts_with("0.") || word.starts_with("-0.");
    return tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return value;
}

void CheckFileSize(std::string_view bytes, const std::string& name) {
  if (bytes.empty()) throw Error("mesh file '" + name + "' is empty (0 bytes); write it again");
  constexpr std::size_t kLargest = std::numeric_limits<std::int32_t>::max();
  if (bytes.size() > kLargest)
    throw Error("mesh file '" + name + "' has " + std::to_string(bytes.size()) + " bytes; at most " +
                std::to_string(kLargest) + " can be read: simplify the mesh");
}

void FailAtByte(const std::string& name, std::size_t byte, const std::string& message) {
  throw Error("mesh file '" + name + "', byte " + std::to_string(byte) + ": " + message);
}

TextScan::TextScan(std::string_view text, const std::string& name, std::size_t begin, std::size_t end)
    : text_(text), name_(name), position_(begin), end_(end), last_(begin) {
  if (begin == 0 && text.starts_with("\xEF\xBB\xBF")) MoveTo(3);  // byte-order mark of UTF-8
}

std::string_view TextScan::Word() {
  while (position_ < end_ && IsSpace(text_[position_])) ++position_;
  last_ = position_;
  while (position_ < end_ && !IsSpace(text_[position_])) ++position_;
  return text_.substr(last_, position_ - last_);
}

std::string_view TextScan::WordInLine() {
  const auto continues = [&] {
    return text_[position_] == '\\' && position_ + 1 < end_ && IsLineEnd(text_[position_ + 1]);
  };
  while (position_ < end_) {
    if (IsBlank(text_[position_])) {
      ++position_;
    } else if (continues()) {
      ++position_;
      Line();
    } else {
      break;
    }
  }
  last_ = position_;
  while (position_ < end_ && !IsSpace(text_[position_]) && !continues()) ++position_;
  return text_.substr(last_, position_ - last_);
}

std::string_view TextScan::Line() {
  last_ = position_;
  while (position_ < end_ && !IsLineEnd(text_[position_])) ++position_;
  const std::string_view line = text_.substr(last_, position_ - last_);
  if (position_ < end_ && text_[position_++] == '\r' && position_ < end_ && text_[position_] == '\n')
    ++position_;
  return line;
}

void TextScan::FailCoordinate(std::string_view word, const std::string& what) const {
  if (word.empty()) Fail(what + " is missing; three numbers (metres) are needed");
  if (!ToNumber(word))
    Fail(what + " is " + Quoted(word) + ", not a number; write a decimal number such as 0.05 (metres)");
  Fail(what + " is " + Quoted(word) + "; coordinates must be finite and at most " +
       ToText(kLargestCoordinate) + " m: repair or remove it");
}

void TextScan::FailAt(std::size_t position, const std::string& message) const {
  std::size_t line = 1;
  for (std::size_t i = 0; i < position && i < text_.size(); ++i)
    if (text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n'))) ++line;
  throw Error("mesh file '" + name_ + "', line " + std::to_string(line) + ": " + message);
}

}  // namespace taxel::internal
