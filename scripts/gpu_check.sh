#!/bin/bash
# Builds taxel with its CUDA part for sm_90 (ARCH=80 and so on for others), runs the tests of tests/gpu on this machine's
# GPU, then the timings.
#     scripts/gpu_check.sh --prepare          fills build/gpu_deps, on a machine with a network
#     scripts/gpu_check.sh [OUT] [PYTEST...]  OUT (build/gpu_check) gets gpu_tests.xml, logs and times; the rest goes to
#                                             pytest, as -k markers
# Needs nvcc, cmake, ninja, and a python3 with NumPy and torch; JAX, CuPy, warp and mujoco_warp where they are there. What
# such a machine often has not, --prepare puts into DEPS (build/gpu_deps), which then travels with the working tree:
# nanobind, pytest and what pytest needs (pure wheels, so they serve any Python 3), the headers of Eigen.
# CHECKS=0 leaves the tests out, SPEED=0 the timings (SPEED=quick: two sizes), SANITIZE=0 compute-sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
deps=$PWD/${DEPS:-build/gpu_deps}
if [ "${1:-}" = --prepare ]; then
  pip=$([ -x .venv/bin/pip ] && echo .venv/bin/pip || echo "python3 -m pip")
  rm -rf "$deps" && mkdir -p "$deps"
  $pip install -q --target "$deps" "nanobind>=2.4" "pytest>=8"
  cp -r /usr/include/eigen3 "$deps/"
  if find "$deps" -name '*.so' | grep -q .; then echo "binary wheels in $deps: they serve one Python only" >&2; exit 1; fi
  du -sh "$deps"
  exit
fi
out=$(realpath -m "${1:-build/gpu_check}")
shift $(($# > 0 ? 1 : 0))
mkdir -p "$out"
export PYTHONPATH=$deps${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
python3 -c "import pytest, nanobind" || { echo "python3 has no pytest or nanobind; see scripts/gpu_check.sh --prepare" >&2; exit 1; }
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
cmake -S . -B build/gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DTAXEL_MUJOCO=AUTO -DTAXEL_PYTHON=ON -DTAXEL_CUDA=ON \
  -DTAXEL_CUDA_ARCHITECTURES="${ARCH:-90}" -DPython_EXECUTABLE="$(command -v python3)" "${eigen[@]}" > "$out/configure.log" 2>&1 ||
  { tail -20 "$out/configure.log"; exit 1; }
cmake --build build/gpu -- -k 0 > "$out/build.log" 2>&1 || { grep -E "error|warning" "$out/build.log" | head -20; exit 1; }
nvcc -std=c++20 -O3 -arch="sm_${ARCH:-90}" --expt-relaxed-constexpr -Isrc -Xcompiler -march=x86-64-v3,-pthread \
  scripts/gpu_gel_bench.cu src/taxel/batch/gel_batch.cu \
  src/taxel/gel/{gel_transfer,gel_grid,particle_blocks,block_bins,block_table,thread_crew}.cc -o build/gpu_gel_bench
nvcc -std=c++20 -O3 -arch="sm_${ARCH:-90}" --expt-relaxed-constexpr -Isrc -Xcompiler -march=x86-64-v3,-pthread \
  scripts/gpu_layer_bench.cu build/gpu/libtaxel.a -o build/gpu_layer_bench
rm -rf build/gpu_package && mkdir -p build/gpu_package && cp -r python/taxel build/gpu_package/
rm -f build/gpu_package/taxel/*.so
cp build/gpu/python/_core*.so build/gpu/libtaxel_cuda.so build/gpu_package/taxel/
# Soft contact inside mujoco_warp: where python3 has MuJoCo, mujoco_warp and warp.
if [ -f build/gpu/libtaxel_mujoco.so ]; then cp build/gpu/libtaxel_{mujoco,reader}.so build/gpu_package/taxel/; fi
export PYTHONPATH=$PWD/build/gpu_package:$PYTHONPATH
status=0
if [ "${CHECKS:-1}" = 1 ]; then
  python3 -m pytest -rPs -p no:cacheprovider --junitxml="$out/gpu_tests.xml" tests/gpu "$@" | tee "$out/gpu_tests.txt" || status=1
  # No GPU, nothing checked: that is no success.
  if ! grep -q ' passed' "$out/gpu_tests.txt"; then echo "no test ran" >&2; status=1; fi
fi
if [ "${SPEED:-1}" != 0 ]; then
  quick=$([ "${SPEED:-1}" = quick ] && echo --quick || true)
  python3 scripts/gpu_marker_speed.py --out "$out" $quick || status=1
  python3 scripts/gpu_layer_speed.py --out "$out" $quick || status=1
  build/gpu_layer_bench 2>&1 | tee "$out/layer.txt" || status=1
  python3 scripts/gpu_baseline_speed.py --out "$out" $quick || status=1
  if python3 -c 'import mujoco_warp' 2>/dev/null && [ -f build/gpu/libtaxel_mujoco.so ]; then
    python3 -m taxel.cli bench batch --out "$out" --json "$out/batch.json" || status=1
  fi
  build/gpu_gel_bench --times 2>&1 | tee "$out/gel.txt" || status=1
  python3 scripts/gpu_eip_speed.py --out "$out" || status=1
  python3 scripts/gpu_gel_skin_speed.py --out "$out" $quick || status=1
  if python3 -c "import mujoco_warp" 2>/dev/null; then
    python3 scripts/gpu_mujoco_warp_speed.py || status=1
    python3 scripts/gpu_tasks_speed.py --out "$out" ${quick:+--cases peg/soft/taxel} || status=1
  fi
fi
if [ "${SANITIZE:-1}" = 1 ] && command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck synccheck; do
    echo "compute-sanitizer $tool"
    compute-sanitizer --tool $tool --error-exitcode 9 \
      python3 -m pytest -p no:cacheprovider tests/gpu/test_gpu_kernels.py 2>&1 | tail -3 || status=1
    compute-sanitizer --tool $tool --error-exitcode 9 build/gpu_gel_bench --tiny 2>&1 | tail -3 || status=1
  done
fi
exit $status
