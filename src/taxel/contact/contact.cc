#include "taxel/contact/contact.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "taxel/contact/approach.h"
#include "taxel/contact/body_data.h"
#include "taxel/contact/column_contact.h"
#include "taxel/contact/intersect.h"
#include "taxel/contact/layer_size.h"
#include "taxel/contact/pairs.h"
#include "taxel/contact/prepare.h"
#include "taxel/contact/revolve.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;

struct ContactWorkspace::Impl {
  RevolvedShape cuts;
  std::vector<Cell> cells[2];
  std::vector<Facet> facets;
  TraversalStack stack;
  BodyData terrain;  // the part of a height field that one query looks at
  std::vector<Box3> boxes;
  CellBounds bounds;
  ColumnScratch columns;
};

ContactWorkspace::ContactWorkspace() : impl_(std::make_unique<Impl>()) {}
ContactWorkspace::~ContactWorkspace() = default;
ContactWorkspace::ContactWorkspace(ContactWorkspace&&) noexcept = default;
ContactWorkspace& ContactWorkspace::operator=(ContactWorkspace&&) noexcept = default;

namespace {

using Kind = BodyData::Kind;

void CheckPose(const Pose& X_WB, const std::string& name, const char* which) {
  if (!is_finite(X_WB))
    throw Error(std::string("contact: the pose of ") + which + " ('" + name + "') is not finite");
  constexpr double kFarthest = 1e6;  // metres; beyond, a double no longer tells a micrometre of depth
  if (norm(X_WB.p) > kFarthest)
    throw Error(std::string("contact: ") + which + " ('" + name + "') is " + ToText(norm(X_WB.p)) +
                " m from the origin; positions must be within 1e6 m: move the scene nearer");
  const double defect = RotationDefect(X_WB.R);
  if (defect > 1e-6)
    throw Error(std::string("contact: the rotation of ") + which + " ('" + name + "') is off by " +
                ToText(defect) +
                "; give an orthonormal right-handed matrix (normalise the quaternion first)");
}

bool IsHalfSpace(const BodyData& b) { return !b.is_mesh && std::holds_alternative<HalfSpace>(b.primitive); }

bool HasColumns(const BodyData& b) { return b.soft && b.options.field.kind == FieldKind::kColumns; }

void CheckPair(const Body& A, const Body& B) {
  if (!A.soft() && !B.soft())
    throw Error(
        "contact: both '" + A.name() + "' and '" + B.name() +
        "' are rigid; hydroelastic contact needs a soft body: give one of them a modulus (Pa), or use the "
        "engine's own point contact for this pair");
  if (IsHalfSpace(A.data()) && IsHalfSpace(B.data()))
    throw Error("contact: both '" + A.name() + "' and '" + B.name() +
                "' are half spaces: their overlap is unbounded; make one of them a box");
}

void CheckOptions(const ContactOptions& options) {
  if (options.facets_across < 2 || options.facets_across > 200)
    throw Error("contact: facets_across is " + std::to_string(options.facets_across) +
                "; give 2 or more, at most 200 (10 is usual)");
  if (!(options.resolution >= 0) || !std::isfinite(options.resolution))
    throw Error("contact: resolution is " + ToText(options.resolution) +
                "; give 0 (automatic) or a facet size in metres");
  if (!(options.cull_angle >= 0 && options.cull_angle <= 3.1415926535897936))
    throw Error("contact: cull_angle is " + ToText(options.cull_angle) +
                "; it is an angle between 0 and pi (1.963 is usual), or switch culling off");
}

bool LexicographicallyLess(const Pose& a, const Pose& b) {
  for (int i = 0; i < 3; ++i)
    if (a.p[i] != b.p[i]) return a.p[i] < b.p[i];
  for (int i = 0; i < 9; ++i)
    if (a.R.m[i] != b.R.m[i]) return a.R.m[i] < b.R.m[i];
  return false;
}

// Whether B goes first: the order depends on the bodies, not on how the caller named them, so that swapping
// them gives the same bits with the opposite sign. A soft body goes before a rigid one, columns before
// others, cells before tetrahedra.
bool SecondGoesFirst(const BodyData& A, const Pose& X_WA, const BodyData& B, const Pose& X_WB) {
  if (A.soft != B.soft) return B.soft;
  if (HasColumns(A) != HasColumns(B)) return HasColumns(B);
  // Columns of a plane are made for what is on it.
  if (HasColumns(A) && IsHalfSpace(A) != IsHalfSpace(B)) return IsHalfSpace(A);
  const bool tets_A = A.kind == Kind::kTets, tets_B = B.kind == Kind::kTets;
  if (tets_A != tets_B) return tets_A;
  if (A.content != B.content) return B.content < A.content;
  return LexicographicallyLess(Inverse(X_WB) * X_WA, Inverse(X_WA) * X_WB);  // not of the world frame
}

// One query: F is the first body, S the second.
class Query {
 public:
  Query(const BodyData& F, const Pose& X_WF, const BodyData& S, const Pose& X_WS,
        const ContactOptions& options, ContactWorkspace::Impl* memory)
      : F_(F),
        S_(S),
        X_WF_(X_WF),
        X_WS_(X_WS),
        X_FS_(Inverse(X_WF) * X_WS),
        options_(options),
        memory_(*memory) {}

