# For Linux with glibc 2.17 (2012) or newer, by the Clang and the glibc stubs that zig brings; used by scripts/wheels.sh.
#
# PLUMBLINE_ZIG is the program, and PLUMBLINE_WHEEL_PREFIX the folder with the headers and archives to build from: of
# /usr nothing may be found, for its headers and libraries are those of this machine's glibc.
foreach(name PLUMBLINE_ZIG PLUMBLINE_WHEEL_PREFIX)
  if(NOT DEFINED ENV{${name}})
    message(FATAL_ERROR "${name} is not set; scripts/wheels.sh sets it.")
  endif()
endforeach()

cmake_host_system_information(RESULT plumbline_machine QUERY OS_PLATFORM)
set(CMAKE_CXX_COMPILER $ENV{PLUMBLINE_ZIG} c++ -target ${plumbline_machine}-linux-gnu.2.17)
set(CMAKE_CXX_COMPILER_AR ar)
set(CMAKE_AR ar)
set(CMAKE_RANLIB ranlib)
# Debian's Python.h names a header of its own by a path from /usr/include, whatever the target.
set(CMAKE_CXX_FLAGS_INIT "-idirafter $ENV{PLUMBLINE_WHEEL_PREFIX}/include")
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -s)

set(CMAKE_PREFIX_PATH $ENV{PLUMBLINE_WHEEL_PREFIX})
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
