// libFuzzer's entry point for models.
#include "tests/fuzz/model_input.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  footlight::fuzz::read_model_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
