// Examples, and what parameters mean, in the help of the functions that scripts call most. A function is found by its
// first name in the table of public names.
#include "engine/python/calls/doc_examples.h"

namespace footlight::python {
namespace {

struct Example {
  std::string_view name, text;
};

constexpr Example kExamples[] = {
    {"dtypes.cast", R"(Numbers lose their fractions on the way to integers; a bool becomes 0 or 1.

  >>> print(tf.cast([1.7, -2.9], tf.int32))
  tf.Tensor([ 1 -2], shape=(2,), dtype=int32))"},
    {"math.reduce_sum", R"(Without `axis` over all of them; `keepdims` keeps each with the size 1.

  >>> x = tf.constant([[1, 2], [3, 4]])
  >>> print(tf.reduce_sum(x))
  tf.Tensor(10, shape=(), dtype=int32)
  >>> print(tf.reduce_sum(x, axis=0))
  tf.Tensor([4 6], shape=(2,), dtype=int32))"},
    {"math.reduce_mean", R"(Without `axis` over all of them. The mean of integers is an integer: its
fraction is dropped.

  >>> x = tf.constant([[1., 2.], [5., 8.]])
  >>> print(tf.reduce_mean(x))
  tf.Tensor(4.0, shape=(), dtype=float32)
  >>> print(tf.reduce_mean(x, axis=1))
  tf.Tensor([1.5 6.5], shape=(2,), dtype=float32))"},
    {"linalg.matmul", R"(`transpose_a` and `adjoint_a` say how the first factor is read. Leading dimensions
are broadcast.

  >>> row, column = tf.constant([[1, 2]]), tf.constant([[3], [4]])
  >>> print(tf.matmul(row, column))
  tf.Tensor([[11]], shape=(1, 1), dtype=int32)
  >>> print(tf.matmul(row, row, transpose_b=True))
  tf.Tensor([[5]], shape=(1, 1), dtype=int32))"},
    {"reshape", R"(The order of the elements is that of rows.

  >>> print(tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]))
  tf.Tensor(
  [[1 2 3]
   [4 5 6]], shape=(2, 3), dtype=int32))"},
    {"stack", R"(The new dimension has as many elements as there are tensors.

  >>> print(tf.stack([[1, 2], [3, 4], [5, 6]], axis=1))
  tf.Tensor(
  [[1 3 5]
   [2 4 6]], shape=(2, 3), dtype=int32))"},
    {"concat", R"(The other dimensions have the same sizes.

  >>> print(tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0))
  tf.Tensor(
  [[1 2]
   [3 4]
   [5 6]], shape=(3, 2), dtype=int32))"},
    {"where", R"(The three are broadcast to one shape. Without x and y the result holds the
indices of what is true, a row for each.

  >>> print(tf.where([True, False, True], [1, 2, 3], 0))
  tf.Tensor([1 0 3], shape=(3,), dtype=int32)
  >>> print(tf.where([False, True, True]))
  tf.Tensor(
  [[1]
   [2]], shape=(2, 1), dtype=int64))"},
    {"gather", R"(`axis` is the dimension, the first one unless told otherwise.

  >>> print(tf.gather([10, 20, 30], [2, 0]))
  tf.Tensor([30 10], shape=(2,), dtype=int32)
  >>> print(tf.gather([[1, 2], [3, 4]], [1, 0], batch_dims=1))
  tf.Tensor([2 3], shape=(2,), dtype=int32))"},
    {"random.uniform", R"(Integers need `maxval`. Each call gives other numbers; after tf.random.set_seed they are
the same in each run.

  >>> tf.random.set_seed(1)
  >>> print(tf.random.uniform([2], 1, 7, tf.int32, seed=5))
  tf.Tensor([3 4], shape=(2,), dtype=int32))"},
    {"nn.softmax", R"(The results are positive, and their sum along the axis is 1.

  >>> print(tf.nn.softmax([0., 0.]))
  tf.Tensor([0.5 0.5], shape=(2,), dtype=float32))"},
};

struct ParameterText {
  std::string_view function, parameter, text;
};

constexpr ParameterText kParameters[] = {
    {"math.reduce_sum", "axis", "The dimensions to add up; None: all of them."},
    {"math.reduce_sum", "keepdims", "Whether these dimensions stay in the result, with the size 1."},
    {"math.reduce_mean", "axis", "The dimensions to average over; None: all of them."},
    {"math.reduce_mean", "keepdims", "Whether these dimensions stay in the result, with the size 1."},
    {"linalg.matmul", "a", "It has two dimensions or more."},
    {"linalg.matmul", "b", "It has two dimensions or more, and the dtype of `a`."},
    {"linalg.matmul", "transpose_a", "Whether `a` is transposed first."},
    {"linalg.matmul", "transpose_b", "Whether `b` is transposed first."},
    {"linalg.matmul", "adjoint_a", "Whether `a` is transposed and conjugated first."},
    {"linalg.matmul", "adjoint_b", "Whether `b` is transposed and conjugated first."},
    {"reshape", "shape", "One of its sizes may be -1."},
    {"stack", "axis", "The new dimension's place in the result; negative numbers count from the end."},
    {"concat", "axis", "The dimension along which they are joined; negative numbers count from the end."},
    {"where", "condition", "It holds bools."},
    {"where", "x", "The elements for where the condition is true."},
    {"where", "y", "The elements for where it is false; given if x is."},
    {"gather", "params", "The tensor or variable from which slices are taken."},
    {"gather", "indices", "Its integers say which slices."},
    {"gather", "validate_indices", "It has no effect."},
    {"gather", "axis", "The dimension that is indexed; None: number `batch_dims`."},
    {"gather", "batch_dims", "How many leading dimensions `params` and `indices` share."},
    {"random.uniform", "shape", "The sizes of the result's dimensions."},
    {"random.uniform", "minval", "The least number that may come."},
    {"random.uniform", "maxval", "The end of the range, which does not come itself; None: 1."},
    {"random.uniform", "dtype", "Floats or integers."},
    {"random.uniform", "seed", "An int that gives this call numbers of its own under tf.random.set_seed."},
    {"nn.softmax", "logits", "It holds floats."},
    {"nn.softmax", "axis", "The dimension; None: the last one."},
};

}  // namespace

std::string_view doc_example(std::string_view name) {
  for (const Example& one : kExamples)
    if (one.name == name) return one.text;
  return {};
}

std::string_view parameter_text(std::string_view function, std::string_view parameter) {
  for (const ParameterText& one : kParameters)
    if (one.function == function && one.parameter == parameter) return one.text;
  return {};
}

}  // namespace footlight::python
