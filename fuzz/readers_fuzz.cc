// libFuzzer target: no bytes may crash, hang or exhaust a mesh reader.
//
// The first byte chooses the parser (modulo 4: OBJ, STL, VTK, zlib), the rest is the file. taxel::Error is
// the only exception a parser may throw; any other ends the run, as do the sanitizers. A mesh that is
// accepted must survive the checks that follow a reader.
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   mkdir -p out/readers
//   build/fuzz/fuzz/readers_fuzz -max_len=4096 -rss_limit_mb=1024 -timeout=5 out/readers fuzz/corpus/readers
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "taxel/math/error.h"
#include "taxel/shape/inflate.h"
#include "taxel/shape/parse_obj.h"
#include "taxel/shape/parse_stl.h"
#include "taxel/shape/parse_vtk.h"
#include "taxel/shape/watertight.h"

namespace {

void CheckSurface(const taxel::TriangleMesh& mesh) {
  taxel::CheckIndices(mesh, "fuzz");  // a parser has promised this: what it throws here is a finding
  const taxel::WatertightReport report = taxel::CheckWatertight(mesh);
  if (report.Describe("fuzz").empty()) std::abort();
}

void CheckVolume(taxel::TetMesh mesh) {
  const int n = static_cast<int>(mesh.vertices.size());
  for (const auto& tet : mesh.tets)
    for (int v : tet)
      if (v < 0 || v >= n) std::abort();
  try {
    taxel::CheckAndOrient(&mesh, "fuzz");
  } catch (const taxel::Error&) {
    return;  // flat or mixed tetrahedra are the file's fault
  }
  CheckSurface(taxel::BoundarySurface(mesh));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view file(reinterpret_cast<const char*>(data + 1), size - 1);
  taxel::TriangleMesh surface;
  taxel::TetMesh volume;
  try {
    switch (data[0] % 4) {
      case 0:
        surface = taxel::internal::ParseObj(file, "fuzz.obj");
        break;
      case 1:
        surface = taxel::internal::ParseStl(file, "fuzz.stl");
        break;
      case 2:
        volume = taxel::internal::ParseVtkTets(file, "fuzz.vtk");
        break;
      default:
        // The announced size is part of the input, so that streams of any length can pass.
        if (size >= 3)
          taxel::internal::InflateZlib(std::span(data + 3, size - 3), data[1] + 256u * data[2], "fuzz");
    }
  } catch (const taxel::Error&) {
    return 0;
  }
  if (!surface.triangles.empty()) CheckSurface(surface);
  if (!volume.tets.empty()) CheckVolume(volume);
  return 0;
}
