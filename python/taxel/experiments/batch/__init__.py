"""Thousands of worlds: soft contact in mujoco_warp beside the plugin in MuJoCo."""
