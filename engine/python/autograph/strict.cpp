// The refusals of TensorFlow's that a program may ask for, with TensorFlow's classes of exceptions.
#include "engine/python/autograph/strict.h"

#include "engine/autograph/tree.h"
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/thread_context.h"

#include <cstdlib>
#include <utility>

namespace footlight::python::ag {

namespace {

// `of_class`: what the names of private attributes begin with in the tree.
const char* refused_part(const autograph::Node* node, std::string_view of_class) {
  using namespace autograph;
  switch (node->kind) {
    case Kind::kFor: return node->list(at::For::orelse).empty() ? nullptr : "for/else statement not yet supported";
    case Kind::kWhile:
      return node->list(at::While::orelse).empty() ? nullptr : "while/else statement not yet supported";
    case Kind::kYield:
    case Kind::kYieldFrom: return "generators are not supported";
    case Kind::kAttribute: {
      const std::string_view name = node->name(at::Attribute::attr)->text;
      const bool is_private = (!of_class.empty() && name.starts_with(of_class)) || name.starts_with("__");
      return is_private && !name.ends_with("__") ? "mangled names are not yet supported" : nullptr;
    }
    default: return nullptr;
  }
}

Refused first_in(const autograph::Node* node, std::string_view of_class) {
  if (const char* what = refused_part(node, of_class)) return {what, static_cast<int>(node->at.line)};
  Refused found;
  for_each_child(node, [&](const autograph::Node* child) {
    if (!found.what) found = first_in(child, of_class);
  });
  return found;
}

}  // namespace

bool strict_is_asked() {
  const char* value = std::getenv("AUTOGRAPH_STRICT_CONVERSION");
  return value && std::strtol(value, nullptr, 10) > 0;
}

StrictTrace::StrictTrace() : outer_(std::exchange(python_thread.is_trace_strict, strict_is_asked())) {}
StrictTrace::~StrictTrace() { python_thread.is_trace_strict = outer_; }
bool strict() { return python_thread.is_trace_strict; }

Refused refused_in(const autograph::Node* function, const std::string& private_class) {
  const size_t letters = private_class.find_first_not_of('_');
  return first_in(function, letters == std::string::npos ? "" : "_" + private_class.substr(letters) + "__");
}

void refuse_source(const Refused& refused, PyCodeObject* code, bool requested) {
  if (!refused.what || (!requested && code->co_flags & CO_GENERATOR) || !strict_is_asked()) return;
  const Ref module = checked(PyImport_ImportModule("footlight._autograph.ag"));
  const Ref type = checked(PyObject_GetAttrString(module.get(), "UnsupportedLanguageElementError"));
  PyErr_Format(type.get(), "%s (\"%U\", line %d, in %U)", refused.what, code->co_filename, refused.line,
               code->co_qualname);
  throw PythonErrorSet();
}

void refuse_jump_in_python_for() {
  if (strict())
    fail(ErrorKind::kNotImplemented, "break and return statements which depend on a TF condition are not supported in "
         "Python for loops: loop over a tensor, for example tf.range, to make it a TF loop");
}

void refuse_python_while_that_stages() {
  if (strict())
    fail(ErrorKind::kNotImplemented, "The condition of while loop started as non-Tensor, then changed to Tensor, by "
         "itself or because a tensor decides on a break or return inside: make it a tensor from the start");
}

void refuse_return_over_dataset() {
  if (strict())
    fail(ErrorKind::kNotImplemented, "a return statement cannot be placed inside this TensorFlow loop, which is over a "
         "dataset: keep the value in a variable, break, and return it after the loop");
}

void refuse_return_in_loop() {
  const bool expected = PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError) ||
                        PyErr_ExceptionMatches(PyExc_KeyError) || PyErr_ExceptionMatches(PyExc_UnboundLocalError);
  if (strict() && expected)
    fail(ErrorKind::kNotImplemented, "a return statement cannot be placed inside this TensorFlow loop: ",
         take_message());
}

bool refuses_missing_return() { return strict(); }
bool refuses_missing_in_both() { return strict(); }
bool refuses_zero_iterations() { return strict(); }

}  // namespace footlight::python::ag
