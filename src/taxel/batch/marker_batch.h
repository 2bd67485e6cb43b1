// Marker fields of many worlds at once, on threads.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "taxel/batch/undo.h"
#include "taxel/marker/gravity.h"
#include "taxel/marker/layer_field.h"
#include "taxel/marker/taxel_field.h"

namespace taxel {

/// worlds x fingers independent copies of a field. All fingers carry the same pad; poses are those of the
/// objects in each pad's frame. Results do not depend on the number of threads.
class MarkerBatch {
 public:
  /// Throws Error for worlds or fingers below 1, or threads below 0 (0: all).
  MarkerBatch(const TaxelField& field, int worlds, int fingers, int threads);
  /// Mode layer.
  MarkerBatch(const LayerField& field, int worlds, int fingers, int threads);
  /// Published modes: one field an object, with one mode; displacements are added.
  MarkerBatch(const std::vector<MarkerField>& fields, int worlds, int fingers, int threads);

  int worlds() const { return worlds_; }
  int fingers() const { return fingers_; }
  int objects() const { return objects_; }
  int markers() const { return markers_; }

  /// X_PI: worlds x fingers x objects. shift: a motion a world and finger for the gravity pass, or null.
  /// displacement, marker_forces: worlds x fingers x markers; wrench: worlds x fingers x (force, torque);
  /// the last two may be null, and must be for the published modes, which know no newton.
  /// mask: one a world; worlds where it is 0 keep their memory, their outputs are not written and their poses
  /// not looked at. Null: all move.
  /// Throws Error, naming world and finger, for a bad pose; then no world has moved. Nor has any
  /// after an interrupt (math/interrupt.h).
  void Step(const std::vector<Pose>& X_PI, double dt, const Pose* shift, Vec3* displacement, Vec3* wrench,
            Vec3* marker_forces, const std::uint8_t* mask = nullptr);

  /// Forgets the memory of the masked worlds and presses their objects in: from `distance` above X_PI along
  /// the pad's z, in `steps` equal parts, so that points come in from outside. Outputs as of the Step to
  /// X_PI. Throws Error, naming world and finger, for a distance at which an object still touches; then no
  /// world has moved.
  void Press(const std::vector<Pose>& X_PI, double distance, int steps, double dt, const Pose* shift,
             Vec3* displacement, Vec3* wrench, Vec3* marker_forces, const std::uint8_t* mask = nullptr);

  /// How far the weights move the objects on the gels, in the contact that the last Step left behind: a shift
  /// for the next one at the same poses. loads: worlds x fingers; with several objects they move as one.
  /// springs: null, the gel's own (SpringsOf).
  std::vector<Pose> GravityShift(const std::vector<GravityLoad>& loads, const GelSprings* springs) const;

  /// mask: one a world; null: all. ZeroTangential keeps what was pressed.
  void Reset(const std::uint8_t* mask);
  void ZeroTangential(const std::uint8_t* mask);
  void SetParameters(int world, const TaxelParameters& parameters);
  void SetParameters(int world, const MarkerParameters& parameters);
  void SetParameters(int world, const LayerParameters& parameters);

  /// worlds x fingers; empty for the published modes.
  const std::vector<TaxelField>& taxel_fields() const { return taxel_; }
  /// worlds x fingers; empty but for mode layer.
  const std::vector<LayerField>& layer_fields() const { return layer_; }
  const TaxelField& taxel_field(int world, int finger) const;
  const LayerField& layer_field(int world, int finger) const;
  const MarkerField& published_field(int world, int finger, int object) const;

 private:
  struct Output {
    Vec3 *displacement, *wrench, *marker_forces;
  };
  struct Scratch;
  template <typename Work>
  void ForEach(const Work& work);
  void Check(const std::vector<Pose>& X_PI, const Pose* shift, const Output& out,
             const std::uint8_t* mask) const;
  /// Calls work(copy, Scratch*) for the copies of masked worlds, with their memory kept for an undo.
  template <typename Work>
  std::exception_ptr MoveCopies(const std::uint8_t* mask, const Work& work);
  void StepCopy(std::size_t i, const Pose* X_PI, double dt, const Pose* pass, const Output& out, Scratch* s);
  void GiveBack(const std::exception_ptr& failure, bool after_errors);

  int worlds_, fingers_, objects_, markers_, threads_;
  std::vector<TaxelField> taxel_;       // worlds x fingers
  std::vector<LayerField> layer_;       // worlds x fingers
  std::vector<MarkerField> published_;  // worlds x fingers x objects
  Undo<TaxelState> undo_taxel_;
  Undo<LayerState> undo_layer_;
  Undo<MarkerState> undo_published_;
};

}  // namespace taxel
