#include "taxel/mujoco/scene_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "taxel/contact/body_data.h"
#include "taxel/contact/core_touch.h"
#include "taxel/mujoco/chain_text.h"
#include "taxel/mujoco/json_text.h"
#include "taxel/mujoco/model_names.h"
#include "taxel/mujoco/scene.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

// Columns along the side of a face that carries no taxels.
constexpr int kAlongSide = 16;

// The geom's body with columns, or why it cannot have them.
struct Columned {
  std::shared_ptr<const Body> body;
  std::string refused;
};

// The grid of taxels in the plane of a face of the geom, or null.
const PlaneGrid* GridOn(const Scene& scene, int geom) {
  for (const SkinSensor& s : scene.skins())
    if (s.geom == geom && s.skin->layout().plane) return &s.skin->layout().grid;
  return nullptr;
}

// One column a taxel, or a whole number of them about as wide as `spacing`; without taxels kAlongSide.
void LayByTaxels(const PlaneGrid* grid, double area, double spacing, BodyOptions* options) {
  options->field.column_cell = {};
  options->resolution = grid ? 0 : spacing > 0 ? spacing : std::sqrt(area) / kAlongSide;
  if (!grid) return;
  const auto part = [&](double pitch) {
    return spacing > 0 ? pitch / std::max(1.0, std::round(pitch / spacing)) : pitch;
  };
  ColumnCell& cell = options->field.column_cell;
  cell.across_u = part(grid->du) * grid->X_GF.R.col(0), cell.across_v = part(grid->dv) * grid->X_GF.R.col(1);
  cell.corner = grid->X_GF * Vec3{grid->u0, grid->v0, 0};
}

Columned MakeColumned(const mjModel* m, const Scene& scene, int geom, double spacing) {
  const SceneGeom& g = scene.geoms()[geom];
  const Body& body = g.shape->body(m, geom);
  const bool plane = body.primitive() && std::holds_alternative<HalfSpace>(*body.primitive());
  if (plane) return {nullptr, "it is a plane; make the other geom soft instead"};
  if (!body.data().columns.empty()) return {std::make_shared<Body>(body), ""};
  const auto* box = body.primitive() ? std::get_if<Box>(body.primitive()) : nullptr;
  if (body.options().field.kind == FieldKind::kBacked && box) {
    BodyOptions options = body.options();
    const Vec3 e = options.field.exposed, size = box->size;
    const double area = std::fabs(e.x) > 0.5   ? size.y * size.z
                        : std::fabs(e.y) > 0.5 ? size.x * size.z
                                               : size.x * size.y;
    options.field.kind = FieldKind::kColumns;
    LayByTaxels(GridOn(scene, geom), area, spacing, &options);
    return {std::make_shared<Body>(*box, options), ""};
  }
  switch (body.options().field.kind) {
    case FieldKind::kLaplace:
      return {nullptr, "its field is \"laplace\", which needs tetrahedra"};
    case FieldKind::kBacked:
      return {nullptr, "its field is \"backed\" on a mesh or a curved geom, which needs polygons"};
    default:
      return {nullptr, "its field is \"distance\", which needs polygons"};
  }
}

void AddColumns(const ColumnSkin& skin, Json* out) {
  out->Key("columns").Open('[');
  for (const Column& c : skin.columns) {
    out->Open('[').Numbers(c.p).Numbers(c.d).Numbers(c.u).Numbers(c.v).Number(c.length).Number(c.modulus);
    out->Number(c.slope_s).Number(c.slope_t).Number(c.sag).Number(c.ridge).Number(c.ridge_s).Number(
        c.ridge_t);
    out->Number(c.tight).Number(c.corners);
    for (const auto& list : {c.s, c.t, c.spread_s, c.spread_t})
      for (int i = 0; i < Column::kMaxCorners; ++i) out->Number(list[i < c.corners ? i : 0]);
    out->Close(']');
  }
  out->Close(']');
}

void AddGeom(const mjModel* m, int geom, const Columned& made, Json* out) {
  out->Open('{').Key("geom").Number(geom).Key("name").Text(GeomName(m, geom));
  if (!made.body) {
    out->Key("refused").Text(made.refused).Close('}');
    return;
  }
  const BodyData& data = made.body->data();
  out->Key("law").Open('[');
  for (const Layer& l : data.law)
    out->Open('[').Number(l.u0).Number(l.u1).Number(l.slope).Number(l.offset).Close(']');
  out->Close(']').Key("length").Number(data.length).Key("core").Number(CoreDepth(data.law));
  out->Key("to_middle").Number(data.options.field.bone == Bone::kMiddle);
  out->Key("core_pressure").Number(PressureOfDepth(data.law, CoreDepth(data.law)));
  out->Key("poisson").Number(data.options.field.poisson).Key("softest").Number(data.softest);
  AddColumns(data.columns, out);
  out->Close('}');
}

