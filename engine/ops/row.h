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

// What an op does besides computing its outputs.
enum class Effect : uint8_t {
  kNone,    // nothing: a node may be left out, merged with an equal one, or computed ahead of time
  kReads,   // reads what its resource inputs hold: kept in order with their writers, left out when nobody uses it
  kWrites,  // changes what its resource inputs hold: never left out
  kOther,   // prints, fails on purpose, draws the next random number: never left out
};

// How memory of an output may be memory of an input (OpRow::alias_input says which).
enum class Alias : uint8_t {
  kNone,
  kSame,     // the first output is the input itself
  kView,     // the first output is the input's elements under another shape: no kernel needs to run
  kInPlace,  // elementwise: the output may be written over any input of its dtype and shape that nobody else holds
  kShares,   // outputs may be views of the input's memory, or of what a resource holds
};

// What runs the nodes of an op.
enum class Execution : uint8_t {
  kKernel,
  kConstant,     // nothing: its attribute `value` is its output
  kPlaceholder,  // nothing: its output comes from outside of the graph
  kFakeParam,    // stands for an output that nobody looks at
  kNoOp,
  kIf,           // `then_branch` or `else_branch`, by input 0
  kWhile,        // `body` while `cond`
  kCall,         // `f`
};

struct OpRow;
struct TensorType;
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
// The number of floating-point operations; engine/ops/flops.h has the rules that rows choose from.
using FlopsFunction = double (*)(std::span<const TensorType> inputs, std::span<const TensorType> outputs);

// An input or output as the row's signature says it: "x: T", "axis: int32", "values: N*T", "args: Tin[]".
struct ArgSpec {
  const char* name;
  bool list = false;                // any number of tensors
  int8_t type_attr = -1;            // index of the attribute that is its dtype (or, Tin[], the list of dtypes)
  int8_t count_attr = -1;           // N*T: index of N
  DType dtype = DType::kInvalid;    // fixed dtype, when there is no type attribute
  const char* node_name = nullptr;  // of the node that a Python value becomes when it is this input
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
  Effect effect = Effect::kNone;
  const char* doc = "";                // one line
  OpId id;                             // given at start
  std::span<const ArgSpec> output_specs;
  FastPath fast = FastPath::kNone;
  int8_t dispatch = 0;                 // the input whose dtype picks the kernel; -1: the first output's dtype
  uint32_t host_inputs = 0;            // bit i: input i is read on the host wherever the op runs (axes, shapes, perms)
  bool zero_gradient = false;          // `gradient` is null because the op is piecewise constant: nothing flows
  bool host_only = false;              // never runs on a device: prints, strings, what the runtime does itself
  bool takes_slices = false;           // the gradient function takes rows of a tensor (IndexedSlices) as they are
  bool copies_elements = false;        // every element of an output is one of an input: a NaN in it is not this op's
  Alias alias = Alias::kNone;
  int8_t alias_input = 0;
  Execution execution = Execution::kKernel;
  FlopsFunction flops = nullptr;       // set for every row

  // What GraphDef calls stateful: it is neither merged nor computed ahead of time.
  bool stateful() const { return effect != Effect::kNone; }
  bool is_host_input(size_t i) const { return (host_inputs >> (i < 31 ? i : 31) & 1) != 0; }
};
inline constexpr uint8_t kVariableOutputs = 255;

// The whole rule: checks number, dtypes and attributes against the signature, sets the dtypes that it determines, then
// calls row.infer. What eager, tracing and the runtime call. Output spans must have output_count() elements.
void infer_outputs(Inference&);
size_t output_count(const OpRow&, std::span<const Tensor> inputs, const Attrs&);
// An output as GraphDef refers to it: the name of its argument, and its place within that when it is a list.
struct OutputName {
  const char* name;
  size_t index;
};
OutputName output_name(const OpRow&, size_t outputs, size_t output);  // of a node that has so many
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
