// Compiles converted trees with Python's own compiler and marks the code that it makes.
#include "engine/python/autograph/compiled.h"

#include "engine/python/autograph/conversions.h"
#include "engine/python/autograph/source_check.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"

#include <algorithm>

namespace footlight::python::ag {

using namespace autograph;

namespace {

std::string first_parameter(PyCodeObject* code) {
  const Ref names = checked(PyCode_GetVarnames(code));
  return PyTuple_GET_SIZE(names.get()) ? readable(PyTuple_GET_ITEM(names.get(), 0)) : "";
}

// The function without what belongs to the function object, not its code: decorators, defaults, annotations.
Node* bare(Tree& tree, Node* function) {
  Node* made = tree.copy(function);
  const bool is_lambda = made->kind == Kind::kLambda;
  const int slot = is_lambda ? +at::Lambda::args : +at::FunctionDef::args;
  Node* arguments = tree.copy(made->node(slot));
  made->node(slot) = arguments;
  arguments->fields()[at::arguments::defaults].list = &kEmptyList;
  std::vector<Node*> none(arguments->list(at::arguments::kwonlyargs).size, nullptr);
  arguments->fields()[at::arguments::kw_defaults].list = tree.list(none);
  if (is_lambda) return made;
  auto strip = [&](Node* arg) {
    if (!arg || !arg->node(at::arg::annotation)) return arg;
    Node* plain = tree.copy(arg);
    plain->node(at::arg::annotation) = nullptr;
    return plain;
  };
  for (const int list : {+at::arguments::posonlyargs, +at::arguments::args, +at::arguments::kwonlyargs}) {
    std::vector<Node*> args;
    for (Node* arg : arguments->list(list)) args.push_back(strip(arg));
    arguments->fields()[list].list = tree.list(args);
  }
  for (const int one : {+at::arguments::vararg, +at::arguments::kwarg})
    arguments->node(one) = strip(arguments->node(one));
  made->fields()[at::FunctionDef::decorator_list].list = &kEmptyList;
  made->fields()[at::FunctionDef::type_params].list = &kEmptyList;
  made->node(at::FunctionDef::returns) = nullptr;
  // Under its own name it would be a local of the factory, and that name in its body would no longer be a global.
  made->fields()[at::FunctionDef::name].name = tree.name("ag__.function");
  return made;
}

}  // namespace

PyObject* find_code(PyObject* code) {
  PyObject* constants = reinterpret_cast<PyCodeObject*>(code)->co_consts;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); ++i)
    if (PyCode_Check(PyTuple_GET_ITEM(constants, i))) return PyTuple_GET_ITEM(constants, i);
  return nullptr;
}

std::unordered_set<std::string_view> made_names(const Tree& tree) {
  std::unordered_set<std::string_view> names;
  for (uint32_t id = 0; id < tree.name_count(); ++id)
    if (tree.name_at(id)->generated) names.insert(tree.name_at(id)->text);
  return names;
}

void put_written(PyObject* made, PyObject* original, const std::vector<const Node*>& written) {
  const auto codes_in = [](PyObject* code) { return reinterpret_cast<PyCodeObject*>(code)->co_consts; };
  const auto same_place = [](PyCodeObject* a, PyCodeObject* b) {
    return a->co_firstlineno == b->co_firstlineno && are_equal(a->co_name, b->co_name);
  };
  PyObject *const constants = codes_in(made), *const of_original = codes_in(original);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); ++i) {
    if (!PyCode_Check(PyTuple_GET_ITEM(constants, i))) continue;
    auto* const inner = reinterpret_cast<PyCodeObject*>(PyTuple_GET_ITEM(constants, i));
    PyObject* found = nullptr;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(of_original) && !found; ++k) {
      PyObject* const one = PyTuple_GET_ITEM(of_original, k);
      if (PyCode_Check(one) && same_place(inner, reinterpret_cast<PyCodeObject*>(one))) found = one;
    }
    const std::string name = readable(inner->co_name);
    const bool is_written = std::ranges::any_of(written, [&](const Node* one) {
      return static_cast<int>(one->at.line) == inner->co_firstlineno && one->name(at::FunctionDef::name)->text == name;
    });
    if (!is_written) {
      put_written(PyTuple_GET_ITEM(constants, i), found ? found : original, written);
      continue;
    }
    if (found) {
      const Ref ours = checked(PyCode_GetFreevars(inner));
      const Ref theirs = checked(PyCode_GetFreevars(reinterpret_cast<PyCodeObject*>(found)));
      const int same = PyObject_RichCompareBool(ours.get(), theirs.get(), Py_EQ);
      if (same < 0) throw PythonErrorSet();
      if (same) {
        const Ref old = Ref::steal(PyTuple_GET_ITEM(constants, i));
        PyTuple_SET_ITEM(constants, i, Py_NewRef(found));
      }
    }
    entry_of(PyTuple_GET_ITEM(constants, i)).written_inside = true;
  }
}