  void Run(FaceSink* sink) {
    if (HasColumns(F_)) return ColumnsAndBody(X_WF_, F_, X_FS_, S_, &memory_.columns, sink);
    if (!FindApproach()) return;
    if (F_.kind == Kind::kTets) {
      if (S_.kind == Kind::kTets) return TetsAndTets(X_WF_, F_, X_FS_, S_, &memory_.stack, sink);
      if (S_.kind == Kind::kTriangles) return TetsAndTriangles(X_WF_, F_, X_FS_, S_, &memory_.stack, sink);
      return TetsAndFacets(X_WF_, F_, SecondFacetsInFirst(), sink);
    }
    const std::span<const Cell> cells = CellsOf(F_, n_F_, Inverse(X_FS_), S_, 0);
    if (S_.kind == Kind::kTets) return CellsAndTets(X_WS_, Inverse(X_FS_), cells, F_.law, S_, sink);
    if (S_.kind == Kind::kTriangles) return CellsAndTriangles(X_WS_, Inverse(X_FS_), cells, F_.law, S_, sink);
    if (!S_.soft) return CellsAndFacets(X_WF_, cells, F_.law, SecondFacetsInFirst(), &memory_.bounds, sink);
    const std::span<const Cell> others = CellsOf(S_, n_S_, X_FS_, F_, 1);
    CellsAndCells(X_WF_, cells, F_.law, X_FS_, others, S_.law, &memory_.cells[1], sink);
  }

 private:
  // False when the bodies are apart.
  bool FindApproach() {
    const bool mesh_F = F_.is_mesh, mesh_S = S_.is_mesh;
    if (!mesh_F && !mesh_S) {
      n_F_ = ApproachOfPrimitives(F_.primitive, X_FS_, S_.primitive);
      n_S_ = n_F_;
      n_S_.n_A = -TransposeMul(X_FS_.R, n_F_.n_A);
      convex_ = true;
      return !n_F_.separated;
    }
    convex_ = false;
    if (F_.kind == Kind::kRevolved) n_F_ = ApproachOfMesh(F_.primitive, X_FS_, S_);
    if (S_.kind == Kind::kRevolved) n_S_ = ApproachOfMesh(S_.primitive, Inverse(X_FS_), F_);
    return !n_F_.separated && !n_S_.separated;
  }

  RevolveOptions RevolveOptionsOf(const BodyData& body) const {
    RevolveOptions out;
    out.facets_across = options_.facets_across;
    out.resolution = options_.resolution > 0 ? options_.resolution : body.options.resolution;
    out.cap_bounds = convex_;
    return out;
  }

  // The first body (slot 0) and the second (slot 1) get the same tangent, so that two balls are cut alike.
  void Cut(const BodyData& body, const Approach& approach, int slot) {
    Vec3 e1, e2;
    MakeFrame(n_F_.n_A, &e1, &e2);
    memory_.cuts.Cut(body.primitive, approach, slot == 0 ? e1 : TransposeMul(X_FS_.R, e1),
                     RevolveOptionsOf(body));
  }

  // X_OB: pose of the body seen from the other.
  std::span<const Cell> CellsOf(const BodyData& body, const Approach& approach, const Pose& X_OB,
                                const BodyData& other, int slot) {
    std::vector<Cell>& cells = memory_.cells[slot];
    cells.clear();
    if (body.kind == Kind::kRevolved) {
      Cut(body, approach, slot);
      memory_.cuts.AppendCells(body.depth_scale, &cells);
      return cells;
    }
    if (!IsHalfSpace(body)) return body.cells;
    Cell cell;
    const double T = body.options.field.thickness;
    cell.AddPlane({{0, 0, -1}, 0});
    cell.depth = {{0, 0, -1 / T}, 0};
    cell.center = Inverse(X_OB) * other.box.center();
    cell.radius = 0.5 * norm(other.box.size()) * 1.001;
    cell.max_depth = std::max(0.0, cell.radius - cell.center.z) / T;
    cells.push_back(cell);
    return cells;
  }

