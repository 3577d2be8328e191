// Element functions: traced by a front end, run by cursors on any thread.
#pragma once

#include "engine/data/stage.h"
#include "engine/ops/attrs.h"

#include <span>

namespace footlight::data {

// A traced function that a front end adds to the attributes of a node, beside its graph.
class ElementFunction : public Resource {
 public:
  // `inputs`: arguments, then captures. Errors name the user's line.
  virtual void run(std::span<const Tensor> inputs, std::span<Tensor> outputs) = 0;
  // A copy of the function with its own random streams, restarted; an empty tensor if it draws no random numbers.
  virtual Tensor with_new_streams() = 0;
};
// A copy of the graph, and of those that it calls, with its own random streams; null if they have none.
GraphPtr graph_with_new_streams(const GraphPtr&);
Tensor function_value(ElementFunction*);
// The name of the attribute that holds the function of the graph in attribute `name`.
AttrName handed_in(std::string_view name);
bool is_handed_in(AttrName);

// A function with its captures.
class Function {
 public:
  Function() = default;
  // The graph in attribute `name` and the function handed in with it, if there is one.
  Function(const Attrs& attrs, std::string_view name, std::span<const Tensor> captures);

  // The function as one iteration calls it: each iteration has its own random streams, which all its parts share.
  Function in(Run& run) const;

  // `out` gets the results in place of its contents; several threads may call this at once.
  void call(std::span<const Tensor> arguments, Element& out) const;
  // For a dataset with as many elements as its input: if `call` reports the end, that is an error of the function.
  void call_for_each(std::span<const Tensor> arguments, Element& out) const;
  bool truth(std::span<const Tensor> arguments) const;  // calls a predicate
  int64_t integer(std::span<const Tensor> arguments) const;
  size_t outputs() const { return outputs_; }
  // Throws kFailedPrecondition if results depend on more than arguments and captures: variables, random numbers, ...
  void check_stateless() const;
  std::vector<Shape> argument_shapes(size_t count) const;  // the shapes for which it was traced

 private:
  Tensor held_;
  ElementFunction* function_ = nullptr;
  std::vector<Tensor> captures_;
  size_t outputs_ = 0;
  GraphPtr graph_;
};

}  // namespace footlight::data
