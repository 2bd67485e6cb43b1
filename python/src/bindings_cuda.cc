// Memory of a GPU by addresses (taxel/batch/cuda.py gives it a face), and how batches read poses there.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "batch_arguments.h"
#include "module.h"
#include "taxel/batch/attach_poses.h"
#include "taxel/batch/cuda_library.h"
#include "taxel/batch/device_memory.h"

namespace taxel::python {
namespace {

// A view for DLPack; `owner` stays alive with it.
nb::object ToDlpack(Address address, const std::vector<std::size_t>& shape, const std::string& dtype,
                    nb::handle owner) {
  if (dtype != "float32" && dtype != "uint8") throw Error("GPU: no view of " + dtype);
  const nb::dlpack::dtype kind = dtype == "uint8" ? nb::dtype<std::uint8_t>() : nb::dtype<float>();
  return nb::cast(nb::ndarray<>(At<void>(address), shape.size(), shape.data(), owner, nullptr, kind,
                                nb::device::cuda::value, 0));
}

// Address, shape, kind (DLPack's code and bits) and strides of an array on a GPU that speaks DLPack alone.
nb::tuple ReadDlpack(const nb::ndarray<nb::ro, nb::device::cuda>& a) {
  nb::list shape, strides;
  for (std::size_t k = 0; k < a.ndim(); ++k) shape.append(a.shape(k)), strides.append(a.stride(k));
  return nb::make_tuple(reinterpret_cast<Address>(a.data()), shape, static_cast<int>(a.dtype().code),
                        static_cast<int>(a.dtype().bits), strides);
}

}  // namespace

void BindCuda(nb::module_& m) {
  nb::class_<Attached>(m, "AttachedPoses")
      .def(
          "per_world",
          [](Attached& a, Address pad_offsets, Address object_offsets) {
            a.poses.pad_offsets = At<const float>(pad_offsets);
            a.poses.object_offsets = At<const float>(object_offsets);
          },
          nb::arg("pad_offsets"), nb::arg("object_offsets"));
  m.def(
      "attach_poses",
      [](int count, const std::vector<int>& pads, const Numbers& pad_offsets, const std::vector<int>& objects,
         const Numbers& object_offsets) {
        return new Attached{AttachPoses(count, pads, PosesOf(pad_offsets), objects, PosesOf(object_offsets))};
      },
      nb::arg("count"), nb::arg("pads"), nb::arg("pad_offsets"), nb::arg("objects"),
      nb::arg("object_offsets"), nb::rv_policy::take_ownership);
  nb::class_<DeviceMemory>(m, "CudaMemory")
      .def(nb::init<std::size_t>())
      .def_prop_ro("address", [](const DeviceMemory& c) { return reinterpret_cast<Address>(c.data()); });
  m.def(
      "cuda_clear",
      [](Address address, std::size_t bytes, Address stream) {
        ClearDevice(At<void>(address), bytes, At<void>(stream));
      },
      nb::arg("address"), nb::arg("bytes"), nb::arg("stream"));
  m.def(
      "cuda_mask",
      [](Address from, const std::string& typestr, std::size_t count, Address to, Address stream) {
        const std::string kind = typestr.substr(1);
        CudaNumber number = CudaNumber::kByte;
        if (kind == "i2" || kind == "u2")
          number = CudaNumber::kInt16;
        else if (kind == "i4" || kind == "u4")
          number = CudaNumber::kInt32;
        else if (kind == "i8" || kind == "u8")
          number = CudaNumber::kInt64;
        else if (kind == "f2")
          number = CudaNumber::kHalf;
        else if (kind == "f4")
          number = CudaNumber::kFloat;
        else if (kind == "f8")
          number = CudaNumber::kDouble;
        else if (kind != "i1" && kind != "u1" && kind != "b1")
          throw Error("GPU: no mask of " + typestr);
        MaskDevice(At<const void>(from), number, count, At<void>(to), At<void>(stream));
      },
      nb::arg("source"), nb::arg("typestr"), nb::arg("count"), nb::arg("to"), nb::arg("stream"));
  m.def(
      "cuda_copy",
      [](Address to, Address from, std::size_t bytes, Address stream, bool wait) {
        CopyMemory(At<void>(to), At<const void>(from), bytes, At<void>(stream), wait);
      },
      nb::arg("to"), nb::arg("source"), nb::arg("bytes"), nb::arg("stream"), nb::arg("wait"));
  m.def("cuda_view", &ToDlpack, nb::arg("address"), nb::arg("shape"), nb::arg("dtype"), nb::arg("owner"));
  m.def("read_dlpack", &ReadDlpack);
  m.def("why_no_cuda", &WhyNoCuda);
  m.def("add_cuda_folder", &AddCudaFolder, nb::arg("folder"));
}

}  // namespace taxel::python
