"""Touch for mjlab: markers of gels and soft skins as sensors of a scene.

import taxel.mjlab

cfg.scene.sensors += (taxel.mjlab.MarkerSensorCfg(name="gel", field=field, pads=(left, right), objects=(cube,)),)
env = ManagerBasedRlEnv(cfg, device="cuda:0")
env.scene["gel"].data.displacement              # (worlds, 2, 63, 3) px, torch, on the device of the environment

mjlab pins the MuJoCo before ours, so it is installed without what it depends on (docs/guide/mjlab.md).
"""

try:
    import mjlab.sensor as _mjlab  # noqa: F401
    import mujoco_warp as _mjw  # noqa: F401
    import torch as _torch  # noqa: F401
except ImportError as e:
    raise ImportError(
        f"taxel.mjlab needs mjlab with torch and mujoco_warp ({e}); run: pip install 'taxel[learn,warp]' and "
        "pip install --no-deps mjlab==1.6.0, and see docs/guide/mjlab.md"
    ) from e

from .markers import MarkerData, MarkerSensor, MarkerSensorCfg
from .mount import Mount
from .skins import SkinData, SkinSensor, SkinSensorCfg

__all__ = [
    "MarkerData",
    "MarkerSensor",
    "MarkerSensorCfg",
    "Mount",
    "SkinData",
    "SkinSensor",
    "SkinSensorCfg",
]
