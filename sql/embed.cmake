# Turns SQL files into one C header: file NAME.sql becomes the string NAME_sql.
#   cmake -DOUT=header -P embed.cmake FILE.sql...
set(text "/* Made from sql/follow by sql/embed.cmake. */\n")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE 5 ${last})
  file(READ "${CMAKE_ARGV${i}}" sql)
  get_filename_component(name "${CMAKE_ARGV${i}}" NAME_WE)
  string(REPLACE "\\" "\\\\" sql "${sql}")
  string(REPLACE "\"" "\\\"" sql "${sql}")
  string(REPLACE "\n" "\\n\"\n    \"" sql "${sql}")
  string(APPEND text "static const char ${name}_sql[] =\n    \"${sql}\";\n")
endforeach()
file(WRITE "${OUT}" "${text}")
