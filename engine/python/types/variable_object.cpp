// tf.Variable: a handle on a resource, reading and assigning through ops so that tapes and graphs see it.
#include "engine/python/types/variable_object.h"

#include "engine/base/text.h"
#include "engine/eager/execute.h"
#include "engine/ops/builder.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/types/array_memory.h"
#include "engine/python/types/assignment.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/format.h"
#include "engine/python/interpreter/members.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/hooks.h"
#include "engine/python/types/variable_help.h"
#include "engine/python/types/reference_object.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/trackable_object.h"
#include "engine/tensor/variable.h"
#include "engine/trace/graph_builder.h"

#include <unordered_map>

namespace footlight::python {
namespace {

struct PyVariable {
  PyObject_HEAD
  Tensor handle;
  Variable* variable;  // kept by the handle, or by `original` when the handle is symbolic
  Tensor original;
  const Attrs* read_attrs;
  bool owned;         // objects() has it
  bool after_assign;  // what assign() returns: prints as such
  PyObject* weakrefs;
  PyObject* dict;
  Ref constraint;
  Ref aggregation;      // null: NONE
  Ref synchronization;  // null: AUTO
};
PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyVariable* raw(PyObject* o) { return reinterpret_cast<PyVariable*>(o); }
// Throws for an instance of a program's own subclass, which has no variable of the engine.
PyVariable* of(PyObject* o) {
  if (!is_variable(o))
    fail(ErrorKind::kNotImplemented, "the class ", Py_TYPE(o)->tp_name, " derives from tf.Variable and must define "
         "itself what of a variable's members is used of it: tf.Variable is abstract for its subclasses");
  return raw(o);
}

// The objects that users hold, by resource.
std::unordered_map<const Resource*, PyObject*>& objects() {
  static auto* all = new std::unordered_map<const Resource*, PyObject*>;
  return *all;
}

// Whether it is the object that variable_object() finds again.
enum class Own { kNo, kYes };

// What a read of a variable of this dtype says of itself.
const Attrs& read_attrs_of(DType dtype) {
  static const auto* const all = [] {
    auto* attrs = new std::vector<Attrs>;
    const AttrName name("dtype");
    for (size_t t = 0; t < kDTypeCount; ++t) attrs->push_back({{name, static_cast<DType>(t)}});
    return attrs;
  }();
  return (*all)[static_cast<size_t>(dtype)];
}

PyObject* make(Tensor handle, Own own, bool after_assign = false) {
  Variable* const variable = variable_of(handle);
  Tensor original = handle.is_symbolic() ? Tensor::resource(variable) : Tensor();
  Ref object = new_object<PyVariable>(type, std::move(handle), variable, std::move(original),
                                      &read_attrs_of(variable->dtype()), own == Own::kYes, after_assign);
  if (own == Own::kYes) objects().emplace(variable, object.get());
  return object.release();
}

void destroy(PyObject* self) {
  PyVariable* v = raw(self);
  // First of all: what runs below may ask for the variable's object, and must not be given this one.
  if (v->owned)
    if (auto at = objects().find(v->variable); at != objects().end() && at->second == self) objects().erase(at);
  destroy_object<PyVariable>(self);
}

Tensor initial_value(PyObject* value, DType dtype) {
  if (is_spec(value)) fail(ErrorKind::kValue, "tf.Variable: a TensorSpec has no value to start with");
  if (!is_tensor(value) && !is_variable(value) && PyCallable_Check(value)) {
    Ref made = checked(PyObject_CallNoArgs(value));
    return to_tensor(made.get(), dtype);
  }
  return to_tensor(value, dtype);
}

// The value in memory of its own, where tf.device says.
Tensor placed(const Tensor& value) {
  if (this_thread.device && is_plain(value.dtype()) && !(*this_thread.device == value.device()))
    return copied_to(value, *this_thread.device);
  return value.alias();
}

// Inside of `with graph.as_default()` a variable has its value at once: what it is computed from runs now.
Tensor value_in_its_graph(const Tensor& symbolic) {
  const Ref module = checked(PyImport_ImportModule("footlight._graphs.session"));
  const Ref tensor = Ref::steal(wrap(symbolic));
  return to_tensor(checked(PyObject_CallMethod(module.get(), "value_of", "O", tensor.get())).get(), symbolic.dtype());
}

bool is_enum(PyObject* value, const char* kind, const char* name) {
  Ref holder = checked(PyObject_GetAttrString(namespace_of(""), kind));
  Ref member = checked(PyObject_GetAttrString(holder.get(), name));
  return member.get() == value;
}

// A member of one of the enumerations; null for none. Borrowed.
PyObject* enum_from(PyObject* value, const char* kind, const char* argument, const std::string& variable) {
  if (!value || value == Py_None) return nullptr;
  Ref holder = checked(PyObject_GetAttrString(namespace_of(""), kind));
  bool is = is_instance(value, holder.get());
  if (!is) {  // what another variable says that was given none
    Ref module = checked(PyImport_ImportModule("footlight._enums"));
    is = is_instance(value, checked(PyObject_GetAttrString(module.get(), kind)).get());
  }
  if (!is)
    fail(ErrorKind::kValue, "Invalid variable ", argument, " mode: ", str_of(value), " for variable: ", variable);
  return value;
}

// What tf.variable_creator_scope puts in the way of tf.Variable(...): called with its arguments. Null: nothing.
PyObject* creator = nullptr;
// Told of each variable that is made in a graph. Null: nobody.
PyObject* listener = nullptr;
PyObject* namer = nullptr;  // gives the name of each of these

PyObject* plain(PyTypeObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"initial_value",
                                "trainable",
                                "validate_shape",
                                "caching_device",
                                "name",
                                "variable_def",
                                "dtype",
                                "import_scope",
                                "constraint",
                                "synchronization",
                                "aggregation",
                                "shape",
                                "experimental_enable_variable_lifting",
                                "per_worker_variable",  // the program is the only worker
                                nullptr};
  PyObject *initial = Py_None, *trainable = Py_None, *validate = Py_True, *caching = Py_None, *name = Py_None,
           *definition = Py_None, *dtype = Py_None, *import_scope = Py_None, *constraint = Py_None,
           *synchronization = nullptr, *aggregation = nullptr, *shape = nullptr, *lifting = nullptr,
           *per_worker = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OOOOOOOOOOOOOO:Variable", const_cast<char**>(names),
                                   &initial, &trainable, &validate, &caching, &name, &definition, &dtype,
                                   &import_scope, &constraint, &synchronization, &aggregation, &shape,
                                   &lifting, &per_worker))
    return nullptr;
  return guarded([&] {
    if (initial == Py_None)
      fail(ErrorKind::kValue,
           "tf.Variable: initial_value must be given (a value, or a function that makes it)");
    std::string text = "Variable";
    if (name != Py_None) {
      if (!PyUnicode_Check(name)) fail(ErrorKind::kValue, "tf.Variable: name must be a str");
      text = utf8(name);
    }
    if (constraint != Py_None && !PyCallable_Check(constraint))
      fail(ErrorKind::kValue, "tf.Variable: constraint must be None or callable, not ", Py_TYPE(constraint)->tp_name);
    if (definition != Py_None)
      fail(ErrorKind::kValue, "tf.Variable: variables are not made of a variable_def when executing eagerly");
    aggregation = enum_from(aggregation, "VariableAggregation", "aggregation", text);
    synchronization = enum_from(synchronization, "VariableSynchronization", "synchronization", text);
    const bool on_read = synchronization && is_enum(synchronization, "VariableSynchronization", "ON_READ");
    const bool may_train = trainable == Py_None ? !on_read : is_true(trainable);
    Tensor value = initial_value(initial, dtype == Py_None ? DType::kInvalid : dtype_from_object(dtype));
    Shape declared = value.shape();
    if (shape && shape != Py_None) {
      declared = shape_from_object(shape);
      if (!compatible(declared, value.shape()))
        fail(ErrorKind::kValue, "tf.Variable: the initial value's shape ", value.shape().to_string(),
             " is not compatible with the explicitly supplied `shape` argument ", declared.to_string());
    }
    if (this_thread.builder && namer) {
      const Ref unused = checked(PyObject_CallOneArg(namer, text_object(text).get()));
      text = utf8(unused.get());
    }
    const std::string scope = this_thread.builder ? this_thread.builder->scope() : eager::name_scope();
    // Only the plain value is the variable's: not what a tape or a graph knows about the tensor it came from.
    auto* variable = new Variable(value.dtype(), declared, scope + text, may_train);
    const Tensor handle = Tensor::resource(variable);
    if (value.is_symbolic() && !this_thread.builder) ops::hooks.leaked(value);
    const bool lifted = !lifting || lifting == Py_None || is_true(lifting);
    const Tensor now = type_hooks.variable_made ? type_hooks.variable_made(handle, value, lifted) : value;
    if (now) variable->assign(placed(now.is_symbolic() ? value_in_its_graph(now) : now));
    PyObject* made = make(handle, Own::kYes);
    if (constraint != Py_None) of(made)->constraint = Ref::borrow(constraint);
    of(made)->aggregation = Ref::borrow(aggregation);
    of(made)->synchronization = Ref::borrow(synchronization);
    if (this_thread.builder && listener) {
      const Ref held = Ref::steal(made);
      static_cast<void>(checked(PyObject_CallOneArg(listener, made)));
      return Py_NewRef(made);
    }
    return made;
  });
}

