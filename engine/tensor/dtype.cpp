// Names and sizes of the dtypes.
#include "engine/tensor/dtype.h"

#include <string>

namespace footlight {

namespace {

struct Info {
  const char* name = "";
  const char* graphdef = "DT_INVALID";
  const char* short_name = "";
  uint8_t size = 0;
};

struct Table {
  Info of[kDTypeCount];
  constexpr Table() {
    auto set = [&](DType t, const char* name, const char* graphdef, const char* short_name, size_t size) {
      of[static_cast<size_t>(t)] = {name, graphdef, short_name, static_cast<uint8_t>(size)};
    };
    set(DType::kInvalid, "invalid", "DT_INVALID", "invalid", 0);
    set(DType::kFloat32, "float32", "DT_FLOAT", "float", 4);
    set(DType::kFloat64, "float64", "DT_DOUBLE", "double", 8);
    set(DType::kInt32, "int32", "DT_INT32", "int32", 4);
    set(DType::kUInt8, "uint8", "DT_UINT8", "uint8", 1);
    set(DType::kInt16, "int16", "DT_INT16", "int16", 2);
    set(DType::kInt8, "int8", "DT_INT8", "int8", 1);
    set(DType::kString, "string", "DT_STRING", "string", sizeof(std::string));
    set(DType::kComplex64, "complex64", "DT_COMPLEX64", "complex64", 8);
    set(DType::kInt64, "int64", "DT_INT64", "int64", 8);
    set(DType::kBool, "bool", "DT_BOOL", "bool", 1);
    set(DType::kBFloat16, "bfloat16", "DT_BFLOAT16", "bfloat16", 2);
    set(DType::kUInt16, "uint16", "DT_UINT16", "uint16", 2);
    set(DType::kComplex128, "complex128", "DT_COMPLEX128", "complex128", 16);
    set(DType::kFloat16, "float16", "DT_HALF", "half", 2);
    set(DType::kResource, "resource", "DT_RESOURCE", "resource", sizeof(void*));
    set(DType::kVariant, "variant", "DT_VARIANT", "variant", sizeof(void*));
    set(DType::kUInt32, "uint32", "DT_UINT32", "uint32", 4);
    set(DType::kUInt64, "uint64", "DT_UINT64", "uint64", 8);
  }
};
constexpr Table kTable;

const Info& info(DType t) { return kTable.of[static_cast<size_t>(t) < kDTypeCount ? static_cast<size_t>(t) : 0]; }

}  // namespace

std::string_view name_of(DType t) { return info(t).name; }
std::string_view graphdef_name(DType t) { return info(t).graphdef; }
std::string_view short_name(DType t) { return info(t).short_name; }
size_t size_of(DType t) { return info(t).size; }

DType dtype_from_name(std::string_view name) {
  for (size_t i = 1; i < kDTypeCount; ++i) {
    const Info& it = kTable.of[i];
    if (it.size && (name == it.name || name == it.short_name || name == it.graphdef)) return static_cast<DType>(i);
  }
  return DType::kInvalid;
}

}  // namespace footlight
