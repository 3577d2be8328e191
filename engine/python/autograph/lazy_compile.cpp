// Compiles the staged parts of statements when the first of them is staged. Most never are, and Python's compiler takes
// most of the time of a conversion.
#include "engine/python/autograph/compiled.h"

#include "engine/base/errors.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/conversions.h"
#include "engine/python/autograph/source.h"
#include "engine/python/interpreter/frame_layout.h"
#include "engine/python/interpreter/text.h"

#include <algorithm>
#include <array>

namespace footlight::python::ag {

using namespace autograph;

uint64_t late_count = 0;

namespace {

// Reads and converts the function again. The same text gives the same names. False: Python error set.
bool make_trees(LateSource& source, PyObject* filename) {
  // The first conversion may have had more of the stack. The limit decides only whether there is a result.
  source.read.deepest = source.options.deepest = std::min(source.options.deepest, deepest_nesting());
  auto trees = std::make_unique<Trees>();
  PyObject* node = nullptr;
  trees->owner = parse_function(source.text, source.indented, filename, source.flags, &node);
  Node* function = node ? read_ast(node, trees->tree, source.read) : nullptr;
  if (!function) return false;
  trees->conversion = convert(trees->tree, function, source.options);
  if (!trees->conversion.function) {
    PyErr_SetString(PyExc_RecursionError, trees->conversion.reason.c_str());
    return false;
  }
  source.trees = std::move(trees);
  source.compiled = 0;
  return true;
}

void drop_trees(LateSource& source) {
  if (!source.text.empty()) source.trees.reset();
}

// Compiles one form, and of those after it four times as many as the function has so far: where many are needed, the
// compiler is called a few times.
void compile_late(Entry& entry, size_t which, PyCodeObject* in) {
  LateSource& source = *entry.late;
  const Timer timer;
  const auto failed = [&] {
    fail(ErrorKind::kNotImplemented, "a statement of ", readable(in->co_qualname),
         " whose condition or iterable is a tensor cannot be staged: ", take_message());
  };
  if (!source.trees && !make_trees(source, in->co_filename)) failed();
  Trees& trees = *source.trees;
  std::vector<std::string> outer;
  for (const Ref& names : {checked(PyCode_GetCellvars(in)), checked(PyCode_GetFreevars(in))})
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.get()); ++i) {
      std::string name = readable(PyTuple_GET_ITEM(names.get(), i));
      if (!name.starts_with(runtime_name::kPrefix)) outer.push_back(std::move(name));
    }
  FL_CHECK(which < trees.conversion.late.size());
  const Conversion& all = trees.conversion;
  std::vector<size_t> chosen;
  std::vector<Node*> functions;
  for (size_t i = which; i < all.late.size() && chosen.size() <= 4 * entry.late_codes.size(); ++i) {
    if (all.late_in[i] != all.late_in[which] || entry.late_codes.count(static_cast<int64_t>(i))) continue;
    chosen.push_back(i);
    functions.push_back(all.late[i]);
    all.late[i]->fields()[at::FunctionDef::name].name = trees.tree.name(str("ag__.parts", i));  // none equals another
  }
  const std::vector<Ref> codes = compile_inside(trees, functions, outer, in->co_filename, in->co_flags);
  if (codes.empty()) failed();
  if (trees.made_names.empty()) trees.made_names = made_names(trees.tree);
  for (size_t i = 0; i < codes.size(); ++i) {
    mark_lean(codes[i].get(), in->co_name, in->co_qualname, trees.made_names, entry.late);
    entry_of(codes[i].get()).block = true;
    entry.late_codes.emplace(static_cast<int64_t>(chosen[i]), codes[i]);
    ++late_count;
  }
  source.compiled += codes.size();
  if (source.compiled >= all.late.size()) drop_trees(source);
}

Ref closure_in(const InterpreterFrame* frame, PyObject* code) {
  const Ref names = checked(PyCode_GetFreevars(reinterpret_cast<PyCodeObject*>(code)));
  Ref closure = checked(PyTuple_New(PyTuple_GET_SIZE(names.get())));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.get()); ++i) {
    PyObject* const name = PyTuple_GET_ITEM(names.get(), i);
    PyObject* cell = cell_of(frame, name);
    if (!cell) cell = ag_runtime_cell(readable(name));
    FL_CHECK(cell != nullptr);
    PyTuple_SET_ITEM(closure.get(), i, Py_NewRef(cell));
  }
  return closure;
}

}  // namespace

void keep_latest(const std::shared_ptr<LateSource>& source) {
  constexpr size_t kKept = 8;
  static std::array<std::weak_ptr<LateSource>, kKept> latest;
  static size_t next = 0;
  std::weak_ptr<LateSource>& place = latest[next++ % kKept];
  if (const std::shared_ptr<LateSource> oldest = place.lock()) drop_trees(*oldest);
  place = source;
}

PyObject* late(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    const InterpreterFrame* frame = top_frame(thread_state());
    while (frame && !has_code(frame)) frame = frame->previous;
    FL_CHECK(frame && count >= 3);
    const Ref in = Ref::borrow(frame->code);
    Entry* const entry = known_entry(in.get());
    FL_CHECK(entry && entry->late);
    const int64_t which = PyLong_AsLongLong(args[0]);
    if (!entry->late_codes.count(which))
      compile_late(*entry, static_cast<size_t>(which), reinterpret_cast<PyCodeObject*>(in.get()));
    const Ref code = entry->late_codes.at(which);
    const Ref function = checked(PyFunction_New(code.get(), frame->globals));
    Ref closure = closure_in(frame, code.get());
    Py_XSETREF(reinterpret_cast<PyFunctionObject*>(function.get())->func_closure, closure.release());
    return PyObject_Vectorcall(function.get(), args + 1, 2, nullptr);
  });
}

}  // namespace footlight::python::ag