// An instance of a program's own subclass: its members are what that class defines.
PyObject* make_foreign(PyTypeObject* t) {
  return guarded([&] { return new_object_of<PyVariable>(t).release(); });
}

PyObject* construct(PyTypeObject* t, PyObject* args, PyObject* keywords) {
  if (t != &type) return make_foreign(t);
  return creator ? PyObject_Call(creator, args, keywords) : plain(t, args, keywords);
}

int initialize(PyObject* self, PyObject*, PyObject*) {
  if (is_variable(self)) return 0;
  PyErr_Format(PyExc_NotImplementedError, "%s derives from tf.Variable, which is abstract for its subclasses: give it "
               "an __init__ that does not call tf.Variable's", Py_TYPE(self)->tp_name);
  return -1;
}

// tf.Variable(...) gives what a creator made, as it is: Python would initialize an instance of a subclass once more.
PyObject* call_class(PyObject* wanted, PyObject* args, PyObject* keywords) {
  auto* t = reinterpret_cast<PyTypeObject*>(wanted);
  return t == &type ? construct(t, args, keywords) : PyType_Type.tp_call(wanted, args, keywords);
}
PyTypeObject metaclass = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* make_plain(PyObject*, PyObject* args, PyObject* keywords) { return plain(&type, args, keywords); }
// Keeps one of the callables above; None: none.
template <PyObject*& kept>
PyObject* keep(PyObject*, PyObject* callable) {
  Py_XSETREF(kept, callable == Py_None ? nullptr : Py_NewRef(callable));
  Py_RETURN_NONE;
}
PyObject* make_subclass(PyObject*, PyObject* args) {
  PyObject *name, *members;
  if (!PyArg_ParseTuple(args, "UO!:variable_subclass", &name, &PyDict_Type, &members)) return nullptr;
  return PyObject_CallFunction(reinterpret_cast<PyObject*>(&metaclass), "O(O)O", name, &type, members);
}
PyMethodDef creation[] = {{"variable_subclass", make_subclass, METH_VARARGS,
                           "variable_subclass(name, members)\n--\n\nA class below tf.Variable."},
                          {"make_variable", as_method(make_plain), METH_VARARGS | METH_KEYWORDS,
                           "make_variable(...)\n--\n\ntf.Variable past every creator scope."},
                          {"set_variable_namer", keep<namer>, METH_O,
                           "set_variable_namer(f)\n--\n\nf(name) gives the name of each one made in a graph."},
                          {"set_variable_listener", keep<listener>, METH_O,
                           "set_variable_listener(f)\n--\n\nf(variable) is called for each one made in a graph."},
                          {"set_variable_creator", keep<creator>, METH_O,
                           "set_variable_creator(f)\n--\n\nWhat tf.Variable(...) calls instead; None: nothing."},
                          {nullptr, nullptr, 0, nullptr}};

