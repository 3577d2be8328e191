// Builds the nodes and graphs of staged branches and loops, with TensorFlow's names.
#include "engine/trace/control_flow.h"

#include "engine/base/errors.h"
#include "engine/ops/branches.h"
#include "engine/ops/functions.h"

#include <algorithm>
#include <array>
#include <memory>

namespace footlight::trace {
namespace {

const AttrName kShapes{"output_shapes"}, kBody{"body"};

std::string function_name(const std::string& scope, const char* role) {
  std::string name = scope + '_' + role + '_';
  std::ranges::replace(name, '/', '_');
  return numbered(name);
}

std::vector<DType> dtypes_of(std::span<const Tensor> tensors) {
  std::vector<DType> dtypes;
  for (const Tensor& t : tensors) dtypes.push_back(t.dtype());
  return dtypes;
}

void add_missing(std::vector<Tensor>& all, std::span<const Tensor> more) {
  for (const Tensor& value : more)
    if (std::ranges::none_of(all, [&](const Tensor& t) { return same_value(t, value); })) all.push_back(value);
}

void match_inputs(GraphBuilder& builder, std::span<const Tensor> all, const std::string& unused_name) {
  for (const Tensor& value : all) {
    const auto& own = builder.captures();
    if (std::ranges::none_of(own, [&](const Tensor& t) { return same_value(t, value); }))
      builder.add_unused_input(value, unused_name);
  }
  builder.order_captures(all);
}

void tell_tape(const OpRow& row, const Attrs& attrs, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  show_recorders(row, attrs, inputs, outputs);
}

std::vector<Tensor> trace_branch(GraphBuilder& builder, const std::string& scope, const Branch& branch) {
  builder.graph()->name_scope = scope + '/';
  builder.device = builder.outer()->device;
  Building building(&builder);
  return branch();
}

// Casts output `i` to int64 in every branch, if branches have it as int32 and int64.
void widen(std::span<const std::unique_ptr<GraphBuilder>> parts, std::span<std::vector<Tensor>> outputs, size_t i) {
  const auto is = [&](DType dtype) {
    return [dtype, i](const std::vector<Tensor>& own) { return i < own.size() && own[i].dtype() == dtype; };
  };
  if (std::ranges::none_of(outputs, is(DType::kInt32)) || std::ranges::none_of(outputs, is(DType::kInt64))) return;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (!is(DType::kInt32)(outputs[k])) continue;
    Building building(parts[k].get());
    outputs[k][i] = ops::cast(outputs[k][i], DType::kInt64);
  }
}

void check_branches(const Graph& first, const Graph& other, size_t number) {
  if (first.outputs.size() != other.outputs.size())
    throw Error(ErrorKind::kType, "the branches of a condition return " + std::to_string(first.outputs.size()) +
                                      " and " + std::to_string(other.outputs.size()) +
                                      " values; they must return the same number");
  for (size_t i = 0; i < first.outputs.size(); ++i) {
    const DType a = first.node(first.outputs[i].node).dtypes[first.outputs[i].output];
    const DType b = other.node(other.outputs[i].node).dtypes[other.outputs[i].output];
    if (a != b)
      throw Error(ErrorKind::kType,
                  "value " + std::to_string(i) + " has dtype " + std::string(name_of(a)) +
                      " in the first branch of a condition and " + std::string(name_of(b)) + " in " +
                      (number ? "branch " + std::to_string(number) : "the other") +
                      "; make them one dtype, for example with tf.cast");
  }
}

GraphBuilder& current() {
  GraphBuilder* builder = GraphBuilder::innermost();
  FL_CHECK(builder != nullptr);
  return *builder;
}

}  // namespace

