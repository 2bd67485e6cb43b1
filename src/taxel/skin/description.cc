#include "taxel/skin/description.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "taxel/math/error.h"
#include "taxel/skin/description_keys.h"

namespace taxel {
namespace {

bool Blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }

// Edits needed to turn one word into the other.
int EditDistance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

const DescriptionKey& Known(const std::string& key) {
  const DescriptionKey* known = FindDescriptionKey(key);
  if (!known) throw std::logic_error("description_keys.h does not know " + key);
  return *known;
}

const DescriptionKey& WithRange(const std::string& key) {
  const DescriptionKey& known = Known(key);
  if (known.range.empty()) throw std::logic_error("description_keys.h has no range of " + key);
  return known;
}

}  // namespace

Description::Description(std::string where, Entries entries)
    : where_(std::move(where)), entries_(std::move(entries)) {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (entries_[i].first == entries_[j].first)
        throw Error(where_ + ": " + entries_[i].first + " is given twice; keep one");
}

const std::string* Description::Find(const std::string& key) const {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  for (const auto& [k, v] : entries_)
    if (k == key) return v.empty() ? nullptr : &v;
  return nullptr;
}

void Description::Fail(const std::string& key, const std::string& allowed) const {
  const std::string* value = Find(key);
  std::string shown = value ? *value : "";
  if (shown.size() > 60) shown = shown.substr(0, 57) + "...";
  throw Error(where_ + ": " + key + "=\"" + shown + "\" is not " + allowed);
}

const std::string& Description::Text(const std::string& key) const {
  const std::string* value = Find(key);
  if (!value) throw Error(where_ + " needs " + key);
  return *value;
}

std::vector<double> Description::Numbers(const std::string& key) const {
  std::vector<double> out;
  const char* p = Text(key).c_str();
  while (Blank(*p)) ++p;
  while (*p) {
    char* end;
    const double x = std::strtod(p, &end);
    // "1-2" and "1.2.3" are slips, not lists.
    if (end == p || !std::isfinite(x) || !(*end == '\0' || Blank(*end))) Fail(key, "a list of numbers");
    out.push_back(x);
    p = end;
    while (Blank(*p)) ++p;
  }
  return out;
}

std::vector<double> Description::Numbers(const std::string& key, int count, double lo, double hi,
                                         const std::string& allowed) const {
  std::vector<double> x = Numbers(key);
  if (static_cast<int>(x.size()) != count) Fail(key, allowed);
  for (double v : x)
    if (v < lo || v > hi) Fail(key, allowed);
  return x;
}

double Description::Number(const std::string& key, double lo, double hi, const std::string& allowed) const {
  return Numbers(key, 1, lo, hi, allowed)[0];
}

std::vector<int> Description::Integers(const std::string& key, int lo, int hi,
                                       const std::string& allowed) const {
  std::vector<int> out;
  for (double v : Numbers(key)) {
    if (v != std::floor(v) || v < lo || v > hi) Fail(key, allowed);
    out.push_back(static_cast<int>(v));
  }
  return out;
}

int Description::Integer(const std::string& key, int lo, int hi, const std::string& allowed) const {
  const std::vector<int> x = Integers(key, lo, hi, allowed);
  if (x.size() != 1) Fail(key, allowed);
  return x[0];
}

double Description::Number(const std::string& key) const {
  const DescriptionKey& known = WithRange(key);
  return Number(key, known.range.lo, known.range.hi, known.allowed);
}

int Description::Integer(const std::string& key) const {
  const DescriptionKey& known = WithRange(key);
  return Integer(key, static_cast<int>(known.range.lo), static_cast<int>(known.range.hi), known.allowed);
}

void Description::Fail(const std::string& key) const { Fail(key, Known(key).allowed); }

bool Description::Flag(const std::string& key) const {
  const std::string& value = Text(key);
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  Fail(key, "true or false");
}

int Description::Choice(const std::string& key, const std::vector<std::string>& names) const {
  const std::string& value = Text(key);
  const auto found = std::find(names.begin(), names.end(), value);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  std::string allowed;
  for (std::size_t i = 0; i < names.size(); ++i)
    allowed += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  Fail(key, allowed);
}

Description Description::With(const std::string& key, const std::string& value) const {
  Description other = *this;
  std::erase_if(other.entries_, [&](const auto& entry) { return entry.first == key; });
  if (!value.empty()) other.entries_.emplace_back(key, value);
  return other;
}

void Description::CheckAllRead() const {
  for (const auto& [key, value] : entries_) {
    if (value.empty() || std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    std::string nearest;
    int least = 3;
    for (const std::string& known : asked_)
      if (const int edits = EditDistance(key, known); edits < least) least = edits, nearest = known;
    throw Error(where_ + ": there is no parameter \"" + key + "\" here (value \"" + value + "\")" +
                (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
  }
}

}  // namespace taxel