  std::span<const Facet> SecondFacetsInFirst() {
    std::vector<Facet>& facets = memory_.facets;
    facets.clear();
    if (S_.kind == Kind::kRevolved) {
      Cut(S_, n_S_, 1);
      memory_.cuts.AppendFacets(&facets);
    } else if (IsHalfSpace(S_)) {
      const Vec3 c = Inverse(X_FS_) * F_.box.center();
      const double r = 0.5 * norm(F_.box.size()) * 1.001;
      Facet f;
      for (const auto& [x, y] : {std::pair{-r, -r}, {r, -r}, {r, r}, {-r, r}})
        f.vertices[f.num_vertices++] = {c.x + x, c.y + y, 0};
      f.normal = {0, 0, 1};
      f.Bound();
      facets.push_back(f);
    } else {
      facets.assign(S_.facets.begin(), S_.facets.end());
    }
    for (Facet& f : facets) {
      for (int i = 0; i < f.num_vertices; ++i) f.vertices[i] = X_FS_ * f.vertices[i];
      f.normal = X_FS_.R * f.normal;
      f.center = X_FS_ * f.center;
    }
    return facets;
  }

  const BodyData& F_;
  const BodyData& S_;
  const Pose X_WF_, X_WS_, X_FS_;
  const ContactOptions& options_;
  ContactWorkspace::Impl& memory_;
  Approach n_F_, n_S_;
  bool convex_ = true;
};

}  // namespace

void ComputeContact(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB,
                    const ContactOptions& options, ContactWorkspace* workspace, ContactSurface* surface) {
  CheckPair(A, B);
  CheckPose(X_WA, A.name(), "A");
  CheckPose(X_WB, B.name(), "B");
  CheckOptions(options);
  const bool flip = SecondGoesFirst(A.data(), X_WA, B.data(), X_WB);
  FaceSink sink(options, flip, surface);
  if (flip) {
    Query(B.data(), X_WB, A.data(), X_WA, options, &workspace->impl()).Run(&sink);
  } else {
    Query(A.data(), X_WA, B.data(), X_WB, options, &workspace->impl()).Run(&sink);
  }
  sink.Finish();
  FollowSize(A.data(), B.data(), surface);
}

void ComputeContact(const Body& A, const Pose& X_WA, const HeightField& F, const Pose& X_WF,
                    const ContactOptions& options, ContactWorkspace* workspace, ContactSurface* surface) {
  if (!A.soft() || IsHalfSpace(A.data()))
    throw Error("contact: '" + A.name() + "' is " + (A.soft() ? "a half space" : "rigid") +
                "; what touches a height field must be soft and bounded");
  CheckPose(X_WA, A.name(), "A");
  CheckPose(X_WF, "height field", "B");
  CheckOptions(options);
  const Pose X_FA = Inverse(X_WF) * X_WA;
  const Vec3 half = 0.5 * A.data().box.size(), middle = X_FA * A.data().box.center();
  Vec3 reach;
  for (int k = 0; k < 3; ++k)
    reach[k] = std::fabs(X_FA.R(k, 0)) * half.x + std::fabs(X_FA.R(k, 1)) * half.y +
               std::fabs(X_FA.R(k, 2)) * half.z;
  ContactWorkspace::Impl& memory = workspace->impl();
  TrianglesNear(F, {middle - reach, middle + reach}, &memory.terrain.surface);
  FaceSink sink(options, false, surface);
  if (!memory.terrain.surface.triangles.empty()) {
    RefillSurface(&memory.boxes, &memory.terrain);
    Query(A.data(), X_WA, memory.terrain, X_WF, options, &memory).Run(&sink);
  }
  sink.Finish();
  FollowSize(A.data(), memory.terrain, surface);
}

ContactSurface ComputeContact(const Body& A, const Pose& X_WA, const Body& B, const Pose& X_WB,
                              const ContactOptions& options) {
  ContactWorkspace workspace;
  ContactSurface surface;
  ComputeContact(A, X_WA, B, X_WB, options, &workspace, &surface);
  return surface;
}

}  // namespace taxel