namespace {

// Selects one of several graphs by `selector`. `roles` name the graphs, `names` the attributes that hold them.
std::vector<Tensor> build_branches(const OpRow& stateless, const OpRow& stateful, const Tensor& selector,
                                   std::span<const Branch> branches, std::span<const std::string> roles,
                                   std::span<const AttrName> names, Attrs attrs, std::string_view name,
                                   const RowNumbers& row_numbers) {
  GraphBuilder& builder = current();
  Graph& graph = *builder.graph();
  const std::string scope = graph.unique_name(name);
  std::vector<std::unique_ptr<GraphBuilder>> parts;
  std::vector<std::vector<Tensor>> returned;
  std::vector<Tensor> captured;
  bool effects = false;
  for (size_t k = 0; k < branches.size(); ++k) {
    const std::string own = function_name(scope, roles[k].c_str());
    parts.push_back(std::make_unique<GraphBuilder>(own, GraphBuilder::Kind::kBranch));
    returned.push_back(trace_branch(*parts[k], scope, branches[k]));
  }
  if (row_numbers)
    for (const size_t i : row_numbers()) widen(parts, returned, i);
  for (size_t k = 0; k < branches.size(); ++k) {
    {
      Building building(parts[k].get());
      parts[k]->finish(returned[k]);
    }
    check_branches(*parts[0]->graph(), *parts[k]->graph(), branches.size() > 2 ? k : 0);
    add_missing(captured, parts[k]->captures());
    effects |= parts[k]->stateful();
  }
  for (const auto& part : parts) match_inputs(*part, captured, scope + "/Placeholder");

  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < parts[0]->graph()->outputs.size(); ++i) {
    const auto shape_in = [&](const auto& part) -> const Shape& {
      const Edge edge = part->graph()->outputs[i];
      return part->graph()->node(edge.node).shapes[edge.output];
    };
    const Edge edge = parts[0]->graph()->outputs[i];
    dtypes.push_back(parts[0]->graph()->node(edge.node).dtypes[edge.output]);
    shapes.push_back(shape_in(parts[0]));
    for (const auto& part : parts) shapes.back() = relax(shapes.back(), shape_in(part));
  }
  attrs.set("Tin"_attr, dtypes_of(captured));
  attrs.set("Tout"_attr, dtypes);
  for (size_t k = 0; k < parts.size(); ++k) attrs.set(names[k], parts[k]->graph());
  attrs.set(kShapes, shapes);
  attrs.set("_lower_using_switch_merge"_attr, true);
  std::vector<Tensor> inputs{selector};
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  const OpRow& row = effects ? stateful : stateless;
  const std::vector<Tensor> outputs = builder.add_known(row, inputs, attrs, dtypes, shapes, scope, true);
  tell_tape(row, attrs, inputs, outputs);

  std::vector<Tensor> results;
  const std::string before = graph.name_scope;
  graph.name_scope = scope + '/';
  for (const Tensor& output : outputs) results.push_back(apply("Identity"_op, {output}));
  graph.name_scope = before;
  return results;
}

}  // namespace

std::vector<Tensor> build_cond(const Tensor& pred, const Branch& then_branch, const Branch& else_branch,
                               std::string_view name, const RowNumbers& row_numbers) {
  if (pred.dtype() != DType::kBool)
    throw Error(ErrorKind::kValue, "a condition must be a bool tensor, not " +
                                       std::string(name_of(pred.dtype())) +
                                       "; compare it, for example with `!= 0`");
  Attrs attrs;
  attrs.set("Tcond"_attr, DType::kBool);
  return build_branches("StatelessIf"_op.row(), "If"_op.row(), pred, std::array{then_branch, else_branch},
                        std::array<std::string, 2>{"true", "false"}, std::array{"then_branch"_attr, "else_branch"_attr},
                        std::move(attrs), name, row_numbers);
}

std::vector<Tensor> build_case(const Tensor& index, std::span<const Branch> branches, std::string_view name,
                               const RowNumbers& row_numbers) {
  std::vector<std::string> roles;
  std::vector<AttrName> names;
  for (size_t k = 0; k < branches.size(); ++k) {
    roles.push_back("branch" + std::to_string(k));
    names.push_back(branch_attr(k));
  }
  return build_branches("StatelessCase"_op.row(), "Case"_op.row(), index, branches, roles, names, {}, name,
                        row_numbers);
}

