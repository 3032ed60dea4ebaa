# SPDX-License-Identifier: Apache-2.0
#
# The files of the page (src/page/web) in the program, as the table that page/assets.hpp declares.
# Included by the top-level CMakeLists.txt after the library copse_page is there; run as a script
# (`cmake -D WEB=… -D OUT=… -P`), it makes of the files what the page needs besides:
#   page.js    all modules as one, without their imports and exports
#   page.sums  checksums for a Content-Security-Policy
if(NOT CMAKE_SCRIPT_MODE_FILE)
  enable_language(ASM)
  set(web ${PROJECT_SOURCE_DIR}/src/page/web)
  set(made ${PROJECT_BINARY_DIR}/page)
  file(GLOB files CONFIGURE_DEPENDS ${web}/*.html ${web}/*.js ${web}/*.css ${web}/*.svg)
  add_custom_command(
    OUTPUT ${made}/page.js ${made}/page.sums
    COMMAND ${CMAKE_COMMAND} -D WEB=${web} -D OUT=${made} -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${files} ${CMAKE_CURRENT_LIST_FILE} VERBATIM)

  # Sorted by name, wherever they are.
  set(names)
  foreach(file ${files} ${made}/page.js ${made}/page.sums)
    get_filename_component(name ${file} NAME)
    list(APPEND names ${name})
    set(PATH_OF_${name} ${file})
  endforeach()
  list(SORT names)
  set(assembler ".section .rodata\n")
  set(externs)
  set(rows)
  set(number 0)
  foreach(name ${names})
    string(APPEND assembler ".global copse_page_${number}, copse_page_end_${number}\n"
                            "copse_page_${number}:\n.incbin \"${PATH_OF_${name}}\"\ncopse_page_end_${number}:\n.byte 0\n")
    string(APPEND externs "extern const char copse_page_${number}[], copse_page_end_${number}[];\n")
    string(APPEND rows "    {\"${name}\", text(copse_page_${number}, copse_page_end_${number})},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  string(APPEND assembler ".section .note.GNU-stack,\"\",%progbits\n")
  file(CONFIGURE OUTPUT ${made}/page_bytes.S CONTENT "@assembler@" @ONLY)
  file(CONFIGURE OUTPUT ${made}/page_table.cpp CONTENT [[
#include <array>

#include "page/assets.hpp"

extern "C" {
@externs@}

namespace copse {

std::span<const PageAsset> page_assets() {
  const auto text = [](const char* begin, const char* end) { return std::string_view(begin, end); };
  static const std::array<PageAsset, @number@> all{{
@rows@  }};
  return all;
}

}  // namespace copse
]] @ONLY)
  set_source_files_properties(${made}/page_bytes.S PROPERTIES
    OBJECT_DEPENDS "${files};${made}/page.js;${made}/page.sums")
  target_sources(copse_page PRIVATE ${made}/page_bytes.S ${made}/page_table.cpp)
  return()
endif()

# --- As a script

# Adds a module after those that it imports.
function(add_module name)
  get_property(seen GLOBAL PROPERTY SEEN_${name})
  if(seen)
    return()
  endif()
  set_property(GLOBAL PROPERTY SEEN_${name} TRUE)
  file(READ ${WEB}/${name} text)
  string(REGEX MATCHALL "from '\\./[a-z_]+\\.js'" imports "${text}")
  foreach(import ${imports})
    string(REGEX REPLACE "from '\\./(.*)'" "\\1" import "${import}")
    add_module(${import})
  endforeach()
  string(REGEX REPLACE "\nimport [^;]*;" "" text "\n${text}")
  string(REGEX REPLACE "\nexport " "\n" text "${text}")
  file(APPEND ${OUT}/page.js.new "${text}")
endfunction()

# "sha256-…" in the form of a Content-Security-Policy: base64.
function(append_sum name path)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  file(SHA256 ${path} hex)
  set(out)
  foreach(at RANGE 0 60 6)  # three bytes are four letters; the last two bytes are three and a '='
    string(SUBSTRING "${hex}" ${at} 6 three)
    string(LENGTH "${three}" digits)
    if(digits EQUAL 4)
      string(APPEND three 00)
    endif()
    math(EXPR value "0x${three}")
    set(four)
    foreach(shift 18 12 6 0)
      math(EXPR letter "(${value} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${letter} 1 letter)
      string(APPEND four ${letter})
    endforeach()
    if(digits EQUAL 4)
      string(SUBSTRING "${four}" 0 3 four)
      string(APPEND four =)
    endif()
    string(APPEND out "${four}")
  endforeach()
  file(APPEND ${OUT}/page.sums.new "${name} sha256-${out}\n")
endfunction()

file(MAKE_DIRECTORY ${OUT})
file(WRITE ${OUT}/page.js.new "// Apache-2.0; made of the modules of src/page/web\n")
file(WRITE ${OUT}/page.sums.new "")
add_module(app.js)
append_sum(page.js ${OUT}/page.js.new)
append_sum(style.css ${WEB}/style.css)
file(RENAME ${OUT}/page.js.new ${OUT}/page.js)
file(RENAME ${OUT}/page.sums.new ${OUT}/page.sums)
