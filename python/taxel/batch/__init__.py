"""Many worlds at once: on threads and in CUDA."""

from .baseline_batch import FotsBatch, TacSLBatch, TacSLBatchData
from .cuda import CudaArray, cuda_available, to_device
from .isaac_lab import VisuoTactileData, isaac_lab_data
from .marker_batch import MarkerBatch
from .model_batch import Batch, ModelBatch

__all__ = [
    "Batch",
    "CudaArray",
    "FotsBatch",
    "MarkerBatch",
    "ModelBatch",
    "TacSLBatch",
    "TacSLBatchData",
    "VisuoTactileData",
    "cuda_available",
    "isaac_lab_data",
    "to_device",
]
