// A contact of one's own making between two balls, as the engine sees it.
#pragma once

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <functional>
#include <string>
#include <utility>

#include "taxel/mujoco/plugin.h"
#include "test_model.h"

namespace taxel::mujoco::test {

// Stands in for the collision of spheres (which no test below uses otherwise) with whatever adds contacts.
class SphereCollision {
 public:
  using Add = std::function<void(const mjModel*, mjData*, int, int)>;
  explicit SphereCollision(Add add) {
    Register();
    before_ = mjCOLLISIONFUNC[mjGEOM_SPHERE][mjGEOM_SPHERE];
    function() = std::move(add);
    mjCOLLISIONFUNC[mjGEOM_SPHERE][mjGEOM_SPHERE] = [](const mjModel* m, mjData* d, mjPreContact*, int g1,
                                                       int g2, mjtNum) {
      function()(m, d, g1, g2);
      return 0;
    };
  }
  ~SphereCollision() { mjCOLLISIONFUNC[mjGEOM_SPHERE][mjGEOM_SPHERE] = before_; }

 private:
  static Add& function() {
    static Add add;
    return add;
  }
  mjfCollision before_;
};

inline int AddTo(const mjModel* m, mjData* d, int g1, int g2, mjContact con) {
  con.geom[0] = con.geom1 = g1;
  con.geom[1] = con.geom2 = g2;
  const int at = d->ncon;
  EXPECT_EQ(mj_addContact(m, d, &con), 0);
  return at;
}

// Two balls, one on a tilted slide with damping, one free; the free one flies.
inline std::string TwoBalls(const std::string& option,
                            const std::string& joint = "damping=\"3\" stiffness=\"40\"") {
  return "<mujoco><option cone=\"elliptic\" gravity=\"0 0 0\" " + option +
         "/><worldbody>"
         "<body pos=\"0 0 0\"><joint name=\"slide\" type=\"slide\" axis=\"0.3 -0.2 0.9\" " +
         joint +
         "/><geom type=\"sphere\" size=\"0.02\" mass=\"0.3\"/></body>"
         "<body pos=\"0.005 0.003 0.035\"><freejoint/><geom type=\"sphere\" size=\"0.02\" "
         "mass=\"0.17\"/></body>"
         "</worldbody><actuator><position joint=\"slide\" kp=\"900\" kv=\"7\"/></actuator></mujoco>";
}
inline double InverseMass(const mjModel* m) { return m->body_invweight0[2] + m->body_invweight0[4]; }

inline void Move(const Model& m, const Data& d) {
  for (int i = 0; i < m->nv; ++i) d->qvel[i] = 0.02 * (i + 1) * (i % 2 ? -1 : 1);
}

// J of row i times qvel, from the dense or sparse Jacobian.
inline double RowVelocity(const mjModel* m, const mjData* d, int row) {
  double v = 0;
  if (mj_isSparse(m)) {
    for (int k = 0; k < d->efc_J_rownnz[row]; ++k)
      v += d->efc_J[d->efc_J_rowadr[row] + k] * d->qvel[d->efc_J_colind[d->efc_J_rowadr[row] + k]];
  } else {
    for (int k = 0; k < m->nv; ++k) v += d->efc_J[row * m->nv + k] * d->qvel[k];
  }
  return v;
}

}  // namespace taxel::mujoco::test
