// One row per primitive op. Rows stand in engine/ops/rows/*.cpp, grouped by family; everything else (the public
// name, the Python function, shape checks, graph nodes, gradients, the docs line, the colour in the app) follows.
#pragma once

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/ops/attrs.h"

#include <span>
#include <string_view>

namespace footlight {

enum class OpFamily : uint8_t {
  kProduct,
  kElementwise,
  kReduction,
  kVariable,
  kControl,
  kConstant,
  kMove,
  kRandom,
  kIo
};
const char* name_of(OpFamily);  // "product", "elementwise", ...: what sessions and the app colour by

struct OpRow;
class Builder;

// What a shape or dtype rule sees and says. `constant(i)` is the value of input i when it is known (always in eager,
// for constants and what folds to one while tracing), else an empty tensor.
class Inference {
 public:
  virtual ~Inference() = default;
  const OpRow& row;
  const Attrs& attrs;
  std::span<const Tensor> inputs;
  virtual Tensor constant(size_t input) = 0;
  std::span<DType> output_dtypes;
  std::span<Shape> output_shapes;

  const Shape& shape(size_t input) const { return inputs[input].shape(); }
  DType dtype(size_t input) const { return inputs[input].dtype(); }

 protected:
  Inference(const OpRow& r, const Attrs& a, std::span<const Tensor> i) : row(r), attrs(a), inputs(i) {}
};

// What a gradient function sees: the forward op's inputs, outputs and the gradients that arrive. It builds with
// apply(), so the same function serves eager and traced code, and itself has a gradient.
struct GradientCall {
  const OpRow& row;
  const Attrs& attrs;
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
  std::span<const Tensor> output_gradients;  // an empty tensor where nothing flows
  std::span<Tensor> input_gradients;         // leave empty where there is none
};

using InferFunction = void (*)(Inference&);
using GradientFunction = void (*)(GradientCall&);

// An input or output as the row's signature says it: "x: T", "axis: int32", "values: N*T", "args: Tin[]".
struct ArgSpec {
  const char* name;
  bool list = false;                // any number of tensors
  int8_t type_attr = -1;            // index of the attribute that is its dtype (or, Tin[], the list of dtypes)
  int8_t count_attr = -1;           // N*T: index of N
  DType dtype = DType::kInvalid;    // fixed dtype, when there is no type attribute
};

struct AttrSpec {
  const char* name;
  const char* type;     // "type", "int", "bool", "float", "string", "shape", "func", "tensor", "list(int)", ...
  bool hidden = false;  // inferred, not typed by the user ("T" from the inputs)
  uint32_t allowed = kAllTypes;  // of a type attribute
  bool has_default = false;
  AttrValue otherwise = {};      // the default
  AttrName key = AttrName::none();
};

// How eager and fused code may shortcut an op: both inputs and the output have one dtype and broadcast plainly.
// kProduct: two matrices.
enum class FastPath : uint8_t { kNone, kUnary, kBinary, kCompare, kProduct };

struct OpRow {
  const char* name = "";               // GraphDef's name: "AddV2"
  std::span<const ArgSpec> inputs;
  std::span<const AttrSpec> attrs;
  uint8_t outputs = 1;                 // kVariableOutputs: as many as output_count says
  InferFunction infer =
      nullptr;  // output shapes, and dtypes that the signature leaves open; throws for wrong inputs
  GradientFunction gradient = nullptr; // null: not differentiable, LookupError when asked for
  OpFamily family = OpFamily::kElementwise;
  bool stateful = false;               // has an effect or reads state: never pruned, merged or folded, kept in order
  const char* doc = "";                // one line
  OpId id;                             // given at start
  std::span<const ArgSpec> output_specs;
  FastPath fast = FastPath::kNone;
  int8_t dispatch = 0;                 // the input whose dtype picks the kernel; -1: the first output's dtype
  uint32_t host_inputs = 0;            // bit i: input i is read on the host wherever the op runs (axes, shapes, perms)
  bool zero_gradient =
      false;  // `gradient` is null because the op is piecewise constant: nothing flows, no error
};
inline constexpr uint8_t kVariableOutputs = 255;

// The whole rule: checks number, dtypes and attributes against the signature, sets the dtypes that it determines, then
// calls row.infer. What eager, tracing and the runtime call. Output spans must have output_count() elements.
void infer_outputs(Inference&);
size_t output_count(const OpRow&, std::span<const Tensor> inputs, const Attrs&);
// `attrs` with the inferred ones ("T", "N") and the defaults put in: what a graph node carries.
Attrs complete_attrs(const OpRow&, std::span<const Tensor> inputs, const Attrs& attrs);

// All rows, by id. Ids are dense and fixed for the life of the process.
std::span<const OpRow* const> all_rows();
const OpRow& row_of(OpId);
const OpRow* find_row(std::string_view name);

// A name resolved once: `static const Op kAdd{"AddV2"};`
class Op {
 public:
  explicit Op(std::string_view name);  // FL_CHECKs that the row exists
  const OpRow& row() const { return *row_; }
  OpId id() const { return row_->id; }

 private:
  const OpRow* row_;
};

}  // namespace footlight
