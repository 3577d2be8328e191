// Each node becomes one node on the batch if its op has a rule; calls, branches and loops are entered; any other node
// becomes a loop that runs it for one element after the other.
#include "engine/trace/vectorize.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/ops/branches.h"
#include "engine/ops/functions.h"
#include "engine/optimize/effects.h"
#include "engine/trace/call_sites.h"
#include "engine/trace/control_flow.h"

#include <algorithm>
#include <array>
#include <optional>

namespace footlight::trace {
namespace {

using ops::Batched;

const AttrName kElementDType{"element_dtype"};

// Thrown if a list of batches turns out to be needed for each element separately.
struct ListsApart {};

struct Shared {
  Vectorized& result;
  bool loops;
  bool lists;  // whether one list of batches replaces a list per element
  const Graph& function;  // the mapped function, which calls others
  optimize::Effects effects{};
};

bool is_variant(const Tensor& tensor) { return tensor.dtype() == DType::kVariant; }

class Replay {
 public:
  Replay(Shared& shared, const Tensor& size) : shared_(shared), size_(size) {}

  std::vector<Batched> run(const Graph& graph, std::span<const Batched> inputs) {
    std::vector<std::vector<Batched>> values(graph.size());
    for (size_t i = 0; i < graph.inputs.size(); ++i) values[graph.inputs[i].value] = {inputs[i]};
    const std::vector<bool> needed = needed_in(graph), used = used_in(graph, needed);
    for (uint32_t n = 0; n < graph.size(); ++n) {
      const Node& node = graph.node(NodeId(n));
      if (!needed[n] || !values[n].empty() || node.op->execution == Execution::kNoOp) continue;
      std::vector<Batched> given;
      for (const Edge edge : node.inputs) {
        std::vector<Batched>& made = values[edge.node.value];
        // A list that a gradient added to a loop comes after the loop and has no inputs.
        if (made.empty()) made = apply_node(graph.node(edge.node), {});
        given.push_back(made[edge.output]);
      }
      // An assignment runs once, with the first element's value, because all elements are computed at once.
      if (&graph == &shared_.function && !used[n] && assigns(node) &&
          std::ranges::none_of(given, ops::is_list_of_batches))
        given = of_first(given);
      values[n] = apply_node(node, given);
    }
    std::vector<Batched> outputs;
    for (const Edge edge : graph.outputs) outputs.push_back(values[edge.node.value][edge.output]);
    return outputs;
  }

 private:
  // Which nodes outputs or effects depend on. A loop's counting range is not among them: the loop has its limits.
  std::vector<bool> needed_in(const Graph& graph) {
    std::vector<bool> needed(graph.size(), false);
    for (const Edge edge : graph.outputs) needed[edge.node.value] = true;
    for (uint32_t n = static_cast<uint32_t>(graph.size()); n-- > 0;) {
      const Node& node = graph.node(NodeId(n));
      if (shared_.effects.has_effect(node)) needed[n] = true;
      if (!needed[n]) continue;
      for (const Edge edge : node.inputs) needed[edge.node.value] = true;
    }
    return needed;
  }

  // Which values an output or a needed node uses.
  static std::vector<bool> used_in(const Graph& graph, const std::vector<bool>& needed) {
    std::vector<bool> used(graph.size(), false);
    for (const Edge edge : graph.outputs) used[edge.node.value] = true;
    for (uint32_t n = 0; n < graph.size(); ++n)
      if (needed[n])
        for (const Edge edge : graph.node(NodeId(n)).inputs) used[edge.node.value] = true;
    return used;
  }

  static std::vector<Batched> of_first(std::span<const Batched> given) {
    std::vector<Batched> first;
    for (const Batched& input : given)
      first.push_back(input.batched ? Batched{ops::gather(input.tensor, ops::integer(0)), false} : input);
    return first;
  }

  static bool draws(const Node& node) {
    return node.op->effect != Effect::kNone && node.op->family == OpFamily::kRandom;
  }
  // Whether it assigns to a resource and has no outputs.
  static bool assigns(const Node& node) {
    if (node.op->execution == Execution::kKernel)
      return node.op->effect == Effect::kWrites && node.dtypes.empty() && !draws(node);
    return std::ranges::any_of(node.attrs, [](const auto& attr) {
      const GraphPtr* callee = std::get_if<GraphPtr>(&attr.second);
      if (!callee || !*callee) return false;
      for (uint32_t n = 0; n < (*callee)->size(); ++n)
        if (assigns((*callee)->node(NodeId(n)))) return true;
      return false;
    });
  }