void mark_lean(PyObject* object, PyObject* name, PyObject* qualname,
               const std::unordered_set<std::string_view>& made_names, const std::shared_ptr<LateSource>& late) {
  auto* code = reinterpret_cast<PyCodeObject*>(object);
  Entry& entry = entry_of(object);
  entry.lean = true;
  entry.late = late;
  Py_SETREF(code->co_name, Py_NewRef(name));
  Py_SETREF(code->co_qualname, Py_NewRef(qualname));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); ++i) {
    PyObject* inner = PyTuple_GET_ITEM(code->co_consts, i);
    if (!PyCode_Check(inner)) continue;
    auto* inner_code = reinterpret_cast<PyCodeObject*>(inner);
    const std::string own = readable(inner_code->co_name);
    const bool thunk = own == "<lambda>" &&
                       (inner_code->co_argcount == 0 || made_names.count(first_parameter(inner_code)));
    if (thunk || made_names.count(own)) {
      mark_lean(inner, name, qualname, made_names, late);
      entry_of(inner).block = true;
      continue;
    }
    const Ref inner_qualname = Ref::steal(PyUnicode_FromFormat("%U.<locals>.%U", qualname, inner_code->co_name));
    if (const Entry* known = known_entry(inner); known && known->written_inside) {
      if (inner_qualname) Py_SETREF(inner_code->co_qualname, Py_NewRef(inner_qualname.get()));
      continue;
    }
    mark_lean(inner, inner_code->co_name, inner_qualname ? inner_qualname.get() : qualname, made_names,
              late);
  }
}

// def factory(free variables): def f(...) -- compiled but never run: it only makes the free variables of f free.
std::vector<Ref> compile_inside(Trees& trees, const std::vector<Node*>& functions,
                                const std::vector<std::string>& outer, PyObject* filename, int flags) {
  Tree& tree = trees.tree;
  Node* const function = functions[0];
  Node* arguments = tree.make(Kind::karguments, function->at);
  std::vector<Node*> args;
  auto parameter = [&](std::string_view name) {
    Node* arg = tree.make(Kind::karg, function->at);
    arg->fields()[at::arg::arg].name = tree.name(name);
    args.push_back(arg);
  };
  for (const std::string& name : outer) parameter(name);
  for (const std::string_view name : runtime_name::kAll) parameter(name);
  arguments->fields()[at::arguments::args].list = tree.list(args);
  Node* factory = tree.function(tree.name("factory"), arguments, tree.list(functions), function->at);
  Node* module = tree.make(Kind::kModule, {});
  module->fields()[at::Module::body].list = tree.list({factory});

  if (!trees.keep) trees.keep = Ref::steal(PyList_New(0));
  const Ref ast = trees.keep ? Ref::steal(write_ast(module, trees.keep.get(), true)) : Ref();
  if (!ast) return {};
  static PyObject* compile = nullptr;
  if (!compile) {
    const Ref builtins = Ref::steal(PyImport_ImportModule("builtins"));
    compile = builtins ? PyObject_GetAttrString(builtins.get(), "compile") : nullptr;
    if (!compile) return {};
  }
  const NoWarnings quiet;
  const Ref code =
      Ref::steal(PyObject_CallFunction(compile, "OOsii", ast.get(), filename, "exec", flags & PyCF_MASK, 1));
  std::vector<Ref> made;
  if (!code) return made;
  PyObject* const around = find_code(code.get());
  PyObject* const constants = around ? reinterpret_cast<PyCodeObject*>(around)->co_consts : nullptr;
  for (Py_ssize_t i = 0; constants && i < PyTuple_GET_SIZE(constants); ++i)
    if (PyCode_Check(PyTuple_GET_ITEM(constants, i))) made.push_back(Ref::borrow(PyTuple_GET_ITEM(constants, i)));
  if (made.size() == functions.size()) return made;
  PyErr_SetString(PyExc_SystemError, "a converted function has no code");
  return {};
}

Ref compile_lean(Trees& trees, PyCodeObject* original) {
  std::vector<std::string> outer;
  const Ref free = Ref::steal(PyCode_GetFreevars(original));
  if (!free) return {};
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(free.get()); ++i)
    outer.push_back(readable(PyTuple_GET_ITEM(free.get(), i)));
  Node* inner = bare(trees.tree, trees.conversion.function);
  if (inner->kind == Kind::kLambda) inner = trees.tree.expression(inner, inner->at);
  const std::vector<Ref> made = compile_inside(trees, {inner}, outer, original->co_filename, original->co_flags);
  return made.empty() ? Ref() : made[0];
}

}  // namespace footlight::python::ag
