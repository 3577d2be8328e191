// How a row is written: see engine/ops/rows/arithmetic.cpp. Each family file has one function that returns its rows.
#pragma once

#include "engine/ops/flops.h"
#include "engine/ops/infer.h"
#include "engine/ops/row.h"

#include <vector>

namespace footlight {

// {"AddV2", "x: T, y: T -> T", "T: numbers|string", infer::broadcast, add_gradient, OpFamily::kElementwise, "x + y"}
//
// Signature: `name: dtype` for each input, `->`, the outputs, all named as in TensorFlow (GraphDef refers to
// outputs by name; tests/ops/tensorflow_ops.txt checks the rows). `name/other: dtype`: a node made from a Python
// value for this input is called `other`. A dtype is one of name_of's, or a type attribute; `N*T`
// is a list whose length is attribute N; `Tin[]` a list with a dtype each. Attributes are separated by `;`:
// `T: SET` a type attribute (sets: any plain numbers real floats floatcomplex integers signed index bool string ...,
// joined with `|`), `name: bool = false`, `: int = 0`, `: float`, `: string = "x"`, `: type = float32`, `: shape`,
// `: tensor`, `: func`, `: list(int) = []`, `: list(type)`, ... Type and count attributes inferred from inputs are
// hidden automatically.
struct RowDef {
  const char* name;
  const char* signature;
  const char* attrs;
  InferFunction infer;
  GradientFunction gradient;
  OpFamily family;
  const char* doc;
  struct Properties {
    FastPath fast = FastPath::kNone;
    Effect effect = Effect::kNone;
    int8_t dispatch = 0;
    uint32_t host_inputs = 0;
    bool zero_gradient = false;
    bool host_only = false;
    bool takes_slices = false;
    bool copies_elements = false;  // implied for families that only move values
    Alias alias = Alias::kNone;    // implied kInPlace if `fast` is kUnary or kBinary
    int8_t alias_input = 0;
    Execution execution = Execution::kKernel;
    FlopsFunction flops = nullptr;  // null: the family's rule
  } properties = {};
};

// Makes rows of one family: the parts are those of RowDef, without the family.
struct RowsOf {
  OpFamily family;
  RowDef operator()(const char* name, const char* signature, const char* attrs, InferFunction infer,
                    GradientFunction gradient, const char* doc, const RowDef::Properties& properties = {}) const {
    return {name, signature, attrs, infer, gradient, family, doc, properties};
  }
};

// The families, chained at static initialisation: each file of rows has one FL_ROWS(name) { return {...}; }.
struct RowFamily {
  std::vector<RowDef> (*rows)();
  RowFamily* next;
  static RowFamily* first;
  explicit RowFamily(std::vector<RowDef> (*r)()) : rows(r), next(first) { first = this; }
};

}  // namespace footlight

#define FL_ROWS(family)                                   \
  static std::vector<RowDef> family##_rows();             \
  static const RowFamily family##_family{family##_rows};  \
  static std::vector<RowDef> family##_rows()