std::string name_of_variable(PyVariable* v) {
  if (PyObject* const own = v->dict ? find_item(v->dict, "_own_name") : nullptr) return readable(own);
  return v->after_assign ? "UnreadVariable" : v->variable->name() + ":0";
}

PyObject* repr(PyObject* self) {
  if (!is_variable(self)) return PyBaseObject_Type.tp_repr(self);
  return guarded([&] {
    PyVariable* v = of(self);
    std::string value = "<uninitialized>";
    const std::string start =
        str("<tf.Variable '", name_of_variable(v), "' shape=", v->variable->shape().to_string(),
            " dtype=", name_of(v->variable->dtype()));
    if (this_thread.builder) return PyUnicode_FromString((start + ">").c_str());
    if (v->variable->initialized()) value = array_repr(on_host(v->variable->read()));
    if (value.find('\n') != std::string::npos) value = "\n" + value;
    return PyUnicode_FromString((start + ", numpy=" + value + ">").c_str());
  });
}

Py_hash_t hash(PyObject* self) {
  if (is_graph_variable(self)) return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(self) >> 4);
  PyErr_SetString(PyExc_TypeError, "Variable is unhashable. Instead, use variable.ref() as the key.");
  return -1;
}

PyObject* iterate(PyObject* self) {
  Ref value = checked(wrap(is_variable(self) ? variable_value(self) : to_tensor(self)));
  return PyObject_GetIter(value.get());
}

