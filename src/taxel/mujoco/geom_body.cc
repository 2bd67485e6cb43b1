#include "taxel/mujoco/geom_body.h"

#include <cmath>
#include <cstring>
#include <string>
#include <variant>

#include "taxel/math/error.h"
#include "taxel/math/pose.h"
#include "taxel/mujoco/model_names.h"
#include "taxel/shape/mend_surface.h"
#include "taxel/shape/watertight.h"

namespace taxel::mujoco {
namespace {

TriangleMesh MeshOf(const mjModel* m, int geom) {
  const int mesh = m->geom_dataid[geom];
  TriangleMesh out;
  const float* v = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
  for (int i = 0; i < m->mesh_vertnum[mesh]; ++i)
    out.vertices.push_back({v[3 * i], v[3 * i + 1], v[3 * i + 2]});
  const int* f = m->mesh_face + 3 * m->mesh_faceadr[mesh];
  for (int i = 0; i < m->mesh_facenum[mesh]; ++i)
    out.triangles.push_back({f[3 * i], f[3 * i + 1], f[3 * i + 2]});
  return MergeVertices(out, 0);
}

// Meshes of robots are often open, or have edges that four triangles share. What they can be here is not what
// a mesh in a file of our own can be.
void RefuseOpenMesh(const mjModel* m, int geom, const TriangleMesh& mesh, bool columns) {
  const WatertightReport report = CheckWatertight(MergeVertices(mesh));
  if (columns ? report.closed() : report.ok()) return;
  throw Error(GeomName(m, geom) + " is soft and its mesh is not closed: " + report.Flaws(1) +
              (report.closed()
                   ? ". Give it field=\"columns\", which takes it as it is"
                   : ". Close it in its file; or give the geom a primitive that MuJoCo fits to the "
                     "mesh, as type=\"capsule\"") +
              "; or bristles (stiffness, depth, layout=\"poisson\", count), which need no closed mesh");
}

std::uint64_t Word(const unsigned char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

std::uint64_t MixWord(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

// Four chains side by side: meshes of 10,000 vertices are looked at in every step.
std::uint64_t Mix(std::uint64_t hash, const void* data, std::size_t bytes) {
  const unsigned char* p = static_cast<const unsigned char*>(data);
  if (bytes >= 32) {
    std::uint64_t chain[4] = {hash, hash + 1, hash + 2, hash + 3};
    for (; bytes >= 32; bytes -= 32, p += 32)
      for (int k = 0; k < 4; ++k) chain[k] = MixWord(chain[k], Word(p + 8 * k));
    for (const std::uint64_t one : chain) hash = MixWord(hash, one);
  }
  for (; bytes >= 8; bytes -= 8, p += 8) hash = MixWord(hash, Word(p));
  for (; bytes > 0; --bytes, ++p) hash = (hash ^ *p) * 0x100000001b3ull;
  return hash;
}

}  // namespace

Body MakeGeomBody(const mjModel* m, int geom, const BodyOptions& options) {
  const double* s = m->geom_size + 3 * geom;
  switch (m->geom_type[geom]) {
    case mjGEOM_PLANE:
      if (options.modulus > 0 && !(options.field.thickness > 0))
        throw Error(GeomName(m, geom) +
                    " is a soft plane and needs the thickness of its layer; add <config key=\"thickness\" "
                    "value=\"0.01\"/> to its instance");
      return Body(HalfSpace{}, options);
    case mjGEOM_SPHERE:
      return Body(Sphere{s[0]}, options);
    case mjGEOM_CAPSULE:
      return Body(Capsule{s[0], 2 * s[1]}, options);
    case mjGEOM_ELLIPSOID:
      return Body(Ellipsoid{{s[0], s[1], s[2]}}, options);
    case mjGEOM_CYLINDER:
      return Body(Cylinder{s[0], 2 * s[1]}, options);
    case mjGEOM_BOX:
      return Body(Box{{2 * s[0], 2 * s[1], 2 * s[2]}}, options);
    case mjGEOM_MESH: {
      const TriangleMesh mesh = MeshOf(m, geom);
      int duplicates;  // the body warns of them
      if (options.modulus > 0)
        RefuseOpenMesh(m, geom, internal::WithoutDuplicates(mesh, &duplicates),
                       options.field.kind == FieldKind::kColumns);
      Body body(mesh, InGeomFrame(m, geom, options));
      for (const std::string& warning : body.warnings()) mju_warning("taxel: %s", warning.c_str());
      return body;
    }
    case mjGEOM_HFIELD:
      if (options.modulus > 0)
        throw Error(GeomName(m, geom) +
                    " is a height field, which cannot be soft; make what touches it soft, or use a mesh of "
                    "the terrain");
      // Stands in for it: its triangles are taken from the model at every query (HeightFieldOf).
      return Body(HalfSpace{}, options);
    case mjGEOM_SDF:
      throw Error(
          GeomName(m, geom) +
          " is an SDF geom, whose contact surface is not supported; use a mesh of the shape, or keep it away "
          "from soft geoms with contype/conaffinity or <exclude>");
    default:
      throw Error(GeomName(m, geom) + " has a type that cannot touch");
  }
}

BodyOptions InGeomFrame(const mjModel* m, int geom, const BodyOptions& options) {
  BodyOptions out = options;
  if (m->geom_type[geom] != mjGEOM_MESH) return out;
  const mjtNum* q = m->mesh_quat + 4 * m->geom_dataid[geom];
  out.field.exposed = TransposeMul(RotationFromQuaternion(q[0], q[1], q[2], q[3]), options.field.exposed);
  return out;
}

Body MakeRigidShape(const mjModel* m, int geom, const std::string& name) {
  BodyOptions options;
  options.name = name;
  return m->geom_type[geom] == mjGEOM_MESH ? Body(MeshOf(m, geom), options) : MakeGeomBody(m, geom, options);
}

HeightField HeightFieldOf(const mjModel* m, int geom) {
  const int id = m->geom_dataid[geom];
  const mjtNum* s = m->hfield_size + 4 * id;
  return {m->hfield_nrow[id], m->hfield_ncol[id], s[0], s[1], s[2], s[3], m->hfield_data + m->hfield_adr[id]};
}

TriangleMesh TouchableSurface(const Body& body) {
  if (body.primitive() && std::holds_alternative<HalfSpace>(*body.primitive())) return {};
  TriangleMesh all = body.Surface();
  const FieldOptions& field = body.options().field;
  const bool flat_pad = body.soft() && IsLayer(field.kind) &&
                        (!body.primitive() || std::holds_alternative<Box>(*body.primitive()));
  if (!flat_pad) return all;
  TriangleMesh skin;
  skin.vertices = all.vertices;
  const Vec3 out = normalized(field.exposed);
  for (int t = 0; t < static_cast<int>(all.triangles.size()); ++t)
    if (dot(normalized(AreaNormal2(all, t)), out) > 0.5) skin.triangles.push_back(all.triangles[t]);
  return skin.triangles.empty() ? all : skin;
}

std::uint64_t ShapeSignature(const mjModel* m, int geom) {
  std::uint64_t hash = 1469598103934665603ull;
  hash = Mix(hash, &m->geom_type[geom], sizeof(int));
  hash = Mix(hash, m->geom_size + 3 * geom, 3 * sizeof(mjtNum));
  if (m->geom_type[geom] == mjGEOM_MESH) {
    const int mesh = m->geom_dataid[geom];
    hash = Mix(hash, &mesh, sizeof(int));
    hash = Mix(hash, m->mesh_vert + 3 * m->mesh_vertadr[mesh], 3 * sizeof(float) * m->mesh_vertnum[mesh]);
  }
  return hash;
}

}  // namespace taxel::mujoco
