#include "taxel/batch/marker_batch.h"

#include <algorithm>
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

struct Scratch {
  TaxelReading taxel;
  MarkerReading published;
  std::vector<Pose> poses;
};

}  // namespace

MarkerBatch::MarkerBatch(const TaxelField& field, int worlds, int fingers, int threads)
    : worlds_(worlds),
      fingers_(fingers),
      objects_(static_cast<int>(field.objects().size())),
      markers_(static_cast<int>(field.markers_P().size())),
      threads_(threads) {
  CheckSizes(worlds, fingers, threads);
  taxel_.assign(static_cast<std::size_t>(worlds) * static_cast<std::size_t>(fingers), field);
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
const MarkerField& MarkerBatch::published_field(int world, int finger, int object) const {
  return published_.at(static_cast<std::size_t>((world * fingers_ + finger) * objects_ + object));
}

void MarkerBatch::Step(const std::vector<Pose>& X_PI, double dt, const Vec3* shift, Vec3* displacement,
                       Vec3* wrench, Vec3* marker_forces) {
  const std::size_t copies = static_cast<std::size_t>(worlds_) * static_cast<std::size_t>(fingers_),
                    objects = static_cast<std::size_t>(objects_),
                    markers = static_cast<std::size_t>(markers_);
  if (X_PI.size() != copies * objects)
    throw Error("marker batch: " + std::to_string(X_PI.size()) + " poses for " + std::to_string(worlds_) +
                " worlds, " + std::to_string(fingers_) + " fingers and " + std::to_string(objects_) +
                " objects; give one each");
  if (taxel_.empty() && (wrench || marker_forces))
    throw Error("marker batch: the published modes know no forces; use mode 'taxel'");
  for (std::size_t i = 0; i < X_PI.size(); ++i) {
    if (IsMarkerPose(X_PI[i])) continue;
    const std::string name = "X_PI of world " +
                             std::to_string(i / (objects * static_cast<std::size_t>(fingers_))) +
                             ", finger " + std::to_string(i / objects % static_cast<std::size_t>(fingers_)) +
                             ", object " + std::to_string(i % objects);
    CheckMarkerPose(X_PI[i], "marker batch", name.c_str());
  }
  for (std::size_t i = 0; shift && i < copies; ++i)
    if (!is_finite(shift[i]))
      throw Error("marker batch: the shift of world " +
                  std::to_string(i / static_cast<std::size_t>(fingers_)) + " is not finite; give metres");
  std::size_t failed = 0;
  undo_taxel_.Begin(taxel_.size());
  undo_published_.Begin(published_.size());
  const std::exception_ptr failure =
      ParallelFor<Scratch>(copies, threads_, 8, &failed, [&](std::size_t i, Scratch* s) {
        const Pose moved = shift ? Pose{{}, shift[i]} : Pose{};
        const Pose* pass = shift ? &moved : nullptr;
        const Pose* X = &X_PI[i * objects];
        Vec3* out = displacement + i * markers;
        if (!taxel_.empty()) {
          TaxelField& field = taxel_[i];
          field.set_marker_forces(marker_forces != nullptr);
          undo_taxel_.Keep(i, field.state());
          s->poses.assign(X, X + objects);
          field.Step(s->poses, dt, pass, &s->taxel);
          std::copy(s->taxel.displacement.begin(), s->taxel.displacement.end(), out);
          if (wrench) wrench[2 * i] = s->taxel.force_P, wrench[2 * i + 1] = s->taxel.torque_P;
          if (marker_forces)
            std::copy(s->taxel.marker_forces_P.begin(), s->taxel.marker_forces_P.end(),
                      marker_forces + i * markers);
          return;
        }
        std::fill(out, out + markers, Vec3{});
        for (std::size_t k = 0; k < objects; ++k) {
          undo_published_.Keep(i * objects + k, published_[i * objects + k].state());
          published_[i * objects + k].Step(X[k], &s->published, pass);
          for (std::size_t m = 0; m < markers; ++m) out[m] += s->published.displacement[m];
        }
      });
  if (!taxel_.empty())
    undo_taxel_.End(failure, [&](std::size_t i, const TaxelState& s) { taxel_[i].set_state(s); });
  else
    undo_published_.End(failure, [&](std::size_t i, const MarkerState& s) { published_[i].set_state(s); });
}

template <typename Work>
void MarkerBatch::ForEach(const Work& work) {
  for (std::size_t i = 0; i < taxel_.size(); ++i) work(i / static_cast<std::size_t>(fingers_), &taxel_[i]);
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

void MarkerBatch::SetParameters(int world, const MarkerParameters& parameters) {
  for (int k = 0; k < fingers_ * objects_; ++k) {
    MarkerField& field = published_.at(static_cast<std::size_t>(world * fingers_ * objects_ + k));
    field = field.With(parameters);
  }
}

}  // namespace taxel
