# Makes two objects for libgpugraph.a: gpugraph_graph.o does not use SQLite, so programs without SQLite
# link only this object; gpugraph_embedded.o is the extension. Names that are not public are local to their object, except for the
# few library names that the extension calls; these become gpugraph_private_NAME.
#   cmake -DLD=ld -DNM=nm -DOBJCOPY=objcopy -DFOLDER=folder -P localise.cmake
# Reads graph.list and embedded.list in FOLDER, one object in double quotes in each line.
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${err}")
  endif()
  set(printed "${out}" PARENT_SCOPE)
endfunction()

# The names that nm prints for an object: "0000 T name" or "U name".
function(names result object option)
  run(${NM} -g -P ${option} ${object})
  string(REGEX MATCHALL "(^|\n)[^ \n]+" found "${printed}")
  string(REPLACE "\n" "" found "${found}")
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

foreach(side graph embedded)
  run(${LD} -r --force-group-allocation -o ${FOLDER}/${side}.o @${FOLDER}/${side}.list)
endforeach()
names(needed ${FOLDER}/embedded.o -u)
names(defined ${FOLDER}/graph.o --defined-only)
set(keep "sqlite3_gpugraph_init\ngpugraph_take_arrays\ngpugraph_free_arrays\n")
set(rename "")
foreach(name ${defined})
  if(name MATCHES "^gpugraph_")
    string(APPEND keep "${name}\n")
  elseif(name IN_LIST needed)
    string(APPEND keep "gpugraph_private_${name}\n")
    string(APPEND rename "${name} gpugraph_private_${name}\n")
  endif()
endforeach()
file(WRITE ${FOLDER}/keep "${keep}")
file(WRITE ${FOLDER}/rename "${rename}")
foreach(side graph embedded)
  run(${OBJCOPY} --redefine-syms=${FOLDER}/rename ${FOLDER}/${side}.o)
  run(${OBJCOPY} --keep-global-symbols=${FOLDER}/keep ${FOLDER}/${side}.o ${FOLDER}/gpugraph_${side}.o)
  file(REMOVE ${FOLDER}/${side}.o)
endforeach()
