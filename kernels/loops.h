// The loops inside elementwise kernels, by op and dtype: what a fused group runs over one piece of memory after the
// other, so that its results are those of the kernels, bit for bit.
#pragma once

#include "engine/ops/row.h"

#include <bit>
#include <cstdint>

namespace footlight {

// The loop of a kernel over contiguous elements. A stride is 0 (one element for all) or 1. The output may be the memory
// of an input whose elements have the same size.
struct ElementLoop {
  using Unary = void (*)(const void* in, void* out, int64_t n);
  using Binary = void (*)(const void* a, int a_stride, const void* b, int b_stride, void* out, int64_t n);
  using Select = void (*)(const void* condition, int c_stride, const void* a, int a_stride, const void* b, int b_stride,
                          void* out, int64_t n);
  using ByOutput = Unary (*)(DType output);  // a cast has a loop for each dtype

  enum class Kind : uint8_t { kNone, kUnary, kBinary, kSelect, kByOutput };
  Kind kind = Kind::kNone;
  uint8_t weight = 1;  // the cost of an element, 1 for an addition
  union {
    Unary unary = nullptr;
    Binary binary;
    Select select;
    ByOutput by_output;
  };

  ElementLoop() = default;
  ElementLoop(Unary loop, int cost) : kind(Kind::kUnary), weight(static_cast<uint8_t>(cost)), unary(loop) {}
  ElementLoop(Binary loop, int cost) : kind(Kind::kBinary), weight(static_cast<uint8_t>(cost)), binary(loop) {}
  ElementLoop(Select loop, int cost) : kind(Kind::kSelect), weight(static_cast<uint8_t>(cost)), select(loop) {}
  ElementLoop(ByOutput loop, int cost) : kind(Kind::kByOutput), weight(static_cast<uint8_t>(cost)), by_output(loop) {}
  explicit operator bool() const { return kind != Kind::kNone; }
  uintptr_t address() const { return std::bit_cast<uintptr_t>(unary); }  // all members are pointers of one size
  friend bool operator==(const ElementLoop& a, const ElementLoop& b) {
    return a.kind == b.kind && a.weight == b.weight && a.address() == b.address();
  }
};

// The loop of the host's kernel, if that is one. `by`: the dtype that selects the kernel.
ElementLoop loop_for(OpId op, DType by, DType output);

// Sets the loop of the kernel that was registered last for these dtypes.
void register_loop(std::string_view op, uint32_t dtypes, ElementLoop);

}  // namespace footlight
