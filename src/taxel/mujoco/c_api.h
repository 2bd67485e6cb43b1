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

/// Long work (bodies of soft meshes, while a model is compiled or a reader made) asks this about twenty times
/// a second whether to stop; null: nobody. A model then fails to compile, with the word "interrupted"; a
/// reader is null with that message. A step is never stopped.
TAXEL_API void taxel_set_interrupt_check(bool (*check)(void));

/// Touching pairs of the last forward pass; -1 when the model has no taxel instance.
TAXEL_API int taxel_num_touches(const mjModel* m, mjData* d);
/// Pair i: geom ids, wrench on the second geom about the world origin (force, torque), area and pressure;
/// returns its taxel::ContactSurface (A is the second geom), or null.
TAXEL_API const void* taxel_touch(const mjModel* m, mjData* d, int i, int geoms[2], double wrench[6]);
/// After geom sizes or meshes changed: makes the bodies of this data anew. 0, or -1 with a message.
TAXEL_API int taxel_rebuild(const mjModel* m, mjData* d, char* error, int error_size);

/// The model's soft contact in words (mujoco/scene_text.h). The text stays until the next call in this
/// thread; null with a message when something is wrong.
TAXEL_API const char* taxel_scene(const mjModel* m, double spacing, char* error, int error_size);
/// Makes a copy of a model into one without plugins, for engines that refuse them: plugin sensors become user
/// sensors of the same length and place. Before an mjData is made of it.
TAXEL_API void taxel_strip_plugins(mjModel* m);

/// A reader computes surfaces, wrenches and tactile readings from poses and velocities alone. `materials` and
/// `sensors`: one line for each
///     name TAB geom id,geom id,... TAB key=value TAB key=value ...
/// (a sensor has one geom; with model=marker its keys are those of marker_settings.h), which come on top of
/// what the model itself declares. Null with a message when something is wrong.
TAXEL_API void* taxel_reader_new(const mjModel* m, const char* materials, const char* sensors, char* error,
                                 int error_size);
TAXEL_API void taxel_reader_free(void* reader);
/// Whether forces are scaled to those of the engine's own contacts (1) or are the field's at the engine's
/// overlap (0). Without this call: as the model says, which is 1 unless it says scale="none".
TAXEL_API void taxel_reader_scale(void* reader, int engine);
/// Computes all pairs at the state of d (after mj_forward or mj_kinematics + mj_comPos); returns how many
/// touch, -1 with a message.
TAXEL_API int taxel_reader_read(void* reader, const mjModel* m, mjData* d, char* error, int error_size);
TAXEL_API const void* taxel_reader_touch(void* reader, int i, int geoms[2], double wrench[6]);
TAXEL_API int taxel_reader_is_soft(void* reader, int geom);

/// Tactile sensors, of the plugin (reader null) or of a reader. How many; -1 when the model has no taxel
/// instance.
TAXEL_API int taxel_num_skins(void* reader, const mjModel* m, mjData* d);
/// Sensor k: its name, and info = {sensor id or -1, geom, taxels, rows, columns, outputs (1 pressure, 2
/// shear, 4 slip, 8 truth, 16 saturated), unit (0 Pa, 1 N, 2 counts), length, on demand}; returns its
/// taxel::Layout in the geom's frame, or null.
TAXEL_API const void* taxel_skin(void* reader, const mjModel* m, mjData* d, int k, int info[9],
                                 const char** name);
/// Computes sensor k now, at the state of the last forward pass, into out (`length` numbers), and what it
/// felt into felt = {force on the skin (3), area, centre of pressure (3), normal load, sliding share, load
/// where no taxel is}, in the geom's frame. 0, or -1 with a message.
TAXEL_API int taxel_skin_read(void* reader, const mjModel* m, mjData* d, int k, double* out, double felt[10],
                              char* error, int error_size);
/// Pauses (1) or wakes (0) a sensor of the plugin; returns whether it was paused. -1: only looks.
TAXEL_API int taxel_skin_pause(const mjModel* m, mjData* d, int k, int paused);

/// Marker sensors (marker_settings.h), of the plugin (reader null) or of a reader. How many.
TAXEL_API int taxel_num_markers(void* reader, const mjModel* m, mjData* d);
/// Sensor k: its name, the size of a pixel (m), and info = {sensor id or -1, geom, markers, rows, columns (0
/// 0: points), objects, length of its saved state, length of a reading}. 0, or -1 when there is none.
TAXEL_API int taxel_markers(void* reader, const mjModel* m, mjData* d, int k, int info[8], double* pixel,
                            const char** name);
/// Its markers in the pad's frame (3 a marker, m), and the pad's frame in the geom's: rotation row by row,
/// position.
TAXEL_API int taxel_markers_places(void* reader, const mjModel* m, mjData* d, int k, double* points,
                                   double X_GP[12]);
/// Computes sensor k now into out (3 a marker, px; with a wrench 6 more), and how many points are inside the
/// gel. The plugin's memory stays as it is; a reader remembers the last reading once time has gone on, and
/// forgets when it went back.
TAXEL_API int taxel_markers_read(void* reader, const mjModel* m, mjData* d, int k, double* out, int* inside,
                                 char* error, int error_size);
