// Writes JSON, for what another engine or language reads of a scene.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "taxel/math/vec3.h"

namespace taxel::mujoco {

/// Commas come by themselves.
class Json {
 public:
  std::string text;

  Json& Open(char bracket) { return Comma(), text += bracket, *this; }
  Json& Close(char bracket) { return text += bracket, *this; }
  Json& Key(const char* name) { return Comma(), text += '"', text += name, text += "\":", *this; }
  Json& Text(const std::string& value) {
    Comma();
    text += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    text += '"';
    return *this;
  }
  Json& Number(double value) {
    Comma();
    if (!std::isfinite(value)) return text += "null", *this;
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    text += digits;
    return *this;
  }
  /// All 64 bits: as text, since readers make doubles of numbers.
  Json& Bits(std::uint64_t value) { return Text(std::to_string(value)); }
  Json& Numbers(const Vec3& v) { return Number(v.x).Number(v.y).Number(v.z); }
  template <class List>
  Json& Numbers(const List& list) {
    for (const auto x : list) Number(x);
    return *this;
  }

 private:
  void Comma() {
    if (!text.empty() && text.back() != '[' && text.back() != '{' && text.back() != ':') text += ',';
  }
};

}  // namespace taxel::mujoco
