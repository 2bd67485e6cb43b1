"""The ROS 2 package ``tactile_msgs`` for those who have none: `colcon build` makes TactileState known to ROS."""

from __future__ import annotations

from pathlib import Path

from .._core import Error
from .messages import TACTILE_STATE
from .service_types import GET_TACTILE_STATE

_PACKAGE = """<?xml version="1.0"?>
<package format="3">
  <name>tactile_msgs</name>
  <version>1.0.0</version>
  <description>Readings of tactile sensors, as taxel publishes them</description>
  <maintainer email="nobody@example.com">you</maintainer>
  <license>Apache-2.0</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <buildtool_depend>rosidl_default_generators</buildtool_depend>
  <depend>sensor_msgs</depend>
  <depend>std_msgs</depend>
  <exec_depend>rosidl_default_runtime</exec_depend>
  <member_of_group>rosidl_interface_packages</member_of_group>
  <export><build_type>ament_cmake</build_type></export>
</package>
"""
_CMAKE = """cmake_minimum_required(VERSION 3.8)
project(tactile_msgs)
find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
find_package(sensor_msgs REQUIRED)
find_package(std_msgs REQUIRED)
rosidl_generate_interfaces(${PROJECT_NAME}
  "msg/TactileState.msg" "srv/GetTactileState.srv" DEPENDENCIES sensor_msgs std_msgs)
ament_export_dependencies(rosidl_default_runtime)
ament_package()
"""


def write_interfaces(folder: str | Path) -> Path:
    """Writes the package into ``folder/tactile_msgs``; files that are there already stay."""
    root = Path(folder) / "tactile_msgs"
    if root.exists():
        raise FileExistsError(f"{root} is there already; give another folder")
    try:
        _write(root)
    except OSError as error:
        why = error.strerror or error
        raise Error(f"{root} cannot be written ({why}); give a folder where you may write") from None
    return root


def _write(root: Path) -> None:
    for name, text in {
        "package.xml": _PACKAGE,
        "CMakeLists.txt": _CMAKE,
        "msg/TactileState.msg": TACTILE_STATE,
        "srv/GetTactileState.srv": GET_TACTILE_STATE,
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
