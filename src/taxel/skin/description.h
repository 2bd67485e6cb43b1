// A sensor described by keys and values: the same words in MJCF, in Python and in files.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace taxel {

/// Keys with their values as text, in any order. Each concept (layout, read-out, signal chain) reads its own
/// keys through the checked getters below; what nobody asked for is found by CheckAllRead.
class Description {
 public:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  /// `where` opens every message: "sensor 'myrmex'".
  Description(std::string where, Entries entries);

  const std::string& where() const { return where_; }
  const Entries& entries() const { return entries_; }
  /// The value, or nullptr when the key is not there or empty. Marks the key as read.
  const std::string* Find(const std::string& key) const;
  bool Has(const std::string& key) const { return Find(key) != nullptr; }

  /// The getters below need the key to be there (Has) and throw Error "<where>: key="value" is not
  /// <allowed>".
  [[noreturn]] void Fail(const std::string& key, const std::string& allowed) const;
  const std::string& Text(const std::string& key) const;
  std::vector<double> Numbers(const std::string& key) const;  ///< finite, separated by blanks or commas
  /// Exactly `count` numbers, each within [lo, hi].
  std::vector<double> Numbers(const std::string& key, int count, double lo, double hi,
                              const std::string& allowed) const;
  double Number(const std::string& key, double lo, double hi, const std::string& allowed) const;
  int Integer(const std::string& key, int lo, int hi, const std::string& allowed) const;
  bool Flag(const std::string& key) const;  ///< true, false, 1, 0
  /// The same with range and words of the table (description_keys.h), which must have the key.
  double Number(const std::string& key) const;
  int Integer(const std::string& key) const;
  [[noreturn]] void Fail(const std::string& key) const;
  /// Index of the value among the names.
  int Choice(const std::string& key, const std::vector<std::string>& names) const;
  /// Whole numbers from lo to hi.
  std::vector<int> Integers(const std::string& key, int lo, int hi, const std::string& allowed) const;

  /// The same description with one value changed; empty: without the key.
  Description With(const std::string& key, const std::string& value) const;

  /// @throws Error that names the first key nobody read, with the nearest of the keys that are known.
  void CheckAllRead() const;

 private:
  std::string where_;
  Entries entries_;
  mutable std::vector<std::string> asked_;  // every key that somebody looked for
};

}  // namespace taxel
