// Functions of elements: traced by a front end, run by cursors in whatever thread.
#pragma once

#include "engine/data/stage.h"
#include "engine/ops/attrs.h"

#include <span>

namespace footlight::data {

// A traced function, handed in by a front end beside the graph in a node's attributes.
class ElementFunction : public Resource {
 public:
  // `inputs`: arguments, then captures. Errors say the user's line.
  virtual void run(std::span<const Tensor> inputs, std::span<Tensor> outputs) = 0;
  // The same function with random streams of its own, which begin anew; an empty tensor if it draws no numbers.
  virtual Tensor with_new_streams() = 0;
};
// The same graph, and those that it calls, with random streams of their own; null if they have none.
GraphPtr graph_with_new_streams(const GraphPtr&);
Tensor function_value(ElementFunction*);
// The name of the attribute that holds the function beside the graph in attribute `name`.
AttrName handed_in(std::string_view name);
bool is_handed_in(AttrName);

// With what it captured.
class Function {
 public:
  Function() = default;
  // The graph in attribute `name` and the function handed in with it, if there is one.
  Function(const Attrs& attrs, std::string_view name, std::span<const Tensor> captures);

  // As one iteration calls it: each iteration has random streams of its own, which all parts of the iteration share.
  Function in(Run& run) const;

  // `out` gets the results in place of what it held; may be called by several threads at once.
  void call(std::span<const Tensor> arguments, Element& out) const;
  // For a dataset that is to have as many elements as its input: that there is no more is an error of the function.
  void call_for_each(std::span<const Tensor> arguments, Element& out) const;
  bool truth(std::span<const Tensor> arguments) const;  // of a predicate
  int64_t integer(std::span<const Tensor> arguments) const;
  size_t outputs() const { return outputs_; }
  // Throws kFailedPrecondition if results depend on more than arguments and captures: on variables, random numbers...
  void check_stateless() const;
  std::vector<Shape> argument_shapes(size_t count) const;  // as it was traced for them

 private:
  Tensor held_;
  ElementFunction* function_ = nullptr;
  std::vector<Tensor> captures_;
  size_t outputs_ = 0;
  GraphPtr graph_;
};

}  // namespace footlight::data
