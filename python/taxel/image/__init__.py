"""The image of a camera behind a gel: calibrated on photos of ball presses, rendered from height maps.

    from taxel.image import calibrate_image, presses_from_folder

    camera = calibrate_image(presses_from_folder("presses", ball_radius=2.35e-3, pixel=5.1e-5))
    height = camera.press(penetration)      # (rows, cols) in metres
    photo = camera.render(height)           # (rows, cols, 3) uint8
    camera.save("camera.npz")

docs/guide/tactile-image.md has the method, the numbers and the limits.
"""

from .batch import ImageBatch
from .calibrate import ImageFit, calibrate_image, register
from .camera import Light, TactileCamera, depth_image, draw_markers, press_skin
from .dots import Dots, DotTracker, DotTracks, find_dots, track_dots
from .presses import BallPress, presses_from_folder, presses_from_taxim
from .synthetic import synthetic_camera

__all__ = [
    "BallPress",
    "DotTracker",
    "DotTracks",
    "Dots",
    "ImageBatch",
    "ImageFit",
    "Light",
    "TactileCamera",
    "calibrate_image",
    "depth_image",
    "draw_markers",
    "find_dots",
    "press_skin",
    "presses_from_folder",
    "presses_from_taxim",
    "register",
    "synthetic_camera",
    "track_dots",
]
