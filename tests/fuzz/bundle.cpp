// libFuzzer's entry point for checkpoints.
#include "tests/fuzz/bundle_input.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  footlight::fuzz::read_checkpoint({reinterpret_cast<const char*>(data), size});
  return 0;
}
