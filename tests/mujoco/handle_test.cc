// Handles of runtimes:
//   - unknown ones and those of another mjData lead nowhere; a freed one is used again, for its new owner
//   only
//   - more than one chunk of them
#include "taxel/mujoco/handle.h"

#include <gtest/gtest.h>

#include <set>

#include "test_model.h"

namespace taxel::mujoco {
namespace {

using test::Bench;
using test::Model;
using test::MustCompile;

class Handle : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = MustCompile(Bench().xml());
    ASSERT_TRUE(model_);
    scene_ = Scene::Of(model_.get());
  }
  std::unique_ptr<Runtime> New() const { return std::make_unique<Runtime>(scene_, 0); }
  // Only its address counts.
  const mjData* Owner(int i) const { return reinterpret_cast<const mjData*>(owners_ + i); }

  Model model_;
  std::shared_ptr<const Scene> scene_;
  char owners_[4000];
};

TEST_F(Handle, AnUnknownOneLeadsNowhere) {
  const std::uintptr_t none[] = {0, 1024 * 4096, 1024 * 4096 + 1, ~std::uintptr_t{0}};
  for (const std::uintptr_t handle : none) {
    EXPECT_EQ(RuntimeOf(Owner(0), handle), nullptr) << handle;
    EXPECT_EQ(AnyRuntime(handle), nullptr) << handle;
    RemoveRuntime(Owner(0), handle);
  }
}

TEST_F(Handle, AForeignOneLeadsNowhere) {
  std::unique_ptr<Runtime> runtime = New();
  Runtime* const raw = runtime.get();
  const std::uintptr_t handle = AddRuntime(Owner(0), std::move(runtime));
  ASSERT_NE(handle, 0u);
  EXPECT_EQ(RuntimeOf(Owner(0), handle), raw);
  EXPECT_EQ(RuntimeOf(Owner(1), handle), nullptr);
  EXPECT_EQ(AnyRuntime(handle), raw);
  RemoveRuntime(Owner(1), handle);  // not its own: nothing is freed
  EXPECT_EQ(RuntimeOf(Owner(0), handle), raw);
  RemoveRuntime(Owner(0), handle);
  EXPECT_EQ(RuntimeOf(Owner(0), handle), nullptr);
  EXPECT_EQ(AnyRuntime(handle), nullptr);
  RemoveRuntime(Owner(0), handle);  // twice is once
}

TEST_F(Handle, AFreedOneIsUsedAgainForItsNewOwner) {
  const std::uintptr_t first = AddRuntime(Owner(0), New());
  RemoveRuntime(Owner(0), first);
  const std::uintptr_t second = AddRuntime(Owner(1), New());
  EXPECT_EQ(first, second);
  EXPECT_EQ(RuntimeOf(Owner(0), first), nullptr);
  EXPECT_NE(RuntimeOf(Owner(1), second), nullptr);
  RemoveRuntime(Owner(0), first);
  EXPECT_NE(RuntimeOf(Owner(1), second), nullptr);
  RemoveRuntime(Owner(1), second);
}

TEST_F(Handle, ThereMayBeMany) {
  constexpr int kMany = 3000;  // more than fit into a chunk
  std::vector<std::uintptr_t> handles;
  std::vector<Runtime*> runtimes;
  for (int i = 0; i < kMany; ++i) {
    std::unique_ptr<Runtime> runtime = New();
    runtimes.push_back(runtime.get());
    handles.push_back(AddRuntime(Owner(i), std::move(runtime)));
  }
  EXPECT_EQ(std::set<std::uintptr_t>(handles.begin(), handles.end()).size(), std::size_t{kMany});
  for (int i = 0; i < kMany; i += 2) RemoveRuntime(Owner(i), handles[i]);
  for (int i = 0; i < kMany; ++i)
    EXPECT_EQ(RuntimeOf(Owner(i), handles[i]), i % 2 ? runtimes[i] : nullptr) << i;
  for (int i = 1; i < kMany; i += 2) RemoveRuntime(Owner(i), handles[i]);
}

}  // namespace
}  // namespace taxel::mujoco
