# MuJoCo from the Python wheel, which holds headers and library but no CMake package.
#
#   TAXEL_MUJOCO_PYTHON   interpreter whose site-packages hold mujoco (default: .venv, then the Python that is found)
#   mujoco_ROOT           or directly a folder with include/mujoco/mujoco.h and libmujoco.so.X.Y.Z
#
# Gives the target mujoco::mujoco, MuJoCo_VERSION and MuJoCo_DIR_FOUND.
if(NOT mujoco_ROOT)
  if(NOT TAXEL_MUJOCO_PYTHON)
    if(Python_EXECUTABLE)
      set(TAXEL_MUJOCO_PYTHON ${Python_EXECUTABLE})
    elseif(EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
      set(TAXEL_MUJOCO_PYTHON ${PROJECT_SOURCE_DIR}/.venv/bin/python)
    else()
      find_program(TAXEL_MUJOCO_PYTHON python3)
    endif()
  endif()
  execute_process(
    COMMAND ${TAXEL_MUJOCO_PYTHON} -c
            "import importlib.util as u; s = u.find_spec('mujoco'); print(s.submodule_search_locations[0] if s else '')"
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE mujoco_ROOT ERROR_QUIET)
endif()
find_path(MuJoCo_INCLUDE_DIR mujoco/mujoco.h HINTS ${mujoco_ROOT}/include NO_DEFAULT_PATH)
file(GLOB MuJoCo_LIBRARY ${mujoco_ROOT}/libmujoco.so.*)
if(MuJoCo_INCLUDE_DIR)
  file(STRINGS ${MuJoCo_INCLUDE_DIR}/mujoco/mujoco.h version_line REGEX "define mjVERSION_HEADER")
  string(REGEX MATCH "[0-9]+" version_number "${version_line}")
  math(EXPR version_major "${version_number} / 1000000")
  math(EXPR version_minor "${version_number} / 1000 % 1000")
  math(EXPR version_patch "${version_number} % 1000")
  set(MuJoCo_VERSION ${version_major}.${version_minor}.${version_patch})
  # One version unpacked over another leaves two libraries: that of the headers is meant.
  list(FILTER MuJoCo_LIBRARY INCLUDE REGEX "\\.so\\.${version_major}\\.${version_minor}\\.${version_patch}$")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MuJoCo REQUIRED_VARS MuJoCo_LIBRARY MuJoCo_INCLUDE_DIR VERSION_VAR MuJoCo_VERSION)
if(MuJoCo_FOUND AND NOT TARGET mujoco::mujoco)
  add_library(mujoco::mujoco SHARED IMPORTED)
  set_target_properties(mujoco::mujoco PROPERTIES IMPORTED_LOCATION ${MuJoCo_LIBRARY}
                        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${MuJoCo_INCLUDE_DIR}
                        INTERFACE_INCLUDE_DIRECTORIES ${MuJoCo_INCLUDE_DIR})
  set(MuJoCo_DIR_FOUND ${mujoco_ROOT})
endif()
