// Holding the items of a sequence, and counting the levels of a structure.
#include "engine/python/interpreter/walk.h"

#include "engine/base/text.h"

namespace footlight::python {

Items::Items(PyObject* sequence, const char* expected) {
  if (PyTuple_CheckExact(sequence) || PyList_CheckExact(sequence)) {
    tuple_ = checked(PySequence_Tuple(sequence));
    return;
  }
  const Ref iterator = Ref::steal(PyObject_GetIter(sequence));
  if (!iterator && expected) {
    clear_only(PyExc_TypeError);
    fail(ErrorKind::kType, expected);
  }
  if (!iterator) throw PythonErrorSet();
  tuple_ = checked(PySequence_Tuple(iterator.get()));
}

Items Items::stored(PyObject* list_or_tuple) {
  Items items;
  items.tuple_ = PyTuple_Check(list_or_tuple) ? Ref::borrow(list_or_tuple) : checked(PyList_AsTuple(list_or_tuple));
  return items;
}

void Level::too_deep(const char* walk) {
  --python_thread.walk_levels;  // a constructor that throws has no destructor
  fail(ErrorKind::kRecursion, walk, ": a structure nested more than ", kMax, " levels deep (does it contain itself?)");
}

void changed_meanwhile() { fail(ErrorKind::kRuntime, "a container changed while it was being read"); }

}  // namespace footlight::python
