// The reader library: c_api.h without the plugin. Loading it registers nothing and leaves MuJoCo as it is.
#include "taxel/mujoco/c_api.h"