namespace {

// The graphs of a loop share their parameters: the counter, its bound, and the variables.
std::vector<Tensor> loop_parameters(GraphBuilder& builder, const std::string& scope, std::span<const Tensor> variables,
                                    std::span<const Shape> shapes) {
  builder.graph()->name_scope = scope + '/';
  builder.device = builder.outer()->device;
  std::vector<Tensor> parameters;
  for (size_t i = 0; i < variables.size(); ++i) {
    const char* kCounters[] = {"/loop_counter", "/maximum_iterations"};
    const std::string named = i < 2 ? scope + kCounters[i] : std::string();
    parameters.push_back(builder.parameter(variables[i].dtype(), shapes[i], i < 2 ? named : "Placeholder", named));
  }
  return parameters;
}

std::string symbol(const WhileOptions& options, size_t index) {
  if (index < options.symbols.size() && !options.symbols[index].empty()) return "'" + options.symbols[index] + "'";
  return "number " + std::to_string(index);
}

void check_body(const WhileOptions& options, std::span<const Tensor> results, std::span<const Tensor> variables,
                std::span<const Shape> shapes) {
  if (results.size() != variables.size())
    throw Error(ErrorKind::kValue, "the body of a loop over " + std::to_string(variables.size()) +
                                       " variables returned " + std::to_string(results.size()) + " values");
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].dtype() != variables[i].dtype())
      throw Error(ErrorKind::kType, "loop variable " + symbol(options, i) + " has dtype " +
                                        std::string(name_of(variables[i].dtype())) + " before the loop, but dtype " +
                                        std::string(name_of(results[i].dtype())) + " after one iteration");
    if (is_subshape(results[i].shape(), shapes[i])) continue;
    if (i < options.shape_invariants.size() && options.shape_invariants[i])
      throw Error(ErrorKind::kValue, "loop variable " + symbol(options, i) + " has shape " +
                                         results[i].shape().to_string() +
                                         " after one iteration, which does not conform with the shape invariant " +
                                         shapes[i].to_string());
    throw Error(ErrorKind::kValue,
                  "loop variable " + symbol(options, i) + " has shape " + shapes[i].to_string() +
                      " before the loop, but shape " + results[i].shape().to_string() +
                      " after one iteration; declare the part that stays the same in shape_invariants (in AutoGraph "
                      "tf.autograph.experimental.set_loop_options), for example None for a dimension that changes");
  }
}

}  // namespace

