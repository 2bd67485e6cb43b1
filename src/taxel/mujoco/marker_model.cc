#include "taxel/mujoco/marker_model.h"

#include "taxel/marker/layer_field.h"
#include "taxel/marker/marker_field.h"
#include "taxel/marker/taxel_field.h"

namespace taxel::mujoco {
namespace {

class HydroShearModel : public MarkerModel {
 public:
  HydroShearModel(const MarkerSensor& sensor, const MarkerObject& object)
      : field_(*sensor.pad, sensor.markers_P, *object.indenter, sensor.settings.parameters) {}

  void Step(const MarkerState& before, const Pose& X_PI, const Pose* shift, MarkerState* next,
            MarkerModelReading* reading) override {
    field_.set_state(before);
    field_.Step(X_PI, &reading_, shift);
    *next = field_.state();
    reading->displacement = reading_.displacement;
  }

  GelSprings Contact(ContactPatch* patch) const override {
    AddContact(field_, patch);
    return SpringsOf(field_, *patch);
  }

 private:
  MarkerField field_;
  MarkerReading reading_;
};

// The objects of a TaxelField only meet in sums, so each may have a field of its own. What is late is late of
// the sum: the runtime sees to that.
class TaxelModel : public MarkerModel {
 public:
  TaxelModel(const MarkerSensor& sensor, const MarkerObject& object)
      : field_(*sensor.gel, sensor.markers_P, {*object.indenter}, WithoutCreep(sensor.settings.taxel),
               sensor.settings.substeps),
        state_(field_.state()),
        X_PI_(1) {
    const std::size_t points = object.indenter->points_I.size();
    MarkerState& s = state_.objects[0];
    s.index.reserve(points), s.f_P.reserve(points), s.phi.reserve(points);
    reading_.points_P.reserve(points), reading_.point_forces_P.reserve(points);
  }

  void Step(const MarkerState& before, const Pose& X_PI, const Pose* shift, MarkerState* next,
            MarkerModelReading* reading) override {
    state_.objects[0] = before;
    field_.set_state(state_);
    X_PI_[0] = X_PI;
    field_.Step(X_PI_, 0, shift, &reading_);
    *next = field_.state().objects[0];
    reading->displacement = reading_.displacement;
    reading->force_P = reading_.force_P;
    reading->torque_P = reading_.torque_P;
  }

  GelSprings Contact(ContactPatch* patch) const override {
    AddContact(field_, patch);
    return SpringsOf(field_, *patch);
  }

 private:
  static TaxelParameters WithoutCreep(TaxelParameters p) {
    p.creep = 0;
    return p;
  }
  TaxelField field_;
  TaxelState state_;
  std::vector<Pose> X_PI_;
  TaxelReading reading_;
};

// Each object presses into a gel of its own; their displacements are added.
class LayerModel : public MarkerModel {
 public:
  LayerModel(const MarkerSensor& sensor, const MarkerObject& object)
      : field_(sensor.layer->With({object.indenter->distance})), X_PI_(1) {
    state_.X_PI.resize(1);
  }

  void Step(const MarkerState& before, const Pose& X_PI, const Pose* shift, MarkerState* next,
            MarkerModelReading* reading) override {
    state_.started = before.started;
    state_.X_PI[0] = before.X_PI;
    state_.index = before.index;
    state_.object.assign(before.index.size(), 0);
    state_.traction = before.f_P;
    field_.set_state(state_);
    X_PI_[0] = X_PI;
    field_.Step(X_PI_, shift, &reading_);
    const LayerState& after = field_.state();
    next->started = after.started;
    next->X_PI = after.X_PI[0];
    next->index = after.index;
    next->f_P = after.traction;
    next->phi.clear();
    for (const Vec3& t : after.traction) next->phi.push_back(t.z);
    reading->displacement = reading_.displacement;
    reading->force_P = reading_.force_P;
    reading->torque_P = reading_.torque_P;
  }

  GelSprings Contact(ContactPatch* patch) const override {
    AddContact(field_, patch);
    return SpringsOf(field_, *patch);
  }

 private:
  LayerField field_;
  LayerState state_;
  std::vector<Pose> X_PI_;
  LayerReading reading_;
};

}  // namespace

std::unique_ptr<MarkerModel> MakeMarkerModel(const MarkerSensor& sensor, const MarkerObject& object) {
  if (sensor.layer) return std::make_unique<LayerModel>(sensor, object);
  if (sensor.gel) return std::make_unique<TaxelModel>(sensor, object);
  return std::make_unique<HydroShearModel>(sensor, object);
}

}  // namespace taxel::mujoco
