// libFuzzer's entry point for decoders of images, tensors and compressed bytes.
#include "tests/fuzz/decoder_input.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  footlight::fuzz::decode_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
