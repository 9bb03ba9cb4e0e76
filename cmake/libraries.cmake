# Targets made from gpu/ and ext/:
#   gpugraph.so         gpugraph_extension  for .load; exports the names of gpugraph_extension.h
#   libgpugraph.a       gpugraph            for programs with or without SQLite; exports the public names
#   libgpugraph.so.N    gpugraph_shared     the shared library, with the public names
#   include/gpugraph/   only the public headers
#   libgpugraph_whole.a gpugraph_whole      with internal names, for tests
file(GLOB_RECURSE EXT_C CONFIGURE_DEPENDS ext/*.c)
list(FILTER EXT_C EXCLUDE REGEX "/ext/mpi/")
# Triggers and schema of followed graphs: SQL that is compiled into the extension.
file(GLOB FOLLOW_SQL CONFIGURE_DEPENDS sql/follow/*.sql)
set(MADE_H ${PROJECT_BINARY_DIR}/made/gpugraph_follow_sql.h)
add_custom_command(OUTPUT ${MADE_H} VERBATIM
  COMMAND ${CMAKE_COMMAND} -DOUT=${MADE_H} -P ${PROJECT_SOURCE_DIR}/sql/embed.cmake -- ${FOLLOW_SQL}
  DEPENDS ${FOLLOW_SQL} sql/embed.cmake)
add_custom_target(gpugraph_made DEPENDS ${MADE_H})

file(GLOB PUBLIC_HEADERS CONFIGURE_DEPENDS gpu/gpugraph*.h ext/gpugraph_extension.h)
if(NOT GPUGRAPH_DISTRIBUTED)
  list(FILTER PUBLIC_HEADERS EXCLUDE REGEX "/gpugraph_parts\\.h$")
endif()
set(PUBLIC_INCLUDE ${PROJECT_BINARY_DIR}/include)
file(REMOVE_RECURSE ${PUBLIC_INCLUDE}/gpugraph)
foreach(header ${PUBLIC_HEADERS})
  get_filename_component(name ${header} NAME)
  configure_file(${header} ${PUBLIC_INCLUDE}/gpugraph/${name} COPYONLY)
endforeach()

# ---- the extension ----
add_library(gpugraph_extension MODULE ${EXT_C})
add_library(gpugraph::extension ALIAS gpugraph_extension)
set_target_properties(gpugraph_extension PROPERTIES PREFIX "" OUTPUT_NAME gpugraph EXPORT_NAME extension)
target_include_directories(gpugraph_extension PRIVATE ext ${SQLite3_INCLUDE_DIRS})
target_link_libraries(gpugraph_extension PRIVATE gpugraph_graph)
add_dependencies(gpugraph_extension gpugraph_made)
if(APPLE) # its sqlite3 looks for .dylib, and its linker refuses undefined names by default
  set_target_properties(gpugraph_extension PROPERTIES SUFFIX .dylib)
  target_link_options(gpugraph_extension PRIVATE LINKER:-exported_symbol,_sqlite3_gpugraph_init)
else()
  # The soname for ldconfig, so that ".load gpugraph" finds it in /usr/local/lib (install.cmake).
  target_link_options(gpugraph_extension PRIVATE LINKER:-soname,gpugraph.so
    LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/extension.map)
  if(NOT SANITIZE)
    target_link_options(gpugraph_extension PRIVATE LINKER:--no-undefined)
  endif()
endif()

# ---- the libraries ----
add_library(gpugraph_embedded OBJECT ${EXT_C})
target_compile_definitions(gpugraph_embedded PRIVATE SQLITE_CORE)
target_include_directories(gpugraph_embedded PRIVATE gpu ext ${SQLite3_INCLUDE_DIRS})
add_dependencies(gpugraph_embedded gpugraph_made)
if(GPUGRAPH_WITH_CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(CUDA_LIBRARIES CUDA::cudart_static stdc++)
  target_link_libraries(gpugraph_extension PRIVATE CUDA::cudart_static)
  set_target_properties(gpugraph_extension PROPERTIES LINKER_LANGUAGE CUDA)
endif()

# The usage requirements of the library target: headers, and the libraries that it uses. SQLite is linked if it is
# found: a program without SQL needs none.
function(gpugraph_usage target)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PUBLIC_INCLUDE}> $<BUILD_INTERFACE:${PUBLIC_INCLUDE}/gpugraph>
    $<INSTALL_INTERFACE:include> $<INSTALL_INTERFACE:include/gpugraph>)
  target_link_libraries(${target} INTERFACE $<BUILD_INTERFACE:SQLite::SQLite3>
    $<INSTALL_INTERFACE:$<TARGET_NAME_IF_EXISTS:SQLite::SQLite3>>)
endfunction()

set(PARTS $<TARGET_OBJECTS:gpugraph_graph> $<TARGET_OBJECTS:gpugraph_embedded>)
# With the tools of gcc or clang, all objects of a side become one, in which names that are not public are local. A sanitizer
# needs unchanged objects, and other systems have other tools.
set(LOCALISED OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_OBJCOPY AND CMAKE_NM AND CMAKE_LINKER AND NOT SANITIZE)
  set(LOCALISED ON)
  set(ARCHIVED ${PROJECT_BINARY_DIR}/archived)
  foreach(side graph embedded)
    file(GENERATE OUTPUT ${ARCHIVED}/${side}.list
         CONTENT "\"$<JOIN:$<TARGET_OBJECTS:gpugraph_${side}>,\"\n\">\"\n")
  endforeach()
  set(ARCHIVED_PARTS ${ARCHIVED}/gpugraph_graph.o ${ARCHIVED}/gpugraph_embedded.o)
  add_custom_command(OUTPUT ${ARCHIVED_PARTS} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DLD=${CMAKE_LINKER} -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY}
            -DFOLDER=${ARCHIVED} -P ${PROJECT_SOURCE_DIR}/cmake/localise.cmake
    DEPENDS ${PARTS} ${PROJECT_SOURCE_DIR}/cmake/localise.cmake)
  set_source_files_properties(${ARCHIVED_PARTS} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
else()
  set(ARCHIVED_PARTS ${PARTS})
endif()
add_library(gpugraph STATIC ${ARCHIVED_PARTS})
add_library(gpugraph::gpugraph ALIAS gpugraph)
set_target_properties(gpugraph PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(gpugraph INTERFACE Threads::Threads m ${CUDA_LIBRARIES})
if(LOCALISED) # make compiles the objects in separate targets, which come first
  add_dependencies(gpugraph gpugraph_graph gpugraph_embedded)
endif()
gpugraph_usage(gpugraph)

# Until 1.0 a change of the second number may break programs.
set(SOVERSION ${PROJECT_VERSION_MAJOR})
if(SOVERSION EQUAL 0)
  set(SOVERSION 0.${PROJECT_VERSION_MINOR})
endif()
if(GPUGRAPH_SHARED AND NOT SANITIZE)
  add_library(gpugraph_shared SHARED ${PARTS})
  add_library(gpugraph::shared ALIAS gpugraph_shared)
  set_target_properties(gpugraph_shared PROPERTIES OUTPUT_NAME gpugraph EXPORT_NAME shared LINKER_LANGUAGE C
                        VERSION ${PROJECT_VERSION} SOVERSION ${SOVERSION})
  target_link_libraries(gpugraph_shared PRIVATE SQLite::SQLite3 Threads::Threads m ${CUDA_LIBRARIES})
  gpugraph_usage(gpugraph_shared)
  if(NOT APPLE)
    target_link_options(gpugraph_shared PRIVATE LINKER:--no-undefined LINKER:--exclude-libs,ALL
      LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/shared.map)
  endif()
endif()

if(GPUGRAPH_TESTS)
  add_library(gpugraph_whole STATIC ${PARTS})
  target_link_libraries(gpugraph_whole PUBLIC SQLite::SQLite3 Threads::Threads m ${CUDA_LIBRARIES})
endif()

# ---- one file of C: cmake --build build --target gpugraph_amalgamation ----
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  add_custom_target(gpugraph_amalgamation VERBATIM DEPENDS gpugraph_made
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/ext/amalgamate.py ${PROJECT_BINARY_DIR}/made
            ${PROJECT_BINARY_DIR}/gpugraph.c)
endif()
