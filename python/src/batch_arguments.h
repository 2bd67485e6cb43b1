// What the bindings of batches share: NumPy arrays on the CPU, addresses of device memory on a GPU.
#pragma once

#include <initializer_list>
#include <vector>

#include "module.h"
#include "taxel/batch/cuda_api.h"
#include "taxel/marker/gravity.h"
#include "taxel/math/pose.h"

namespace taxel::python {

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Of (..., 4, 4).
std::vector<Pose> PosesOf(const Numbers& X);
/// Of (..., 3), or none for None.
std::vector<Vec3> VectorsOf(nb::handle values);
/// Normal and shear stiffness of a gel (Pa/m), or None; `keep` holds them.
const GelSprings* SpringsOf(nb::handle pair, GelSprings* keep);
/// The bytes of an array that `keep` holds, or null for None.
const std::uint8_t* MaskOf(nb::handle mask, Mask* keep);
/// (..., 4, 4).
nb::object MatricesOf(const std::vector<Pose>& poses, std::initializer_list<std::size_t> shape);
/// What a step writes: the results of the step before, which stay where a mask leaves a world out; 0 for
/// None.
std::vector<double> Before(nb::handle values, std::size_t size);

using Address = std::uintptr_t;
template <typename T>
T* At(Address address) {
  return reinterpret_cast<T*>(address);
}

/// How a batch on a GPU reads poses in the world: indices and offsets, set once.
struct Attached {
  CudaPoses poses;
};
/// X_PI, or position and rotation of what is attached; 0 where there are none.
CudaPoses PosesAt(const Attached* attached, Address X_PI, Address position, Address rotation);

}  // namespace taxel::python
