// Attributes in an object's own dictionary, read without making that dictionary. CPython keeps such attributes in an
// array at the object; the parts of its layout that are used are mirrored here and nowhere else.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <cstdint>

namespace footlight::python {

#ifdef Py_GIL_DISABLED
#error "the layout is another one without the GIL"
#endif

// The names of the attributes that objects of one class have in such arrays.
struct SharedNames {
  Py_ssize_t references;
  uint8_t log2_size, log2_index_bytes, kind;
  uint32_t version;
  Py_ssize_t usable, count;
  char indices[1];

  PyObject* name(Py_ssize_t i) const {
    struct Entry {
      PyObject *name, *value;
    };
    return reinterpret_cast<const Entry*>(indices + (size_t{1} << log2_index_bytes))[i].name;
  }
};

// Finds one attribute of the objects of one class. Remembers where it is in their arrays.
class OwnAttribute {
 public:
  // Borrowed; null: the object has none. Throws what a key's __eq__ raises, if it is no text. `known` is false where
  // only Python itself can tell.
  PyObject* find(PyObject* object, PyObject* name, bool& known) {
    PyTypeObject* const type = Py_TYPE(object);
    PyObject* dict = nullptr;
    known = true;
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) {
      PyObject** values = nullptr;
      auto* const before = reinterpret_cast<PyObject**>(object);
      dict = before[-3];
#if PY_VERSION_HEX < 0x030C0000
      values = reinterpret_cast<PyObject**>(before[-4]);
      if (values) dict = nullptr;
#elif PY_VERSION_HEX < 0x030D0000
      if (reinterpret_cast<uintptr_t>(dict) & 1) {
        values = reinterpret_cast<PyObject**>(reinterpret_cast<uintptr_t>(dict) + 1);
        dict = nullptr;
      }
#else
      if (!dict && type->tp_flags & Py_TPFLAGS_INLINE_VALUES) {
        char* const bytes = reinterpret_cast<char*>(object) + type->tp_basicsize;
        constexpr int kValid = 3;  // of four bytes about them that are in front of them
        if (bytes[kValid]) values = reinterpret_cast<PyObject**>(bytes) + 1;
      }
#endif
      if (values) {
        const Py_ssize_t at = index(reinterpret_cast<PyHeapTypeObject*>(type), name);
        return at < 0 ? nullptr : values[at];
      }
    } else if (type->tp_dictoffset > 0) {
      dict = *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + type->tp_dictoffset);
    } else if (type->tp_dictoffset < 0) {
      known = false;  // where it is depends on the object's length
    }
    if (!dict) return nullptr;
    PyObject* const found = PyDict_GetItemWithError(dict, name);
    if (!found && PyErr_Occurred()) throw PythonErrorSet();
    return found;
  }

 private:
  Py_ssize_t index(PyHeapTypeObject* type, PyObject* name) {
    const auto* const names = reinterpret_cast<const SharedNames*>(type->ht_cached_keys);
    if (!names) return -1;
    // A class that is made later may have its names at the same place; its version is another one.
    const unsigned version = type->ht_type.tp_version_tag;
    if (names_ != names || version_ != version || version == 0) {
      names_ = names;
      version_ = version;
      looked_at_ = 0;
      found_ = -1;
    }
    for (; found_ < 0 && looked_at_ < names->count; ++looked_at_) {
      PyObject* const one = names->name(looked_at_);
      if (one && (one == name || PyUnicode_Compare(one, name) == 0)) found_ = looked_at_;
    }
    return found_;
  }

  const SharedNames* names_ = nullptr;
  unsigned version_ = 0;
  Py_ssize_t looked_at_ = 0, found_ = -1;
};

}  // namespace footlight::python
