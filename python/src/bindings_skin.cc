// Layouts and skins (taxel/skin/skin.py wraps them).
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "module.h"
#include "taxel/contact/body.h"
#include "taxel/math/error.h"
#include "taxel/skin/description_keys.h"
#include "taxel/skin/skin.h"
#include "taxel/skin/taxel_columns.h"

namespace taxel::python {
namespace {

SkinWorkspace& Workspace() {
  thread_local SkinWorkspace workspace;
  return workspace;
}

nb::object OwnNumbers(const std::vector<double>& values) {
  std::vector<double> copy = values;
  const std::size_t n = copy.size();
  return nb::cast(Own<double>(std::move(copy), {n}));
}

}  // namespace

nb::dict LayoutDict(const Layout& layout) {
  nb::dict d;
  d["points"] = OwnPoints(layout.points);
  d["normals"] = OwnPoints(layout.normals);
  d["axes"] = OwnPoints(layout.axes);
  d["areas"] = OwnNumbers(layout.areas);
  d["rows"] = layout.rows;
  d["cols"] = layout.cols;
  d["wraps"] = layout.wraps;
  return d;
}

namespace {

// The user's functions are called with the interpreter's lock held; whoever calls Read releases it only when
// there are none.
ReadoutOptions WithFunctions(ReadoutOptions options, nb::object weight, nb::object combine) {
  if (!weight.is_none())
    options.weight = [weight](double distance, double angle) {
      return nb::cast<double>(weight(distance, angle));
    };
  if (!combine.is_none()) {
    options.aggregate = Aggregate::kUser;
    options.combine = [combine](const double* pressures, const double* weights, int count) {
      std::vector<double> p(pressures, pressures + count), w(weights, weights + count);
      const std::size_t n = p.size();
      return nb::cast<double>(combine(Own<double>(std::move(p), {n}), Own<double>(std::move(w), {n})));
    };
  }
  return options;
}

Skin Make(const Body& body, const Description::Entries& entries, const std::string& where, nb::object weight,
          nb::object combine) {
  const Description description(where, entries);
  const ReadoutOptions options = WithFunctions(ReadReadout(description), weight, combine);
  Skin skin = MakeSkin(description, body, options, MakeLayout(description, body));
  description.CheckAllRead();
  return skin;
}

nb::dict Read(const Skin& skin, const std::vector<std::pair<nb::object, bool>>& surfaces, nb::handle X_WG,
              bool forces) {
  const Pose pose = ToPose(X_WG, "X_WG");
  std::vector<std::shared_ptr<ContactSurface>> kept;
  std::vector<SkinLoad> loads;
  for (const auto& [object, is_A] : surfaces) {
    Surface* surface;
    if (!nb::try_cast<Surface*>(object, surface) || !surface)
      throw nb::type_error("read: give ContactSurface objects (from taxel.contact or touch.surface)");
    kept.push_back(surface->Ready());
    SkinLoad load;
    load.surface = kept.back().get();
    load.skin_is_A = is_A;
    loads.push_back(load);
  }
  SkinReading reading;
  SkinWants wants;
  wants.forces = forces;
  if (skin.options().combine) {
    skin.Read(loads.data(), static_cast<int>(loads.size()), pose, wants, &Workspace(), &reading);
  } else {
    nb::gil_scoped_release release;
    skin.Read(loads.data(), static_cast<int>(loads.size()), pose, wants, &Workspace(), &reading);
  }
  nb::dict out;
  out["values"] = OwnNumbers(reading.values);
  out["forces"] = OwnPoints(reading.forces);
  out["force"] = ToArray(reading.force_G);
  out["area"] = reading.area;
  out["center"] = ToArray(reading.center_G);
  out["load"] = reading.normal_load;
  out["missed"] = reading.missed;
  return out;
}

}  // namespace

// The table of description_keys.h, in its order.
nb::list KeyTable() {
  constexpr std::pair<unsigned, const char*> kGroups[] = {
      {kMaterialKey, "material"}, {kBristleKey, "bristle"}, {kPairKey, "pair"},     {kModelKey, "model"},
      {kLayoutKey, "layout"},     {kReadoutKey, "readout"}, {kOutputKey, "output"}, {kChainKey, "chain"}};
  nb::list table;
  for (const DescriptionKey& key : kDescriptionKeys) {
    nb::list groups;
    for (const auto& [group, name] : kGroups)
      if (key.Of(group)) groups.append(name);
    nb::dict row;
    row["name"] = key.name;
    row["groups"] = groups;
    row["range"] = key.range.empty() ? nb::object(nb::none()) : nb::make_tuple(key.range.lo, key.range.hi);
    row["unit"] = key.unit;
    row["allowed"] = key.allowed;
    row["help"] = key.help;
    table.append(row);
  }
  return table;
}

void BindSkin(nb::module_& m) {
  m.def("description_keys", &KeyTable);
  nb::class_<Skin>(m, "Skin")
      .def_prop_ro("layout", [](const Skin& s) { return LayoutDict(s.layout()); })
      .def_prop_ro("count", &Skin::count)
      .def_prop_ro("num_samples", [](const Skin& s) { return s.samples().count(); })
      .def_prop_ro("sample_points", [](const Skin& s) { return OwnPoints(s.samples().Places()); })
      .def("read", &Read, nb::arg("surfaces"), nb::arg("X_WG").none(), nb::arg("forces") = false);
  m.def("make_skin", &Make, nb::arg("body"), nb::arg("entries"), nb::arg("where"), nb::arg("weight").none(),
        nb::arg("combine").none());
  // For the MuJoCo adapter, whose library hands out the address of a sensor's layout.
  m.def("copy_layout",
        [](std::uintptr_t address) { return LayoutDict(*reinterpret_cast<const Layout*>(address)); });
  m.def(
      "columns_by_taxels",
      [](const Body& body, const Description::Entries& entries, const std::string& where) {
        const Description description(where, entries);
        const Body out = WithColumnsByTaxels(MakeLayout(description, body), body);
        for (const char* shared : {"radius", "seed"}) description.Has(shared);  // others read them, too
        description.CheckAllRead();
        return out;
      },
      nb::arg("body"), nb::arg("entries"), nb::arg("where"),
      "The body with its columns laid by taxels: a whole number of them along each side of a taxel.");
  m.def("make_layout", [](const Body& body, const Description::Entries& entries, const std::string& where) {
    const Description description(where, entries);
    const Layout layout = MakeLayout(description, body);
    description.CheckAllRead();
    return LayoutDict(layout);
  });
}

}  // namespace taxel::python