  std::vector<Batched> apply_node(const Node& node, std::span<const Batched> given) {
    const OpRow& row = *node.op;
    const InPlaceOf place(node);
    if (row.execution == Execution::kConstant) return {{constant(node.attrs.get<Tensor>("value"_attr)), false}};
    const bool batched = std::ranges::any_of(given, &Batched::batched);
    // Ops that draw a random number, or advance a generator, run for each element; other effects on shared values run
    // once.
    if (!batched && !draws(node)) return once(node, given);
    if (row.execution == Execution::kCall) return run(*node.attrs.get<GraphPtr>("f"_attr), given);
    if (row.execution == Execution::kIf && !given[0].batched) return branch(node, given);
    const size_t said = shared_.result.one_by_one.size();
    if (row.execution == Execution::kIf && !shared_.effects.has_effect(node))
      if (auto results = branch_by_element(node, given)) return *results;
    if (row.execution == Execution::kWhile && !shared_.effects.has_effect(node))
      if (auto results = loop(node, given)) return *results;
    shared_.result.one_by_one.resize(said);  // drops what the discarded attempt added
    if (batched && row.execution == Execution::kKernel)
      if (auto results = ops::apply_to_batch(row, node.attrs, lists_together(given), size_, shared_.lists))
        return *results;
    return in_turn(node, given);
  }

  // The condition is equal for all elements: replays the branches and copies unbatched results for each element.
  std::vector<Batched> branch(const Node& node, std::span<const Batched> given) {
    const std::vector<AttrName> names = branches_of(node.attrs);
    std::vector<Branch> branches;
    for (const AttrName name : names)
      branches.push_back([&, name] { return each_of(run(*node.attrs.get<GraphPtr>(name), given.subspan(1))); });
    std::vector<Batched> results;
    for (const Tensor& output : is_switch(node) ? build_case(given[0].tensor, branches)
                                                : build_cond(given[0].tensor, branches[0], branches[1]))
      results.push_back({output, true});
    return results;
  }

  // The condition differs: replays each branch on the elements that take it, if any.
  std::optional<std::vector<Batched>> branch_by_element(const Node& node, std::span<const Batched> given) {
    const Tensor& which = given[0].tensor;
    if (which.shape().rank() != 1 || (!is_switch(node) && which.dtype() != DType::kBool)) return {};
    if (std::ranges::any_of(given, ops::is_list_of_batches)) return {};
    for (size_t k = 0; k < node.dtypes.size(); ++k)
      if (!node.shapes[k].fully_known() || !is_plain(node.dtypes[k])) return {};
    const std::vector<AttrName> names = branches_of(node.attrs);
    std::vector<Tensor> places;
    std::vector<std::vector<Tensor>> parts(node.dtypes.size());
    for (size_t b = 0; b < names.size(); ++b) {
      const Tensor rows = rows_of(takes(node, which, b, names.size()));
      const Tensor count = ops::gather(ops::shape(rows), ops::integer(0));
      const auto taken = [&] {
        Replay some(shared_, count);
        return some.each_of(some.run(*node.attrs.get<GraphPtr>(names[b]), chosen(given.subspan(1), rows)));
      };
      const auto none = [&] {
        std::vector<Tensor> results;
        for (size_t k = 0; k < node.dtypes.size(); ++k)
          results.push_back(ops::fill(ops::ints(for_all(node.shapes[k], 0).dims()), zero(node.dtypes[k])));
        return results;
      };
      const std::vector<Tensor> results = build_cond(ops::greater(count, ops::integer(0)), taken, none);
      places.push_back(rows);
      for (size_t k = 0; k < results.size(); ++k) parts[k].push_back(results[k]);
    }
    std::vector<Batched> results;
    for (size_t k = 0; k < parts.size(); ++k) {
      std::vector<Tensor> inputs = places;
      inputs.insert(inputs.end(), parts[k].begin(), parts[k].end());
      const Tensor whole =
          footlight::apply("DynamicStitch"_op.row(), inputs, {{"N"_attr, static_cast<int64_t>(places.size())}});
      results.push_back({shaped(whole, for_all(node.shapes[k], known_size())), true});
    }
    return results;
  }

