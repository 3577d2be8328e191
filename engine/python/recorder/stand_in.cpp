// The type of the objects that stand in for callables.
#include "engine/python/recorder/stand_in.h"

#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/interpreter/walk.h"

#include <utility>

namespace footlight::python {
namespace {

// Attributes that the object lacks are those of its callable: f.get_concrete_function.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  if (PyObject* own = PyObject_GenericGetAttr(self, name)) return own;
  if (!cleared_if(PyExc_AttributeError)) return nullptr;
  return PyObject_GetAttr(recorded(self)->wrapped.get(), name);
}

PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
  return instance && instance != Py_None ? PyMethod_New(self, instance) : Py_NewRef(self);
}

PyObject* repr(PyObject* self) {
  if (recorded(self)->eager) return PyObject_Repr(recorded(self)->wrapped.get());
  return PyUnicode_FromFormat(recorded(self)->traced ? "<recorded %R>" : "<timed %R>", recorded(self)->wrapped.get());
}

// What the rules refer to is shared by all stand-ins for the function, so only the last one may visit and clear it.
bool owns_rules(PyObject* self) { return recorded(self)->traced.use_count() == 1; }

int visit_references(PyObject* self, visitproc visit, void* arg) {
  if (owns_rules(self)) Py_VISIT(recorded(self)->traced->rules.flatten.get());
  return visit_members<&RecordedCallable::wrapped, &RecordedCallable::before, &RecordedCallable::after,
                       &RecordedCallable::dict>(self, visit, arg);
}

int clear_references(PyObject* self) {
  if (owns_rules(self)) taken_from(recorded(self)->traced->rules.flatten);
  return clear_members<&RecordedCallable::dict>(self);
}

// Looks a qualified name up in a module, as pickle does; null: it leads nowhere.
Ref object_named(PyObject* module, PyObject* qualname) {
  const Ref dot = checked(PyUnicode_FromString("."));
  const Ref parts = checked(PyUnicode_Split(qualname, dot.get(), -1));
  Ref found = Ref::steal(PyImport_Import(module));
  for (Py_ssize_t i = 0; found && i < PyList_GET_SIZE(parts.get()); ++i)
    found = Ref::steal(PyObject_GetAttr(found.get(), PyList_GET_ITEM(parts.get(), i)));
  if (!found) clear_only(PyExc_Exception);
  return found;
}

// The object is pickled by its name if that leads to this very object, as a function is. Else unpickling calls timed()
// with the same arguments, and a stand-in made by called() is pickled as its callable.
PyObject* reduce(PyObject* self, PyObject*) {
  RecordedCallable* const callable = recorded(self);
  const Ref module = Ref::steal(PyObject_GetAttrString(self, "__module__"));
  const Ref qualname = Ref::steal(module ? PyObject_GetAttrString(self, "__qualname__") : nullptr);
  if (!qualname) clear_only(PyExc_AttributeError);
  if (qualname && PyUnicode_Check(qualname.get()) && PyUnicode_Check(module.get()) &&
      object_named(module.get(), qualname.get()).get() == self)
    return Py_NewRef(qualname.get());
  if (callable->traced || callable->serves || callable->before || callable->after || callable->eager)
    return PyObject_CallMethod(callable->wrapped.get(), "__reduce__", nullptr);
  const Ref recorder = checked(PyImport_ImportModule("footlight_recorder._recorder"));
  const Ref maker = checked(PyObject_GetAttrString(recorder.get(), "timed"));
  return Py_BuildValue("O(Os#s#)", maker.get(), callable->wrapped.get(), callable->name.data(),
                       static_cast<Py_ssize_t>(callable->name.size()), callable->category.data(),
                       static_cast<Py_ssize_t>(callable->category.size()));
}

PyMethodDef methods[] = {{"__reduce__", guard<reduce>, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

PyTypeObject recorded_callable_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

Ref stand_in(vectorcallfunc call, PyObject* wrapped, std::string name, std::string category,
             std::shared_ptr<Traced> traced, std::unique_ptr<Serves> serves) {
  Ref made = new_object_of<RecordedCallable>(&recorded_callable_type, call, Ref::borrow(wrapped), std::move(name),
                                             std::move(category), std::move(traced), std::move(serves), Ref(), Ref());
  // __name__, __doc__, __module__, __wrapped__; what is in its __dict__ is looked up there (get_attribute).
  const Ref functools = checked(PyImport_ImportModule("functools"));
  const Ref assigned = checked(PyObject_GetAttrString(functools.get(), "WRAPPER_ASSIGNMENTS"));
  checked(PyObject_CallMethod(functools.get(), "update_wrapper", "OOO()", made.get(), wrapped, assigned.get()));
  return made;
}

void init_stand_ins() {
  define_type<RecordedCallable>(recorded_callable_type, "footlight_recorder._recorder.RecordedCallable",
                                {.doc = "Stands in for a callable. Made by timed(), called() and serves().",
                                 .flags = Py_TPFLAGS_METHOD_DESCRIPTOR,
                                 .traverse = visit_references,
                                 .clear = clear_references,
                                 .repr = repr,
                                 .get_attribute = get_attribute,
                                 .bind = bind,
                                 .properties = properties,
                                 .methods = methods});
}

}  // namespace footlight::python
