// Reads a function's outside values anew for every call, since a program may change them at any time.
#include "engine/python/autograph/self_contained.h"

#include "engine/base/clock.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/runtime.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/object_layout.h"
#include "engine/python/interpreter/text.h"
#include "engine/trace/graph_builder.h"

#include <structmember.h>

#include <algorithm>
#include <unordered_set>

namespace footlight::python::ag {

uint64_t looked_at = 0;

namespace {

constexpr int kMaxObjects = 24;

// Limits the search before a call: an object that may hold others weighs as much as many numbers in a list.
constexpr int kObject = 16;
constexpr int kOfCall = kMaxObjects * kObject;

bool is_plain(PyObject* o) {
  return o == Py_None || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || PyUnicode_CheckExact(o) ||
         PyBytes_CheckExact(o) || PyComplex_CheckExact(o) || Py_IS_TYPE(o, &PyRange_Type);
}

// Searches the values of containers, as long as these are few.
bool is_harmless(PyObject* o, int& left) {
  if (is_plain(o)) return true;
  if (--left < 0) return false;
  if (PyTuple_CheckExact(o) || PyList_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < Py_SIZE(o); ++i)
      if (--left < 0 || !is_harmless(PyTuple_CheckExact(o) ? PyTuple_GET_ITEM(o, i) : PyList_GET_ITEM(o, i), left))
        return false;
    return true;
  }
  if (!PyDict_CheckExact(o)) return false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);)
    if (--left < 0 || !is_harmless(key, left) || !is_harmless(value, left)) return false;
  return true;
}

// Builtins that make such values of such values and reach nothing else, and the module math.
bool is_harmless_builtin(PyObject* o) {
  static const auto& known = *[] {
    auto* made = new std::unordered_set<PyObject*>;
    const Ref module = checked(PyImport_ImportModule("builtins"));
    for (const char* name :
         {"abs",  "all",   "any",    "ascii", "bin",      "bool", "bytes", "callable",   "chr",    "complex",
          "dict", "divmod", "enumerate", "filter", "float", "format", "frozenset", "hash", "hex", "int",
          "isinstance", "issubclass", "iter", "len", "list", "map", "max", "min", "next", "oct",
          "ord",  "pow",   "range",  "repr",  "reversed", "round", "set", "slice", "sorted", "str",
          "sum",  "tuple", "zip"})
      made->insert(checked(PyObject_GetAttrString(module.get(), name)).release());
    made->insert(checked(PyImport_ImportModule("math")).release());
    return made;
  }();
  if (known.count(o)) return true;
  return PyExceptionClass_Check(o) && !(reinterpret_cast<PyTypeObject*>(o)->tp_flags & Py_TPFLAGS_HEAPTYPE);
}

// The name of a builtin that calls its argument later; empty for others.
std::string_view name_of_later(PyObject* o) {
  if (o == reinterpret_cast<PyObject*>(&PyMap_Type)) return "map";
  if (o == reinterpret_cast<PyObject*>(&PyFilter_Type)) return "filter";
  static PyObject* const iter = checked(PyObject_GetAttrString(
      checked(PyImport_ImportModule("builtins")).get(), "iter")).release();
  return o == iter ? "iter" : "";
}
bool runs_later(PyObject* o) { return !name_of_later(o).empty(); }

bool is_immutable(PyObject* o) {
  int left = kMaxObjects;
  if (PyList_CheckExact(o) || PyDict_CheckExact(o)) return false;  // its contents may change later
  return is_harmless(o, left);
}

}  // namespace

bool is_harmless_builtin(PyObject* o, PyObject* name) {
  return is_harmless_builtin(o) && (!runs_later(o) || utf8(name) == name_of_later(o));
}

