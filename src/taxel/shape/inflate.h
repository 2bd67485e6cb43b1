// Decompression of zlib streams (RFC 1950 and 1951), for compressed VTK files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taxel::internal {

/// Deflate cannot shrink data by more than this factor; a file that announces more is hostile or damaged.
inline constexpr std::size_t kLargestInflateRatio = 1032;

/// Decompresses one zlib stream into exactly `size` bytes and verifies its Adler-32 checksum. Bytes after the
/// stream are not looked at. Memory is bounded by min(size, kLargestInflateRatio x compressed bytes). Throws
/// Error, with `what` in front of the message, for anything but a whole, valid stream of that size.
std::vector<std::uint8_t> InflateZlib(std::span<const std::uint8_t> compressed, std::size_t size,
                                      const std::string& what);

}  // namespace taxel::internal
