// The running interpreter's node classes, by our kinds and operators. Used only by the two halves of the bridge.
#pragma once

#include "engine/autograph/tree.h"
#include "engine/python/types/objects.h"

namespace footlight::python::bridge {

struct KindEntry {
  PyTypeObject* type = nullptr;                           // null: this Python has no such node
  PyTypeObject* quick = nullptr;                          // its subclass for trees that are only compiled, once made
  PyObject* field_names[autograph::kMaxFields] = {};      // interned; null: this Python's node has no such field
};

struct Types {
  KindEntry kinds[autograph::kKindCount];
  PyTypeObject* ops[autograph::kOpCount] = {};
  PyObject* op_instances[autograph::kOpCount] = {};
  PyObject *lineno, *col_offset, *end_lineno, *end_col_offset;

  // The type of an ast object: >= 0 a kind, -1 - op an operator or context, kUnknown neither.
  static constexpr int kUnknown = INT32_MIN;
  int find(PyTypeObject* type) const {
    for (size_t i = slot(type);; i = (i + 1) & (kTable - 1)) {
      if (keys_[i] == type) return values_[i];
      if (!keys_[i]) return kUnknown;
    }
  }
  void insert(PyTypeObject* type, int value) {
    size_t i = slot(type);
    while (keys_[i]) i = (i + 1) & (kTable - 1);
    keys_[i] = type;
    values_[i] = value;
  }

 private:
  static constexpr size_t kTable = 512;
  static size_t slot(PyTypeObject* type) {
    const size_t bits = reinterpret_cast<size_t>(type);
    return ((bits >> 4) ^ (bits >> 13)) & (kTable - 1);
  }
  PyTypeObject* keys_[kTable] = {};
  int values_[kTable] = {};
};

extern Types types;

PyTypeObject* quick_type(KindEntry& entry);  // null: Python error set

}  // namespace footlight::python::bridge
