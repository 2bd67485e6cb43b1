// A model that cannot be, said in MuJoCo's own error.
#pragma once

#include <mujoco/mujoco.h>

#include <string>

namespace taxel::mujoco {

/// Ends an init callback that failed. MuJoCo would free the mjData and raise "plugin->init failed for plugin
/// id 0"; the reason would have to be a warning, which a compile error repeats. This frees the same and
/// raises the reason itself, so that it stands in the error once, and also where mj_makeData fails. Does not
/// return: MuJoCo's error handlers leave by longjmp, so no object with a destructor may be alive in the
/// caller, other than trivial ones. tests/mujoco/engine_pins_test.cc holds in place what this leans on.
void Refuse(mjData* d, int instance, const char* reason);

/// Room for a reason in MuJoCo's compile error, which cuts off what is longer: the way out, at its end.
inline constexpr int kReasonRoom = 460;

/// The reason of the last failure on this thread, kept where a longjmp cannot lose it. Of one that is longer
/// than kReasonRoom the middle is left out: who it is about stands first, the way out last.
const char* KeepReason(const std::string& reason);

}  // namespace taxel::mujoco
