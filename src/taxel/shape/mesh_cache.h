// Meshed bodies on disk, so that a soft mesh is meshed once and not in every run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "taxel/shape/tet_mesher.h"

namespace taxel::internal {

/// Names a meshed body by everything it was made from: triangles, options, what was done to its depths, and
/// the version of the mesher.
using MeshKey = std::array<std::uint64_t, 2>;
/// @param treatment what follows MeshInterior before the result is kept, for example "fitted"
MeshKey KeyOf(const TriangleMesh& surface, const MesherOptions& options, const std::string& treatment);

/// A folder of meshed bodies. It never changes a result, only how long it takes: a file that is damaged, of
/// another version or of another machine's byte order is removed and made again, and whatever the file system
/// refuses is as if there were no folder.
///
/// Files are written under another name and renamed, so that a reader sees all of a file or none, and two
/// processes may write the same one. When the folder holds more than max_bytes, the files that were not used
/// for longest go first.
///
/// From the environment (read each time a soft mesh is made):
///     TAXEL_CACHE      a folder; "off" keeps nothing.
///                      Not given: $XDG_CACHE_HOME/taxel, or ~/.cache/taxel.
///     TAXEL_CACHE_MB   the most it may hold, in megabytes; 500 when not given.
struct MeshCache {
  std::string directory;  ///< empty: nothing is kept
  std::uint64_t max_bytes = 500'000'000;

  /// @throws Error for a TAXEL_CACHE_MB that is no number.
  static MeshCache FromEnvironment();
  bool on() const { return !directory.empty(); }
  std::optional<MeshedInterior> Load(const MeshKey& key) const;
  void Store(const MeshKey& key, const MeshedInterior& meshed) const;
};

}  // namespace taxel::internal
