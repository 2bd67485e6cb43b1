// What a step can carry of a contact:
//   - a core counts as near by the way of two steps and of twice gravity
//   - explicit coupling: a patch is softened to h^2 k / m = 1/4, and left alone where it is softer
//   - a budget that is not spent leaves the patch alone; an empty one holds it back
#include "taxel/mujoco/touch_limits.h"

#include <gtest/gtest.h>

#include "taxel/contact/release_limit.h"
#include "test_model.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

using test::Bench;
using test::Data;
using test::MakeData;
using test::Model;
using test::MustCompile;

// The only touch of a block that rests on its pad.
class TouchLimits : public ::testing::Test {
 protected:
  void Rest(const Bench& bench) {
    model_ = MustCompile(bench.xml());
    ASSERT_TRUE(model_);
    data_ = MakeData(model_);
    test::Step(model_, data_, 3);
    mj_forward(model_.get(), data_.get());
    ASSERT_EQ(runtime()->last_touches().size(), 1u);
    touch_ = *runtime()->last_touches()[0];
  }
  Runtime* runtime() { return FindRuntime(model_.get(), data_.get()); }

  Model model_;
  Data data_;
  Touch touch_;
};

TEST_F(TouchLimits, ACoreIsForeseenByTwoSteps) {
  Rest(Bench());
  const double h = model_->opt.timestep;
  touch_.motion = {{0, 0, -0.3}, {}, {}};
  EXPECT_NEAR(CoreReach(model_.get(), data_.get(), touch_), 2 * h * 0.3 + 20 * h * h, 1e-15);
  touch_.motion = {};
  EXPECT_NEAR(CoreReach(model_.get(), data_.get(), touch_), 20 * h * h, 1e-15);
}

TEST_F(TouchLimits, AnExplicitContactIsAsStiffAsTheStepCarries) {
  Rest(Bench());
  Touch soft = touch_, stiff = touch_;
  soft.patch.Scale(1e-3, 1e-3);
  EXPECT_EQ(LimitExplicit(model_.get(), data_.get(), &soft), ExplicitStep::kCarried);
  EXPECT_EQ(soft.patch.stiffness, 1e-3 * touch_.patch.stiffness);
  stiff.patch.Scale(1e3, 1e3);
  EXPECT_EQ(LimitExplicit(model_.get(), data_.get(), &stiff), ExplicitStep::kSoftened);
  const double h = model_->opt.timestep, m = 1 / model_->body_invweight0[2];
  EXPECT_LE(h * h * stiff.patch.stiffness / m, 0.25 * (1 + 1e-9));
  EXPECT_GT(h * h * stiff.patch.stiffness / m, 0.01);  // rotation makes the mass lighter, not nothing
  EXPECT_NEAR(stiff.most_damping, h * stiff.patch.stiffness, 1e-9 * stiff.most_damping);
}

TEST_F(TouchLimits, OnlyAnEmptyBudgetHoldsBack) {
  Rest(Bench());
  Touch rich = touch_, poor = touch_;
  const double energy = ElasticEnergy(touch_.patch);
  rich.energy = poor.energy = energy;
  // It leaves faster than what lies in a contact is lifted out of it.
  rich.motion = poor.motion = {{0, 0, 0.5}, {}, {}};
  const PairState much{touch_.geom1, touch_.geom2, 2 * energy}, nothing{touch_.geom1, touch_.geom2, 0};
  LimitRelease(model_.get(), data_.get(), &much, false, &rich);
  EXPECT_FALSE(rich.held_back);
  EXPECT_EQ(rich.patch.force, touch_.patch.force);
  LimitRelease(model_.get(), data_.get(), &nothing, false, &poor);
  EXPECT_TRUE(poor.held_back);
  EXPECT_LT(poor.patch.force, 0.01 * touch_.patch.force);
}

}  // namespace
}  // namespace taxel::mujoco