// Everything that a function can reach, as far as this is known without its arguments.
struct NoTensor::Reached {
  struct Function {
    Ref function, code, defaults, keyword_defaults;
    const Contained* contained;   // analysis of the code
    struct Outer {                // the outside value of one of its names
      Py_ssize_t cell;            // index in its closure; -1: a global
      Ref value;                  // a function, class or builtin; empty: it is examined for each call
    };
    std::vector<Outer> outer;
  };
  struct Member {          // the meaning of a name for objects of a class
    OwnAttribute own;
    Py_ssize_t slot = -1;  // slot given by __slots__
  };
  struct Type {
    Ref type;
    unsigned version = 0;
    bool outside = false;          // for objects that the function did not create itself
    bool made = false;             // whether the function can create such objects
    std::vector<Member> members;   // one for each of `names`
    PyTypeObject* get() const { return reinterpret_cast<PyTypeObject*>(type.get()); }
  };
  std::vector<Function> functions;
  std::vector<Type> types;
  std::vector<PyObject*> names;    // names of attributes; borrowed from `functions`
  bool raises = false;

  Type* find(PyTypeObject* type) {
    for (Type& one : types)
      if (one.get() == type) return &one;
    return nullptr;
  }
  bool has(PyObject* function) const {
    return std::ranges::any_of(functions, [&](const Function& one) { return one.function.get() == function; });
  }
  bool is_current() const;
};

static PyObject* outer_of(PyFunctionObject* function, PyObject* name, Py_ssize_t cell) {
  if (cell >= 0) return PyCell_GET(PyTuple_GET_ITEM(function->func_closure, cell));
  PyObject* const value = find_item(function->func_globals, name);
  return value ? value : find_item(function->func_builtins, name);
}

bool NoTensor::Reached::is_current() const {
  for (const Type& one : types)
    if (one.get()->tp_version_tag != one.version) return false;
  for (const Function& one : functions) {
    auto* const function = reinterpret_cast<PyFunctionObject*>(one.function.get());
    if (function->func_code != one.code.get() || function->func_defaults != one.defaults.get() ||
        function->func_kwdefaults != one.keyword_defaults.get())
      return false;
    for (size_t i = 0; i < one.outer.size(); ++i)
      if (const PyObject* wanted = one.outer[i].value.get())
        if (outer_of(function, one.contained->globals[i].get(), one.outer[i].cell) != wanted) return false;
  }
  return true;
}

// Finds what is reached, or examines arguments with what was found.
class NoTensor::Search {
 public:
  Search(Reached& reached, FindContained find, bool finds, int most)
      : reached_(reached), find_(find), finds_(finds), most_(most) {}

  bool find_all(PyObject* root, const Contained* loop, PyObject* const* args, size_t count) {
    if (root && !function(root)) return false;
    if (loop) {
      reached_.raises = loop->raises;
      for (const Ref& name : loop->attributes) add_name(name.get());
    }
    // What these functions and classes reach of one another may be more of them.
    size_t known;
    do {
      known = size();
      for (size_t i = 0; i < reached_.types.size(); ++i)
        for (size_t k = 0; k < reached_.names.size(); ++k)
          if (!member(i, k)) return false;
      if (!values(args, count)) return false;
    } while (known != size());
    return true;
  }

  bool values(PyObject* const* args, size_t count) {
    left_ = most_;
    visited_count_ = 0;
    visited_many_.reset();
    if (!all(args, static_cast<Py_ssize_t>(count))) return false;
    for (size_t k = 0; k < reached_.functions.size(); ++k) {  // more of them may be found
      if (!attributes_in(reinterpret_cast<PyFunctionObject*>(reached_.functions[k].function.get())->func_dict))
        return false;
      for (size_t i = 0; i < reached_.functions[k].outer.size(); ++i) {
        const Reached::Function& one = reached_.functions[k];
        if (one.outer[i].value) continue;
        auto* const function = reinterpret_cast<PyFunctionObject*>(one.function.get());
        PyObject* const outer = outer_of(function, one.contained->globals[i].get(), one.outer[i].cell);
        if (!outer || !value(outer)) return false;
      }
    }
    return true;
  }

