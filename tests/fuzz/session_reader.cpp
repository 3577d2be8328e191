// libFuzzer's entry point for the session reader.
#include "tests/fuzz/session_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  footlight::fuzz::read_session({reinterpret_cast<const char*>(data), size});
  return 0;
}
