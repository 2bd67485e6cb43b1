// A whole file in memory, with messages for everything that can be wrong with it.
#pragma once

#include <cstdint>
#include <string>

namespace taxel::internal {

/// The bytes of a regular file of at most `most` bytes. `kind` opens the messages ("mesh file"); `too_large`
/// ends that for a larger one ("'path' has N bytes; <too_large>").
/// @throws Error
std::string ReadFile(const std::string& kind, const std::string& path, std::int64_t most,
                     const std::string& too_large);

}  // namespace taxel::internal
