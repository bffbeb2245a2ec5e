# What every target of the project is compiled with.
function(plumbline_configure target)
  # GCC's -Wconversion leaves signedness out and Clang's does not; Eigen counts in signed numbers, the standard
  # library in unsigned ones.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Wnon-virtual-dtor -Woverloaded-virtual)
  if(PLUMBLINE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
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
