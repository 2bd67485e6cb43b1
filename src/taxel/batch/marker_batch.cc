#include "taxel/batch/marker_batch.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "taxel/batch/parallel_for.h"
#include "taxel/marker/check_pose.h"
#include "taxel/math/error.h"

namespace taxel {
using namespace internal;
namespace {

void CheckSizes(int worlds, int fingers, int threads) {
  if (worlds < 1 || fingers < 1)
    throw Error("marker batch: " + std::to_string(worlds) + " worlds and " + std::to_string(fingers) +
                " fingers; give at least one of each");
  if (threads < 0)
    throw Error("marker batch: threads is " + std::to_string(threads) + "; give 0 (all) or more");
}

}  // namespace

struct MarkerBatch::Scratch {
  TaxelReading taxel;
  LayerReading layer;
  MarkerReading published;
  std::vector<Pose> poses, lifted;
};

MarkerBatch::MarkerBatch(const TaxelField& field, int worlds, int fingers, int threads)
    : worlds_(worlds),
      fingers_(fingers),
      objects_(static_cast<int>(field.objects().size())),
      markers_(static_cast<int>(field.markers_P().size())),
      threads_(threads) {
  CheckSizes(worlds, fingers, threads);
  taxel_.assign(static_cast<std::size_t>(worlds) * static_cast<std::size_t>(fingers), field);
}

MarkerBatch::MarkerBatch(const LayerField& field, int worlds, int fingers, int threads)
    : worlds_(worlds),
      fingers_(fingers),
      objects_(static_cast<int>(field.objects())),
      markers_(static_cast<int>(field.markers_P().size())),
      threads_(threads) {
  CheckSizes(worlds, fingers, threads);
  layer_.assign(static_cast<std::size_t>(worlds) * static_cast<std::size_t>(fingers), field);
}

MarkerBatch::MarkerBatch(const std::vector<MarkerField>& fields, int worlds, int fingers, int threads)
    : worlds_(worlds),
      fingers_(fingers),
      objects_(static_cast<int>(fields.size())),
      markers_(fields.empty() ? 0 : static_cast<int>(fields[0].markers_P().size())),
      threads_(threads) {
  CheckSizes(worlds, fingers, threads);
  if (fields.empty()) throw Error("marker batch: no object; give at least one that can press");
  for (const MarkerField& f : fields)
    if (!(f.parameters() == fields[0].parameters()) || f.markers_P() != fields[0].markers_P())
      throw Error(
          "marker batch: fields with different modes, parameters or markers; objects of one pad share them");
  const std::size_t copies = static_cast<std::size_t>(worlds) * static_cast<std::size_t>(fingers);
  for (std::size_t i = 0; i < copies; ++i) published_.insert(published_.end(), fields.begin(), fields.end());
}

const TaxelField& MarkerBatch::taxel_field(int world, int finger) const {
  return taxel_.at(static_cast<std::size_t>(world * fingers_ + finger));
}
const LayerField& MarkerBatch::layer_field(int world, int finger) const {
  return layer_.at(static_cast<std::size_t>(world * fingers_ + finger));
}
const MarkerField& MarkerBatch::published_field(int world, int finger, int object) const {
  return published_.at(static_cast<std::size_t>((world * fingers_ + finger) * objects_ + object));
}

void MarkerBatch::Check(const std::vector<Pose>& X_PI, const Pose* shift, const Output& out,
                        const std::uint8_t* mask) const {
  const std::size_t fingers = static_cast<std::size_t>(fingers_),
                    copies = static_cast<std::size_t>(worlds_) * fingers,
                    objects = static_cast<std::size_t>(objects_);
  if (X_PI.size() != copies * objects)
    throw Error("marker batch: " + std::to_string(X_PI.size()) + " poses for " + std::to_string(worlds_) +
                " worlds, " + std::to_string(fingers_) + " fingers and " + std::to_string(objects_) +
                " objects; give one each");
  if (taxel_.empty() && layer_.empty() && (out.wrench || out.marker_forces))
    throw Error("marker batch: the published modes know no forces; use mode 'layer' or 'taxel'");
  for (std::size_t i = 0; i < X_PI.size(); ++i) {
    const std::size_t world = i / (objects * fingers);
    if ((mask && !mask[world]) || IsMarkerPose(X_PI[i])) continue;
    const std::string name = "X_PI of world " + std::to_string(world) + ", finger " +
                             std::to_string(i / objects % fingers) + ", object " +
                             std::to_string(i % objects);
    CheckMarkerPose(X_PI[i], "marker batch", name.c_str());
  }
  for (std::size_t i = 0; shift && i < copies; ++i)
    if (!(mask && !mask[i / fingers]) && !IsMarkerPose(shift[i]))
      CheckMarkerPose(
          shift[i], "marker batch",
          ("the shift of world " + std::to_string(i / fingers) + ", finger " + std::to_string(i % fingers))
              .c_str());
}

std::vector<Pose> MarkerBatch::GravityShift(const std::vector<GravityLoad>& loads,
                                            const GelSprings* springs) const {
  const std::size_t copies = static_cast<std::size_t>(worlds_) * static_cast<std::size_t>(fingers_),
                    objects = static_cast<std::size_t>(objects_);
  if (loads.size() != copies)
    throw Error("marker batch: " + std::to_string(loads.size()) + " weights for " + std::to_string(worlds_) +
                " worlds and " + std::to_string(fingers_) + " fingers; give one each");
  std::vector<Pose> out;
  for (std::size_t i = 0; i < copies; ++i) {
    ContactPatch patch;
    GelSprings own;
    const auto gather = [&](const auto& field) {
      AddContact(field, &patch);
      own = SpringsOf(field, patch);
    };
    if (!layer_.empty()) gather(layer_[i]);
    if (!taxel_.empty()) gather(taxel_[i]);
    for (std::size_t k = i * objects; k < (i + 1) * objects && !published_.empty(); ++k)
      gather(published_[k]);
    out.push_back(taxel::GravityShift(loads[i], patch, springs ? *springs : own));
  }
  return out;
}

template <typename Work>
std::exception_ptr MarkerBatch::MoveCopies(const std::uint8_t* mask, const Work& work) {
  const std::size_t fingers = static_cast<std::size_t>(fingers_),
                    objects = static_cast<std::size_t>(objects_);
  std::size_t failed = 0;
  undo_taxel_.Begin(taxel_.size());
  undo_layer_.Begin(layer_.size());
  undo_published_.Begin(published_.size());
  return ParallelFor<Scratch>(
      static_cast<std::size_t>(worlds_) * fingers, threads_, 8, &failed, [&](std::size_t i, Scratch* s) {
        if (mask && !mask[i / fingers]) return;
        if (!taxel_.empty()) undo_taxel_.Keep(i, taxel_[i].state());
        if (!layer_.empty()) undo_layer_.Keep(i, layer_[i].state());
        for (std::size_t k = i * objects; k < (i + 1) * objects && !published_.empty(); ++k)
          undo_published_.Keep(k, published_[k].state());
        work(i, s);
      });
}

void MarkerBatch::StepCopy(std::size_t i, const Pose* X_PI, double dt, const Pose* pass, const Output& out,
                           Scratch* s) {
  const std::size_t objects = static_cast<std::size_t>(objects_),
                    markers = static_cast<std::size_t>(markers_);
  Vec3* u = out.displacement + i * markers;
  const auto give = [&](const auto& reading) {
    std::copy(reading.displacement.begin(), reading.displacement.end(), u);
    if (out.wrench) out.wrench[2 * i] = reading.force_P, out.wrench[2 * i + 1] = reading.torque_P;
    if (out.marker_forces)
      std::copy(reading.marker_forces_P.begin(), reading.marker_forces_P.end(),
                out.marker_forces + i * markers);
  };
  if (!layer_.empty()) {
    layer_[i].set_marker_forces(out.marker_forces != nullptr);
    s->poses.assign(X_PI, X_PI + objects);
    layer_[i].Step(s->poses, pass, &s->layer);
    return give(s->layer);
  }
  if (!taxel_.empty()) {
    taxel_[i].set_marker_forces(out.marker_forces != nullptr);
    s->poses.assign(X_PI, X_PI + objects);
    taxel_[i].Step(s->poses, dt, pass, &s->taxel);
    return give(s->taxel);
  }
  std::fill(u, u + markers, Vec3{});
  for (std::size_t k = 0; k < objects; ++k) {
    published_[i * objects + k].Step(X_PI[k], &s->published, pass);
    for (std::size_t m = 0; m < markers; ++m) u[m] += s->published.displacement[m];
  }
}

void MarkerBatch::GiveBack(const std::exception_ptr& failure, bool after_errors) {
  const auto taxel = [&](std::size_t i, const TaxelState& s) { taxel_[i].set_state(s); };
  const auto layer = [&](std::size_t i, const LayerState& s) { layer_[i].set_state(s); };
  const auto published = [&](std::size_t i, const MarkerState& s) { published_[i].set_state(s); };
  if (failure && after_errors) {
    undo_taxel_.All(taxel);
    undo_layer_.All(layer);
    undo_published_.All(published);
    std::rethrow_exception(failure);
  }
  if (!taxel_.empty())
    undo_taxel_.End(failure, taxel);
  else if (!layer_.empty())
    undo_layer_.End(failure, layer);
  else
    undo_published_.End(failure, published);
}

void MarkerBatch::Step(const std::vector<Pose>& X_PI, double dt, const Pose* shift, Vec3* displacement,
                       Vec3* wrench, Vec3* marker_forces, const std::uint8_t* mask) {
  const Output out{displacement, wrench, marker_forces};
  Check(X_PI, shift, out, mask);
  const std::exception_ptr failure = MoveCopies(mask, [&](std::size_t i, Scratch* s) {
    StepCopy(i, &X_PI[i * static_cast<std::size_t>(objects_)], dt, shift ? shift + i : nullptr, out, s);
  });
  GiveBack(failure, false);
}

void MarkerBatch::Press(const std::vector<Pose>& X_PI, double distance, int steps, double dt,
                        const Pose* shift, Vec3* displacement, Vec3* wrench, Vec3* marker_forces,
                        const std::uint8_t* mask) {
  const Output out{displacement, wrench, marker_forces};
  Check(X_PI, shift, out, mask);
  if (!(distance > 0) || !std::isfinite(distance) || steps < 1)
    throw Error("marker batch: a press from " + std::to_string(distance) + " m in " + std::to_string(steps) +
                " steps; give a distance above 0 and at least one step");
  const std::size_t objects = static_cast<std::size_t>(objects_);
  const auto forget = [&](std::size_t i) {
    if (!taxel_.empty()) taxel_[i].Reset();
    if (!layer_.empty()) layer_[i].Reset();
    for (std::size_t k = i * objects; k < (i + 1) * objects && !published_.empty(); ++k)
      published_[k].Reset();
  };
  const std::exception_ptr failure = MoveCopies(mask, [&](std::size_t i, Scratch* s) {
    const Vec3* u = displacement + i * static_cast<std::size_t>(markers_);
    forget(i);
    for (int j = 0; j <= steps; ++j) {
      s->lifted.assign(&X_PI[i * objects], &X_PI[i * objects] + objects);
      // The last one is X_PI itself, to the bit.
      for (Pose& X : s->lifted) X.p[2] += j < steps ? distance * (steps - j) / steps : 0;
      StepCopy(i, s->lifted.data(), dt, j == steps && shift ? shift + i : nullptr, out, s);
      if (j == 0 && std::any_of(u, u + markers_, [](const Vec3& v) { return norm(v) > 0; }))
        throw Error("marker batch: world " + std::to_string(i / static_cast<std::size_t>(fingers_)) +
                    ", finger " + std::to_string(i % static_cast<std::size_t>(fingers_)) +
                    " still touches at a distance of " + std::to_string(1e3 * distance) +
                    " mm; press from further away");
    }
  });
  GiveBack(failure, true);
}

template <typename Work>
void MarkerBatch::ForEach(const Work& work) {
  for (std::size_t i = 0; i < taxel_.size(); ++i) work(i / static_cast<std::size_t>(fingers_), &taxel_[i]);
  for (std::size_t i = 0; i < layer_.size(); ++i) work(i / static_cast<std::size_t>(fingers_), &layer_[i]);
  const std::size_t per_world = static_cast<std::size_t>(fingers_) * static_cast<std::size_t>(objects_);
  for (std::size_t i = 0; i < published_.size(); ++i) work(i / per_world, &published_[i]);
}

void MarkerBatch::Reset(const std::uint8_t* mask) {
  ForEach([mask](std::size_t world, auto* field) {
    if (!mask || mask[world]) field->Reset();
  });
}

void MarkerBatch::ZeroTangential(const std::uint8_t* mask) {
  ForEach([mask](std::size_t world, auto* field) {
    if (!mask || mask[world]) field->ZeroTangential();
  });
}

void MarkerBatch::SetParameters(int world, const TaxelParameters& parameters) {
  CheckTaxelParameters(parameters, "marker batch, world " + std::to_string(world));
  for (int f = 0; f < fingers_; ++f)
    taxel_.at(static_cast<std::size_t>(world * fingers_ + f)).set_parameters(parameters);
}

void MarkerBatch::SetParameters(int world, const LayerParameters& parameters) {
  CheckLayerParameters(parameters, "marker batch, world " + std::to_string(world));
  for (int f = 0; f < fingers_; ++f) {
    const int at = world * fingers_ + f;
    // Tables are dear: the field before has them where its gel is the same.
    const LayerField* like = at > 0 ? &layer_.at(static_cast<std::size_t>(at - 1)) : nullptr;
    layer_.at(static_cast<std::size_t>(at)).set_parameters(parameters, like);
  }
}

void MarkerBatch::SetParameters(int world, const MarkerParameters& parameters) {
  for (int k = 0; k < fingers_ * objects_; ++k) {
    MarkerField& field = published_.at(static_cast<std::size_t>(world * fingers_ * objects_ + k));
    field = field.With(parameters);
  }
}

}  // namespace taxel