PyObject* value(PyObject* self, PyObject*) { return wrap(variable_value(self)); }

// assign, assign_add, assign_sub
template <int Which>
PyObject* assign_value(PyObject* self, PyObject* value, bool read, std::string_view name = {}) {
  static const Op ops[] = {Op("AssignVariableOp"), Op("AssignAddVariableOp"), Op("AssignSubVariableOp")};
  return guarded([&]() -> PyObject* {
    PyVariable* v = of(self);
    const DType dtype = v->variable->dtype();
    Tensor converted;
    const bool fits = is_tensor(value) && tensor_of(value).dtype() == dtype;
    if (!fits) converted = to_tensor(value, dtype);
    const Tensor& given = fits ? tensor_of(value) : converted;
    if (Which == 0 && !compatible(v->variable->shape(), given.shape()))
      fail(ErrorKind::kValue, "Cannot assign a value of shape ", given.shape().to_string(), " to variable '",
           name_of_variable(v), "' of shape ", v->variable->shape().to_string());
    apply_all(ops[Which].row(), Borrowed(v->handle, given), *v->read_attrs, name);
    if (read) return variable_updated(self);
    if (!this_thread.builder) Py_RETURN_NONE;
    const GraphPtr& graph = trace::GraphBuilder::innermost()->graph();
    return operation_object(graph, NodeId(static_cast<uint32_t>(graph->size() - 1))).release();
  });
}

template <int Which>
PyObject* assign(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  if (n == 1 && !keywords) return assign_value<Which>(self, args[0], true);
  static const char* names[] = {Which == 0 ? "value" : "delta", "use_locking", "name", "read_value", nullptr};
  Ref positional = Ref::steal(PyTuple_New(n)), named = Ref::steal(PyDict_New());
  if (!positional || !named) return nullptr;
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k)
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(keywords, k), args[n + k]) < 0) return nullptr;
  PyObject *value, *locking = nullptr, *name = nullptr;
  int read = 1;
  if (!PyArg_ParseTupleAndKeywords(positional.get(), named.get(), "O|OOp:assign", const_cast<char**>(names), &value,
                                   &locking, &name, &read))
    return nullptr;
  return guarded([&] {
    const std::string wanted = name && PyUnicode_Check(name) ? readable(name) : std::string();
    return assign_value<Which>(self, value, read, wanted);
  });
}

PyObject* numpy(PyObject* self, PyObject*) {
  if (this_thread.builder)
    fail(ErrorKind::kNotImplemented, "numpy() is only available outside of a tf.function: variable '",
         name_of_variable(of(self)), "'");
  return numpy_value(of(self)->variable->read()).release();
}
PyObject* array(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *dtype = Py_None, *copy = Py_None;
  parse_keywords(args, keywords, "|OO:__array__", {"dtype", "copy"}, &dtype, &copy);
  if (this_thread.builder)
    fail(ErrorKind::kNotImplemented, "Cannot convert variable '", name_of_variable(of(self)),
         "' to a NumPy array while a function is being traced");
  Ref v = numpy_value(of(self)->variable->read());
  Ref module = import_numpy();
  return checked(PyObject_CallMethod(module.get(), "asarray", "OO", v.get(), dtype)).release();
}

PyObject* get_shape(PyObject* self, PyObject*) {
  return shape_object(of(self)->variable->shape());
}
PyObject* set_shape(PyObject* self, PyObject* wanted) {
  const Shape s = shape_from_object(wanted);
  if (!compatible(of(self)->variable->shape(), s))
    fail(ErrorKind::kValue, "Variable '", name_of_variable(of(self)), "' of shape ",
         of(self)->variable->shape().to_string(), " cannot take shape ", s.to_string());
  Py_RETURN_NONE;
}
PyObject* is_initialized(PyObject* self, PyObject*) {
  return wrap(Tensor::scalar<bool>(of(self)->variable->initialized()));
}
PyObject* ref(PyObject* self, PyObject*) { return reference_to(self); }
PyObject* copy(PyObject* self, PyObject*) {
  PyVariable* v = of(self);
  auto* fresh = new Variable(v->variable->dtype(), v->variable->shape(), v->variable->name(),
                             v->variable->trainable());
  const Tensor handle = Tensor::resource(fresh);
  fresh->assign(v->variable->read());
  return make(handle, Own::kYes);
}

