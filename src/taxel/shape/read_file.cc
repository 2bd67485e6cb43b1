#include "taxel/shape/read_file.h"

#include <filesystem>
#include <fstream>

#include "taxel/math/error.h"

namespace taxel::internal {

std::string ReadFile(const std::string& kind, const std::string& path, std::int64_t most,
                     const std::string& too_large) {
  namespace fs = std::filesystem;
  const std::string who = kind + " '" + path + "' ";
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw Error(who + "does not exist (current folder: " + fs::current_path(error).string() +
                "); check the path and its spelling");
  if (status.type() == fs::file_type::directory) throw Error(who + "is a folder; name a file in it");
  // A pipe or a device could block or never end.
  if (status.type() != fs::file_type::regular && status.type() != fs::file_type::none)
    throw Error(who + "is not a regular file; copy its content into one");
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? static_cast<std::streamoff>(in.tellg()) : -1;
  if (size < 0) throw Error(who + "cannot be opened; check that you may read it");
  if (size > most) throw Error(who + "has " + std::to_string(size) + " bytes; " + too_large);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  in.seekg(0);
  if (size > 0 && !in.read(bytes.data(), size))
    throw Error(who + "cannot be read to its end; check the disk");
  return bytes;
}

}  // namespace taxel::internal
