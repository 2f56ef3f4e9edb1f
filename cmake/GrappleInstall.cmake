# Install rules. Another project says find_package(grapple) and links grapple::grapple, which brings every module.
include(CMakePackageConfigHelpers)

# Headers that serve only the .cc files beside them; some include libraries a consumer need not have.
set(GRAPPLE_INTERNAL_HEADERS
  base/formula_parser.h base/formula_text.h base/interval_jet.h
  geometry/cylinder_volume.h geometry/polyhedron_pair.h geometry/principal_axes.h geometry/convex_distance.h geometry/disc_polygon.h geometry/edge_distance.h
  geometry/face_planes.h geometry/gauss_kronrod.h geometry/round_solid.h geometry/round_volume.h geometry/ball_volume.h geometry/ball_on_surface.h geometry/mesh_volume.h geometry/ball_round_volume.h
  geometry/circle_segment.h geometry/convex_core.h geometry/ellipsoid_gap.h geometry/torus_gap.h
  geometry/box_tree.h geometry/cone_mesh.h geometry/flush.h geometry/ring_arcs.h geometry/ring_distance.h geometry/ring_function.h
  geometry/ring_overlap.h geometry/ring_scan.h geometry/ring_solid.h geometry/ring_volume.h geometry/round_mesh_volume.h geometry/round_share.h
  geometry/convex_touch.h geometry/expanding_polytope.h geometry/surface_distance.h geometry/torus_on_polyhedron.h flexible/body_json.h flexible/rigid_on_frame.h model/inertia_check.h
  dynamics/aba-inl.h dynamics/cholesky.h dynamics/crba-inl.h dynamics/elastic_step-inl.h
  dynamics/flexible_inertia-inl.h dynamics/joint_step-inl.h dynamics/kinematics-inl.h dynamics/link_inertia-inl.h
  dynamics/rnea-inl.h dynamics/rnea_derivatives-inl.h dynamics/tangent_frame.h constraint/dense_rows.h
  constraint/loop_tree-inl.h constraint/loop_tree_factor-inl.h constraint/loop_tree_solve-inl.h
  constraint/loop_tree_transfer-inl.h constraint/elimination_order.h constraint/row_inertia.h scenario/assembly.h scenario/beam_keys.h
  scenario/build_ratio.h scenario/build_transmission.h scenario/contact_laws.h scenario/contact_shop.h scenario/read_shape.h scenario/scene_contacts.h scenario/shape_on_beam.h scenario/coordinates.h
  contact/closing_speed.h contact/contact_outputs.h contact/contact_site.h contact/contact_start.h contact/near_pool.h force/input_breakpoints.h system/sampling.h run/switches.h
  integrate/alpha_path.h integrate/alpha_scheme.h integrate/alpha_solver.h integrate/generalized_alpha.h
  integrate/bracketed_root.h integrate/event_finder.h integrate/fixed_grid.h integrate/methods.h
  record/atomic_file.h record/hdf5_handle.h record/results_layout.h record/scene_geometry.h record/utf8.h
  view/addresses.h view/bounded_json.h view/bundle.h view/command.h view/connection.h view/guard.h view/live_description.h view/live_run.h view/page_maker.h view/request.h)

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

foreach(module IN LISTS modules)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/${module}/*.h)
  list(REMOVE_ITEM headers ${GRAPPLE_INTERNAL_HEADERS})
  list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/src/)
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/grapple/${module})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/src/grapple.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/grapple)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/grapple)
install(EXPORT grappleTargets NAMESPACE grapple:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/grappleConfig.cmake.in
  ${PROJECT_BINARY_DIR}/grappleConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/grappleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/grappleConfig.cmake ${PROJECT_BINARY_DIR}/grappleConfigVersion.cmake
        DESTINATION ${package_dir})

# The program looks for its examples beside itself.
install(TARGETS grapple RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/grapple)

# Everything `cmake --install` copies, without the tests.
add_custom_target(grapple_installed DEPENDS grapple ${module_targets})
