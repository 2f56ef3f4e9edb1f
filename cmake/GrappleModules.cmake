# One CMake target per module: grapple_module(<name> [KERNELS | CHECKED] DEPENDS <module>... LIBRARIES <library>...)
# takes every .cc below src/<name>. KERNELS: -O3 in a release. CHECKED, for modules that read files of others: every index into
# a standard container is checked, also in a release.

add_library(grapple_options INTERFACE)
target_compile_features(grapple_options INTERFACE cxx_std_20)
# gcc 12 raises the last five falsely inside its own AVX-512 and string headers.
target_compile_options(grapple_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wno-psabi -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow
  -Wno-array-bounds -Wno-stringop-overread
  $<$<BOOL:${GRAPPLE_WERROR}>:-Werror>
  $<$<BOOL:${GRAPPLE_NATIVE}>:-march=native>)

# What a release is hardened with: a fault in memory ends the program instead of running somebody's code. Sanitizers bring
# their own checks. The program shows all of it in its ELF header (tests/program/hardening_test.cc).
if(GRAPPLE_HARDEN)
  target_compile_options(grapple_options INTERFACE $<$<CONFIG:Release>:-fstack-protector-strong;-fstack-clash-protection>
    $<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>)
  check_cxx_compiler_flag(-fcf-protection=full GRAPPLE_HAS_CF_PROTECTION) # x86 only
  if(GRAPPLE_HAS_CF_PROTECTION)
    target_compile_options(grapple_options INTERFACE $<$<CONFIG:Release>:-fcf-protection=full>)
  endif()
  target_link_options(grapple_options INTERFACE $<$<CONFIG:Release>:-Wl,-z,relro,-z,now,-z,noexecstack>)
endif()

# Every index into a standard container is checked.
add_library(grapple_checked INTERFACE)
if(GRAPPLE_HARDEN)
  target_compile_definitions(grapple_checked INTERFACE _GLIBCXX_ASSERTIONS)
endif()

# Eigen's static alignment must not depend on -march, or a consumer built without it would disagree about the
# layout of our structs.
add_library(grapple_eigen INTERFACE)
target_link_libraries(grapple_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(grapple_eigen INTERFACE EIGEN_MAX_ALIGN_BYTES=16)

# Headers that nearly every file of a kind includes, precompiled once for all modules with the same flags: Eigen for the
# mechanics; Eigen, fmt and JSON for the modules that read files, which are compiled with checked containers.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "\n") # unlike WRITE, keeps an equal file
function(grapple_precompiled name)
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(${name} PRIVATE grapple_eigen grapple_options fmt::fmt nlohmann_json::nlohmann_json)
  target_precompile_headers(${name} PRIVATE <algorithm> <functional> <map> <memory> <string> <vector> ${ARGN})
endfunction()
grapple_precompiled(grapple_precompiled <Eigen/Dense> <fmt/format.h>)
grapple_precompiled(grapple_precompiled_checked <Eigen/Dense> <fmt/format.h> <nlohmann/json.hpp>)
target_link_libraries(grapple_precompiled_checked PRIVATE grapple_checked)

# The sources of one directory, with its internal/, are compiled as one file: most of the time of a build goes into headers and
# templates that they share. Names in their anonymous namespaces must therefore differ. GRAPPLE_BATCHES=OFF compiles every file
# alone, which is faster after a small change.
function(grapple_batches target root)
  if(NOT GRAPPLE_BATCHES)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH directory)
    cmake_path(RELATIVE_PATH directory BASE_DIRECTORY ${root})
    string(REGEX REPLACE "^\\.$|(^|/)internal$" "" group "${directory}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "files_${group}")
  endforeach()
endfunction()

function(grapple_module name)
  cmake_parse_arguments(MODULE "KERNELS;CHECKED" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  if(NOT sources)
    file(WRITE ${CMAKE_BINARY_DIR}/empty_${name}.cc "")
    set(sources ${CMAKE_BINARY_DIR}/empty_${name}.cc)
  endif()
  add_library(grapple_${name} STATIC ${sources})
  add_library(grapple::${name} ALIAS grapple_${name})
  set_target_properties(grapple_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(grapple_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM MODULE_DEPENDS PREPEND grapple_)
  target_link_libraries(grapple_${name}
    PUBLIC grapple_eigen ${MODULE_DEPENDS}
    PRIVATE $<BUILD_INTERFACE:grapple_options> fmt::fmt ${MODULE_LIBRARIES})
  if(MODULE_KERNELS)
    target_compile_options(grapple_${name} PRIVATE $<$<CONFIG:Release>:-O3>)
    target_precompile_headers(grapple_${name} PRIVATE <Eigen/Dense>)
  elseif(MODULE_CHECKED)
    target_link_libraries(grapple_${name} PRIVATE $<BUILD_INTERFACE:grapple_checked>)
    target_precompile_headers(grapple_${name} REUSE_FROM grapple_precompiled_checked)
  else()
    target_precompile_headers(grapple_${name} REUSE_FROM grapple_precompiled)
  endif()
  if(NOT MODULE_KERNELS) # gcc inlines less in large files, also the smallest functions of Eigen
    grapple_batches(grapple_${name} ${PROJECT_SOURCE_DIR}/src/${name} ${sources})
  endif()
  set_property(GLOBAL APPEND PROPERTY GRAPPLE_MODULES ${name})
endfunction()
