#include "taxel/marker/layer_vjp.h"

#include <string>

#include "taxel/marker/layer_path.h"
#include "taxel/math/error.h"
#include "taxel/math/pose_twist.h"

namespace taxel {
using namespace internal;
namespace {

using Eigen::Index;
using Mat = Eigen::MatrixXd;

Vec3 Column(const Mat& m, Index first, Index k) { return {m(first, k), m(first + 1, k), m(first + 2, k)}; }

}  // namespace

LayerTape::LayerTape(const LayerField& field, const LayerTape* like)
    : path_(std::make_unique<LayerPath>(field, like ? like->path_.get() : nullptr)) {}
LayerTape::LayerTape(LayerTape&&) noexcept = default;
LayerTape& LayerTape::operator=(LayerTape&&) noexcept = default;
LayerTape::~LayerTape() = default;

const LayerReading& LayerTape::Step(const std::vector<Pose>& X_PI) { return path_->Step(X_PI); }
std::size_t LayerTape::size() const { return path_->size(); }

void LayerTape::Backward(const std::vector<LayerCotangent>& cotangents,
                         std::vector<std::vector<PoseGradient>>* poses,
                         LayerParameterGradient* parameters) const {
  const std::vector<LayerPlace>& markers = path_->field().cells().marker;
  if (cotangents.size() != size())
    throw Error("marker gradient: cotangents of " + std::to_string(cotangents.size()) +
                " steps for a path of " + std::to_string(size()) + "; give one list a step");
  std::vector<LayerSeeds> seeds(size(), LayerSeeds::Zero(static_cast<Index>(markers.size()), 1));
  std::vector<const LayerSeeds*> all;
  for (std::size_t t = 0; t < size(); ++t) {
    const LayerCotangent& c = cotangents[t];
    if (c.displacement.size() != markers.size())
      throw Error("marker gradient: " + std::to_string(c.displacement.size()) + " cotangents for " +
                  std::to_string(markers.size()) + " markers; give one each");
    for (std::size_t m = 0; m < markers.size(); ++m) {
      seeds[t].x(static_cast<Index>(m), 0) = dot(c.displacement[m], markers[m].e1);
      seeds[t].y(static_cast<Index>(m), 0) = dot(c.displacement[m], markers[m].e2);
    }
    for (int k = 0; k < 3; ++k) seeds[t].force(k, 0) = c.force_P[k], seeds[t].torque(k, 0) = c.torque_P[k];
    all.push_back(&seeds[t]);
  }
  const LayerSweep sweep = path_->Back(all, 1);
  poses->assign(size(), {});
  for (std::size_t t = 0; t < size(); ++t)
    for (std::size_t o = 0; o < sweep.poses[t].size(); ++o)
      (*poses)[t].push_back(EntriesOfTwist(
          path_->pose(t, o), {Column(sweep.poses[t][o], 0, 0), Column(sweep.poses[t][o], 3, 0)}));
  for (Index k = 0; k < 6; ++k) (*parameters)[static_cast<std::size_t>(k)] = sweep.parameters(k, 0);
}

void LayerTape::Backward(const std::vector<std::vector<Vec3>>& cotangents,
                         std::vector<std::vector<PoseGradient>>* poses,
                         LayerParameterGradient* parameters) const {
  std::vector<LayerCotangent> all;
  for (const std::vector<Vec3>& c : cotangents) all.push_back({c, {}, {}});
  Backward(all, poses, parameters);
}

LayerJacobian LayerTape::Jacobian() const {
  const std::vector<LayerPlace>& markers = path_->field().cells().marker;
  const auto count = static_cast<Index>(markers.size());
  // A number for each marker and direction, then six of the wrench.
  const Index numbers = 2 * count + 6;
  LayerSeeds seeds = LayerSeeds::Zero(count, numbers);
  for (Index m = 0; m < count; ++m) seeds.x(m, m) = seeds.y(m, count + m) = 1;
  for (Index k = 0; k < 3; ++k) seeds.force(k, 2 * count + k) = seeds.torque(k, 2 * count + 3 + k) = 1;
  std::vector<const LayerSeeds*> all(size(), nullptr);
  all.back() = &seeds;
  const LayerSweep sweep = path_->Back(all, numbers);
  const auto split = [&](const Mat& rows, Index row, std::vector<Vec3>* displacement,
                         std::array<double, 6>* wrench) {
    for (Index m = 0; m < count; ++m) {
      const LayerPlace& at = markers[static_cast<std::size_t>(m)];
      displacement->push_back(rows(row, m) * at.e1 + rows(row, count + m) * at.e2);
    }
    for (Index k = 0; k < 6; ++k) (*wrench)[static_cast<std::size_t>(k)] = rows(row, 2 * count + k);
  };
  LayerJacobian out;
  for (std::size_t k = 0; k < 6; ++k)
    split(sweep.parameters, static_cast<Index>(k), &out.displacement_by_parameter[k],
          &out.wrench_by_parameter[k]);
  out.displacement_by_pose.resize(sweep.poses.back().size());
  out.wrench_by_pose.resize(sweep.poses.back().size());
  for (std::size_t o = 0; o < out.wrench_by_pose.size(); ++o)
    for (std::size_t k = 0; k < 6; ++k)
      split(sweep.poses.back()[o], static_cast<Index>(k), &out.displacement_by_pose[o][k],
            &out.wrench_by_pose[o][k]);
  return out;
}

}  // namespace taxel