  // Which elements take a branch.
  static Tensor takes(const Node& node, const Tensor& which, size_t branch, size_t branches) {
    const auto number = static_cast<int64_t>(branch);
    if (!is_switch(node)) return branch == 0 ? which : apply("LogicalNot"_op, {which});
    if (branch + 1 < branches) return ops::equal(which, ops::integer(number));
    // The last branch serves all numbers that have none.
    return apply("LogicalOr"_op, {ops::less(which, ops::integer(0)), ops::greater(which, ops::integer(number - 1))});
  }
  static bool is_switch(const Node& node) { return !node.attrs.find("then_branch"_attr); }

  // Builds one loop for all elements. If its condition differs, it runs until the last element is done, each time with
  // the elements that are not.
  std::optional<std::vector<Batched>> loop(const Node& node, std::span<const Batched> given) {
    Loop of{*node.attrs.get<GraphPtr>(AttrName("cond")), *node.attrs.get<GraphPtr>(AttrName("body")), given, {}, {}};
    settle(of);
    for (size_t i = 0; i < given.size(); ++i) {
      const Shape& shape = node.shapes[i];
      const bool list = is_variant(given[i].tensor);
      if (of.batched[i] && list && (of.differs || !shared_.lists)) return {};
      if (of.is_fixed(i)) continue;
      if (of.batched[i] && !list && (!is_plain(node.dtypes[i]) || !shape.has_rank())) return {};
      if (of.differs && !shape.fully_known()) return {};
      of.places.push_back(i);
      const Shape all = of.batched[i] && !list ? for_all(shape, known_size()) : shape;
      const Tensor first = of.batched[i] ? each(given[i]) : given[i].tensor;
      of.variables.push_back(of.batched[i] && !list ? shaped(first, all) : first);
      of.options.shape_invariants.push_back(all);
    }
    const std::vector<Tensor> done = of.differs ? until_all_are_done(of) : together(of);
    std::vector<Batched> results(given.begin(), given.end());
    for (size_t v = 0; v < of.places.size(); ++v) results[of.places[v]] = {done[v], of.batched[of.places[v]]};
    return results;
  }

  struct Loop {
    const Graph& test;
    const Graph& body;
    std::span<const Batched> given;
    std::vector<bool> batched;       // the variables that differ between elements
    std::vector<size_t> places;      // the variables that change, which the new loop has
    std::vector<Tensor> variables{};
    WhileOptions options{};
    bool differs = false;            // whether the condition differs

    bool is_fixed(size_t i) const { return body.outputs[i] == Edge{body.inputs[i], 0}; }
    std::vector<Batched> with(std::span<const Tensor> now) const {
      std::vector<Batched> values(given.begin(), given.end());
      for (size_t v = 0; v < places.size(); ++v) values[places[v]] = {now[v], batched[places[v]]};
      return values;
    }
  };

  // Finds which variables differ, and whether the condition does, from what is computed from them.
  void settle(Loop& of) {
    for (const Batched& input : of.given) of.batched.push_back(input.batched);
    for (bool settled = false; !settled;) {
      settled = true;
      in_scratch_graph([&] {
        std::vector<Batched> now;
        for (size_t i = 0; i < of.given.size(); ++i)
          now.push_back(of.batched[i] ? Batched{each(of.given[i]), true} : of.given[i]);
        const std::vector<Batched> next = run(of.body, now);
        of.differs = run(of.test, now)[0].batched;
        for (size_t i = 0; i < now.size(); ++i)
          if (!of.batched[i] && !of.is_fixed(i) && (of.differs || next[i].batched)) {
            of.batched[i] = true;
            settled = false;
          }
      });
    }
  }

  std::vector<Tensor> together(const Loop& of) {
    return build_while(
        of.variables, [&](std::span<const Tensor> now) { return run(of.test, of.with(now))[0].tensor; },
        [&](std::span<const Tensor> now) {
          const std::vector<Batched> results = run(of.body, of.with(now));
          std::vector<Tensor> next;
          for (const size_t i : of.places) {
            next.push_back(of.batched[i] ? each(results[i]) : results[i].tensor);
            if (of.batched[i] && !is_variant(next.back()))
              next.back() = shaped(next.back(), *of.options.shape_invariants[next.size() - 1]);
          }
          return next;
        },
        of.options);
  }

