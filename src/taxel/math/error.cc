#include "taxel/math/error.h"

#include <charconv>

namespace taxel {

std::string ToText(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return std::string(buffer, end);
}

}  // namespace taxel