PyObject* enum_value(const char* kind, const char* name) {
  Ref module = Ref::steal(PyImport_ImportModule("footlight._enums"));
  Ref holder = Ref::steal(module ? PyObject_GetAttrString(module.get(), kind) : nullptr);
  return holder ? PyObject_GetAttrString(holder.get(), name) : nullptr;
}

PyGetSetDef properties[] = {
    {"shape", [](PyObject* s, void*) { return get_shape(s, nullptr); }, nullptr,
     "The TensorShape; parts may be unknown.", nullptr},
    {"dtype",
     [](PyObject* s, void*) {
       return guarded([&] { return Py_NewRef(dtype_object(variable_dtype(s))); });
     },
     nullptr,
     "The DType.", nullptr},
    {"name",
     [](PyObject* s, void*) {
       return guarded([&] { return PyUnicode_FromString(name_of_variable(of(s)).c_str()); });
     },
     nullptr, "The name with its \":0\".", nullptr},
    {"trainable",
     [](PyObject* s, void*) {
       return guarded([&] { return PyBool_FromLong(variable_trainable(s)); });
     },
     nullptr,
     "Whether tapes watch it by themselves.", nullptr},
    {"device",
     [](PyObject* s, void*) {
       return guarded(
           [&] { return PyUnicode_FromString(full_name(of(s)->variable->read().device()).c_str()); });
     },
     nullptr, "Where the value lies.", nullptr},
    {"handle", [](PyObject* s, void*) { return guarded([&] { return wrap(of(s)->handle); }); }, nullptr,
     "The resource tensor.", nullptr},
    {"constraint",
     [](PyObject* s, void*) {
       return guarded([&] { return Py_NewRef(of(s)->constraint ? of(s)->constraint.get() : Py_None); });
     },
     nullptr,
     nullptr, nullptr},
    {"_number",
     [](PyObject* s, void*) {
       return guarded([&] { return PyLong_FromUnsignedLongLong(of(s)->variable->id()); });
     },
     nullptr,
     "Of no other variable, as long as the program runs; the same in traced functions.", nullptr},
    {"initializer", [](PyObject*, void*) { return Py_NewRef(Py_None); }, nullptr, nullptr, nullptr},
    {"aggregation",
     [](PyObject* s, void*) {
       return guarded([&] {
         return of(s)->aggregation ? Py_NewRef(of(s)->aggregation.get()) : enum_value("VariableAggregation", "NONE");
       });
     },
     nullptr, "How replicas are put together.", nullptr},
    {"synchronization",
     [](PyObject* s, void*) {
       return guarded([&] {
         return of(s)->synchronization ? Py_NewRef(of(s)->synchronization.get())
                                       : enum_value("VariableSynchronization", "AUTO");
       });
     },
     nullptr, "When replicas are put together.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__array_priority__", [](PyObject*, void*) { return PyLong_FromLong(100); }, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"assign", as_method(assign<0>), METH_FASTCALL | METH_KEYWORDS,
     "assign($self, value, use_locking=False, name=None, read_value=True)\n--\n\nGives it another value."},
    {"assign_add", as_method(assign<1>), METH_FASTCALL | METH_KEYWORDS,
     "assign_add($self, delta, use_locking=False, name=None, read_value=True)\n--\n\nAdds to its value."},
    {"assign_sub", as_method(assign<2>), METH_FASTCALL | METH_KEYWORDS,
     "assign_sub($self, delta, use_locking=False, name=None, read_value=True)\n--\n\nSubtracts from its value."},
    {"value", guard<value>, METH_NOARGS, "value($self)\n--\n\nThe value as a tensor."},
    {"read_value", guard<value>, METH_NOARGS, "read_value($self)\n--\n\nThe value as a tensor."},
    {"numpy", guard<numpy>, METH_NOARGS, "numpy($self)\n--\n\nThe value as a NumPy array."},
    {"get_shape", guard<get_shape>, METH_NOARGS, "get_shape($self)\n--\n\nThe TensorShape."},
    {"set_shape", guard<set_shape>, METH_O, "set_shape($self, shape)\n--\n\nChecks that a shape fits."},
    {"is_initialized", guard<is_initialized>, METH_VARARGS, "is_initialized($self)\n--\n\nWhether it has a value."},
    {"ref", ref, METH_NOARGS, "ref($self)\n--\n\nA hashable handle: variables themselves cannot be keys."},
    {"experimental_ref", ref, METH_NOARGS, "experimental_ref($self)\n--\n\nSee ref()."},
    {"__array__", as_method(guard<array>), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__copy__", guard<copy>, METH_NOARGS, nullptr},
    {"__deepcopy__", guard<copy>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyTypeObject* variable_type = &type;
constinit TypeHooks type_hooks;

bool is_graph_variable(PyObject* o) {
  static PyObject* const graph = PyUnicode_InternFromString("_made_in");
  return raw(o)->dict && find_item(raw(o)->dict, graph);
}

Tensor variable_handle(PyObject* o) { return of(o)->handle; }
Tensor variable_value(PyObject* o) {
  const auto read = [o] {
    return apply("ReadVariableOp"_op.row(), std::span<const Tensor>(&of(o)->handle, 1), *of(o)->read_attrs);
  };
  if (!of(o)->after_assign || !this_thread.builder) return read();
  const Ref update = optional_attribute(o, "_update");  // what reads the result of an assignment comes after that
  return update ? after_operation(update.get(), read) : read();
}
DType variable_dtype(PyObject* o) { return of(o)->variable->dtype(); }
const Shape& variable_shape(PyObject* o) { return of(o)->variable->shape(); }
bool variable_trainable(PyObject* o) { return of(o)->variable->trainable(); }
std::string variable_name(PyObject* o) { return name_of_variable(of(o)); }

PyObject* variable_object(const Tensor& handle) {
  Variable* v = variable_of(handle);
  FL_CHECK(v != nullptr);
  if (auto at = objects().find(v); at != objects().end()) return Py_NewRef(at->second);
  return make(handle.is_symbolic() ? Tensor::resource(v) : handle, Own::kYes);
}

static Ref updated_object(PyObject* o) {
  Ref updated = Ref::steal(make(of(o)->handle, Own::kNo, true));
  const trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
  if (builder && builder->graph()->size()) {
    // What is asked for its operation gets the update, which is the last node; so does a session.
    const NodeId last{static_cast<uint32_t>(builder->graph()->size() - 1)};
    const Ref operation = operation_object(builder->graph(), last);
    if (PyObject_SetAttrString(updated.get(), "_update", operation.get()) < 0) throw PythonErrorSet();
  }
  return updated;
}

PyObject* variable_updated(PyObject* o) { return updated_object(o).release(); }
bool is_assignment_result(PyObject* o) { return of(o)->after_assign; }

PyObject* variable_with_handle(PyObject* like, const Tensor& handle) {
  handle.stands_for(of(like)->variable);
  return make(handle, Own::kNo);
}

void init_variable(PyObject* module) {
  if (PyModule_AddFunctions(module, creation) < 0) throw PythonErrorSet();
  define_type(metaclass, "footlight.VariableMetaclass",
              {.base = &PyType_Type, .flags = Py_TPFLAGS_BASETYPE, .call = call_class});
  Py_SET_TYPE(&type, &metaclass);
  define_type<PyVariable>(type, "footlight.Variable",
                          {.doc = kVariableHelp,
                           .base = trackable_type,
                           .flags = Py_TPFLAGS_BASETYPE,
                           .construct = construct,
                           .initialize = initialize,
                           .destroy = destroy,
                           .traverse = visit_members<&PyVariable::dict, &PyVariable::constraint,
                                                     &PyVariable::aggregation, &PyVariable::synchronization>,
                           .clear = clear_members<&PyVariable::dict, &PyVariable::constraint, &PyVariable::aggregation,
                                                  &PyVariable::synchronization>,
                           .repr = repr,
                           .hash = hash,
                           .get_attribute = get_member,
                           .iterate = guard<iterate>,
                           .properties = properties,
                           .methods = methods});
  allow_new_members(&type);
  publish("Variable", reinterpret_cast<PyObject*>(&type));
}

}  // namespace footlight::python
