// What `help(tf.matmul)` shows besides the sentence of the table: examples, and what parameters mean.
#pragma once

#include <string_view>

namespace footlight::python {

// The text for the function that has this name in the table of public names; empty if it has none. Lines of Python
// begin with ">>> " and are followed by what they print; tests/python/test_help.py runs them.
std::string_view doc_example(std::string_view name);
// What a parameter of that function means; empty if only its type and default are known.
std::string_view parameter_text(std::string_view function, std::string_view parameter);

}  // namespace footlight::python
