#include "taxel/batch/attach_poses.h"

#include <string>

#include "taxel/math/error.h"

namespace taxel {
namespace {

void Attach(const std::string& what, int count, const std::vector<int>& rows,
            const std::vector<Pose>& offsets, int most, int* index, float (*offset)[12]) {
  if (rows.size() > static_cast<std::size_t>(most))
    throw Error("poses in the world: " + std::to_string(rows.size()) + " " + what + "; a GPU takes up to " +
                std::to_string(most));
  if (offsets.size() != rows.size())
    throw Error("poses in the world: " + std::to_string(offsets.size()) + " offsets for " +
                std::to_string(rows.size()) + " " + what + "; give one each");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= count)
      throw Error("poses in the world: row " + std::to_string(rows[i]) + " of " + what + "; there are " +
                  std::to_string(count) + " rows");
    index[i] = rows[i];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) offset[i][4 * r + c] = static_cast<float>(offsets[i].R(r, c));
      offset[i][4 * r + 3] = static_cast<float>(offsets[i].p[r]);
    }
  }
}

}  // namespace

CudaPoses AttachPoses(int count, const std::vector<int>& pads, const std::vector<Pose>& pad_offsets,
                      const std::vector<int>& objects, const std::vector<Pose>& object_offsets) {
  CudaPoses out;
  out.count = count;
  out.fingers = static_cast<int>(pads.size()), out.objects = static_cast<int>(objects.size());
  Attach("pads", count, pads, pad_offsets, kMaxFingers, out.pad_index, out.pad_offset);
  Attach("objects", count, objects, object_offsets, kMaxObjects, out.object_index, out.object_offset);
  return out;
}

}  // namespace taxel
