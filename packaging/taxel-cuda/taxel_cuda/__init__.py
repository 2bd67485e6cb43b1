"""Holds libtaxel_cuda.so, the part of taxel that runs on NVIDIA GPUs; ``import taxel`` finds it by itself."""
