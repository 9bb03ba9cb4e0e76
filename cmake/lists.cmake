# Makes lists from the sources: of algorithms, one for each line "extern const algorithm_side gg_NAME_cuda;" in
# a header of gpu/, and of SQL functions, one for each line "const table_function NAME_function = {" in ext/table_function/.
#   made/gpugraph_algorithms.h   GG_ALGORITHMS(NAME)     NAME stands for gg_NAME and gg_NAME_cuda
#   made/gpugraph_functions.h    TABLE_FUNCTIONS(NAME)   NAME stands for NAME_function, which SQL calls gpu_NAME
# CMake makes them again when a file is added or removed.
function(gpugraph_list out macro pattern)
  set(names "")
  foreach(source ${ARGN})
    file(STRINGS ${source} lines REGEX "^${pattern}$")
    foreach(line ${lines})
      string(REGEX REPLACE "^${pattern}$" "\\1" name "${line}")
      list(APPEND names ${name})
    endforeach()
  endforeach()
  list(SORT names)
  list(TRANSFORM names REPLACE "(.+)" "    NAME(\\1)")
  list(JOIN names " \\\n" body)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/made/${out} @ONLY
       CONTENT "/* Made by cmake/lists.cmake. */\n#define ${macro}(NAME) \\\n${body}\n")
endfunction()

file(GLOB ALGORITHM_H CONFIGURE_DEPENDS gpu/*/*.h)
gpugraph_list(gpugraph_algorithms.h GG_ALGORITHMS
  "extern const algorithm_side gg_([a-z_]+)_cuda[;]" ${ALGORITHM_H})
file(GLOB FUNCTION_C CONFIGURE_DEPENDS ext/table_function/*.c)
gpugraph_list(gpugraph_functions.h TABLE_FUNCTIONS
  "const table_function ([a-z_]+)_function = {" ${FUNCTION_C})
include_directories(${PROJECT_BINARY_DIR}/made)
