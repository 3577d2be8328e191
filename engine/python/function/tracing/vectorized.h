// The staged part of tf.vectorized_map: the function is traced for one element and replayed on all of them.
#pragma once


namespace footlight::python {

void init_vectorized();

}  // namespace footlight::python
