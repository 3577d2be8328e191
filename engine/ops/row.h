// One row per primitive op. Rows are in engine/ops/rows/*.cpp, grouped by family; everything else (the public
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

// What an op does besides computing its outputs. The comments say what passes may do with its nodes.
enum class Effect : uint8_t {
  kNone,    // nothing: a node may be removed, merged with an equal one, or computed ahead of time
  kReads,   // reads the contents of its resource inputs: kept in order with their writers, removed if unused
  kWrites,  // changes the contents of its resource inputs: never removed
  kOther,   // prints, fails on purpose, draws the next random number: never removed
};

// How an output may share memory with an input (which is OpRow::alias_input).
enum class Alias : uint8_t {
  kNone,
  kSame,     // the first output is the input itself
  kView,     // the first output is the input's elements with another shape: no kernel needs to run
  kInPlace,  // elementwise: the output may overwrite any input of its dtype and shape that has no other owner
  kShares,   // outputs may be views of the input's memory, or of a resource's contents
};

// How the nodes of an op are executed.
enum class Execution : uint8_t {
  kKernel,
  kConstant,     // does not run: its attribute `value` is its output
  kPlaceholder,  // does not run: its output comes from outside the graph
  kFakeParam,    // stands for an output that nobody reads
  kNoOp,
  kIf,           // runs the graph `then_branch` or `else_branch`, depending on input 0
  kWhile,        // runs the graph `body` while `cond` returns true
  kCall,         // runs the graph `f`
};

struct OpRow;
struct TensorType;
class Builder;

// The arguments and results of a shape or dtype rule. `constant(i)` is the value of input i if it is known (always in
// eager; while tracing, for constants and what folds to one), else an empty tensor.
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

// The arguments of a gradient function: the forward op's inputs, outputs and the incoming gradients. It builds with
// apply(), so the same function serves eager and traced code, and itself has a gradient.
struct GradientCall {
  const OpRow& row;
  const Attrs& attrs;
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
  std::span<const Tensor> output_gradients;  // empty where an output has none
  std::span<Tensor> input_gradients;         // leave empty where an input has none
};

using InferFunction = void (*)(Inference&);
using GradientFunction = void (*)(GradientCall&);
// The number of floating-point operations; engine/ops/flops.h has the rules to choose from.
using FlopsFunction = double (*)(std::span<const TensorType> inputs, std::span<const TensorType> outputs);

// An input or output as declared in the row's signature: "x: T", "axis: int32", "values: N*T", "args: Tin[]".
struct ArgSpec {
  const char* name;
  bool list = false;                // any number of tensors
  int8_t type_attr = -1;            // index of the attribute that is its dtype (or, Tin[], the list of dtypes)
  int8_t count_attr = -1;           // N*T: index of N
  DType dtype = DType::kInvalid;    // fixed dtype, when there is no type attribute
  const char* node_name = nullptr;  // name of the node made from a Python value for this input
};

struct AttrSpec {
  const char* name;
  const char* type;     // "type", "int", "bool", "float", "string", "shape", "func", "tensor", "list(int)", ...
  bool hidden = false;  // inferred, not passed by the user ("T" from the inputs)
  uint32_t allowed = kAllTypes;  // for a type attribute
  bool has_default = false;
  AttrValue otherwise = {};      // the default
  AttrName key = AttrName::none();
};

// The shortcut that eager and fused code may take: inputs and output have one dtype and broadcast plainly. kProduct:
// two matrices.
enum class FastPath : uint8_t { kNone, kUnary, kBinary, kCompare, kProduct };

struct OpRow {
  const char* name = "";               // GraphDef's name: "AddV2"
  std::span<const ArgSpec> inputs;
  std::span<const AttrSpec> attrs;
  uint8_t outputs = 1;                 // kVariableOutputs: see output_count
  InferFunction infer =
      nullptr;  // output shapes, and dtypes that the signature leaves open; throws for wrong inputs
  GradientFunction gradient = nullptr; // null: not differentiable, LookupError when requested
  OpFamily family = OpFamily::kElementwise;
  Effect effect = Effect::kNone;
  const char* doc = "";                // one line
  OpId id;                             // assigned at start
  std::span<const ArgSpec> output_specs;
  FastPath fast = FastPath::kNone;
  int8_t dispatch = 0;                 // the input whose dtype picks the kernel; -1: the first output's dtype
  uint32_t host_inputs = 0;            // bit i: input i is read on the host wherever the op runs (axes, shapes, perms)
  bool zero_gradient = false;          // `gradient` is null because the op is piecewise constant: its gradient is zero
  bool host_only = false;              // never runs on a device: printing, strings, ops executed by the runtime itself
  bool takes_slices = false;           // the gradient function accepts rows of a tensor (IndexedSlices) undensified
  bool copies_elements = false;        // every element of an output is one of an input: it cannot introduce a NaN
  Alias alias = Alias::kNone;
  int8_t alias_input = 0;
  Execution execution = Execution::kKernel;
  FlopsFunction flops = nullptr;       // set for every row

  // Whether GraphDef calls the op stateful: it is neither merged nor computed ahead of time.
  bool stateful() const { return effect != Effect::kNone; }
  bool is_host_input(size_t i) const { return (host_inputs >> (i < 31 ? i : 31) & 1) != 0; }
};
inline constexpr uint8_t kVariableOutputs = 255;

// Infers the outputs of an op: checks count, dtypes and attributes against the signature, sets the dtypes that it
// determines, then calls row.infer. Used by eager, tracing and the runtime. Output spans must have output_count()
// elements.
void infer_outputs(Inference&);
size_t output_count(const OpRow&, std::span<const Tensor> inputs, const Attrs&);
// How GraphDef refers to an output: by the name of its argument, and its index within that if it is a list.
struct OutputName {
  const char* name;
  size_t index;
};
OutputName output_name(const OpRow&, size_t outputs, size_t output);  // `outputs`: how many the node has
// Adds the inferred attributes ("T", "N") and the defaults, as the nodes of graphs have them.
Attrs complete_attrs(const OpRow&, std::span<const Tensor> inputs, const Attrs& attrs);

// All rows, by id. Ids are dense and fixed for the life of the process.
std::span<const OpRow* const> all_rows();
const OpRow& row_of(OpId);
const OpRow* find_row(std::string_view name);

// An op whose name is resolved once: `"AddV2"_op` when it is first used, or `static const Op add{"AddV2"};`.
class Op {
 public:
  explicit Op(std::string_view name);  // FL_CHECKs that the row exists
  const OpRow& row() const { return *row_; }
  OpId id() const { return row_->id; }

 private:
  const OpRow* row_;
};

template <Literal name>
[[gnu::always_inline, gnu::visibility("hidden")]] inline const Op& op_named() {
  static const Op op{name.text};
  return op;
}
template <Literal name>
[[gnu::always_inline]] inline const Op& operator""_op() { return op_named<name>(); }

}  // namespace footlight
