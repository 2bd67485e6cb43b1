#include "taxel/skin/layout_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "taxel/math/error.h"
#include "taxel/shape/read_file.h"
#include "taxel/shape/text_scan.h"

namespace taxel {
using namespace internal;
namespace {

constexpr double kLargest = 10;  // m
constexpr std::int64_t kLargestFile = 100'000'000;
constexpr std::string_view kColumns[6] = {"x", "y", "z", "nx", "ny", "nz"};

[[noreturn]] void FailAtLine(const std::string& name, int line, const std::string& message) {
  throw Error("layout file '" + name + "', line " + std::to_string(line) + ": " + message);
}

std::string ReadText(const std::string& path) {
  return ReadFile("layout file", path, kLargestFile,
                  "a list of " + std::to_string(kMaxTaxels) + " taxels needs far less than " +
                      std::to_string(kLargestFile) + ": is it another file?");
}

std::string_view Trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

void SplitAtCommas(std::string_view line, std::vector<std::string_view>* cells) {
  cells->clear();
  for (std::size_t comma; (comma = line.find(',')) != line.npos; line.remove_prefix(comma + 1))
    cells->push_back(Trimmed(line.substr(0, comma)));
  cells->push_back(Trimmed(line));
}

std::string TaxelName(std::size_t index) { return "taxel " + std::to_string(index); }

// Adds a row of numbers for kColumns[first] .. [first + size - 1]; says what is wrong with it, or nothing.
std::string AddRow(const double* row, std::size_t first, std::size_t size, LayoutSites* out) {
  const std::string who = TaxelName(first == 0 ? out->points.size() : out->normals.size());
  for (std::size_t k = 0; k < size; ++k) {
    const std::string what = std::string(kColumns[first + k]) + " of " + who + " is " + ToText(row[k]);
    if (!std::isfinite(row[k])) return what + "; it must be finite";
    if (first + k < 3 && std::fabs(row[k]) > kLargest)
      return what + " m, more than " + ToText(kLargest) +
             " m; taxel works in metres: if this was millimetres, divide by 1000";
  }
  if (std::max(out->points.size(), out->normals.size()) == kMaxTaxels)
    return "more than " + std::to_string(kMaxTaxels) + " taxels; one sensor has no more: split it";
  if (first == 0) out->points.push_back({row[0], row[1], row[2]});
  if (first + size < 6) return {};
  const double* n = row + size - 3;
  out->normals.push_back({n[0], n[1], n[2]});
  if (!(norm(out->normals.back()) > 1e-9))
    return "the normal of " + who + " has no length; it must point out of the body";
  return {};
}

// A recursive-descent reader for the few shapes that a layout has.
class JsonReader {
 public:
  JsonReader(std::string_view text, const std::string& name) : text_(text), name_(name) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  LayoutSites Read() {
    LayoutSites sites;
    if (Next() == '{') {
      ReadObject(&sites);
    } else if (Next() == '[') {
      ReadRows("the list", 0, true, &sites);
    } else {
      Expected("a list [...] or an object {\"points\": ...}");
    }
    Next();
    if (at_ < text_.size()) Expected("the end of the file");
    return sites;
  }

 private:
  void ReadObject(LayoutSites* sites) {
    bool points = false, normals = false;
    Take('{');
    do {
      const std::size_t key_at = (Next(), at_);
      const std::string key = ReadKey();
      if (key != "points" && key != "normals")
        Fail(key_at, "key " + Quoted(key) + " is unknown; \"points\" and \"normals\" are allowed");
      bool& seen = key == "points" ? points : normals;
      if (seen) Fail(key_at, "key \"" + key + "\" is there twice; keep one");
      seen = true;
      Take(':');
      LayoutSites rows;
      ReadRows("\"" + key + "\"", key == "points" ? 0 : 3, false, &rows);
      if (key == "points") sites->points = std::move(rows.points);
      if (key == "normals") sites->normals = std::move(rows.normals);
    } while (TakeIf(','));
    Take('}');
    if (!points) Fail(at_, "the key \"points\" is missing");
    if (normals && sites->normals.size() != sites->points.size())
      Fail(at_, std::to_string(sites->points.size()) + " points but " +
                    std::to_string(sites->normals.size()) +
                    " normals; give one a point, or leave \"normals\" out");
  }

  void ReadRows(const std::string& what, std::size_t first, bool six_allowed, LayoutSites* out) {
    std::size_t width = 0;
    Take('[');
    if (Next() == ']') Fail(at_, what + " has no point; give at least one");
    do {
      const std::size_t row_at = (Next(), at_);
      double row[6];
      std::size_t size = 0;
      Take('[');
      do {
        const double value = ReadNumber();
        if (size == 6) Fail(row_at, "a row has more than 6 numbers");
        row[size++] = value;
      } while (TakeIf(','));
      Take(']');
      if (size != 3 && !(six_allowed && size == 6))
        Fail(row_at, what + " has a row of " + std::to_string(size) + " numbers; " +
                         (six_allowed ? "3 (a point) or 6 (with its normal) are allowed" : "3 are needed"));
      if (width != 0 && size != width)
        Fail(row_at, what + " has rows of 3 and of 6 numbers; give all taxels normals, or none");
      width = size;
      if (const std::string wrong = AddRow(row, first, size, out); !wrong.empty()) Fail(row_at, wrong);
    } while (TakeIf(','));
    Take(']');
  }