  ~Search() { looked_at += static_cast<uint64_t>(most_ - std::max(left_, 0)); }

  // Whether the limit of the search was exceeded.
  bool is_exceeded() const { return left_ < 0; }

 private:
  size_t size() const { return reached_.types.size() + reached_.functions.size() + reached_.names.size(); }

  bool spend(Py_ssize_t amount) {
    left_ = amount > left_ ? -1 : left_ - static_cast<int>(amount);
    return left_ >= 0;
  }

  bool all(PyObject* const* items, Py_ssize_t count) {
    return std::all_of(items, items + count, [&](PyObject* one) { return is_plain(one) || value(one); });
  }

  bool set(PyObject* o) {
    const auto* const made = reinterpret_cast<PySetObject*>(o);
    if (!spend(made->mask)) return false;
    for (Py_ssize_t i = 0; i <= made->mask; ++i) {
      const setentry& one = made->table[i];
      if (one.key && one.hash != -1 && !value(one.key)) return false;  // -1: it was taken out
    }
    return true;
  }

  bool deque(PyObject* o) {
    if (!spend(4 * PyObject_Size(o))) return false;
    const Ref iterator = checked(PyObject_GetIter(o));
    while (const Ref one = Ref::steal(PyIter_Next(iterator.get())))
      if (!value(one.get())) return false;
    if (PyErr_Occurred()) throw PythonErrorSet();
    return true;
  }

  bool partial(PyObject* o) {
    for (const char* const part : {"func", "args", "keywords", "__dict__"}) {
      const Ref held = checked(PyObject_GetAttrString(o, part));
      if (!value(held.get())) return false;
    }
    return true;
  }

  bool attributes_in(PyObject* dict) {
    if (!dict || !PyDict_GET_SIZE(dict)) return true;
    for (size_t i = 0; i < reached_.names.size(); ++i) {  // more of them may be found
      PyObject* const found = find_item(dict, reached_.names[i]);
      if (found && !value(found)) return false;
    }
    return true;
  }

  // A module may compute missing attributes, if it has __getattr__.
  bool module(PyObject* o) {
    static PyObject* const hook = PyUnicode_InternFromString("__getattr__");
    return !find_item(PyModule_GetDict(o), hook) && attributes_in(PyModule_GetDict(o));
  }

  // A function of Python's, or the method of a container.
  bool builtin(PyObject* o) {
    if (is_harmless_builtin(o)) return !runs_later(o);
    PyObject* const of = reinterpret_cast<PyCFunctionObject*>(o)->m_module;
    if (of && PyUnicode_Check(of)) {
      constexpr std::string_view kModules[] = {"math", "cmath", "_heapq", "_bisect"};
      if (std::ranges::find(kModules, utf8(of)) != std::end(kModules)) return true;
    }
    PyObject* const self = PyCFunction_GET_SELF(o);
    return self && (PyList_CheckExact(self) || PyDict_CheckExact(self) || PyAnySet_CheckExact(self) ||
                    PyUnicode_CheckExact(self)) &&
           value(self);
  }

  bool value(PyObject* o) {
    if (is_plain(o)) return true;
    constexpr int kDeepest = 1000;  // a list may be in itself
    if (!spend(kObject) || depth_ >= kDeepest) return false;
    ++depth_;
    const bool fine = others(o);
    --depth_;
    return fine;
  }

