// Examples in the help of public functions: what `help(tf.matmul)` shows between the sentence of the table and the
// parameters.
#pragma once

#include <string_view>

namespace footlight::python {

// The text for the function that has this name in the table of public names; empty if it has none. Lines of Python
// begin with ">>> " and are followed by what they print; tests/python/test_help.py runs them.
std::string_view doc_example(std::string_view name);

}  // namespace footlight::python
