# Flags of our own code, and footlight_part(): one folder of the tree as an object library.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

find_package(Threads REQUIRED)

add_library(footlight_flags INTERFACE)
target_include_directories(footlight_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(footlight_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Werror -fno-semantic-interposition>)
target_link_libraries(footlight_flags INTERFACE Threads::Threads)
if(FOOTLIGHT_SANITIZE)
  target_compile_options(footlight_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FOOTLIGHT_SANITIZE} -fno-omit-frame-pointer -g1>)
  target_link_options(footlight_flags INTERFACE -fsanitize=${FOOTLIGHT_SANITIZE})
endif()

# footlight_part(NAME [libraries...]): every .cpp of the current folder and below becomes object library fl_NAME.
function(footlight_part name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(fl_${name} OBJECT ${sources})
  target_link_libraries(fl_${name} PUBLIC footlight_flags ${ARGN})
endfunction()
