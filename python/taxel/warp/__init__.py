"""Soft contact, skins and friction with memory for thousands of worlds inside mujoco_warp.

import mujoco_warp as mjw, taxel.warp

m = taxel.warp.put_model(model)                 # mjw.put_model, for models with our plugin in them
d = mjw.put_data(model, data, nworld=4096, nconmax=64, njmax=256)
soft = taxel.warp.attach(model, m, d)
mjw.step(m, d)                                  # as always; also inside a CUDA graph
image = soft["myrmex"].image                    # (4096, 16, 16) on the device
"""

try:
    import mujoco_warp as _mjw  # noqa: F401
    import warp as _wp  # noqa: F401
except ImportError as e:
    raise ImportError(
        "taxel.warp needs mujoco_warp and warp; run: pip install 'taxel[warp]'"
    ) from e

from .skin import Skin
from .soft_contact import SoftContact, attach, put_model

__all__ = ["Skin", "SoftContact", "attach", "put_model"]
