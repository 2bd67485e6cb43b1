// Expects a taxel::Error whose message names everything the user needs.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "taxel/math/error.h"

namespace taxel {

inline void ExpectError(const std::function<void()>& action, std::initializer_list<std::string> parts) {
  std::string message;
  try {
    action();
    ADD_FAILURE() << "no error; expected one that names '" << *parts.begin() << "'";
    return;
  } catch (const Error& error) {
    message = error.what();
  }
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' not in: " << message;
}

}  // namespace taxel
