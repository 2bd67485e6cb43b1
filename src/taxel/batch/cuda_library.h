// libtaxel_cuda.so, which lies beside this library, in a folder that is named, or where the loader looks.
#pragma once

#include <string>

#include "taxel/batch/cuda_api.h"
#include "taxel/batch/cuda_baselines.h"
#include "taxel/batch/cuda_device.h"
#include "taxel/batch/cuda_gel.h"
#include "taxel/batch/cuda_images.h"
#include "taxel/batch/cuda_layer.h"
#include "taxel/batch/cuda_pads.h"
#include "taxel/math/error.h"

namespace taxel {

/// A folder to look in, after that of this library and before those of the loader. To be called before any
/// function below, and not from two threads at once.
void AddCudaFolder(const std::string& folder);

/// Its functions: devices and memory, marker fields, their mode layer, FOTS and TacSL, images, gels, pads
/// of a gel. Each
/// throws Error, saying what is missing, when it was not built, is of another version, or finds no GPU.
const CudaDeviceApi& LoadCudaDevice();
const CudaApi& LoadCuda();
const CudaLayerApi& LoadCudaLayer();
const CudaBaselineApi& LoadCudaBaselines();
const CudaImageApi& LoadCudaImages();
const CudaGelApi& LoadCudaGel();
const CudaPadsApi& LoadCudaPads();
/// Empty when they would work, else why not.
std::string WhyNoCuda();

/// Whether this process was forked from one that had begun to use CUDA, which does not survive that.
bool CudaForked();

/// Throws Error, opening with `what`, when call(error, size) returns anything but 0.
template <typename Call>
void RunCuda(const char* what, const Call& call) {
  char error[512] = "";
  if (call(error, sizeof error))
    throw Error(std::string(what) + ": " + error +
                (CudaForked() ? " (this process was forked from one that used CUDA, which does not survive "
                                "that: start it with multiprocessing's 'spawn')"
                              : ""));
}

/// Throws Error, opening with `what`, unless a GPU takes so many.
void CheckCudaSizes(const char* what, int worlds, int fingers);

}  // namespace taxel