  bool others(PyObject* o) {
    if (PyTuple_CheckExact(o) || PyList_CheckExact(o))
      return spend(Py_SIZE(o)) && all(PySequence_Fast_ITEMS(o), Py_SIZE(o));
    if (PyDict_CheckExact(o)) return items_of_dict(o);
    if (PyFunction_Check(o)) return finds_ ? function(o) : reached_.has(o);
    if (PyMethod_Check(o) && PyFunction_Check(PyMethod_GET_FUNCTION(o)))
      return value(PyMethod_GET_FUNCTION(o)) && value(PyMethod_GET_SELF(o));
    if (PyCFunction_Check(o)) return builtin(o);
    if (PyModule_CheckExact(o)) return is_harmless_builtin(o) || module(o);
    if (PyAnySet_CheckExact(o)) return set(o);
    static PyObject* const deque_type = checked(PyObject_GetAttrString(
        checked(PyImport_ImportModule("collections")).get(), "deque")).release();
    if (Py_IS_TYPE(o, reinterpret_cast<PyTypeObject*>(deque_type))) return deque(o);
    if (Py_IS_TYPE(o, reinterpret_cast<PyTypeObject*>(partial_type()))) return partial(o);
    if (Py_IS_TYPE(o, &PyType_Type)) {
      auto* const of = reinterpret_cast<PyTypeObject*>(o);
      return finds_ ? type(of, false) : reached_.find(of) != nullptr;
    }
    return this->object(o);
  }

  bool is_visited(PyObject* o) const {
    return std::find(visited_, visited_ + visited_count_, o) != visited_ + visited_count_ ||
           (visited_many_ && visited_many_->count(o));
  }

  // Examines the items of containers of the program's own classes.
  bool items(PyObject* o) {
    if (PyList_Check(o) || PyTuple_Check(o)) return spend(Py_SIZE(o)) && all(PySequence_Fast_ITEMS(o), Py_SIZE(o));
    if (PyAnySet_Check(o)) return set(o);
    return !PyDict_Check(o) || items_of_dict(o);
  }

