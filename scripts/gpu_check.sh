#!/bin/bash
# Builds the CUDA part for sm_90 (ARCH=80 and so on for others), checks it against the CPU and times it. Results go to $1
# (build/gpu_check). Needs nvcc, cmake, ninja, and a python3 with NumPy, torch (JAX and CuPy where they are there) and
# nanobind; DEPS (build/gpu_deps) may hold nanobind and the headers of Eigen where the machine has none:
#     mkdir -p build/gpu_deps && cp -r /usr/include/eigen3 /usr/share/eigen3 build/gpu_deps/
#     pip install --target build/gpu_deps nanobind
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-build/gpu_check}")
deps=$PWD/${DEPS:-build/gpu_deps}
mkdir -p "$out"
export PYTHONPATH=$deps${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1
eigen=()
if [ -d "$deps/eigen3/Eigen" ]; then
  mkdir -p build/gpu_eigen
  cat > build/gpu_eigen/Eigen3Config.cmake <<CMAKE
add_library(Eigen3::Eigen INTERFACE IMPORTED)
set_target_properties(Eigen3::Eigen PROPERTIES INTERFACE_INCLUDE_DIRECTORIES $deps/eigen3)
CMAKE
  printf 'set(PACKAGE_VERSION 3.4.0)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n' > build/gpu_eigen/Eigen3ConfigVersion.cmake
  eigen=(-DEigen3_DIR="$PWD/build/gpu_eigen")
fi
cmake -S . -B build/gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DTAXEL_MUJOCO=OFF -DTAXEL_PYTHON=ON -DTAXEL_CUDA=ON \
  -DTAXEL_CUDA_ARCHITECTURES="${ARCH:-90}" -DPython_EXECUTABLE="$(command -v python3)" "${eigen[@]}" > "$out/configure.log" 2>&1 ||
  { tail -20 "$out/configure.log"; exit 1; }
cmake --build build/gpu -- -k 0 > "$out/build.log" 2>&1 || { grep -E "error|warning" "$out/build.log" | head -20; exit 1; }
rm -rf build/gpu_package && mkdir -p build/gpu_package && cp -r python/taxel build/gpu_package/
rm -f build/gpu_package/taxel/*.so
cp build/gpu/python/_core*.so build/gpu/libtaxel_cuda.so build/gpu_package/taxel/
export PYTHONPATH=$PWD/build/gpu_package:$PYTHONPATH
status=0
python3 scripts/gpu_marker_check.py --out "$out" ${GPU_CHECK_OPTIONS:-} || status=1
python3 scripts/gpu_baseline_check.py --out "$out" ${GPU_CHECK_OPTIONS:-} || status=1
nvcc -std=c++20 -O3 -arch="sm_${ARCH:-90}" --expt-relaxed-constexpr -Isrc -Xcompiler -march=x86-64-v3,-pthread \
  scripts/gpu_gel_bench.cu src/taxel/batch/gel_batch.cu src/taxel/gel/{gel_transfer,gel_grid,particle_blocks,block_bins,block_table,thread_crew}.cc \
  -o build/gpu_gel_bench
build/gpu_gel_bench 2>&1 | tee "$out/gel.txt" || status=1
python3 scripts/gpu_eip_check.py --out "$out" || status=1
if python3 -c "import mujoco_warp" 2>/dev/null; then python3 scripts/gpu_mujoco_warp_check.py || status=1; fi
if [ "${SANITIZE:-1}" = 1 ] && command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck synccheck; do
    for check in marker baseline; do
      echo "compute-sanitizer $tool, $check"
      compute-sanitizer --tool $tool --error-exitcode 9 python3 scripts/gpu_${check}_check.py --tiny 2>&1 | tail -3
    done
    echo "compute-sanitizer $tool, gel"
    compute-sanitizer --tool $tool --error-exitcode 9 build/gpu_gel_bench --tiny 2>&1 | tail -3
  done
fi
exit $status