  std::vector<Tensor> until_all_are_done(Loop& of) {
    const Shape flags = for_all(Shape(), known_size());
    of.variables.push_back(shaped(each(run(of.test, of.with(of.variables))[0]), flags));
    of.options.shape_invariants.push_back(flags);
    return build_while(
        of.variables, [&](std::span<const Tensor> now) { return apply("Any"_op, {now.back(), ops::integer(0)}); },
        [&](std::span<const Tensor> now) {
          const Tensor rows = rows_of(now.back()), count = ops::gather(ops::shape(rows), ops::integer(0));
          const Tensor at = ops::expand_dims(rows, 1);
          Replay some(shared_, count);
          std::vector<Batched> values = chosen(of.with(now.first(of.places.size())), rows);
          const std::vector<Batched> results = some.run(of.body, values);
          std::vector<Tensor> next;
          for (size_t v = 0; v < of.places.size(); ++v) {
            Batched& value = values[of.places[v]];
            value = {some.each(results[of.places[v]]), true};
            next.push_back(apply("TensorScatterUpdate"_op, {now[v], at, value.tensor}));
          }
          next.push_back(apply("TensorScatterUpdate"_op, {now.back(), at, some.each(some.run(of.test, values)[0])}));
          return next;
        },
        of.options);
  }

  // The numbers of the elements that are taken.
  static Tensor rows_of(const Tensor& taken) {
    return ops::cast(ops::squeeze(apply("Where"_op, {taken}), {1}), DType::kInt32);
  }
  static std::vector<Batched> chosen(std::span<const Batched> given, const Tensor& rows) {
    std::vector<Batched> some;
    for (const Batched& input : given)
      some.push_back(input.batched ? Batched{ops::gather(input.tensor, rows), true} : input);
    return some;
  }

  // Copies a value for each element.
  Tensor each(const Batched& value) {
    if (!shared_.lists || !is_variant(value.tensor)) return ops::for_each_element(value, size_);
    const Tensor list = value.batched ? value.tensor : list_of_batches(value.tensor);
    if (!list || !ops::is_list_of_batches({list, true})) throw ListsApart();
    return list;
  }
  std::vector<Tensor> each_of(std::span<const Batched> outputs) {
    std::vector<Tensor> results;
    for (const Batched& output : outputs) results.push_back(each(output));
    return results;
  }

  std::vector<Batched> lists_together(std::span<const Batched> given) {
    std::vector<Batched> inputs(given.begin(), given.end());
    for (Batched& input : inputs)
      if (shared_.lists && !input.batched && is_variant(input.tensor))
        if (const Tensor list = list_of_batches(input.tensor)) input = {list, true};
    return inputs;
  }

  // Rebuilds a list that all elements share as a list of batches; an empty tensor if its creation is unknown.
  Tensor list_of_batches(const Tensor& list) {
    if (!list.graph()) return {};
    Graph& graph = *list.graph();
    const Node& node = graph.node(list.node());
    const auto input = [&](size_t i) { return graph.tensor(node.inputs[i]); };
    const DType elements = node.attrs.get_or(kElementDType, DType::kInvalid);
    const auto shape = [&](size_t i) { return ops::shape_of_batch(input(i), size_, elements); };
    Attrs attrs = node.attrs;
    if (node.op == &"TensorListReserve"_op.row() || node.op == &"EmptyTensorList"_op.row())
      return apply(*node.op, std::array{shape(0), input(1)}, attrs);
    if (node.op == &"TensorListFromTensor"_op.row() && elements != DType::kVariant)
      return apply(*node.op, std::array{ops::swapped(each({input(0), false})), shape(1)}, attrs);
    if (node.op != &"EmptyValueList"_op.row()) return {};
    if (elements != DType::kVariant) attrs.set("element_shape"_attr, Shape::unknown_rank());
    return apply(*node.op, std::span<const Tensor>(), attrs);
  }

  // Parts of a batch have unknown numbers of rows; joined, they have as many as there are elements.
  static Tensor shaped(const Tensor& tensor, const Shape& shape) {
    return is_subshape(tensor.shape(), shape) ? tensor : apply("EnsureShape"_op, {tensor}, {{"shape"_attr, shape}});
  }
  static Shape for_all(const Shape& shape, int64_t number) {
    std::vector<int64_t> dims{number};
    dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
    return Shape(dims);
  }
  static Tensor zero(DType dtype) {
    return dtype == DType::kBool ? Tensor::scalar(false).as_constant() : ops::number(0, dtype);
  }
  int64_t known_size() const {
    const Tensor known = known_value(size_);
    return known ? known.data<int32_t>()[0] : kUnknownDim;
  }

  static Tensor constant(const Tensor& value) {
    return is_plain(value.dtype()) || value.dtype() == DType::kString ? value.alias().as_constant() : value;
  }

