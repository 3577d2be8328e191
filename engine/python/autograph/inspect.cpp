// Prints trees and conversions of ast objects as text, without running anything, for tests and debugging.
#include "engine/python/autograph/inspect.h"

#include "engine/autograph/readable.h"
#include "engine/autograph/unparse.h"
#include "engine/python/autograph/ast_bridge.h"
#include "engine/python/interpreter/lists.h"

namespace footlight::python {

using namespace autograph;

namespace {

Ref text_object(const std::string& text) {
  return Ref::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
}

PyObject* unparse_ast(PyObject*, PyObject* ast) {
  Tree tree;
  const Node* node = read_ast(ast, tree);
  return node ? text_object(unparse(tree, node).text).release() : nullptr;
}

PyObject* copy_ast(PyObject*, PyObject* ast) {
  Tree tree;
  const Node* node = read_ast(ast, tree);
  const Ref keep = Ref::steal(PyList_New(0));
  return node && keep ? write_ast(node, keep.get()) : nullptr;
}

// Reads a function from its ast object; on failure none, with an error set.
Node* read_function(PyObject* ast, Tree& tree) {
  Node* function = read_ast(ast, tree);
  if (!function || is_function(function) || is(function, Kind::kLambda)) return function;
  PyErr_SetString(PyExc_TypeError, "expected the syntax tree of a function");
  return nullptr;
}

// Only the conversion: from a function's ast object to that of the converted function.
PyObject* lean_ast(PyObject*, PyObject* ast) {
  Tree tree;
  Node* function = read_function(ast, tree);
  if (!function) return nullptr;
  const Conversion conversion = convert(tree, function, {});
  const Ref keep = Ref::steal(PyList_New(0));
  if (!keep) return nullptr;
  return write_ast(conversion.function ? conversion.function : function, keep.get());
}

Ref numbers(const std::vector<int>& values) {
  return list_of(values, [](int value) { return checked(PyLong_FromLong(value)); });
}

// autograph_convert(ast of a function, "lean" or "readable") -> {text, line_map, statements, steps, reason}
PyObject* convert_ast(PyObject*, PyObject* args) {
  PyObject* ast = nullptr;
  const char* style = nullptr;
  if (!PyArg_ParseTuple(args, "Os:autograph_convert", &ast, &style)) return nullptr;
  Tree tree;
  Node* function = read_function(ast, tree);
  if (!function) return nullptr;
  Readable result;
  uint64_t steps = 0;
  if (std::string_view(style) == "readable") {
    const bool lambda = is(function, Kind::kLambda);
    result =
        readable(tree, function,
                 lambda ? "tf__lam" : "tf__" + std::string(function->name(at::FunctionDef::name)->text));
  } else {
    Conversion conversion = convert(tree, function, {});
    steps = conversion.steps;
    result.reason = conversion.reason;
    result.statements = std::move(conversion.statements);
    if (conversion.function) {
      Text text = unparse(tree, conversion.function);
      result.text = std::move(text.text) + "\n";
      result.line_map = std::move(text.line_map);
    }
  }
  Ref statements = Ref::steal(PyList_New(0));
  for (const Fate& fate : result.statements) {
    const Ref one = Ref::steal(Py_BuildValue("(iisss)", static_cast<int>(fate.line), static_cast<int>(fate.last_line),
                                             fate.kind.c_str(), fate.fate.c_str(), fate.note.c_str()));
    if (!one || PyList_Append(statements.get(), one.get()) < 0) return nullptr;
  }
  const Ref text = text_object(result.text), map = numbers(result.line_map);
  if (!text || !map) return nullptr;
  return Py_BuildValue("{sOsOsOsKss}", "text", text.get(), "line_map", map.get(), "statements",
                       statements.get(), "steps", static_cast<unsigned long long>(steps), "reason",
                       result.reason.c_str());
}

PyMethodDef methods[] = {
    {"autograph_unparse", guard<unparse_ast>, METH_O, "An ast object as text, by the engine's own unparser."},
    {"autograph_copy", guard<copy_ast>, METH_O, "An ast object read into the engine's tree and written back."},
    {"autograph_lean", guard<lean_ast>, METH_O, "The ast of what a function is converted to, from its own ast."},
    {"autograph_convert", guard<convert_ast>, METH_VARARGS,
     "What the ast of a function is converted to, as text, with line map and fates."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_autograph_inspection(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