// Of every bristle: tip, direction, axis, area; of all: the force over the penetration, as the law of a
// layer.
void AddBristles(const mjModel* m, int geom, const BristlePoints& pad, const BristleOptions& o, Json* out) {
  out->Open('{').Key("geom").Number(geom).Key("name").Text(GeomName(m, geom)).Key("law").Open('[');
  const std::vector<BristleOptions::CurvePoint> line{{0, 0}, {1, o.stiffness}};
  const std::vector<BristleOptions::CurvePoint>& curve = o.curve.size() < 2 ? line : o.curve;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const double slope = (curve[i].force - curve[i - 1].force) / (curve[i].depth - curve[i - 1].depth);
    const double begin = curve[i - 1].depth + o.dead_band;
    const double end = i + 1 < curve.size() ? curve[i].depth + o.dead_band : HUGE_VAL;
    out->Open('[').Number(begin).Number(end).Number(slope).Number(curve[i - 1].force - slope * begin);
    out->Close(']');
  }
  out->Close(']').Key("depth").Number(o.depth).Key("damping").Number(o.damping);
  out->Key("paper").Number(o.friction.form == LuGreForm::kPaper).Key("along_axis").Number(o.along_axis);
  out->Key("bristles").Open('[');
  const Layout& layout = pad.layout();
  for (int i = 0; i < pad.count(); ++i) {
    out->Open('[').Numbers(pad.tip(i)).Numbers(pad.direction(i)).Numbers(layout.axes[i]);
    out->Number(layout.areas[i]).Close(']');
  }
  out->Close(']').Close('}');
}

void AddLuGre(const LuGreParameters& p, Json* out) {
  out->Key("static_friction").Number(p.static_friction).Key("dynamic_friction").Number(p.dynamic_friction);
  out->Key("stribeck_speed").Number(p.stribeck_speed).Key("sigma0").Number(p.sigma0);
  out->Key("sigma1").Number(p.sigma1).Key("viscosity").Number(p.viscosity);
}

void AddPair(const mjModel* m, const Scene& scene, int g1, int g2, int skin, Json* out) {
  const PairParameters p = scene.Parameters(m, g1, g2);
  const bool bristled = scene.Bristled(g1, g2);
  // As MuJoCo orders a pair: by type, then by number.
  if (m->geom_type[g1] > m->geom_type[g2]) std::swap(g1, g2);
  out->Open('{').Key("geom1").Number(g1).Key("geom2").Number(g2).Key("skin").Number(skin);
  if (bristled) {
    AddLuGre(p.lugre, out);
    out->Close('}');
    return;
  }
  out->Key("dissipation").Number(p.dissipation).Key("static_friction").Number(p.friction.static_friction);
  out->Key("dynamic_friction").Number(p.friction.dynamic_friction);
  out->Key("stribeck_speed")
      .Number(p.friction.stribeck_speed)
      .Key("shear_ratio")
      .Number(p.friction.shear_ratio);
  out->Key("shear_damping").Number(p.friction.shear_damping).Key("breakaway").Number(p.friction.breakaway);
  out->Close('}');
}

// Where the cells are, for a contact whose points belong to another skin.
void AddPlaces(const Layout& layout, double limit, Json* out) {
  out->Key("limit").Number(limit).Key("points").Open('[');
  for (const Vec3& p : layout.points) out->Open('[').Numbers(p).Close(']');
  out->Close(']').Key("grid").Open('[');
  if (layout.plane) {
    const PlaneGrid& g = layout.grid;
    for (int k = 0; k < 3; ++k) out->Numbers(g.X_GF.R.col(k));
    out->Numbers(g.X_GF.p).Number(g.u0).Number(g.v0).Number(g.du).Number(g.dv);
  }
  out->Close(']');
}

