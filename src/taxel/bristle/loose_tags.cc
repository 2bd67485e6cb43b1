#include "taxel/bristle/loose_tags.h"

#include <algorithm>

#include "taxel/math/error.h"
#include "taxel/shape/text_scan.h"

namespace taxel::internal {

namespace {

constexpr std::size_t kDeepest = 64;  // levels; a robot's file has fewer than ten
constexpr std::size_t kMostAttributes = 32;
constexpr std::size_t kLongestName = 100;  // characters

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == ':';
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

const std::string* LooseTag::Find(std::string_view key) const {
  for (const auto& [other, value] : attributes)
    if (other == key) return &value;
  return nullptr;
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

LooseTags::LooseTags(std::string_view text, const std::string& path) : text_(text), path_(path) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

std::optional<LooseTag> LooseTags::Next() {
  SkipText();
  if (at_ >= text_.size()) {
    if (!open_.empty())
      Fail(open_.back().position, "<" + open_.back().name + "> is never closed; add </" + open_.back().name +
                                      ">, or the file was cut off");
    return std::nullopt;
  }
  LooseTag tag = ReadTag();
  if (tag.starts && !tag.ends) {
    if (open_.size() >= kDeepest)
      Fail(tag.position, "elements are nested more than " + std::to_string(kDeepest) +
                             " deep; this is no sensor definition, give another file");
    open_.push_back({tag.name, tag.position});
  } else if (!tag.starts) {
    if (open_.empty())
      Fail(tag.position, "</" + tag.name + "> closes nothing; remove it, or open <" + tag.name + "> before");
    if (open_.back().name != tag.name)
      Fail(tag.position, "</" + tag.name + "> stands where <" + open_.back().name + "> of line " +
                             std::to_string(Line(open_.back().position)) + " is open; close that with </" +
                             open_.back().name + "> first");
    open_.pop_back();
  }
  return tag;
}

std::string LooseTags::Decoded(std::string_view text, std::size_t position) const {
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  while (!text.empty()) {
    std::size_t used = 1;
    char c = text[0];
    if (c == '&') {
      used = 0;
      for (const auto& [name, character] : kEntities)
        if (text.starts_with(name)) used = name.size(), c = character;
      if (used == 0)
        Fail(position, Quoted(text.substr(0, text.find(';') < 12 ? text.find(';') + 1 : 12)) +
                           " is an entity that is not known; write the character, or one of &lt; &gt; &amp; "
                           "&quot; &apos;");
    }
    out += c;
    text.remove_prefix(used);
  }
  return out;
}

std::size_t LooseTags::Line(std::size_t position) const {
  if (position < counted_) counted_ = lines_ = 0;
  for (; counted_ < position; ++counted_) lines_ += text_[counted_] == '\n';
  return lines_ + 1;
}

std::string LooseTags::Where(std::size_t position) const {
  return "sensor file '" + path_ + "', line " + std::to_string(Line(position));
}

void LooseTags::Fail(std::size_t position, const std::string& message) const {
  throw Error(Where(position) + ": " + message);
}

void LooseTags::SkipText() {
  between_.clear();
  for (;;) {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    between_ += text_.substr(at_, end - at_);
    at_ = end;
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<!--")) {
      SkipBehind("-->", 4);
    } else if (rest.starts_with("<?")) {
      SkipBehind("?>", 2);
    } else if (rest.starts_with("<![")) {
      Fail(at_, "'<![CDATA[' is not read; write the text without it");
    } else if (rest.starts_with("<!")) {
      SkipBehind(">", 2);
    } else {
      return;
    }
  }
}

void LooseTags::SkipBehind(std::string_view end, std::size_t from) {
  const std::size_t found = text_.find(end, at_ + from);
  if (found == text_.npos)
    Fail(at_, Quoted(text_.substr(at_, from)) + " has no end; add '" + std::string(end) + "'");
  at_ = found + end.size();
}

void LooseTags::SkipSpace() {
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
}

bool LooseTags::Take(char c) {
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

// Moves behind a quotation mark, straight or typographic (UTF-8), and says of which kind it was.
LooseTags::Quote LooseTags::TakeQuote() {
  static constexpr std::pair<std::string_view, Quote> kQuotes[] = {
      {"\"", Quote::kDouble},     {"\u201C", Quote::kDouble}, {"\u201D", Quote::kDouble},
      {"\u201E", Quote::kDouble}, {"\u2033", Quote::kDouble}, {"'", Quote::kSingle},
      {"\u2018", Quote::kSingle}, {"\u2019", Quote::kSingle}, {"\u201A", Quote::kSingle},
      {"\u2032", Quote::kSingle}};
  for (const auto& [mark, kind] : kQuotes)
    if (text_.substr(at_).starts_with(mark)) {
      at_ += mark.size();
      return kind;
    }
  return Quote::kNone;
}

std::string_view LooseTags::Name() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && IsNameCharacter(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

LooseTag LooseTags::ReadTag() {
  LooseTag tag;
  tag.position = at_++;
  SkipSpace();
  tag.starts = !Take('/');
  tag.ends = !tag.starts;
  SkipSpace();
  tag.name = Lower(Name());
  if (tag.name.size() > kLongestName)
    Fail(tag.position, "the tag " + Quoted(tag.name) + " has a name of more than " +
                           std::to_string(kLongestName) + " characters; is this XML?");
  if (tag.starts && !tag.name.empty()) ReadAttributes(&tag);
  SkipSpace();
  if (tag.starts && Take('/')) tag.ends = true;
  SkipSpace();
  if (tag.name.empty() || !Take('>'))
    Fail(tag.position, "the tag " + Quoted(text_.substr(tag.position, 30)) +
                           " is not well formed; write <name>, </name> or <name key=\"value\">");
  tag.after = at_;
  return tag;
}

void LooseTags::ReadAttributes(LooseTag* tag) {
  SkipSpace();
  if (tag->name == "sensorname" && at_ < text_.size() && text_[at_] == '=') {
    tag->name = "sensor";
    tag->as_printed = true;
    ReadValue(tag, "name");
  }
  for (;;) {
    SkipSpace();
    const std::string key = Lower(Name());
    if (key.empty()) return;
    if (tag->Find(key) != nullptr)
      Fail(tag->position, "<" + tag->name + "> has the attribute " + Quoted(key) + " twice; remove one");
    if (tag->attributes.size() >= kMostAttributes)
      Fail(tag->position, "<" + tag->name + "> has more than " + std::to_string(kMostAttributes) +
                              " attributes; this is no sensor definition, give another file");
    ReadValue(tag, key);
  }
}

void LooseTags::ReadValue(LooseTag* tag, const std::string& key) {
  const std::string what = "the attribute " + Quoted(key) + " of <" + tag->name + ">";
  SkipSpace();
  if (!Take('=')) Fail(tag->position, what + " has no value; write it as key=\"value\"");
  SkipSpace();
  const Quote kind = TakeQuote();
  const std::size_t begin = at_;
  std::size_t end = at_;
  Quote closing = Quote::kNone;
  while (kind != Quote::kNone && at_ < text_.size()) {
    end = at_;
    closing = TakeQuote();
    if (closing == kind) break;
    if (closing == Quote::kNone) ++at_;
  }
  if (kind == Quote::kNone || closing != kind)
    Fail(tag->position, what + " is not between quotation marks; write it as key=\"value\"");
  tag->attributes.emplace_back(key, Decoded(TrimBlanks(text_.substr(begin, end - begin)), tag->position));
}

}  // namespace taxel::internal
