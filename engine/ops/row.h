// One row per primitive op. Rows stand in engine/ops/rows/*.cpp, grouped by family; everything else (the public
// name, the Python function, shape checks, graph nodes, gradients, the docs line, the colour in the app) follows.
#pragma once

#include "engine/base/ids.h"
#include "engine/ops/attrs.h"

#include <span>
#include <string_view>

namespace footlight {

enum class OpFamily : uint8_t { kProduct, kElementwise, kReduction, kVariable, kControl, kConstant, kMove, kRandom, kIo };

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

 protected:
  Inference(const OpRow& r, const Attrs& a, std::span<const Tensor> i) : row(r), attrs(a), inputs(i) {}
};

// What a gradient function sees: the forward op's inputs, outputs and the gradients that arrive. It builds with
// `builder`, so the same function serves eager and traced code, and itself has a gradient.
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

struct ArgSpec {
  const char* name;
  bool list = false;  // any number of tensors
};

struct AttrSpec {
  const char* name;
  const char* type;     // "type", "int", "bool", "float", "string", "shape", "func", "tensor", "list(int)", ...
  bool hidden = false;  // inferred, not typed by the user ("T" from the inputs)
};

struct OpRow {
  const char* name;                    // GraphDef's name: "AddV2"
  std::span<const ArgSpec> inputs;
  std::span<const AttrSpec> attrs;
  uint8_t outputs;                     // kVariableOutputs: as many as output_count says
  InferFunction infer;                 // output dtypes and shapes; throws for wrong inputs
  GradientFunction gradient;           // null: not differentiable, LookupError when asked for
  OpFamily family;
  bool stateful;                       // has an effect or reads state: never pruned, merged or folded, kept in order
  const char* doc;                     // one line
  OpId id;                             // given at start
};
inline constexpr uint8_t kVariableOutputs = 255;

// All rows, by id. Ids are dense and fixed for the life of the process.
std::span<const OpRow* const> all_rows();
const OpRow& row_of(OpId);
const OpRow* find_row(std::string_view name);

// A name resolved once, at start: `static const Op kAdd{"AddV2"};`
class Op {
 public:
  explicit Op(std::string_view name);  // FL_CHECKs that the row exists
  const OpRow& row() const { return *row_; }
  OpId id() const { return row_->id; }

 private:
  const OpRow* row_;
};

}  // namespace footlight
