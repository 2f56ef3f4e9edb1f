# One CMake target per room: grapple_room(<name> DEPENDS <room>... LIBRARIES <library>...)
# takes every src/<name>/*.cc. Rooms share one precompiled Eigen header.

add_library(grapple_options INTERFACE)
target_compile_features(grapple_options INTERFACE cxx_std_20)
target_compile_options(grapple_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wno-psabi
  $<$<BOOL:${GRAPPLE_WERROR}>:-Werror>
  $<$<BOOL:${GRAPPLE_NATIVE}>:-march=native>)

# Eigen's static alignment must not depend on -march, or a consumer built without it would disagree about the
# layout of our structs.
add_library(grapple_eigen INTERFACE)
target_link_libraries(grapple_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(grapple_eigen INTERFACE EIGEN_MAX_ALIGN_BYTES=16)

function(grapple_room name)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;LIBRARIES" ${ARGN})
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
  list(TRANSFORM ROOM_DEPENDS PREPEND grapple_)
  target_link_libraries(grapple_${name}
    PUBLIC grapple_eigen ${ROOM_DEPENDS}
    PRIVATE $<BUILD_INTERFACE:grapple_options> ${ROOM_LIBRARIES})
  if(name STREQUAL "base")
    target_precompile_headers(grapple_base PRIVATE <Eigen/Dense> <cmath> <string> <vector>)
  else()
    target_precompile_headers(grapple_${name} REUSE_FROM grapple_base)
  endif()
  set_property(GLOBAL APPEND PROPERTY GRAPPLE_ROOMS ${name})
endfunction()
