// The mapping between C++ types and dtypes; and dispatch from a dtype to its type.
#pragma once

#include "engine/base/text.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/half.h"

#include <complex>
#include <string>
#include <type_traits>

namespace footlight {

class Resource;

template <class T> struct DTypeOf;
#define FL_ELEMENT(type, dtype) \
  template <> struct DTypeOf<type> { static constexpr DType value = DType::dtype; };
FL_ELEMENT(float, kFloat32)
FL_ELEMENT(double, kFloat64)
FL_ELEMENT(int8_t, kInt8)
FL_ELEMENT(int16_t, kInt16)
FL_ELEMENT(int32_t, kInt32)
FL_ELEMENT(int64_t, kInt64)
FL_ELEMENT(uint8_t, kUInt8)
FL_ELEMENT(uint16_t, kUInt16)
FL_ELEMENT(uint32_t, kUInt32)
FL_ELEMENT(uint64_t, kUInt64)
FL_ELEMENT(bool, kBool)
FL_ELEMENT(Float16, kFloat16)
FL_ELEMENT(BFloat16, kBFloat16)
FL_ELEMENT(std::complex<float>, kComplex64)
FL_ELEMENT(std::complex<double>, kComplex128)
FL_ELEMENT(std::string, kString)
#undef FL_ELEMENT

template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

// Calls body(T{}) with the C++ type of a plain dtype.
template <class Body>
decltype(auto) with_plain_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kFloat32: return body(float{});
    case DType::kFloat64: return body(double{});
    case DType::kInt8: return body(int8_t{});
    case DType::kInt16: return body(int16_t{});
    case DType::kInt32: return body(int32_t{});
    case DType::kInt64: return body(int64_t{});
    case DType::kUInt8: return body(uint8_t{});
    case DType::kUInt16: return body(uint16_t{});
    case DType::kUInt32: return body(uint32_t{});
    case DType::kUInt64: return body(uint64_t{});
    case DType::kBool: return body(bool{});
    case DType::kFloat16: return body(Float16{});
    case DType::kBFloat16: return body(BFloat16{});
    case DType::kComplex64: return body(std::complex<float>{});
    case DType::kComplex128: return body(std::complex<double>{});
    default: invalid("expected a tensor of numbers, got dtype ", name_of(dtype));
  }
}

}  // namespace footlight
