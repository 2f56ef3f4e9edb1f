# Install rules. Another project says find_package(grapple) and links grapple::grapple, which brings every module.
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY GRAPPLE_MODULES)
list(TRANSFORM modules PREPEND grapple_ OUTPUT_VARIABLE module_targets)

# One target that brings every module, grapple::grapple outside; here the name `grapple` is the program's.
add_library(grapple_facade INTERFACE)
add_library(grapple::grapple ALIAS grapple_facade)
target_link_libraries(grapple_facade INTERFACE ${module_targets})
target_compile_features(grapple_facade INTERFACE cxx_std_20)
set_target_properties(grapple_facade PROPERTIES EXPORT_NAME grapple)
set_target_properties(grapple_eigen PROPERTIES EXPORT_NAME eigen)

install(TARGETS grapple_facade grapple_eigen ${module_targets} EXPORT grappleTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The public headers are those that grapple.h reaches, found when installing: includes change without a new configuration.
install(CODE "set(GRAPPLE_SOURCES ${PROJECT_SOURCE_DIR}/src)
set(GRAPPLE_HEADERS \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/grapple)")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/InstallHeaders.cmake)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/grapple)
install(EXPORT grappleTargets NAMESPACE grapple:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/grappleConfig.cmake.in
  ${PROJECT_BINARY_DIR}/grappleConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/grappleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/grappleConfig.cmake ${PROJECT_BINARY_DIR}/grappleConfigVersion.cmake
        ${PROJECT_SOURCE_DIR}/cmake/FindLAPACKE.cmake
        DESTINATION ${package_dir})

# The program looks for its examples beside itself.
install(TARGETS grapple RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/grapple)

# Everything `cmake --install` copies, without the tests.
add_custom_target(grapple_installed DEPENDS grapple ${module_targets})
