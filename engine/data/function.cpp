// Calls functions; compiles graphs that came from a file, without a function.
#include "engine/data/function.h"

#include "engine/base/text.h"
#include "engine/compile/program.h"
#include "engine/data/stage_registry.h"
#include "engine/graph/graph.h"
#include "engine/ops/builder.h"
#include "engine/runtime/executor.h"
#include "engine/tensor/random_state.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace footlight::data {
namespace {

class CompiledGraph final : public ElementFunction {
 public:
  explicit CompiledGraph(GraphPtr graph) : graph_(std::move(graph)) {}
  void run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    std::call_once(compiled_, [this] { program_ = compile::compile(*graph_, runtime::run_op); });
    runtime::run(*program_, inputs, outputs, this_thread.call);
  }
  Tensor with_new_streams() override {
    const GraphPtr other = graph_with_new_streams(graph_);
    return other ? function_value(new CompiledGraph(other)) : Tensor();
  }

 private:
  GraphPtr graph_;
  std::once_flag compiled_;
  compile::ProgramPtr program_;
};

// Compiles graphs that came without a function. A stage that is created anew in each call finds its program here; the
// oldest program is dropped first.
Tensor compiled(const GraphPtr& graph) {
  constexpr size_t kMax = 128;
  static std::mutex mutex;
  static auto& known = *new std::deque<std::pair<const Graph*, Tensor>>;  // each keeps its graph alive
  const std::lock_guard lock(mutex);
  const auto at = std::ranges::find(known, graph.get(), &std::pair<const Graph*, Tensor>::first);
  if (at != known.end()) return at->second;
  if (known.size() == kMax) known.pop_front();
  known.emplace_back(graph.get(), function_value(new CompiledGraph(graph)));
  return known.back().second;
}

// Ops of an element function run at once, whatever this thread is tracing or taping.
class OutsideOfGraphs {
 public:
  OutsideOfGraphs() : builder_(std::exchange(this_thread.builder, nullptr)) {}
  ~OutsideOfGraphs() { this_thread.builder = builder_; }
  OutsideOfGraphs(const OutsideOfGraphs&) = delete;
  OutsideOfGraphs& operator=(const OutsideOfGraphs&) = delete;

 private:
  Builder* const builder_;
};

// The first op whose results differ from call to call; prints and checks have no results, and tables do not change.
const OpRow* stateful_op(const Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i) {
    const Node& node = graph.node(NodeId(static_cast<uint32_t>(i)));
    for (const auto& [name, value] : node.attrs)
      if (const GraphPtr* callee = std::get_if<GraphPtr>(&value))
        if (const OpRow* found = stateful_op(**callee)) return found;
    const OpRow& row = *node.op;
    const bool reads_table = row.effect == Effect::kReads && row.family != OpFamily::kVariable;
    const bool runs = row.execution == Execution::kKernel;
    if (row.stateful() && runs && row.outputs && !makes_stage(row) && !reads_table) return &row;
  }
  return nullptr;
}

bool has_streams(const Graph& graph, const AttrName& state) {
  for (size_t i = 0; i < graph.size(); ++i)
    for (const auto& [name, value] : graph.node(NodeId(static_cast<uint32_t>(i))).attrs) {
      if (name == state) return true;
      if (const GraphPtr* callee = std::get_if<GraphPtr>(&value); callee && has_streams(**callee, state)) return true;
    }
  return false;
}

GraphPtr renewed(const GraphPtr& graph, const AttrName& state, std::unordered_map<const Graph*, GraphPtr>& done) {
  if (!has_streams(*graph, state)) return graph;
  GraphPtr& made = done[graph.get()];
  if (made) return made;
  made = clone(*graph);
  const GraphPtr copy = made;
  for (size_t i = 0; i < copy->size(); ++i) {
    NodeAttrs& attrs = copy->node(NodeId(static_cast<uint32_t>(i))).attrs;
    std::vector<std::pair<AttrName, AttrValue>> changed;
    for (const auto& [name, value] : attrs) {
      if (name == state)
        changed.emplace_back(name, Tensor::resource(new RandomState(
                                       static_cast<uint64_t>(attrs.get_or("seed"_attr, int64_t{0})),
                                       static_cast<uint64_t>(attrs.get_or("seed2"_attr, int64_t{0})))));
      else if (const GraphPtr* callee = std::get_if<GraphPtr>(&value))
        changed.emplace_back(name, renewed(*callee, state, done));
    }
    for (auto& [name, value] : changed) attrs.set(name, std::move(value));
  }
  return copy;
}

}  // namespace

