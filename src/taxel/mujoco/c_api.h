// Plain functions for other languages: surfaces and wrenches of the last step, and reading without the
// plugin.
//
// Surfaces stay valid until the next step, read or free of the object they came from.
#pragma once

#include <mujoco/mujoco.h>

#if defined(__GNUC__)
#define TAXEL_API extern "C" __attribute__((visibility("default")))
#else
#define TAXEL_API extern "C"
#endif

/// Touching pairs of the last forward pass; -1 when the model has no taxel instance.
TAXEL_API int taxel_num_touches(const mjModel* m, mjData* d);
/// Pair i: geom ids, wrench on the second geom about the world origin (force, torque), area and pressure;
/// returns its taxel::ContactSurface (A is the second geom), or null.
TAXEL_API const void* taxel_touch(const mjModel* m, mjData* d, int i, int geoms[2], double wrench[6]);
/// After geom sizes or meshes changed: makes the bodies of this data anew. 0, or -1 with a message.
TAXEL_API int taxel_rebuild(const mjModel* m, mjData* d, char* error, int error_size);

/// A reader computes surfaces and wrenches from poses and velocities alone. `materials`: one line for each
///     name TAB geom id,geom id,... TAB key=value TAB key=value ...
/// which come on top of what the model itself declares. Null with a message when something is wrong.
TAXEL_API void* taxel_reader_new(const mjModel* m, const char* materials, char* error, int error_size);
TAXEL_API void taxel_reader_free(void* reader);
/// Computes all pairs at the state of d (after mj_forward or mj_kinematics + mj_comPos); returns how many
/// touch, -1 with a message.
TAXEL_API int taxel_reader_read(void* reader, const mjModel* m, mjData* d, char* error, int error_size);
TAXEL_API const void* taxel_reader_touch(void* reader, int i, int geoms[2], double wrench[6]);
TAXEL_API int taxel_reader_is_soft(void* reader, int geom);
