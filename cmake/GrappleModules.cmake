# One CMake target per module: grapple_module(<name> [EIGEN | KERNELS] DEPENDS <module>... LIBRARIES <library>...)
# takes every src/<name>/*.cc. EIGEN precompiles Eigen's header; KERNELS is EIGEN and -O3 in a release. CHECKED is for modules
# that read files of others: every index into a standard container is checked, also in a release.

add_library(grapple_options INTERFACE)
target_compile_features(grapple_options INTERFACE cxx_std_20)
# gcc 12 raises the last four falsely inside its own AVX-512 and string headers.
target_compile_options(grapple_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wno-psabi -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow
  -Wno-array-bounds
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

# Eigen's static alignment must not depend on -march, or a consumer built without it would disagree about the
# layout of our structs.
add_library(grapple_eigen INTERFACE)
target_link_libraries(grapple_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(grapple_eigen INTERFACE EIGEN_MAX_ALIGN_BYTES=16)

# Eigen's header, precompiled once for all modules with the same flags.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "\n") # unlike WRITE, keeps an equal file
add_library(grapple_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
target_link_libraries(grapple_precompiled PRIVATE grapple_eigen grapple_options)
target_precompile_headers(grapple_precompiled PRIVATE <Eigen/Dense>)

function(grapple_module name)
  cmake_parse_arguments(MODULE "EIGEN;KERNELS;CHECKED" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
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
    PRIVATE $<BUILD_INTERFACE:grapple_options> ${MODULE_LIBRARIES})
  if(MODULE_KERNELS)
    target_compile_options(grapple_${name} PRIVATE $<$<CONFIG:Release>:-O3>)
    target_precompile_headers(grapple_${name} PRIVATE <Eigen/Dense>)
  elseif(MODULE_EIGEN AND MODULE_CHECKED AND GRAPPLE_HARDEN) # a definition of its own needs a precompiled header of its own
    target_precompile_headers(grapple_${name} PRIVATE <Eigen/Dense>)
  elseif(MODULE_EIGEN)
    target_precompile_headers(grapple_${name} REUSE_FROM grapple_precompiled)
  endif()
  if(MODULE_CHECKED AND GRAPPLE_HARDEN)
    target_compile_definitions(grapple_${name} PRIVATE _GLIBCXX_ASSERTIONS)
  endif()
  set_property(GLOBAL APPEND PROPERTY GRAPPLE_MODULES ${name})
endfunction()
