# Flags of our own code, and footlight_part(): one folder of the tree as an object library.
# Precompiled headers hide an #include that is missing, so the debug tree goes without.
set(precompile ON)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(precompile OFF)
endif()
option(FOOTLIGHT_PRECOMPILE "precompile the C++ library and other headers that many files include" ${precompile})
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths count from the source folder, so that clones share what they compiled.
  set(environment CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1)
  if(FOOTLIGHT_PRECOMPILE)
    # ccache looks at no file that uses them without the first. The second compares headers by their bytes: without it, a
    # changed comment brings back a precompiled header whose #pragma once no longer knows the file.
    list(APPEND environment CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
         CCACHE_DEPEND=1)
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${environment} ${CCACHE})
endif()

# The extension is made for this interpreter: Debian's own, not whatever stands first on the path.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "the interpreter that the extension is made for")
endif()

set(FOOTLIGHT_DEPS "" CACHE PATH "a folder with include/ and lib/ of what this machine lacks (tests/gpu/check.sh --collect)")
if(FOOTLIGHT_DEPS)
  list(PREPEND CMAKE_PREFIX_PATH ${FOOTLIGHT_DEPS})
endif()

find_package(Threads REQUIRED)

option(FOOTLIGHT_WERROR "warnings are errors (compilers newer than ours may find new ones)" ON)

add_library(footlight_flags INTERFACE)
target_include_directories(footlight_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(footlight_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra $<$<BOOL:${FOOTLIGHT_WERROR}>:-Werror> -fno-semantic-interposition>
  # g++ 12 takes "text" + std::string for overlapping copies (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict -Wno-maybe-uninitialized>
  # The compiler collects its garbage later (KiB; 128 MiB unless told): the large files compile 3 to 15 % faster.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:--param=ggc-min-heapsize=524288>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-Wno-stringop-overflow -Wno-array-bounds -Wno-stringop-overread>)
target_link_libraries(footlight_flags INTERFACE Threads::Threads)
if(FOOTLIGHT_DEPS)
  target_include_directories(footlight_flags SYSTEM INTERFACE ${FOOTLIGHT_DEPS}/include)
endif()
if(FOOTLIGHT_SANITIZE)
  target_compile_options(footlight_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FOOTLIGHT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  if(FOOTLIGHT_SANITIZE MATCHES "address")
    # The address sanitizer itself sees what the first three would; they take a quarter of the time to compile. Alignment
    # takes another quarter, and variables used after their scope a quarter of the rest: looked at in what parses
    # (footlight_guided). Checks by calls in all but small functions take a tenth.
    target_compile_options(footlight_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size,pointer-overflow,alignment>
      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-address-use-after-scope>
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=asan-instrumentation-with-call-threshold=20>)
  endif()
  target_link_options(footlight_flags INTERFACE -fsanitize=${FOOTLIGHT_SANITIZE})
endif()

# The fuzz targets are g++'s objects of the sanitizer tree with libFuzzer's runtime, which needs no clang: what parses tells
# it, through tests/fuzz/coverage.cpp, which code ran and what was compared. The two dear checks are made there as well.
# Linked after the flags of all, because of options that contradict each other the last one holds.
set(footlight_fuzzer "")
add_library(footlight_guided INTERFACE)
if(FOOTLIGHT_FUZZ)
  file(GLOB runtimes /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-${CMAKE_SYSTEM_PROCESSOR}.a)
  list(SORT runtimes COMPARE NATURAL ORDER DESCENDING)
  if(runtimes AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(GET runtimes 0 runtime)
    set(footlight_fuzzer ${CMAKE_BINARY_DIR}/libfuzzer.a)
    # Its own function of this name only says that such coverage is none that it can use.
    execute_process(COMMAND ${CMAKE_OBJCOPY} --weaken-symbol=__sanitizer_cov_trace_pc ${runtime} ${footlight_fuzzer}
                    COMMAND_ERROR_IS_FATAL ANY)
    target_compile_options(footlight_guided INTERFACE
      -fsanitize-coverage=trace-pc,trace-cmp -fsanitize-address-use-after-scope -fsanitize=alignment)
  else()
    message(STATUS "Footlight: no libFuzzer for g++ found, the fuzz targets are left out")
  endif()
endif()

# Code whose speed nobody waits for: -O3 takes a fifth longer to compile than -O2. Tests wait for the compiler most.
set(footlight_cold $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O2>)
set(footlight_coldest $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)

# Parsing the C++ library is half of the time of a usual file, so it is precompiled, once for all targets of equal flags.
set(CMAKE_PCH_WARN_INVALID OFF)
set(footlight_standard_headers <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <complex> <condition_variable> <cstdint>
    <cstdio> <cstring> <deque> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream>
    <stdexcept> <string> <string_view> <thread> <tuple> <unordered_map> <unordered_set> <utility> <variant> <vector>)

# footlight_precompile(TARGET GROUP [headers...]): the C++ library and these headers, parsed once per group. The targets of
# a group have the same flags; the first one says the headers. A source file with flags of its own has to leave the
# precompiled header out (SKIP_PRECOMPILE_HEADERS): g++ takes optimization flags from the header, without a word.
function(footlight_precompile target group)
  if(NOT FOOTLIGHT_PRECOMPILE)
    return()
  endif()
  get_property(owner GLOBAL PROPERTY footlight_precompiled_${group})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${footlight_standard_headers} ${ARGN})
    set_property(GLOBAL PROPERTY footlight_precompiled_${group} ${target})
  endif()
endfunction()

# footlight_batch(TARGET): compiles the target's source files in batches (batches.py), which takes half the time. Goes with
# precompiled headers, and like them hides an #include that is missing.
find_package(Python3 QUIET COMPONENTS Interpreter)
function(footlight_batch target)
  if(NOT FOOTLIGHT_PRECOMPILE OR NOT Python3_Interpreter_FOUND)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/packaging/cmake/batches.py ${sources}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE numbers COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9]+" numbers "${numbers}")
  foreach(source number IN ZIP_LISTS sources numbers)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP batch_${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# footlight_part(NAME [libraries...]): every .cpp of the current folder and below becomes object library fl_NAME.
function(footlight_part name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(fl_${name} OBJECT ${sources})
  set(group engine)
  if(name MATCHES "^(ops|explain|autograph|cli|formats|session|record|query|source)$")
    set(group cold)
    target_compile_options(fl_${name} PRIVATE ${footlight_cold})
  endif()
  target_link_libraries(fl_${name} PUBLIC footlight_flags ${ARGN})
  if(footlight_fuzzer AND name MATCHES "^(base|tensor|session|keys|query|source|model|graph)$")  # what reads files
    target_link_libraries(fl_${name} PRIVATE footlight_guided)
    set(group guided)
  endif()
  if(name STREQUAL "ops")  # its files are many, small and alike
    footlight_precompile(fl_${name} ops <engine/ops/functions.h> <engine/ops/composite/define.h>)
  else()
    footlight_precompile(fl_${name} ${group})
  endif()
  footlight_batch(fl_${name})
endfunction()

# The version stands in the top-level CMakeLists alone; "footlight_version.h" brings it to the code.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/footlight_version.h @ONLY CONTENT
"// Made by CMake from the project's version.
#pragma once
#define FOOTLIGHT_VERSION \"@PROJECT_VERSION@\"
")
