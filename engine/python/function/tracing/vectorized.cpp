// The staged part of tf.vectorized_map: the function is traced for one element and replayed on all of them.
#include "engine/python/function/tracing/vectorized.h"

#include "engine/base/text.h"
#include "engine/ops/functions.h"
#include "engine/python/function/call/output.h"
#include "engine/python/function/tracing/source.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/assignment.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/nest.h"
#include "engine/trace/vectorize.h"

namespace footlight::python {
namespace {

// _vectorized(function, elems, loops, warns): inside of a trace.
PyObject* vectorized(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 4) fail(ErrorKind::kType, "_vectorized takes 4 arguments");
  std::vector<Ref> leaves;
  nest_flatten(args[1], leaves, true);
  if (leaves.empty()) fail(ErrorKind::kValue, "vectorized_map: elems has no tensors");
  trace::GraphBuilder& outer = *trace::GraphBuilder::innermost();
  std::vector<Tensor> elements;
  int64_t size = kUnknownDim;
  for (const Ref& leaf : leaves) {
    elements.push_back(outer.as_own(to_tensor(leaf.get())));
    const Shape& shape = elements.back().shape();
    if (shape.has_rank() && shape.rank() == 0)
      fail(ErrorKind::kValue, "vectorized_map: the elems must have a first dimension, one of them is a scalar");
    const int64_t own = shape.has_rank() ? shape[0] : kUnknownDim;
    if (own > 1 && size > 1 && own != size)
      fail(ErrorKind::kValue, "vectorized_map: the elems have ", size, " and ", own, " rows");
    if (size < 0 || (size == 1 && own >= 0)) size = own;
  }
  const Tensor number = size >= 0 ? ops::integer(size) : ops::gather(ops::shape(elements[0]), ops::integer(0));

  trace::GraphBuilder one("vectorized_map_element", trace::GraphBuilder::Kind::kBranch);
  std::vector<ops::Batched> inputs;
  OutputTemplate form;
  {
    std::vector<Ref> parameters;
    for (const Tensor& each : elements) {
      const Shape& shape = each.shape();
      const Shape row = shape.has_rank() ? Shape(shape.dims().subspan(1)) : Shape::unknown_rank();
      parameters.push_back(checked(wrap(one.parameter(each.dtype(), row, "element", {}))));
      const bool shared = shape.has_rank() && shape[0] == 1 && size != 1;  // one row serves all elements
      if (shared) inputs.push_back({ops::gather(each, ops::integer(0)), false});
      else inputs.push_back({each, true});
    }
    const trace::Building building(&one);
    const Ref result = checked(PyObject_CallOneArg(args[0], nest_pack(args[1], parameters, true).get()));
    std::vector<Ref> returned;
    nest_flatten(result.get(), returned, true);
    for (const Ref& leaf : returned)
      if (is_variable(leaf.get()) && is_assignment_result(leaf.get()))
        fail(ErrorKind::kValue, "vectorized_map: the function returns what an assignment to a variable gives, but "
             "the assignment happens once for all elements: return a value of the element, or use tf.map_fn");
    std::vector<Tensor> outputs;
    form = take_outputs(result.get(), outputs);
    one.finish(outputs);
  }
  for (const Tensor& capture : one.captures()) inputs.push_back({capture, false});
  trace::Vectorized done = trace::vectorize(*one.graph(), inputs, number, args[2] == Py_True);
  if (args[3] == Py_True)
    for (const std::string& op : done.one_by_one)
      log_warning(str("vectorized_map: there is no batched form of ", op,
                      ": it runs for one element after the other, in a loop"));
  std::vector<Ref> results;
  for (const ops::Batched& output : done.outputs)
    results.push_back(checked(wrap(ops::for_each_element(output, number))));
  return put_together(form, results).release();
}

PyMethodDef definition = {"_vectorized", as_method(guard<vectorized>),
                          METH_FASTCALL, "The staged part of vectorized_map."};

}  // namespace

void init_vectorized() { publish_function("_vectorized", &definition); }

}  // namespace footlight::python
