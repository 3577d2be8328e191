// Puts the sentence of the table, the example and the parameters together.
#include "engine/python/calls/help_text.h"

#include "engine/base/text.h"
#include "engine/python/calls/doc_examples.h"
#include "engine/python/interpreter/text.h"

#include <cctype>

namespace footlight::python {
namespace {

std::string kind_text(const Parameter& p) {
  static constexpr const char* kWords[] = {"a tensor", "a list of tensors", "a tensor or a list of tensors",
                                           "an int",   "an int or several", "a bool",
                                           "a float",  "a str",             "a dtype",
                                           "a shape",  "a value"};
  return str(kWords[static_cast<size_t>(p.type)], p.optional ? " or None" : "",
             p.has_default ? "; " + default_text(p) + " when it is not given" : "");
}

}  // namespace

std::string default_text(const Parameter& p) { return repr_of(object_from(p.default_value).get()); }

std::string help_text(const PublicFunction& function, const std::vector<Parameter>& parameters) {
  std::string out(function.doc);
  if (!out.empty()) {
    out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
    if (out.back() != '.') out += '.';
  }
  if (const std::string_view example = doc_example(function.names[0]); !example.empty())
    out += "\n\n" + std::string(example);
  out += "\n\nArgs:";
  for (const Parameter& p : parameters) {
    out += "\n  " + p.name + ": " + (p.is_name ? std::string("a str, the name of the operation") : kind_text(p)) + ".";
    if (const std::string_view text = parameter_text(function.names[0], p.name); !text.empty())
      out += " " + std::string(text);
  }
  return out;
}

}  // namespace footlight::python
