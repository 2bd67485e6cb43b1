// What soft contact remembers in mjData.plugin_state:
//   - anchors and pairs come back as they were written, in order, each as what it is
//   - where there is no room nothing is written beyond the end
//   - numbers that taxel did not write are told from those it did
#include "taxel/mujoco/saved_state.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "test_model.h"

namespace taxel::mujoco {
namespace {

using test::Bench;
using test::Model;
using test::MustCompile;

constexpr int kRoom = 5;
constexpr mjtNum kGuard = 7.25;

class SavedStates : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = MustCompile(Bench().xml());
    ASSERT_TRUE(model_);
    size_ = SavedState::Size(model_.get(), kRoom);
    numbers_.assign(size_, 0.0);
    numbers_.push_back(kGuard);
  }
  SavedState State() { return {model_.get(), numbers_.data(), size_}; }

  Model model_;
  int size_ = 0;
  std::vector<mjtNum> numbers_;
};

TEST_F(SavedStates, AnchorsAndPairsComeBack) {
  SavedState state = State();
  EXPECT_EQ(state.capacity(), kRoom);
  EXPECT_FALSE(state.started());
  const AnchorState anchor{{1e-4, -2e-4, 3e-5}, 0.25, 0.5, 3};
  EXPECT_TRUE(state.Append(17, anchor));
  EXPECT_TRUE(state.Append(PairState{2, 5, -0.125}));
  state.set_started();
  EXPECT_TRUE(state.started());
  ASSERT_EQ(state.count(), 2);
  AnchorState a;
  PairState p;
  EXPECT_FALSE(state.Read(0, &p));
  EXPECT_EQ(state.Read(0, &a), 17);
  EXPECT_EQ(a.stretch_O, anchor.stretch_O);
  EXPECT_EQ(a.normal_force, anchor.normal_force);
  EXPECT_EQ(a.elastic_force, anchor.elastic_force);
  EXPECT_EQ(a.partner, anchor.partner);
  EXPECT_EQ(state.Read(1, &a), -1);
  ASSERT_TRUE(state.Read(1, &p));
  EXPECT_EQ(p.geom1, 2);
  EXPECT_EQ(p.geom2, 5);
  EXPECT_EQ(p.budget, -0.125);
}

TEST_F(SavedStates, NothingIsWrittenBeyondTheEnd) {
  SavedState state = State();
  for (int i = 0; i < kRoom; ++i) EXPECT_TRUE(state.Append(i, AnchorState{{1, 1, 1}, 1, 1, 1})) << i;
  EXPECT_FALSE(state.Append(kRoom, AnchorState{}));
  EXPECT_FALSE(state.Append(PairState{0, 1, 1}));
  EXPECT_EQ(state.count(), kRoom);
  EXPECT_EQ(numbers_.back(), kGuard);
  state.Clear();
  EXPECT_EQ(state.count(), 0);
  for (int i = 0; i < size_; ++i) EXPECT_EQ(numbers_[i], 0) << i;
}

TEST_F(SavedStates, StrangeNumbersAreTold) {
  SavedState state = State();
  for (const mjtNum strange : {-1.0, kRoom + 1.0, 1e300, std::numeric_limits<mjtNum>::quiet_NaN()}) {
    numbers_[1] = strange;
    EXPECT_FALSE(state.count_known()) << strange;
    EXPECT_EQ(state.count(), 0) << strange;
  }
  numbers_[1] = 0;
  ASSERT_TRUE(state.Append(3, AnchorState{{1e-4, 0, 0}, 1, 1, 1}));
  mjtNum* first = numbers_.data() + 2 + model_->nv;
  for (const mjtNum strange : {1e16, std::numeric_limits<mjtNum>::infinity()}) {
    first[4] = strange;
    AnchorState a;
    EXPECT_EQ(state.Read(0, &a), -1) << strange;
  }
  EXPECT_TRUE(state.MetricKnown());
  state.metric()[0] = std::numeric_limits<mjtNum>::quiet_NaN();
  EXPECT_FALSE(state.MetricKnown());
}

}  // namespace
}  // namespace taxel::mujoco