GraphPtr graph_with_new_streams(const GraphPtr& graph) {
  std::unordered_map<const Graph*, GraphPtr> done;
  return has_streams(*graph, "_state"_attr) ? renewed(graph, "_state"_attr, done) : nullptr;
}

Function Function::in(Run& run) const {
  Function own = *this;
  // Kept together with the function itself, so that its address stays valid as a key.
  const Tensor held = run.kept(function_, [&] {
    const Tensor made = function_->with_new_streams();
    return made ? made : held_;
  });
  own.held_ = held;
  own.function_ = dynamic_cast<ElementFunction*>(*held.data<Resource*>());
  return own;
}

Tensor function_value(ElementFunction* function) {
  Tensor value = Tensor::empty(DType::kVariant, Shape());
  function->ref();
  *value.data<Resource*>() = function;
  return value;
}

static constexpr std::string_view kHandedIn = "_element_";
AttrName handed_in(std::string_view name) { return AttrName(std::string(kHandedIn).append(name)); }
bool is_handed_in(AttrName name) { return name.text().starts_with(kHandedIn); }

Function::Function(const Attrs& attrs, std::string_view name, std::span<const Tensor> captures)
    : captures_(captures.begin(), captures.end()) {
  const GraphPtr& graph = graph_ = attrs.get<GraphPtr>(AttrName(name));
  if (const AttrValue* given = attrs.find(handed_in(name))) held_ = std::get<Tensor>(*given);
  else held_ = compiled(graph);
  function_ = dynamic_cast<ElementFunction*>(*held_.data<Resource*>());
  FL_CHECK(function_);
  outputs_ = graph->outputs.size();
}

void Function::call(std::span<const Tensor> arguments, Element& out) const {
  constexpr size_t kFew = 16;
  const size_t count = arguments.size() + captures_.size();
  TensorBody* few[kFew];
  std::vector<TensorBody*> many;
  TensorBody** inputs = few;
  if (count > kFew) {
    many.resize(count);
    inputs = many.data();
  }
  TensorBody** at = inputs;
  for (const Tensor& t : arguments) *at++ = t.body();
  for (const Tensor& t : captures_) *at++ = t.body();
  const OutsideOfGraphs outside;
  // The results go to other memory first: `arguments` may be what `out` holds.
  Tensor few_results[4];
  if (outputs_ <= std::size(few_results)) {
    const std::span<Tensor> results(few_results, outputs_);
    function_->run({reinterpret_cast<const Tensor*>(inputs), count}, results);
    out.resize(outputs_);
    std::move(results.begin(), results.end(), out.begin());
  } else {
    std::vector<Tensor> results(outputs_);
    function_->run({reinterpret_cast<const Tensor*>(inputs), count}, results);
    out = std::move(results);
  }
}

void Function::check_stateless() const {
  if (const OpRow* op = stateful_op(*graph_)) fail(ErrorKind::kFailedPrecondition, op->name, " is stateful.");
}

std::vector<Shape> Function::argument_shapes(size_t count) const {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < count; ++i) shapes.push_back(graph_->node(graph_->inputs[i]).shapes[0]);
  return shapes;
}

void Function::call_for_each(std::span<const Tensor> arguments, Element& out) const {
  try {
    call(arguments, out);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kOutOfRange) throw;
    throw Error(ErrorKind::kInvalidArgument, "Function invocation produced OutOfRangeError: " + e.message());
  }
}

bool Function::truth(std::span<const Tensor> arguments) const {
  Element result;
  call(arguments, result);
  if (result.size() != 1 || result[0].dtype() != DType::kBool || result[0].elements() != 1)
    invalid("Filter predicate `predicate` must return a scalar bool.");
  return *result[0].data<bool>();
}

int64_t Function::integer(std::span<const Tensor> arguments) const {
  Element result;
  call(arguments, result);
  if (result.size() != 1 || result[0].dtype() != DType::kInt64 || result[0].elements() != 1)
    invalid("the function of elements must return a scalar int64");
  return *result[0].data<int64_t>();
}

}  // namespace footlight::data
