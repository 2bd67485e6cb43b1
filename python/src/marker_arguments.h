// What the bindings of marker fields share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "module.h"
#include "taxel/marker/layer_field.h"
#include "taxel/marker/taxel_field.h"
#include "taxel/marker/taxel_vjp.h"

namespace taxel::python {

/// A taxel.Body, a tuple (vertices, triangles) or a taxel.MarkerDistance.
MarkerDistance ToDistance(nb::handle shape, const std::string& name);
/// With given points (normals and areas may be None), or points sampled from the surface.
MarkerIndenter ToIndenter(nb::handle indenter, nb::handle points, nb::handle normals, nb::handle areas,
                          double radius, std::uint64_t seed, bool needs_areas);
nb::dict ToStateDict(const MarkerState& s);
MarkerState ToMarkerState(nb::dict state);

/// The numbers of mode "taxel" by name.
std::vector<std::pair<const char*, double*>> TaxelParameterNames(TaxelParameters* p);
/// The numbers of mode "layer" by name.
std::vector<std::pair<const char*, double*>> LayerParameterNames(LayerParameters* p);
/// Fields behind _core.TaxelField, _core.LayerField and _core.MarkerField.
const TaxelField& FieldOf(nb::handle gel);
const LayerField& LayerFieldOf(nb::handle layer);
const MarkerField& PublishedFieldOf(nb::handle field);
/// (steps, objects, 4, 4), last rows 0.
nb::object PoseGradients(const std::vector<std::vector<PoseGradient>>& rows, std::size_t objects);

}  // namespace taxel::python
