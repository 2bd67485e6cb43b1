#include "batch_arguments.h"

#include "taxel/math/error.h"

namespace taxel::python {

std::vector<Pose> PosesOf(const Numbers& X) {
  std::vector<Pose> out(X.size() / 16);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) out[i].R(r, c) = X.data()[16 * i + 4 * r + c];
      out[i].p[r] = X.data()[16 * i + 4 * r + 3];
    }
  return out;
}

std::vector<Vec3> VectorsOf(nb::handle values) {
  std::vector<Vec3> out;
  if (values.is_none()) return out;
  const Numbers given = nb::cast<Numbers>(values);
  for (std::size_t i = 0; i + 2 < given.size(); i += 3)
    out.push_back({given.data()[i], given.data()[i + 1], given.data()[i + 2]});
  return out;
}

nb::object MatricesOf(const std::vector<Pose>& poses, std::initializer_list<std::size_t> shape) {
  std::vector<double> out;
  for (const Pose& X : poses) {
    for (int r = 0; r < 3; ++r) out.insert(out.end(), {X.R(r, 0), X.R(r, 1), X.R(r, 2), X.p[r]});
    out.insert(out.end(), {0, 0, 0, 1});
  }
  return nb::cast(Own<double>(std::move(out), shape));
}

const GelSprings* SpringsOf(nb::handle pair, GelSprings* keep) {
  if (pair.is_none()) return nullptr;
  const nb::tuple two = nb::cast<nb::tuple>(pair);
  *keep = {nb::cast<double>(two[0]), nb::cast<double>(two[1])};
  return keep;
}

const std::uint8_t* MaskOf(nb::handle mask, Mask* keep) {
  if (mask.is_none()) return nullptr;
  *keep = nb::cast<Mask>(mask);
  return keep->data();
}

std::vector<double> Before(nb::handle values, std::size_t size) {
  if (values.is_none()) return std::vector<double>(size);
  const Numbers given = nb::cast<Numbers>(values);
  if (given.size() != size) throw Error("batch: results of another size");
  return {given.data(), given.data() + size};
}

CudaPoses PosesAt(const Attached* attached, Address X_PI, Address position, Address rotation) {
  CudaPoses out;
  if (attached) out = attached->poses;
  out.X_PI = At<const float>(X_PI);
  out.position = At<const float>(position), out.rotation = At<const float>(rotation);
  return out;
}

}  // namespace taxel::python
