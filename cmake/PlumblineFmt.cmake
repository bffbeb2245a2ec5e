# fmt::fmt: the library of the system, or one that is compiled here from its headers, for builds that cannot link to
# another (PLUMBLINE_FMT_HEADER_ONLY: a package that moves to other machines, a cross build).
if(NOT PLUMBLINE_FMT_HEADER_ONLY)
  return()
endif()

foreach(header base core)
  if(EXISTS ${PLUMBLINE_FMT_INCLUDE_DIR}/fmt/${header}.h)
    file(STRINGS ${PLUMBLINE_FMT_INCLUDE_DIR}/fmt/${header}.h plumbline_fmt_version REGEX "^#define FMT_VERSION ")
    string(REGEX MATCH "[0-9]+" plumbline_fmt_version "${plumbline_fmt_version}")
    break()
  endif()
endforeach()
add_library(fmt::fmt INTERFACE IMPORTED)
target_include_directories(fmt::fmt INTERFACE ${PLUMBLINE_FMT_INCLUDE_DIR})
if(plumbline_fmt_version VERSION_GREATER_EQUAL 90000 AND plumbline_fmt_version VERSION_LESS 130000)
  add_library(plumbline_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_library.cpp)
  target_include_directories(plumbline_fmt PRIVATE ${PLUMBLINE_FMT_INCLUDE_DIR})
  target_link_libraries(fmt::fmt INTERFACE plumbline_fmt)
else()  # a version that fmt_library.cpp does not know
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
endif()
