// Reads a surface mesh, says whether it is watertight, fills it with tetrahedra and presses it onto a plate.
//   read_a_mesh [FILE.obj]
#include <cmath>
#include <cstdio>

#include "taxel/contact/contact.h"
#include "taxel/math/error.h"
#include "taxel/shape/read_mesh.h"
#include "taxel/shape/watertight.h"

int main(int argc, char** argv) try {
  const char* path = argc > 1 ? argv[1] : DEFAULT_MESH;
  const taxel::TriangleMesh mesh = taxel::ReadTriangleMesh(path);
  std::printf("%s: %zu vertices, %zu triangles\n", path, mesh.vertices.size(), mesh.triangles.size());

  const taxel::WatertightReport report = taxel::CheckWatertight(mesh);
  std::printf("%s\n", report.Describe("the surface").c_str());
  if (!report.ok()) return 1;

  taxel::BodyOptions soft;
  soft.name = "object";
  soft.modulus = 1e5;
  const taxel::Body body(mesh, soft);  // meshed here
  if (body.tets()) {
    const double inside = taxel::TotalVolume(*body.tets()), enclosed = taxel::EnclosedVolume(mesh);
    std::printf("%zu tetrahedra, volume %.3f cm3 (surface encloses %.3f)\n", body.tets()->tets.size(),
                1e6 * inside, 1e6 * enclosed);
    if (std::fabs(inside / enclosed - 1) > 0.01) return 1;
  }

  const taxel::Body plate(taxel::HalfSpace{}, {});
  const double lowest = taxel::BoundingBox(mesh).lo.z;
  double last = 0;
  for (const double depth : {0.0005, 0.001, 0.002}) {
    taxel::Pose X_WO;
    X_WO.p.z = -lowest - depth;
    const taxel::ContactSurface surface = taxel::ComputeContact(body, X_WO, plate, taxel::Pose{});
    std::printf("pressed %.1f mm: %.3f N over %.2f cm2, %d faces\n", 1e3 * depth, surface.normal_force,
                1e4 * surface.area, surface.num_faces());
    if (surface.normal_force <= last) return 1;
    last = surface.normal_force;
  }
  return 0;
} catch (const taxel::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