// [column or bristle, taxel, part]; none where faces must be cut.
void AddShares(const SkinSensor& s, const Body* body, Json* out) {
  const auto add = [out](int column, int taxel, double part) {
    out->Open('[').Number(column).Number(taxel).Number(part).Close(']');
  };
  if (!body) {
    for (std::size_t i = 0; i < s.taxel_of_point.size(); ++i)
      if (s.taxel_of_point[i] >= 0) add(static_cast<int>(i), s.taxel_of_point[i], 1);
    return;
  }
  const ColumnTaxels taxels = Skin(s.skin->layout(), s.skin->options(), *body).column_taxels();
  for (int c = 0; c < taxels.columns(); ++c)
    for (int i = taxels.start[c]; i < taxels.start[c + 1]; ++i) add(c, taxels.of[i].taxel, taxels.of[i].part);
}

// `body`: null where the geom touches nothing.
void AddSensor(const SkinSensor& s, const Body* body, Json* out) {
  const Layout& layout = s.skin->layout();
  out->Open('{').Key("name").Text(s.name).Key("sensor").Number(s.sensor).Key("geom").Number(s.geom);
  out->Key("rows").Number(layout.rows).Key("cols").Number(layout.cols).Key("outputs").Open('[');
  const std::pair<const char*, bool> outputs[] = {{"pressure", s.outputs.pressure},
                                                  {"shear", s.outputs.shear},
                                                  {"slip", s.outputs.slip},
                                                  {"saturated", s.outputs.saturated},
                                                  {"truth", s.outputs.truth}};
  for (const auto& [name, on] : outputs)
    if (on) out->Text(name);
  out->Close(']').Key("areas").Open('[').Numbers(layout.areas).Close(']').Key("normals").Open('[');
  for (const Vec3& n : layout.normals) out->Open('[').Numbers(n).Close(']');
  out->Close(']').Key("axes").Open('[');
  for (const Vec3& a : layout.axes) out->Open('[').Numbers(a).Close(']');
  out->Close(']').Key("shares").Open('[');
  AddShares(s, body, out);
  out->Close(']');
  out->Key("rays").Number(s.skin->options().method == Readout::kRays);
  out->Key("mean").Number(s.skin->options().aggregate == Aggregate::kMean);
  out->Key("force").Number(s.skin->options().aggregate == Aggregate::kForce);
  out->Key("elastic").Number(s.skin->options().source != Source::kContact);
  AddPlaces(layout, s.skin->options().limit, out);
  AddChains(s, out);
  out->Close('}');
}

}  // namespace

std::string SceneText(const mjModel* m, double spacing) {
  const std::shared_ptr<const Scene> scene = Scene::Of(m);
  std::map<int, Columned> soft;
  for (int g = 0; g < m->ngeom; ++g)
    if (scene->geoms()[g].shape && scene->geoms()[g].soft && !scene->geoms()[g].bristles)
      soft[g] = MakeColumned(m, *scene, g, spacing);
  const Coupling coupling = scene->settings().coupling;
  Json out;
  out.Open('{')
      .Key("coupling")
      .Text(coupling == Coupling::kRows       ? "rows"
            : coupling == Coupling::kExplicit ? "explicit"
                                              : "sense");
  out.Key("blocks").Number(scene->settings().blocks_per_side).Key("geoms").Open('[');
  for (const auto& [g, made] : soft) AddGeom(m, g, made, &out);
  for (int g = 0; g < m->ngeom; ++g)
    if (scene->geoms()[g].bristles)
      AddBristles(m, g, *scene->geoms()[g].bristles, *scene->settings().geoms[g].bristles, &out);
  out.Close(']').Key("pairs").Open('[');
  for (const auto& [g1, g2] : scene->candidates()) {
    if (!scene->Couples(g1, g2)) continue;
    if (scene->Bristled(g1, g2)) {
      AddPair(m, *scene, g1, g2, scene->Owner(g1, g2), &out);
      continue;
    }
    // Of two soft geoms the softer one's columns count, and the other is rigid to them.
    const bool first =
        soft.count(g1) && (!soft.count(g2) || scene->geoms()[g1].shape->body(m, g1).options().modulus <=
                                                  scene->geoms()[g2].shape->body(m, g2).options().modulus);
    AddPair(m, *scene, g1, g2, first ? g1 : g2, &out);
  }
  out.Close(']').Key("sensors").Open('[');
  for (const SkinSensor& s : scene->skins()) {
    const auto made = soft.find(s.geom);
    AddSensor(s, made != soft.end() ? made->second.body.get() : nullptr, &out);
  }
  return out.Close(']').Close('}').text;
}

}  // namespace taxel::mujoco
