// From an mjData to its runtime:
//   - an mjData whose plugin_data was copied bit by bit gets a runtime of its own
//   - a model without the plugin has none
#include "taxel/mujoco/find_runtime.h"

#include <gtest/gtest.h>

#include "taxel/mujoco/handle.h"
#include "test_model.h"

namespace taxel::mujoco {
using namespace internal;
namespace {

using test::Bench;
using test::Data;
using test::MakeData;
using test::Model;
using test::MustCompile;

class FindRuntimes : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = MustCompile(Bench().xml());
    ASSERT_TRUE(model_);
  }
  Model model_;
};

TEST_F(FindRuntimes, ACopyBitByBitGetsARuntimeOfItsOwn) {
  const Data d = MakeData(model_);
  test::Step(model_, d, 3);
  Runtime* const original = FindRuntime(model_.get(), d.get());
  const std::uintptr_t handle = d->plugin_data[0];
  ASSERT_NE(original, nullptr);
  {
    const Data copy = MakeData(model_);
    RemoveRuntime(copy.get(), copy->plugin_data[0]);
    copy->plugin_data[0] = handle;
    Runtime* const own = FindRuntime(model_.get(), copy.get());
    ASSERT_NE(own, nullptr);
    EXPECT_NE(own, original);
    EXPECT_NE(copy->plugin_data[0], handle);
    EXPECT_EQ(FindRuntime(model_.get(), copy.get()), own);
    test::Step(model_, copy, 3);
    for (int i = 0; i < model_->nq; ++i) EXPECT_EQ(copy->qpos[i], d->qpos[i]);
  }
  // The copy is gone, the original lives.
  EXPECT_EQ(FindRuntime(model_.get(), d.get()), original);
  test::Step(model_, d, 3);
}

TEST_F(FindRuntimes, ACopyThatNeverRanFreesNothingOfTheOriginal) {
  const Data d = MakeData(model_);
  Runtime* const original = FindRuntime(model_.get(), d.get());
  {
    const Data copy = MakeData(model_);
    RemoveRuntime(copy.get(), copy->plugin_data[0]);
    copy->plugin_data[0] = d->plugin_data[0];
  }
  EXPECT_EQ(FindRuntime(model_.get(), d.get()), original);
}

TEST_F(FindRuntimes, AModelWithoutThePluginHasNone) {
  const Model plain = MustCompile("<mujoco><worldbody><geom size=\"1\"/></worldbody></mujoco>");
  ASSERT_TRUE(plain);
  const Data d = MakeData(plain);
  EXPECT_EQ(FindRuntime(plain.get(), d.get()), nullptr);
}

}  // namespace
}  // namespace taxel::mujoco
