// Tags of an XML file, one after the other: as much of XML as VTK files use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taxel::internal {

/// One start or end tag. An empty element (<a/>) is one tag with both flags.
struct XmlTag {
  std::string_view name;
  std::string_view parent;  // the element it stands in; empty for the outermost one
  bool starts = false, ends = false;
  std::size_t position = 0;  // of its '<'
  std::size_t after = 0;     // first byte behind its '>'
  std::vector<std::pair<std::string_view, std::string_view>> attributes;

  /// The value as written (entities stay); `otherwise` when the attribute is absent.
  std::string_view Attribute(std::string_view name, std::string_view otherwise = {}) const;
};

/// Walks over the tags and skips comments, declarations and text. Nesting is checked: each end tag must
/// match. Time is linear in the file. The text and the name must outlive it.
class XmlScan {
 public:
  XmlScan(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  /// Nothing at the end of the file; then every element is closed. Throws Error for text that is not XML.
  std::optional<XmlTag> Next();
  /// First '<' at or after `position`, or the end of the file: where the text of an element stops.
  std::size_t TextEnd(std::size_t position) const;
  /// Throws Error "mesh file 'NAME', line N: MESSAGE".
  [[noreturn]] void FailAt(std::size_t position, const std::string& message) const;

 private:
  void ReadAttributes(XmlTag* tag);
  std::string_view ReadName();
  void SkipSpace();
  void SkipBehind(std::string_view terminator);

  std::string_view text_;
  const std::string& name_;
  std::size_t position_ = 0;
  std::vector<std::string_view> open_;
};

}  // namespace taxel::internal
