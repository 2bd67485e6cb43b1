"""mjlab's own task of lifting a cube, with a gel on its gripper and a soft mat on the ground."""

import importlib.machinery
import importlib.util
import sys
import types

# mjlab logs to a service and writes networks for others, which tests do not need: what imports their packages finds
# empty modules.
for name in ("wandb", "onnx"):
    if importlib.util.find_spec(name) is None:
        module = types.ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None)
        sys.modules[name] = module

import taxel  # noqa: E402
import taxel.mjlab  # noqa: E402

MINI = taxel.gelsight_mini_markers(dome=False)
PAD = taxel.mjlab.Mount("robot/link_left_finger", (0.1, 0.05, 0.0), (0.7, 0.1, 0.3, 0.2))
CUBE, BALL = taxel.Body.box((0.04, 0.04, 0.04)), taxel.Body.sphere(0.02)
MAT = 0.06 / 8


def field(body):
    return taxel.MarkerField(MINI.pad, MINI.markers, body, radius=2e-3)


def sensors():
    """A gel that feels the cube, one that takes it for a ball, and a mat."""
    skin = taxel.sensors.pad(size=(0.06, 0.06), shape=(8, 8), modulus=1.5e5, thickness=0.005, friction=0.8)
    return (
        taxel.mjlab.MarkerSensorCfg(name="gel", field=field(CUBE), pads=(PAD,), objects=("cube/cube",), wrench=True),
        taxel.mjlab.MarkerSensorCfg(
            name="ball", field=field(BALL), pads=(PAD,), objects=("cube/cube",), turn="any", press=5e-3
        ),
        taxel.mjlab.SkinSensorCfg(name="mat", skin=skin, mount=taxel.mjlab.Mount("world", (0.3, 0.0, 0.0))),
    )


def lift_cube(worlds: int):
    from mjlab.managers.observation_manager import ObservationTermCfg
    from mjlab.tasks.manipulation.config.yam.env_cfgs import yam_lift_cube_env_cfg

    cfg = yam_lift_cube_env_cfg()
    cfg.scene.num_envs = worlds
    cfg.scene.sensors += sensors()
    cfg.sim.mujoco.cone = "elliptic"
    touch = ObservationTermCfg(func=lambda env: env.scene["gel"].data.displacement[..., :2].flatten(1))
    cfg.observations["actor"].terms["touch"] = touch
    return cfg
