# What every target of the project is compiled with.
function(plumbline_configure target)
  # Eigen's templates take a compiler longer at -O3; what is hot is in kernels, which ask for it.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  # Where the machine has fused multiply-add, a compiler may round a·b + c once in place of twice: random numbers and
  # generated data would differ between machines. Kernels ask for it by name (fused in vectors.h).
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  # GCC collects its garbage less often, for a twentieth of its time.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=600000>)
  # GCC's -Wconversion leaves signedness out and Clang's does not; Eigen counts in signed numbers, the standard
  # library in unsigned ones.
  if(PLUMBLINE_WARNINGS)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
      -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
  endif()
  if(PLUMBLINE_SANITIZERS)
    # Eigen adds offsets to the null pointers of empty matrices, without ever reading there.
    target_compile_options(${target} PRIVATE -fsanitize=${PLUMBLINE_SANITIZERS} -fno-sanitize=pointer-overflow
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${PLUMBLINE_SANITIZERS})
  endif()
endfunction()

# Compiles the headers named after it once for all files of a target, if that is asked for.
function(plumbline_precompile target)
  if(PLUMBLINE_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# The same headers as plumbline_core's, which are compiled once for both: the target must have its flags, and link to
# what they are of. With fuzz targets core has flags of its own (src/CMakeLists.txt), and others their own headers.
function(plumbline_share_precompiled target)
  if(NOT PLUMBLINE_PRECOMPILE_HEADERS)
    return()
  endif()
  if(PLUMBLINE_BUILD_FUZZ)
    plumbline_precompile(${target} <Eigen/Core> <fmt/format.h> <nlohmann/json.hpp>)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM plumbline_core)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # as a program is by default: -fPIE
  target_compile_options(${target} PRIVATE -fPIC)
endfunction()

# Leaves a program at the top of the build folder, and installs it with its manual page, which it prints itself.
function(plumbline_install_program name)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  add_custom_command(OUTPUT ${name}.1 COMMAND ${name} manual > ${name}.1 DEPENDS ${name} VERBATIM)
  add_custom_target(${name}_manual ALL DEPENDS ${name}.1)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()

# Adds the files of each list named to a target, as a group that can be compiled together.
function(plumbline_add_groups target)
  foreach(group IN LISTS ARGN)
    target_sources(${target} PRIVATE ${${group}})
    set_source_files_properties(${${group}} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PLUMBLINE_UNITY_BUILD} UNITY_BUILD_MODE GROUP)
endfunction()
