#include "taxel/contact/body_distance.h"

namespace taxel::internal {

MarkerDistance DistanceOf(const Body& body) {
  if (body.primitive()) return MarkerDistance(*body.primitive());
  return MarkerDistance(body.Surface(), body.name());
}

}  // namespace taxel::internal
