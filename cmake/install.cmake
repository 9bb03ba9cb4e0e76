# cmake --install, the files for find_package(gpugraph) and pkg-config, and the packages of cpack.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/gpugraph)
set(MADE ${PROJECT_BINARY_DIR}/made)

install(TARGETS gpugraph_extension EXPORT gpugraph LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT extension)
# ".load gpugraph" asks the system's loader. The loader searches /usr/lib directly and other folders through the list of
# ldconfig, which contains only files whose names begin with lib.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT CMAKE_INSTALL_FULL_LIBDIR MATCHES "^/usr/lib")
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
    file(CREATE_LINK gpugraph.so \"\${folder}/libsqlite3_mod_gpugraph.so\" SYMBOLIC)" COMPONENT extension)
endif()

install(TARGETS gpugraph EXPORT gpugraph ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
if(TARGET gpugraph_shared)
  install(TARGETS gpugraph_shared EXPORT gpugraph LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          COMPONENT development)
endif()
install(FILES ${PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpugraph COMPONENT development)

install(EXPORT gpugraph NAMESPACE gpugraph:: FILE gpugraph-targets.cmake DESTINATION ${CONFIG_FOLDER}
        COMPONENT development)
set(EXTENSION_FILE ${CMAKE_INSTALL_LIBDIR}/gpugraph${CMAKE_SHARED_MODULE_SUFFIX})
configure_package_config_file(cmake/gpugraph-config.cmake.in ${MADE}/gpugraph-config.cmake
  INSTALL_DESTINATION ${CONFIG_FOLDER} PATH_VARS EXTENSION_FILE)
write_basic_package_version_file(${MADE}/gpugraph-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${MADE}/gpugraph-config.cmake ${MADE}/gpugraph-config-version.cmake
        DESTINATION ${CONFIG_FOLDER} COMPONENT development)

# The folders are relative to the folder of the .pc file, so that an installation can be moved.
file(RELATIVE_PATH UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(STATIC_LIBS "\${libdir}/libgpugraph.a -lpthread -lm")
if(GPUGRAPH_WITH_CUDA)
  get_filename_component(CUDA_FOLDER ${CUDA_cudart_static_LIBRARY} DIRECTORY)
  string(REPLACE " " "\\ " CUDA_FOLDER "${CUDA_FOLDER}")
  string(APPEND STATIC_LIBS " -L${CUDA_FOLDER} -lcudart_static -ldl -lrt -lstdc++")
endif()
# pkg-config cannot omit -lgpugraph for --static, so each library has a file, as each is a target of CMake.
function(install_pkg_config PC_NAME PC_LIBS)
  configure_file(cmake/gpugraph.pc.in ${MADE}/${PC_NAME}.pc @ONLY)
  install(FILES ${MADE}/${PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()
install_pkg_config(gpugraph "\${without_sqlite}")
if(TARGET gpugraph_shared)
  install_pkg_config(gpugraph-shared "-L\${libdir} -lgpugraph")
endif()

# This step is the last, when all libraries are in their folder. Without the right to write the list, as for a private --prefix, the list stays.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  install(CODE "
    if(\"\$ENV{DESTDIR}\" STREQUAL \"\")
      set(ENV{PATH} \"\$ENV{PATH}:/usr/sbin:/sbin\")
      execute_process(COMMAND ldconfig OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE status)
    endif()" ALL_COMPONENTS)
endif()

# ---- packages: cpack -G DEB, after a configuration with -DCMAKE_INSTALL_PREFIX=/usr ----
set(CPACK_PACKAGE_NAME gpugraph)
set(CPACK_PACKAGE_CONTACT "The gpugraph authors <gpugraph@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Graph searches in SQLite, on a GPU or on all CPU cores")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL extension development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_EXTENSION_PACKAGE_NAME libsqlite3-mod-gpugraph)
set(CPACK_DEBIAN_EXTENSION_PACKAGE_SECTION database)
set(CPACK_DEBIAN_EXTENSION_PACKAGE_RECOMMENDS "sqlite3 (>= 3.40.1)")
set(CPACK_COMPONENT_EXTENSION_DESCRIPTION "Graph searches in SQLite: the extension, for .load gpugraph")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libgpugraph-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libsqlite3-dev (>= 3.40.1)")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Graph searches in SQLite: headers and libraries for programs in C")
include(CPack)