  std::string ReadKey() {
    if (Next() != '"') Expected("a key in quotation marks");
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') ++at_;
    if (at_ >= text_.size() || text_[at_] != '"') Fail(begin, "the key has no closing quotation mark");
    return std::string(text_.substr(begin, at_++ - begin));
  }

  double ReadNumber() {
    Next();
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view("+-.0123456789eE").find(text_[at_]) != std::string_view::npos)
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    // What JSON forbids but ToNumber reads: "+1", ".5", "1."
    const std::size_t first = word.starts_with('-') ? 1 : 0;
    const auto digit = [&](std::size_t i) { return i < word.size() && word[i] >= '0' && word[i] <= '9'; };
    const std::size_t dot = word.find('.');
    const auto value = ToNumber(word);
    if (!value || !digit(first) || (dot != word.npos && !digit(dot + 1)) ||
        (word[first] == '0' && digit(first + 1))) {
      at_ = begin;
      Expected("a number such as 0.05 (metres)");
    }
    return *value;
  }

  // Skips blanks; the next character, or 0 at the end.
  char Next() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool TakeIf(char c) {
    if (Next() != c) return false;
    ++at_;
    return true;
  }
  void Take(char c) {
    if (!TakeIf(c)) Expected(std::string("'") + c + "'");
  }

  [[noreturn]] void Expected(const std::string& what) {
    if (Next() == '\0' && at_ >= text_.size())
      Fail(at_, "the file ends where " + what + " is expected; is it complete?");
    std::size_t end = at_ + 1;
    while (end < text_.size() && end - at_ < 12 &&
           std::string_view(" \t\r\n,:[]{}").find(text_[end]) == std::string_view::npos)
      ++end;
    Fail(at_, Quoted(text_.substr(at_, end - at_)) + " where " + what + " is expected");
  }
  [[noreturn]] void Fail(std::size_t at, const std::string& message) const {
    int line = 1;
    for (std::size_t i = 0; i < at && i < text_.size(); ++i)
      line += text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n'));
    FailAtLine(name_, line, message);
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

void CheckNotEmpty(std::string_view text, const std::string& name) {
  if (text.empty()) throw Error("layout file '" + name + "' is empty (0 bytes); write it again");
}

}  // namespace

LayoutSites ParseLayoutCsv(std::string_view text, const std::string& name) {
  CheckNotEmpty(text, name);
  LayoutSites sites;
  std::vector<std::string_view> cells;
  std::size_t width = 0;
  TextScan scan(text, name);
  int number = 0;
  while (scan.remaining() > 0) {
    const std::string_view line = Trimmed(scan.Line());
    ++number;
    if (line.empty() || line.front() == '#') continue;
    SplitAtCommas(line, &cells);
    if (width == 0) {
      width = cells.size();
      bool known = width == 3 || width == 6;
      for (std::size_t k = 0; known && k < width; ++k) known = EqualsIgnoringCase(cells[k], kColumns[k]);
      if (!known)
        FailAtLine(name, number,
                   "the header is " + Quoted(line) + "; it must be x,y,z or x,y,z,nx,ny,nz (metres, commas)");
      continue;
    }
    if (cells.size() != width)
      FailAtLine(name, number,
                 std::to_string(cells.size()) + " columns, but the header has " + std::to_string(width));
    double row[6];
    for (std::size_t k = 0; k < width; ++k) {
      const auto value = ToNumber(cells[k]);
      if (!value)
        FailAtLine(name, number,
                   std::string(kColumns[k]) + " of " + TaxelName(sites.points.size()) +
                       (cells[k].empty() ? " is missing" : " is " + Quoted(cells[k]) + ", not a number") +
                       "; write decimal numbers such as 0.05 (metres), separated by commas");
      row[k] = *value;
    }
    if (const std::string wrong = AddRow(row, 0, width, &sites); !wrong.empty())
      FailAtLine(name, number, wrong);
  }
  if (width == 0) FailAtLine(name, number, "there is no header; it must be x,y,z or x,y,z,nx,ny,nz");
  if (sites.points.empty())
    FailAtLine(name, number, "there is no taxel below the header; give at least one line");
  return sites;
}

LayoutSites ParseLayoutJson(std::string_view text, const std::string& name) {
  CheckNotEmpty(text, name);
  return JsonReader(text, name).Read();
}

LayoutSites ReadLayoutFile(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const bool csv = EqualsIgnoringCase(extension, ".csv"), json = EqualsIgnoringCase(extension, ".json");
  if (!csv && !json)
    throw Error("layout file '" + path + "' ends with " + Quoted(extension) +
                "; a list of taxels is a .csv or a .json file");
  const std::string text = ReadText(path);
  return csv ? ParseLayoutCsv(text, path) : ParseLayoutJson(text, path);
}

}  // namespace taxel
