#include "taxel/mujoco/marker_model.h"

#include "taxel/marker/marker_field.h"
#include "taxel/marker/taxel_field.h"

namespace taxel::mujoco {
namespace {

class HydroShearModel : public MarkerModel {
 public:
  HydroShearModel(const MarkerSensor& sensor, const MarkerObject& object)
      : field_(*sensor.pad, sensor.markers_P, *object.indenter, sensor.settings.parameters) {}

  void Step(const MarkerState& before, const Pose& X_PI, MarkerState* next,
            MarkerModelReading* reading) override {
    field_.set_state(before);
    field_.Step(X_PI, &reading_);
    *next = field_.state();
    reading->displacement = reading_.displacement;
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

  void Step(const MarkerState& before, const Pose& X_PI, MarkerState* next,
            MarkerModelReading* reading) override {
    state_.objects[0] = before;
    field_.set_state(state_);
    X_PI_[0] = X_PI;
    field_.Step(X_PI_, 0, nullptr, &reading_);
    *next = field_.state().objects[0];
    reading->displacement = reading_.displacement;
    reading->force_P = reading_.force_P;
    reading->torque_P = reading_.torque_P;
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

}  // namespace

std::unique_ptr<MarkerModel> MakeMarkerModel(const MarkerSensor& sensor, const MarkerObject& object) {
  if (sensor.gel) return std::make_unique<TaxelModel>(sensor, object);
  return std::make_unique<HydroShearModel>(sensor, object);
}

}  // namespace taxel::mujoco
