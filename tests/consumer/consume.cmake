# Installs a build tree into a scratch prefix, then builds and runs the project beside this file against it.
#   cmake -DBUILD_DIR= -DSCRATCH_DIR= -DCXX= -DCXX_FLAGS= -DBUILD_TYPE= -P consume.cmake
set(prefix ${SCRATCH_DIR}/prefix)
file(REMOVE_RECURSE ${SCRATCH_DIR})
set(ENV{DESTDIR} "")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output ERROR_VARIABLE output
                  ECHO_ERROR_VARIABLE ECHO_OUTPUT_VARIABLE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})

# A consumer has Eigen; every other library stays behind the .cc files.
file(GLOB_RECURSE headers ${prefix}/include/*.h)
foreach(header IN LISTS headers)
  file(STRINGS ${header} foreign REGEX "#include <[A-Za-z]+[A-Za-z0-9_-]*(/|\\.h)")
  list(FILTER foreign EXCLUDE REGEX "<Eigen/")
  if(foreign)
    message(FATAL_ERROR "${header} shows a library to consumers: ${foreign}")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${SCRATCH_DIR}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix} -DGRAPPLE_HEADERS=${prefix}/include
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXX_FLAGS} -DCMAKE_BUILD_TYPE=${BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${SCRATCH_DIR}/build)
run(${SCRATCH_DIR}/build/arm)

# Five seconds of a double pendulum at tolerance 1e-10: about 1e-9 of its 30 J may be lost.
if(NOT output MATCHES "energy/residual +([-+][0-9.]+)e([-+][0-9]+) J")
  message(FATAL_ERROR "the example printed no energy residual:\n${output}")
endif()
if(CMAKE_MATCH_2 GREATER -8)
  message(FATAL_ERROR "the example lost energy: ${CMAKE_MATCH_1}e${CMAKE_MATCH_2} J")
endif()

# A scenario driven from outside ends as the README says.
run(${SCRATCH_DIR}/build/drive ${CMAKE_CURRENT_LIST_DIR}/../../examples/control/pushed-arm.yaml)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../README.md readme)
string(STRIP "${output}" output)
string(FIND "${readme}" "${output}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "README.md does not show what the example printed: ${output}")
endif()
