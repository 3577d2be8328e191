// Examples in the help of the functions that scripts call most, by their first name in the table of public names.
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
};

}  // namespace

std::string_view doc_example(std::string_view name) {
  for (const Example& one : kExamples)
    if (one.name == name) return one.text;
  return {};
}

}  // namespace footlight::python
