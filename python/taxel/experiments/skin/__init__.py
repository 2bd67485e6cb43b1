"""Tactile arrays: load, slip, real sensors, the orientation of what is pressed (HydroelasticTouch; MuJoCo workshop)."""
