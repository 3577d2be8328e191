// Names and sizes of the dtypes.
#include "engine/tensor/dtype.h"

#include "engine/base/dtype_names.h"

#include <string>

namespace footlight {

namespace {

static_assert(std::size(kDTypeNames) == kDTypeCount);

constexpr const DTypeNames& names(DType t) { return dtype_names(static_cast<uint8_t>(t)); }

}  // namespace

std::string_view name_of(DType t) { return names(t).name; }
std::string_view graphdef_name(DType t) { return names(t).graphdef; }
std::string_view short_name(DType t) { return names(t).short_name; }

size_t size_of(DType t) {
  switch (t) {
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kBool: return 1;
    case DType::kInt16:
    case DType::kUInt16:
    case DType::kFloat16:
    case DType::kBFloat16: return 2;
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kFloat32: return 4;
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kFloat64:
    case DType::kComplex64: return 8;
    case DType::kComplex128: return 16;
    case DType::kString: return sizeof(std::string);
    case DType::kResource:
    case DType::kVariant: return sizeof(void*);
    case DType::kInvalid: return 0;
  }
  return 0;
}

DType dtype_from_name(std::string_view name) {
  for (size_t i = 1; i < kDTypeCount; ++i) {
    const DTypeNames& it = kDTypeNames[i];
    if (*it.name && (name == it.name || name == it.short_name || name == it.graphdef)) return static_cast<DType>(i);
  }
  return DType::kInvalid;
}

}  // namespace footlight
