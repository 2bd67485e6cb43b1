// Tags of XML as people write it by hand, and as papers print it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taxel::internal {

/// One start or end tag; an empty element (<a/>) is both. Names of elements and attributes in lower case.
struct LooseTag {
  std::string name;
  bool starts = false, ends = false;
  std::size_t position = 0, after = 0;  ///< of its '<'; first byte behind its '>'
  bool as_printed = false;  ///< "sensorname = ...", which the paper prints for "sensor name = ..."
  std::vector<std::pair<std::string, std::string>> attributes;

  /// The value, or nullptr.
  const std::string* Find(std::string_view key) const;
};

std::string_view TrimBlanks(std::string_view text);

/// Walks over the tags. Unlike XmlScan (shape/xml_scan.h), which is for VTK, it takes any case, blanks inside
/// tags (< /k >) and typographic quotation marks, hands out the text between tags, and speaks of sensor
/// files. Comments, declarations and a byte order mark are skipped; nesting is checked, to 64 levels. Time is
/// linear in the file. The text and the path must outlive it.
class LooseTags {
 public:
  LooseTags(std::string_view text, const std::string& path);

  /// Nothing at the end of the file; then every element is closed. @throws Error
  std::optional<LooseTag> Next();
  /// What stands between the last two tags, without comments.
  const std::string& text() const { return between_; }
  /// Number of elements that are open.
  std::size_t depth() const { return open_.size(); }
  /// With the five entities of XML replaced. @throws Error for another one.
  std::string Decoded(std::string_view text, std::size_t position) const;

  /// Counted from 1. Asking for rising positions costs the file once.
  std::size_t Line(std::size_t position) const;
  /// "sensor file 'PATH', line N", which opens every message.
  std::string Where(std::size_t position) const;
  /// @throws Error "<where>: MESSAGE", always.
  [[noreturn]] void Fail(std::size_t position, const std::string& message) const;

 private:
  enum class Quote { kNone, kSingle, kDouble };
  struct Open {
    std::string name;
    std::size_t position;
  };

  void SkipText();
  void SkipBehind(std::string_view end, std::size_t from);
  void SkipSpace();
  bool Take(char c);
  Quote TakeQuote();
  std::string_view Name();
  LooseTag ReadTag();
  void ReadAttributes(LooseTag* tag);
  void ReadValue(LooseTag* tag, const std::string& key);

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  std::string between_;
  std::vector<Open> open_;
  mutable std::size_t counted_ = 0, lines_ = 0;
};

}  // namespace taxel::internal