  bool items_of_dict(PyObject* o) {
    if (!spend(2 * PyDict_GET_SIZE(o))) return false;
    PyObject *key, *item;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &item);)
      if (!is_plain(key) || !value(item)) return false;
    return true;
  }

  static bool holds_items(PyObject* type) {
    return type == reinterpret_cast<PyObject*>(&PyList_Type) || type == reinterpret_cast<PyObject*>(&PyTuple_Type) ||
           type == reinterpret_cast<PyObject*>(&PyDict_Type) || type == reinterpret_cast<PyObject*>(&PySet_Type) ||
           type == reinterpret_cast<PyObject*>(&PyFrozenSet_Type);
  }

  bool object(PyObject* o) {
    PyTypeObject* const of = Py_TYPE(o);
    const bool only_items = PyTuple_Check(o) && !of->tp_dictoffset;
    if (!only_items && is_visited(o)) return true;
    Reached::Type* known = reached_.find(of);
    if (!known || !known->outside) {
      if (!finds_ || of->tp_getattro != PyObject_GenericGetAttr || !type(of, true)) return false;
      known = reached_.find(of);
      known->outside = true;
    }
    if (only_items) return items(o);
    if (visited_count_ < kMaxObjects) visited_[visited_count_++] = o;
    else (visited_many_ ? visited_many_ : visited_many_ = std::make_unique<Objects>())->insert(o);
    const auto index = static_cast<size_t>(known - reached_.types.data());
    if (!items(o)) return false;
    // Otherwise it is examined again when these are known.
    if (reached_.types[index].members.size() != reached_.names.size()) return finds_;
    // Examining a value may add names, which are looked up once its type's members are known as well.
    for (size_t i = 0; i < reached_.types[index].members.size(); ++i) {
      Reached::Member& member = reached_.types[index].members[i];
      bool is_known = true;
      PyObject* const own = member.slot >= 0 ? *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(o) + member.slot)
                                             : member.own.find(o, reached_.names[i], is_known);
      if (!is_known || (own && !value(own))) return false;
    }
    return true;
  }

  // A class whose objects are what their methods make of them. Its special methods run without being named; other
  // attributes are reached by their names alone. What objects from outside hold is not in a builtin class.
  bool type(PyTypeObject* type, bool outside) {
    const Reached::Type* const known = reached_.find(type);
    if (known && (outside ? known->outside : known->made)) return true;
    if (reached_.types.size() >= kMaxObjects) return false;
    if (!known) {
      static PyObject* const any = PyUnicode_InternFromString("__init__");
      _PyType_Lookup(type, any);  // this gives the class a version
      if (!type->tp_version_tag) return false;
      Reached::Type& made = reached_.types.emplace_back();
      made.type = Ref::borrow(reinterpret_cast<PyObject*>(type));
      made.version = type->tp_version_tag;
    }
    if (!outside) reached_.find(type)->made = true;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
      PyObject* const base = PyTuple_GET_ITEM(type->tp_mro, i);
      const bool harmless = holds_items(base) || (!outside && is_harmless_builtin(base) && !runs_later(base));
      if (base == reinterpret_cast<PyObject*>(&PyBaseObject_Type) || harmless) continue;
      auto* const of = reinterpret_cast<PyTypeObject*>(base);
      if (!Py_IS_TYPE(base, &PyType_Type) || !(of->tp_flags & Py_TPFLAGS_HEAPTYPE)) return false;
      PyObject *key, *value;
      for (Py_ssize_t at = 0; PyDict_Next(of->tp_dict, &at, &key, &value);)
        if (PyUnicode_Check(key) && PyUnicode_GET_LENGTH(key) > 1 && PyUnicode_READ_CHAR(key, 0) == '_' &&
            PyUnicode_READ_CHAR(key, 1) == '_' && !special(of, key, value, outside))
          return false;
    }
    return true;
  }

  // Examines what Python runs by itself for a class or its objects. Objects from outside exist already.
  bool special(PyTypeObject* of, PyObject* key, PyObject* value, bool outside) {
    static const auto& of_making = *new std::unordered_set<std::string_view>{
        "__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__", "__set_name__"};
    if (PyDict_CheckExact(value) || (outside && of_making.count(utf8(key)))) return true;
    static PyObject* const parameters = PyUnicode_InternFromString("__dataclass_params__");
    static PyObject* const fields = PyUnicode_InternFromString("__dataclass_fields__");
    if (is_of_named_tuple(value)) return true;
    PyObject* const all = find_item(of->tp_dict, parameters) ? find_item(of->tp_dict, fields) : nullptr;
    if (!all || !PyDict_CheckExact(all)) return in_class(value);
    if (key == parameters) return true;
    if (!PyFunction_Check(value) || utf8(key) == "__init__" || !is_of_dataclass(value)) return in_class(value);
    PyObject *name, *field;  // it compares or shows the values of the fields
    for (Py_ssize_t at = 0; PyDict_Next(all, &at, &name, &field);) add_name(name);
    return true;
  }

  // Functions that the module dataclasses makes, except the one that makes objects.
  static bool is_of_dataclass(PyObject* function) {
    const auto* const code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
    const std::string_view name = utf8(code->co_qualname);
    return name.starts_with("__create_fn__.") || name == "_recursive_repr.<locals>.wrapper";
  }

  // Whether collections.namedtuple made the function: it shows and copies only the items.
  static bool is_of_named_tuple(PyObject* value) {
    const bool is_static = Py_IS_TYPE(value, &PyStaticMethod_Type);
    const Ref held = is_static ? checked(PyObject_GetAttrString(value, "__func__")) : Ref::borrow(value);
    PyObject* const function = held.get();
    if (!PyFunction_Check(function)) return false;
    static PyObject* const makes = PyUnicode_InternFromString("_tuple_new");
    const auto* const code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
    return utf8(code->co_qualname).starts_with("namedtuple.<locals>.") ||
           find_item(PyFunction_GET_GLOBALS(function), makes);
  }

  static bool is_field_of_named_tuple(PyObject* value) {
    static PyObject* const type = checked(PyObject_GetAttrString(
        checked(PyImport_ImportModule("collections")).get(), "_tuplegetter")).release();
    return Py_IS_TYPE(value, reinterpret_cast<PyTypeObject*>(type));
  }

  void add_name(PyObject* name) {
    if (std::find(reached_.names.begin(), reached_.names.end(), name) == reached_.names.end())
      reached_.names.push_back(name);
  }

  bool in_class(PyObject* value) {
    if (value && (Py_IS_TYPE(value, &PyClassMethod_Type) || Py_IS_TYPE(value, &PyStaticMethod_Type)))
      return functions(value, {"__func__"});
    if (value && Py_IS_TYPE(value, &PyProperty_Type)) return functions(value, {"fget", "fset", "fdel"});
    return !value || is_immutable(value) || (PyFunction_Check(value) && function(value)) ||
           Py_IS_TYPE(value, &PyMemberDescr_Type) || Py_IS_TYPE(value, &PyGetSetDescr_Type) ||  // slots, and what
           Py_IS_TYPE(value, &PyMethodDescr_Type) || is_field_of_named_tuple(value);  // Python's exceptions have
  }

  // Examines the functions that a descriptor calls.
  bool functions(PyObject* descriptor, std::initializer_list<const char*> names) {
    return std::ranges::all_of(names, [&](const char* name) {
      const Ref one = checked(PyObject_GetAttrString(descriptor, name));
      return one.get() == Py_None || (PyFunction_Check(one.get()) && function(one.get()));
    });
  }

  bool member(size_t index, size_t name) {
    PyObject* const found = _PyType_Lookup(reached_.types[index].get(), reached_.names[name]);
    if (!in_class(found)) return false;
    Reached::Type& of = reached_.types[index];
    if (of.outside && found && (Py_IS_TYPE(found, &PyGetSetDescr_Type) || Py_IS_TYPE(found, &PyMethodDescr_Type)) &&
        !holds_items(reinterpret_cast<PyObject*>(PyDescr_TYPE(found))))
      return false;
    if (of.members.size() > name) return true;
    Reached::Member& made = of.members.emplace_back();
    if (!found || !Py_IS_TYPE(found, &PyMemberDescr_Type)) return true;
    const PyMemberDef* const slot = reinterpret_cast<PyMemberDescrObject*>(found)->d_member;
    made.slot = slot->offset;
    return slot->type == T_OBJECT_EX;
  }

  bool function(PyObject* object) {
    if (reached_.has(object)) return true;
    auto* const function = reinterpret_cast<PyFunctionObject*>(object);
    const Contained* const contained = find_(object);
    if (!contained || !contained->yes || reached_.functions.size() >= kMaxObjects) return false;
    reached_.raises |= contained->raises;
    const auto fixed = [](PyObject* defaults) {
      PyObject* value;
      PyObject* key;
      if (!defaults) return true;
      if (PyTuple_Check(defaults)) return is_immutable(defaults);
      for (Py_ssize_t at = 0; PyDict_Next(defaults, &at, &key, &value);)
        if (!is_immutable(value)) return false;
      return true;
    };
    if (!fixed(function->func_defaults) || !fixed(function->func_kwdefaults)) return false;
    const size_t index = reached_.functions.size();
    reached_.functions.push_back({Ref::borrow(object), Ref::borrow(function->func_code),
                                  Ref::borrow(function->func_defaults), Ref::borrow(function->func_kwdefaults),
                                  contained, {}});
    for (const Ref& name : contained->attributes) add_name(name.get());
    const Ref free = checked(PyCode_GetFreevars(reinterpret_cast<PyCodeObject*>(function->func_code)));
    for (const Ref& name : contained->globals) {
      if (++globals_ > kMaxObjects) return false;
      Py_ssize_t cell = function->func_closure ? PyTuple_GET_SIZE(free.get()) : 0;
      while (--cell >= 0)
        if (are_equal(PyTuple_GET_ITEM(free.get(), cell), name.get())) break;
      PyObject* const value = outer_of(function, name.get(), cell);
      if (!value) return false;
      const bool is_class = PyType_Check(value);
      const bool harmless = is_harmless_builtin(value, name.get());
      const auto is_it = [&](const Ref& one) { return one.get() == name.get(); };
      if (!harmless && std::ranges::any_of(contained->builtins, is_it)) return false;
      const bool kept = is_class || PyFunction_Check(value) || harmless;
      reached_.functions[index].outer.push_back({cell, kept ? Ref::borrow(value) : Ref()});
      if (kept && !harmless &&
          !(is_class ? type(reinterpret_cast<PyTypeObject*>(value), false) : this->function(value)))
        return false;
    }
    return true;
  }

  Reached& reached_;
  FindContained find_;
  const bool finds_;
  const int most_;  // limit of the search
  int left_ = 0, depth_ = 0, globals_ = 0, visited_count_ = 0;
  PyObject* visited_[kMaxObjects];  // borrowed
  using Objects = std::unordered_set<PyObject*>;
  std::unique_ptr<Objects> visited_many_;  // the objects that do not fit into the array above
};

