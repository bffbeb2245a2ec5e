# fmt::fmt, from its headers alone if PLUMBLINE_FMT_HEADER_ONLY: a cross build has no fmt library to link.
if(PLUMBLINE_FMT_HEADER_ONLY)
  add_library(fmt::fmt INTERFACE IMPORTED)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
  target_include_directories(fmt::fmt INTERFACE ${PLUMBLINE_FMT_INCLUDE_DIR})
else()
  find_package(fmt REQUIRED)
endif()
