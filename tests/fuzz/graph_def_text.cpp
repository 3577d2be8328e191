// libFuzzer's entry point for GraphDefs as text.
#include "tests/fuzz/graph_def_input.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  footlight::fuzz::read_graph_def({reinterpret_cast<const char*>(data), size}, footlight::fuzz::GraphForm::kText);
  return 0;
}