Contained contained_of(const autograph::Node* function) {
  const autograph::SelfContained found = autograph::self_contained(function);
  Contained made;
  made.yes = found.yes;
  made.raises = found.raises;
  if (!found.yes) return made;
  const auto names = [](const std::vector<std::string>& texts, std::vector<Ref>& out) {
    for (const std::string& text : texts) out.push_back(checked(PyUnicode_InternFromString(text.c_str())));
  };
  names(found.globals, made.globals);
  names(found.attributes, made.attributes);
  names(found.builtins, made.builtins);
  return made;
}

NoTensor::NoTensor(PyObject* function, FindContained find) : function_(function), find_(find) {}
NoTensor::NoTensor(const Contained& loop, FindContained find) : loop_(&loop), find_(find) {}
NoTensor::~NoTensor() = default;

// Looking at more than a call's may take a part of the time that the program itself took since the last time.
class NoTensor::LongLook {
 public:
  explicit LongLook(int64_t& last) : last_(last), begin_(now_ns()) {
    constexpr int64_t kAtFirst = 1 << 16, kMaxOf = 1 << 20, kNsOfOne = 8;
    const int64_t most = last_ ? std::min((begin_ - looking_ns_ - last_) / kNsOfOne, kMaxOf) : kAtFirst;
    most_ = std::max(kOfCall, static_cast<int>(most));
  }
  ~LongLook() {
    const int64_t now = now_ns();
    looking_ns_ += now - begin_;
    last_ = now - looking_ns_;
  }
  int most() const { return most_; }

