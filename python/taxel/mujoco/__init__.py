"""The engine: plugin, models, readers and sensors in MuJoCo."""

from .engine import Reader, Touch, compile_spec, load, load_model, need_mujoco, plugin_path, rebuild, touches, wrench
from .gel_sensor import GelSensor, GelWrench
from .marker_sensor import MarkerReading, MarkerSensor, add_markers
from .sensor import Sensor, add_sensor, sensor_names
from .softening import complete, configure, soften

__all__ = [
    "GelSensor",
    "GelWrench",
    "MarkerReading",
    "MarkerSensor",
    "Reader",
    "Sensor",
    "Touch",
    "add_markers",
    "add_sensor",
    "compile_spec",
    "complete",
    "configure",
    "load",
    "load_model",
    "need_mujoco",
    "plugin_path",
    "rebuild",
    "sensor_names",
    "soften",
    "touches",
    "wrench",
]
