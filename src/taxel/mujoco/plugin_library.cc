// Loading the plugin library (mj_loadPluginLibrary) registers the plugin.
#include <mujoco/mujoco.h>

#include "taxel/mujoco/plugin.h"

mjPLUGIN_LIB_INIT(taxel) { taxel::mujoco::Register(); }
