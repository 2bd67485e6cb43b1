"""Many worlds at once: on threads and in CUDA."""

from .baseline_batch import FotsBatch, TacSLBatch, TacSLBatchData
from .cuda import CudaArray, cuda_available, to_device
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
    "cuda_available",
    "to_device",
]
