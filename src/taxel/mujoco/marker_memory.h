// What a marker sensor remembers between frames, in mjData.plugin_state.
#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "taxel/marker/marker_field.h"
#include "taxel/mujoco/marker_settings.h"

namespace taxel::mujoco {

/// A fixed number of mjtNum, all 0 before the first frame:
///
///     1                 whether there was a frame
///     1                 time of the last one
///     3 N (+ 6)         its reading, where the sensor has a rate
///     3 N               the late part of the markers' motion, where there is creep
///     14 a place        of an object: whether it was seen, its pose in the pad's frame (12), points inside
///     5 a point         inside, object after object: number, f (3), phi; room for `capacity`
///
/// What is not in use is 0, so that equal histories give equal states.
class MarkerMemory {
 public:
  static int Size(const mjModel* m, const MarkerSettings& settings);

  MarkerMemory(const MarkerSettings& settings, int object_room)
      : reading_(settings.rate > 0 ? settings.num_data() : 0),
        late_(settings.late() ? 3 * settings.count() : 0),
        objects_(object_room),
        room_(settings.capacity) {}

  int size() const { return 2 + reading_ + late_ + kPerObject * objects_ + kPerPoint * room_; }
  /// Numbers in use.
  int Used(const mjtNum* data) const;

  static bool Started(const mjtNum* data) { return data[0] != 0; }
  static mjtNum Time(const mjtNum* data) { return data[1]; }
  /// What sensordata held at the last frame; nothing without a rate.
  const mjtNum* Reading(const mjtNum* data) const { return data + 2; }
  /// The same of what is late; nothing without creep.
  const mjtNum* Late(const mjtNum* data) const { return data + 2 + reading_; }

  /// Whether this is what Begin and Append leave behind, for objects with so many points each.
  bool Sane(const mjtNum* data, const std::vector<int>& points) const;
  /// State of object k (objects are read from the first on; `first` counts the points before it).
  void Read(const mjtNum* data, int k, int* first, MarkerState* state) const;

  /// Writes a frame: Begin, then Append for each object in order. False where a point found no room.
  void Begin(mjtNum* data, mjtNum time, const std::vector<mjtNum>& reading,
             const std::vector<Vec3>& late) const;
  bool Append(mjtNum* data, int k, int* first, const MarkerState& state) const;

 private:
  static constexpr int kPerObject = 14, kPerPoint = 5;
  int object(int k) const { return 2 + reading_ + late_ + kPerObject * k; }
  int point(int i) const { return object(objects_) + kPerPoint * i; }
  int reading_, late_, objects_, room_;
};

}  // namespace taxel::mujoco