std::vector<Tensor> build_while(std::vector<Tensor> variables, const LoopCondition& condition, const LoopBody& body,
                                const WhileOptions& options) {
  GraphBuilder& builder = current();
  Graph& graph = *builder.graph();
  for (Tensor& variable : variables)
    if (!variable.is_symbolic() && variable.body()->python_number) variable = builder.as_own(variable);
  const std::string scope = graph.unique_name(options.name);
  auto counter = [&](int32_t value, const char* name) {
    return builder.bring_in(Tensor::scalar(value).as_constant(), scope, name);
  };
  const int32_t bound = static_cast<int32_t>(std::min<int64_t>(options.maximum_iterations, INT32_MAX));
  const Tensor maximum = options.most ? builder.bring_in(options.most, scope, "maximum_iterations")
                                      : counter(bound, "maximum_iterations");
  const Tensor zero = counter(0, "loop_counter");

  std::vector<Tensor> all{zero, maximum};
  all.insert(all.end(), variables.begin(), variables.end());
  std::vector<Shape> shapes;
  for (const Tensor& t : all) shapes.push_back(t.shape());
  for (size_t i = 0; i < options.shape_invariants.size() && i < variables.size(); ++i) {
    if (!options.shape_invariants[i]) continue;
    if (!is_subshape(variables[i].shape(), *options.shape_invariants[i]))
      throw Error(ErrorKind::kValue, "loop variable " + symbol(options, i) + " has shape " +
                                         variables[i].shape().to_string() +
                                         " before the loop, which does not conform with the shape invariant " +
                                         options.shape_invariants[i]->to_string());
    shapes[i + 2] = *options.shape_invariants[i];
  }

  GraphBuilder test(function_name(scope, "cond"), GraphBuilder::Kind::kCondition);
  {
    const std::vector<Tensor> parameters = loop_parameters(test, scope, all, shapes);
    Building building(&test);
    Tensor again = condition(std::span(parameters).subspan(2));
    if (again.dtype() != DType::kBool)
      throw Error(ErrorKind::kValue, "the condition of a loop must be a bool tensor, not " +
                                         std::string(name_of(again.dtype())));
    if (options.maximum_iterations >= 0 || options.most)
      again = apply("LogicalAnd"_op, {apply("Less"_op, {parameters[0], parameters[1]}), again});
    test.finish({&again, 1});
  }

  GraphBuilder step(function_name(scope, "body"), GraphBuilder::Kind::kBody);
  std::vector<Tensor> passed;
  {
    const std::vector<Tensor> parameters = loop_parameters(step, scope, all, shapes);
    Building building(&step);
    for (const Tensor& value : test.captures()) {
      const std::string name = value.is_symbolic() ? value.graph()->node(value.node()).name : "input";
      step.capture(value, scope + '/' + name, name);
    }
    std::vector<Tensor> results = body(std::span(parameters).subspan(2));
    for (Tensor& result : results)
      if (!result.is_symbolic() && result.body()->python_number) result = step.as_own(result);
    check_body(options, results, std::span(all).subspan(2), std::span(shapes).subspan(2));
    Tensor next = apply("AddV2"_op, {parameters[0], Tensor::scalar<int32_t>(1).as_constant()}, {}, "add");
    std::vector<Tensor> outputs{next, parameters[1]};
    outputs.insert(outputs.end(), results.begin(), results.end());
    step.finish(outputs);
  }
  std::vector<Tensor> captured(test.captures());
  add_missing(captured, step.captures());
  match_inputs(test, captured, scope + '/' + test.graph()->name() + "___redundant_placeholder0");
  match_inputs(step, captured, scope + "/Placeholder");
  for (size_t i = 0; i < captured.size(); ++i)
    step.graph()->outputs.push_back({step.graph()->inputs[step.graph()->parameters + i], 0});

  std::vector<Tensor> inputs(all);
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  for (const Tensor& value : captured) shapes.push_back(value.shape());
  Attrs attrs;
  attrs.set("T"_attr, dtypes_of(inputs));
  attrs.set("cond"_attr, test.graph());
  attrs.set(kBody, step.graph());
  attrs.set(kShapes, shapes);
  attrs.set("parallel_iterations"_attr, options.parallel_iterations);
  attrs.set("_lower_using_switch_merge"_attr, true);
  attrs.set("_num_original_outputs"_attr, static_cast<int64_t>(inputs.size()));
  const OpRow& row = test.stateful() || step.stateful() ? "While"_op.row() : "StatelessWhile"_op.row();
  const std::vector<Tensor> outputs = builder.add_known(row, inputs, attrs, dtypes_of(inputs), shapes, scope, true);
  tell_tape(row, attrs, inputs, outputs);
  return {outputs.begin() + 2, outputs.begin() + 2 + static_cast<ptrdiff_t>(variables.size())};
}

