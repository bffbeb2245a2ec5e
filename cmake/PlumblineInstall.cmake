include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(plumbline_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Plumbline)

install(TARGETS plumbline_core EXPORT PlumblineTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/plumbline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT PlumblineTargets NAMESPACE plumbline:: DESTINATION ${plumbline_package_dir})

configure_package_config_file(cmake/PlumblineConfig.cmake.in PlumblineConfig.cmake
  INSTALL_DESTINATION ${plumbline_package_dir})
write_basic_package_version_file(PlumblineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/PlumblineConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/PlumblineConfigVersion.cmake
  cmake/FindZstd.cmake
  DESTINATION ${plumbline_package_dir})