 private:
  inline static int64_t looking_ns_ = 0;  // sum over all functions
  int64_t& last_;
  const int64_t begin_;
  int most_;
};

bool NoTensor::met_by(PyObject* const* args, size_t count) {
  if (busy_ || !trace::tracing() || is_hopeless()) return false;
  struct Busy {
    bool& busy;
    explicit Busy(bool& b) : busy(b) { busy = true; }
    ~Busy() { busy = false; }
  } busy(busy_);
  const auto fine = [&] { return !(reached_->raises && staged_blocks() > 0); };
  if (reached_ && fine() && reached_->is_current()) {
    Search of_call(*reached_, find_, false, kOfCall);
    if (of_call.values(args, count)) return true;
    if (of_call.is_exceeded()) {
      const LongLook look(last_look_);
      Search longer(*reached_, find_, false, look.most());
      if (look.most() > kOfCall && longer.values(args, count)) return true;
      if (look.most() == kOfCall || longer.is_exceeded()) {
        ++failures_;
        return false;
      }
    }
  }
  auto found = std::make_unique<Reached>();
  ++failures_;
  const LongLook look(last_look_);
  const bool yes = Search(*found, find_, true, look.most()).find_all(function_, loop_, args, count);
  reached_ = yes ? std::move(found) : nullptr;
  return yes && fine();
}

}  // namespace footlight::python::ag