std::vector<Tensor> build_reduce(const LoopElements& elements, std::vector<Tensor> variables, const LoopBody& body,
                                 const WhileOptions& options, bool stops) {
  static const AttrName kArguments{"Targuments"}, kTypes{"output_types"};
  GraphBuilder& builder = current();
  for (Tensor& variable : variables) variable = builder.as_own(variable);
  std::vector<Shape> shapes;
  for (size_t i = 0; i < variables.size(); ++i) {
    const bool said = i < options.shape_invariants.size() && options.shape_invariants[i];
    shapes.push_back(said ? *options.shape_invariants[i] : variables[i].shape());
  }
  const std::vector<DType> dtypes = dtypes_of(variables);
  const auto parameters_of = [](GraphBuilder& graph, std::span<const DType> types, std::span<const Shape> of) {
    std::vector<Tensor> made;
    for (size_t i = 0; i < types.size(); ++i) made.push_back(graph.parameter(types[i], of[i], "args", {}));
    return made;
  };

  std::optional<GraphBuilder> step;
  for (bool settled = false; !settled;) {
    step.emplace(numbered("__inference_Dataset_scan_scan_body_"), GraphBuilder::Kind::kBranch);
    const std::vector<Tensor> state = parameters_of(*step, dtypes, shapes);
    std::vector<Tensor> given = parameters_of(*step, elements.dtypes, elements.shapes);
    given.insert(given.end(), state.begin(), state.end());
    Building building(&*step);
    std::vector<Tensor> results = body(given);
    for (Tensor& result : results) result = step->as_own(result);
    const Tensor goes_on = stops ? results.back() : Tensor();
    if (stops) results.pop_back();
    settled = true;
    for (size_t i = 0; i < results.size() && i < shapes.size(); ++i) {
      const bool said = i < options.shape_invariants.size() && options.shape_invariants[i];
      if (said || is_subshape(results[i].shape(), shapes[i])) continue;
      shapes[i] = relax(shapes[i], results[i].shape());
      settled = false;
    }
    if (!settled) continue;
    check_body(options, results, variables, shapes);
    std::vector<Tensor> outputs(results);  // the new state, followed by the scan's output, which is equal
    outputs.insert(outputs.end(), results.begin(), results.end());
    if (stops) outputs.push_back(goes_on);
    step->finish(outputs);
  }
  std::vector<DType> scanned_types(dtypes);
  std::vector<Shape> scanned_shapes(shapes);
  if (stops) {
    scanned_types.push_back(DType::kBool);
    scanned_shapes.emplace_back();
  }

  GraphBuilder last(numbered("__inference_reduce_reduce_body_"), GraphBuilder::Kind::kBranch);
  {
    parameters_of(last, dtypes, shapes);
    std::vector<Tensor> now = parameters_of(last, scanned_types, scanned_shapes);
    now.resize(dtypes.size());
    Building building(&last);
    last.finish(now);
  }

  std::vector<Tensor> inputs{builder.as_own(elements.dataset)};
  inputs.insert(inputs.end(), variables.begin(), variables.end());
  std::vector<Tensor> scanned(inputs);
  scanned.insert(scanned.end(), step->captures().begin(), step->captures().end());
  Attrs reduce{{"Tstate"_attr, dtypes}, {kTypes, dtypes}, {kShapes, shapes}};
  Attrs scan{{"Tstate"_attr, dtypes}, {kTypes, scanned_types}, {kShapes, scanned_shapes}};
  scan.set("f"_attr, step->graph());
  scan.set(kArguments, dtypes_of(step->captures()));
  inputs[0] = apply_all("ScanDataset"_op.row(), scanned, scan)[0];
  if (stops) {
    GraphBuilder predicate(numbered("__inference_Dataset_take_while_take_body_"), GraphBuilder::Kind::kBranch);
    {
      const Tensor goes_on = parameters_of(predicate, scanned_types, scanned_shapes).back();
      Building building(&predicate);
      predicate.finish({&goes_on, 1});
    }
    const Attrs attrs{{"predicate"_attr, predicate.graph()},
                      {kArguments, std::vector<DType>()},
                      {kTypes, scanned_types},
                      {kShapes, scanned_shapes}};
    inputs[0] = apply_all("TakeWhileDataset"_op.row(), {&inputs[0], 1}, attrs)[0];
  }
  reduce.set("f"_attr, last.graph());
  reduce.set(kArguments, std::vector<DType>());
  return apply_all("ReduceDataset"_op.row(), inputs, reduce);
}

void in_scratch_graph(const std::function<void()>& look) {
  GraphBuilder scratch("tmp", GraphBuilder::Kind::kScratch);
  if (GraphBuilder* outer = scratch.outer()) scratch.graph()->name_scope = outer->graph()->name_scope;
  Building building(&scratch);
  look();
}

}  // namespace footlight::trace
