// Words, lines and numbers in the text of a mesh file, with messages that name the place.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taxel::internal {

/// Larger coordinates (metres) are refused by every reader: up to here areas and volumes stay finite in a
/// double.
inline constexpr double kLargestCoordinate = 1e100;

/// A piece of a file in quotation marks, safe to print: at most 40 characters, those that are not printable
/// ASCII as '?'.
std::string Quoted(std::string_view word);
/// ASCII letters only and whatever the locale, as file formats mean it.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);
/// The whole word as an integer; one leading '+' is allowed. Nothing when it is something else or overflows.
std::optional<std::int64_t> ToInteger(std::string_view word);
/// The whole word as a double ("+1.5e-3", "nan", "inf"); too small becomes 0, too large infinity.
std::optional<double> ToNumber(std::string_view word);
/// Throws Error for an empty file and for one above 2^31 - 1 bytes. The second keeps every count that a file
/// can spell out within an int, so that the parsers need no further check for it.
void CheckFileSize(std::string_view bytes, const std::string& name);
/// Throws Error "mesh file 'NAME', byte N: MESSAGE".
[[noreturn]] void FailAtByte(const std::string& name, std::size_t byte, const std::string& message);

/// A cursor that walks over bytes [begin, end) of a file once; the time is linear in the file. Lines end with
/// LF, CRLF or CR. The text and the name must outlive it.
class TextScan {
 public:
  TextScan(std::string_view text, const std::string& name) : TextScan(text, name, 0, text.size()) {}
  TextScan(std::string_view text, const std::string& name, std::size_t begin, std::size_t end);

  /// Next word, over line ends; empty at the end of the range.
  std::string_view Word();
  /// Next word of this line; empty at its end. A backslash before the line end continues the line.
  std::string_view WordInLine();
  /// The rest of this line without its end; moves to the start of the next line.
  std::string_view Line();
  /// The last word as a coordinate: a number of at most kLargestCoordinate. `describe()` names it in the
  /// message
  /// ("y of vertex 3") and is called only for that.
  template <typename Describe>
  double Coordinate(std::string_view word, const Describe& describe) const {
    const auto value = ToNumber(word);
    if (!value || !(std::fabs(*value) <= kLargestCoordinate)) FailCoordinate(word, describe());
    return *value;
  }

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return end_ - position_; }
  /// Start of the last word or line that was returned; messages name its line.
  std::size_t last() const { return last_; }
  void MoveTo(std::size_t position) { position_ = position < end_ ? position : end_; }

  /// Throws Error "mesh file 'NAME', line N: MESSAGE" for the last word or line.
  [[noreturn]] void Fail(const std::string& message) const { FailAt(last_, message); }
  [[noreturn]] void FailAt(std::size_t position, const std::string& message) const;

 private:
  [[noreturn]] void FailCoordinate(std::string_view word, const std::string& what) const;

  std::string_view text_;
  const std::string& name_;
  std::size_t position_, end_, last_;
};

}  // namespace taxel::internal
