// Typed ids: an OpId cannot be passed where a NodeId is wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace footlight {

template <class Tag, class Int = uint32_t>
struct Id {
  static constexpr Int kNone = static_cast<Int>(-1);
  Int value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(Int v) : value(v) {}
  constexpr bool valid() const { return value != kNone; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using OpId = Id<struct OpTag, uint16_t>;
using NodeId = Id<struct NodeTag>;
using CodeId = Id<struct CodeTag>;          // a code object that the recorder has seen
using FunctionId = Id<struct FunctionTag>;  // a traced function (tf.function object)
using TraceId = Id<struct TraceTag>;        // one concrete function
using GraphId = Id<struct GraphTag>;
using CallId = Id<struct CallTag, uint64_t>;
using SignatureId = Id<struct SignatureTag>;  // an op with the dtypes and shapes that it ran on

// A location in the user's program: a code object and the offset of the instruction in it, as cheap as possible to
// record. Lines are looked up later, in the line table copied when the code was first seen.
struct SourceRef {
  CodeId code;
  uint32_t offset = 0;
  friend constexpr bool operator==(SourceRef, SourceRef) = default;
};

}  // namespace footlight

template <class Tag, class Int>
struct std::hash<footlight::Id<Tag, Int>> {
  size_t operator()(footlight::Id<Tag, Int> id) const noexcept { return std::hash<Int>()(id.value); }
};
