#include "taxel/shape/xml_scan.h"

#include "taxel/shape/text_scan.h"

namespace taxel::internal {

namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == ':';
}

}  // namespace

std::string_view XmlTag::Attribute(std::string_view wanted, std::string_view otherwise) const {
  for (const auto& [key, value] : attributes)
    if (key == wanted) return value;
  return otherwise;
}

std::optional<XmlTag> XmlScan::Next() {
  for (;;) {
    position_ = TextEnd(position_);
    const std::string_view rest = text_.substr(position_);
    if (rest.empty()) {
      if (!open_.empty())
        FailAt(position_, "the file ends inside <" + std::string(open_.back().substr(0, 40)) +
                              ">; it is cut off: write it again");
      return std::nullopt;
    }
    if (rest.starts_with("<!--")) {
      SkipBehind("-->");
    } else if (rest.starts_with("<?")) {
      SkipBehind("?>");
    } else if (rest.starts_with("<!")) {
      SkipBehind(">");
    } else {
      break;
    }
  }
  XmlTag tag;
  tag.position = position_++;
  if (position_ < text_.size() && text_[position_] == '/') {
    ++position_;
    tag.ends = true;
    tag.name = ReadName();
    SkipSpace();
  } else {
    tag.starts = true;
    tag.name = ReadName();
    ReadAttributes(&tag);
  }
  if (tag.starts && position_ < text_.size() && text_[position_] == '/') {
    ++position_;
    tag.ends = true;
  }
  if (tag.name.empty() || position_ >= text_.size() || text_[position_] != '>')
    FailAt(tag.position, "the tag " + Quoted(text_.substr(tag.position, 20)) +
                             " is not well formed; the file is damaged, write it again");
  tag.after = ++position_;
  if (tag.starts && !open_.empty()) tag.parent = open_.back();
  if (tag.starts && !tag.ends) open_.push_back(tag.name);
  if (!tag.starts) {
    if (open_.empty() || open_.back() != tag.name)
      FailAt(tag.position,
             "</" + std::string(tag.name.substr(0, 40)) + "> closes " +
                 (open_.empty() ? "nothing" : "<" + std::string(open_.back().substr(0, 40)) + ">") +
                 "; the file is damaged, write it again");
    open_.pop_back();
  }
  return tag;
}

std::size_t XmlScan::TextEnd(std::size_t position) const {
  const std::size_t end = text_.find('<', position);
  return end == text_.npos ? text_.size() : end;
}

void XmlScan::FailAt(std::size_t position, const std::string& message) const {
  TextScan(text_, name_).FailAt(position, message);
}

void XmlScan::ReadAttributes(XmlTag* tag) {
  for (;;) {
    SkipSpace();
    const std::string_view key = ReadName();
    if (key.empty()) return;
    SkipSpace();
    if (position_ >= text_.size() || text_[position_] != '=')
      FailAt(tag->position,
             "attribute " + Quoted(key) + " has no value; the file is damaged, write it again");
    ++position_;
    SkipSpace();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    const std::size_t end = quote == '"' || quote == '\'' ? text_.find(quote, position_ + 1) : text_.npos;
    if (end == text_.npos)
      FailAt(tag->position, "the value of attribute " + Quoted(key) +
                                " is not in quotation marks; the file is damaged, write it again");
    tag->attributes.emplace_back(key, text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
  }
}

std::string_view XmlScan::ReadName() {
  const std::size_t begin = position_;
  while (position_ < text_.size() && IsNameCharacter(text_[position_])) ++position_;
  return text_.substr(begin, position_ - begin);
}

void XmlScan::SkipSpace() {
  while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
}

void XmlScan::SkipBehind(std::string_view terminator) {
  const std::size_t end = text_.find(terminator, position_ + 2);
  if (end == text_.npos)
    FailAt(position_, "'" + std::string(terminator) + "' is missing; the file is damaged, write it again");
  position_ = end + terminator.size();
}

}  // namespace taxel::internal
