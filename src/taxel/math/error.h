// The one exception type for wrong input.
#pragma once

#include <stdexcept>
#include <string>

namespace taxel {

/// Wrong input. The message names the element, the value, what is allowed and the way out
/// (docs/reference/errors.md).
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Shortest decimal text that reads back as the same double, for messages ("0.05", "1e-06").
std::string ToText(double value);

}  // namespace taxel
