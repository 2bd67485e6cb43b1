// Many pads of a gel on the host: the kernels' functions in plain loops, a pad a thread.
#pragma once

#include "taxel/batch/cuda_pads.h"

namespace taxel::internal {

/// The same functions as TaxelCudaPads, with memory of the host.
const CudaPadsApi& HostPads();

}  // namespace taxel::internal