  static std::vector<Tensor> outputs_of(const Node& node, std::span<const Tensor> inputs) {
    if (node.op->execution == Execution::kKernel) return apply_all(*node.op, inputs, node.attrs);
    // Dtypes and shapes of branches and loops are known.
    GraphBuilder& builder = *GraphBuilder::innermost();
    const std::vector<Tensor> outputs =
        builder.add_known(*node.op, inputs, node.attrs, node.dtypes.to_vector(), node.shapes, node.op->name);
    show_recorders(*node.op, node.attrs, inputs, outputs);
    return outputs;
  }

  static std::vector<Batched> once(const Node& node, std::span<const Batched> given) {
    std::vector<Tensor> inputs;
    for (const Batched& input : given) inputs.push_back(input.tensor);
    std::vector<Batched> results;
    for (const Tensor& output : outputs_of(node, inputs)) results.push_back({output, false});
    return results;
  }

  // The loop's variables: the number of the element, and a list for each output.
  std::vector<Batched> in_turn(const Node& node, std::span<const Batched> given) {
    const std::string name = node.op->name;
    if (std::ranges::any_of(given, ops::is_list_of_batches)) throw ListsApart();
    if (!shared_.loops)
      fail(ErrorKind::kValue, "vectorized_map: there is no batched form of ", name, " (node '", node.name,
           "'); allow fallback_to_while_loop=True, which runs it for one element after the other");
    std::vector<std::string>& said = shared_.result.one_by_one;
    if (std::ranges::find(said, name) == said.end()) said.push_back(name);
    std::vector<Tensor> variables{ops::integer(0)};
    for (size_t k = 0; k < node.dtypes.size(); ++k)
      variables.push_back(
          apply("TensorListReserve"_op, {dims_of(node.shapes[k]), size_}, {{kElementDType, node.dtypes[k]}}));
    WhileOptions options;
    options.name = "one_by_one/" + name;
    const std::vector<Tensor> done = build_while(
        variables, [&](std::span<const Tensor> now) { return apply("Less"_op, {now[0], size_}); },
        [&](std::span<const Tensor> now) {
          std::vector<Tensor> inputs;
          for (const Batched& input : given)
            inputs.push_back(input.batched ? ops::gather(input.tensor, now[0]) : input.tensor);
          const std::vector<Tensor> outputs = outputs_of(node, inputs);
          std::vector<Tensor> next{ops::add(now[0], ops::integer(1))};
          for (size_t k = 0; k < outputs.size(); ++k)
            next.push_back(
                apply("TensorListSetItem"_op, {now[k + 1], now[0], outputs[k]}, {{kElementDType, node.dtypes[k]}}));
          return next;
        },
        options);
    std::vector<Batched> results;
    for (size_t k = 0; k < node.dtypes.size(); ++k)
      results.push_back(
          {apply("TensorListStack"_op, {done[k + 1], dims_of(node.shapes[k])}, {{kElementDType, node.dtypes[k]}}),
           true});
    return results;
  }

  static Tensor dims_of(const Shape& shape) {
    return shape.has_rank() ? ops::ints(shape.dims()) : ops::integer(-1);
  }

  Shared& shared_;
  const Tensor& size_;
};

// Tries in a temporary graph whether lists can stay lists of batches throughout.
bool lists_stay_together(const Graph& graph, std::span<const Batched> inputs, const Tensor& size, bool loops) {
  try {
    in_scratch_graph([&] {
      Vectorized result;
      Shared shared{result, loops, true, graph};
      Replay(shared, size).run(graph, inputs);
    });
  } catch (const ListsApart&) {
    return false;
  }
  return true;
}

bool has_lists(const Graph& graph) {
  for (uint32_t n = 0; n < graph.size(); ++n)
    if (std::ranges::find(graph.node(NodeId(n)).dtypes, DType::kVariant) != graph.node(NodeId(n)).dtypes.end())
      return true;
  return false;
}

}  // namespace

Vectorized vectorize(const Graph& graph, std::span<const Batched> inputs, const Tensor& size, bool loops) {
  const std::vector<GraphPtr> callees = library_of(graph);
  const bool lists =
      has_lists(graph) || std::ranges::any_of(callees, [](const GraphPtr& callee) { return has_lists(*callee); });
  Vectorized result;
  Shared shared{result, loops, lists && lists_stay_together(graph, inputs, size, loops), graph};
  result.outputs = Replay(shared, size).run(graph, inputs);
  return result;
}

}  // namespace footlight::trace
