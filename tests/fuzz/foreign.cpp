// libFuzzer's entry point for recordings of other programs.
#include "tests/fuzz/foreign_input.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  footlight::fuzz::read_foreign_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
