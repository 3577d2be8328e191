// Tensors in messages TensorProto. Reading them needs no kernel, so it is also fuzzed by itself: the bytes come from
// anywhere.
#pragma once

#include "engine/tensor/tensor.h"

#include <string>
#include <utility>

namespace footlight::tensor_proto {

// The numbers of dtypes in messages.
inline constexpr std::pair<DType, int> kNumbers[] = {
    {DType::kFloat32, 1},     {DType::kFloat64, 2},  {DType::kInt32, 3},     {DType::kUInt8, 4},
    {DType::kInt16, 5},       {DType::kInt8, 6},     {DType::kString, 7},    {DType::kComplex64, 8},
    {DType::kInt64, 9},       {DType::kBool, 10},    {DType::kBFloat16, 14}, {DType::kUInt16, 17},
    {DType::kComplex128, 18}, {DType::kFloat16, 19}, {DType::kUInt32, 22},   {DType::kUInt64, 23}};

// The fields of a TensorProto.
enum Field : uint32_t {
  kDType = 1,
  kShape = 2,
  kContent = 4,
  kFloats = 5,
  kDoubles = 6,
  kInts = 7,
  kStrings = 8,
  kComplex = 9,
  kInt64s = 10,
  kBools = 11,
  kDoubleComplex = 12,
  kHalves = 13,
  kUInt32s = 16,
  kUInt64s = 17
};

// What `serialized` holds, if it is of the dtype `wanted`.
Tensor parse(const std::string& serialized, DType wanted);

}  // namespace footlight::tensor_proto
