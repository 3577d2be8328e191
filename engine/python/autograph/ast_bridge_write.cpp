// Writes our tree as CPython's ast objects, filling each object's dictionary directly.
#include "engine/python/autograph/ast_bridge.h"
#include "engine/python/autograph/ast_bridge_types.h"

namespace footlight::python {

using namespace autograph;
using bridge::types;

namespace {

class Writer {
 public:
  Writer(PyObject* keep, bool to_compile) : keep_(keep), to_compile_(to_compile) {}

  PyObject* node(const Node* node) {
    bridge::KindEntry& entry = types.kinds[static_cast<int>(node->kind)];
    const KindInfo& described = info(node->kind);
    if (!entry.type) {
      PyErr_Format(PyExc_TypeError, "this Python has no %s node", described.name);
      return nullptr;
    }
    // Both forms of a statement share nodes that the conversion left unchanged.
    const bool shared = node->number < written_.size() && written_[node->number];
    if (shared) return Py_NewRef(written_[node->number]);
    if (Py_EnterRecursiveCall(" while writing a syntax tree")) return nullptr;
    PyObject* made = fill(node, entry, described);
    Py_LeaveRecursiveCall();
    if (made && described.category != Category::kRoot) {
      if (written_.size() <= node->number) written_.resize(node->number * 2 + 64);
      written_[node->number] = made;  // alive as long as its parent, which the caller's tree holds
    }
    return made;
  }

 private:
  // The dictionary of the last node of a kind, without its fields. A copy is made at once, in its final size.
  struct Pattern {
    PyTypeObject* type = nullptr;
    Ref dict;
    Position at;
  };

  PyObject* fill(const Node* node, bridge::KindEntry& entry, const KindInfo& described) {
    if (to_compile_ && node->kind == Kind::kTuple && is_constant(node)) return tuple_constant(node);
    const bool placed = described.category != Category::kRoot && described.category != Category::kPlain;
    Pattern& pattern = patterns_[static_cast<int>(node->kind)];
    if (!pattern.dict && !begin(pattern, entry, described, placed)) return nullptr;
    if (placed && !go_to(pattern, node->at)) return nullptr;
    return with_dict(pattern, [&](PyObject* dict) {
      for (int i = 0; i < described.field_count; ++i) {
        if (!entry.field_names[i]) continue;
        const Ref value = Ref::steal(slot(node->fields()[i], described.fields[i].type));
        if (!value || PyDict_SetItem(dict, entry.field_names[i], value.get()) < 0) return false;
      }
      return true;
    });
  }

  template <class Fill>
  static PyObject* with_dict(const Pattern& pattern, Fill&& fill_fields) {
    Ref object = Ref::steal(pattern.type->tp_alloc(pattern.type, 0));
    Ref dict = Ref::steal(PyDict_Copy(pattern.dict.get()));
    if (!object || !dict || !fill_fields(dict.get())) return nullptr;
    PyObject** slot = _PyObject_GetDictPtr(object.get());
    if (!slot) {
      PyErr_SetString(PyExc_SystemError, "a syntax tree node without a dictionary");
      return nullptr;
    }
    Py_XSETREF(*slot, dict.release());
    return object.release();
  }

  // A tuple of constants is one node less for each of them, and what CPython makes of it anyway.
  static bool is_constant(const Node* node) {
    if (node->kind == Kind::kConstant) return true;
    if (node->kind != Kind::kTuple || node->op(at::Tuple::ctx) != Op::kLoad) return false;
    for (const Node* one : node->list(at::Tuple::elts))
      if (!is_constant(one)) return false;
    return true;
  }

  static PyObject* value_of(const Node* node) {
    if (node->kind == Kind::kConstant) return constant(node->constant(at::Constant::value));
    const List& elements = node->list(at::Tuple::elts);
    Ref tuple = Ref::steal(PyTuple_New(elements.size));
    for (uint32_t i = 0; tuple && i < elements.size; ++i) {
      PyObject* const value = value_of(elements[i]);
      if (!value) return nullptr;
      PyTuple_SET_ITEM(tuple.get(), i, value);
    }
    return tuple.release();
  }

  PyObject* tuple_constant(const Node* node) {
    const int kind = static_cast<int>(Kind::kConstant);
    bridge::KindEntry& entry = types.kinds[kind];
    Pattern& pattern = patterns_[kind];
    const Ref value = Ref::steal(value_of(node));
    if (!value || (!pattern.dict && !begin(pattern, entry, info(Kind::kConstant), true)) || !go_to(pattern, node->at))
      return nullptr;
    return with_dict(pattern, [&](PyObject* dict) {
      return PyDict_SetItem(dict, entry.field_names[at::Constant::value], value.get()) == 0;
    });
  }

  bool begin(Pattern& pattern, bridge::KindEntry& entry, const KindInfo& described, bool placed) const {
    pattern.type = to_compile_ ? bridge::quick_type(entry) : entry.type;
    Ref dict = Ref::steal(PyDict_New());
    if (!dict || !pattern.type) return false;
    for (int i = 0; i < described.field_count; ++i)
      if (entry.field_names[i] && PyDict_SetItem(dict.get(), entry.field_names[i], Py_None) < 0) return false;
    if (placed)
      for (PyObject* name : {types.lineno, types.end_lineno, types.col_offset, types.end_col_offset})
        if (!place(dict.get(), name, name == types.lineno || name == types.end_lineno)) return false;
    pattern.dict = std::move(dict);
    return true;
  }

  static bool go_to(Pattern& pattern, const Position& at) {
    PyObject* const dict = pattern.dict.get();
    Position& was = pattern.at;
    if (was.line != at.line && !place(dict, types.lineno, at.line ? at.line : 1)) return false;
    if (was.column != at.column && !place(dict, types.col_offset, at.column)) return false;
    if (was.end_line != at.end_line && !place(dict, types.end_lineno, at.end_line ? at.end_line : 1)) return false;
    if (was.end_column != at.end_column && !place(dict, types.end_col_offset, at.end_column)) return false;
    was = at;
    return true;
  }

  static bool place(PyObject* dict, PyObject* name, uint32_t value) {
    const Ref number = Ref::steal(PyLong_FromUnsignedLong(value));
    return number && PyDict_SetItem(dict, name, number.get()) == 0;
  }

  PyObject* slot(const Slot& slot, FieldType type) {
    switch (type) {
      case FieldType::kNode:
      case FieldType::kOptional: return slot.node ? node(slot.node) : Py_NewRef(Py_None);
      case FieldType::kList:
      case FieldType::kOptionalList: {
        Ref list = Ref::steal(PyList_New(slot.list->size));
        if (!list) return nullptr;
        for (uint32_t i = 0; i < slot.list->size; ++i) {
          Node* item = (*slot.list)[i];
          PyObject* value = item ? node(item) : Py_NewRef(Py_None);
          if (!value) return nullptr;
          PyList_SET_ITEM(list.get(), i, value);
        }
        return list.release();
      }
      case FieldType::kName:
      case FieldType::kOptionalName: return slot.name ? name(slot.name) : Py_NewRef(Py_None);
      case FieldType::kNameList: {
        Ref list = Ref::steal(PyList_New(slot.names->size));
        if (!list) return nullptr;
        for (uint32_t i = 0; i < slot.names->size; ++i) {
          PyObject* value = name((*slot.names)[i]);
          if (!value) return nullptr;
          PyList_SET_ITEM(list.get(), i, value);
        }
        return list.release();
      }
      case FieldType::kConstant: return constant(*slot.constant);
      case FieldType::kText:
        return slot.text ? PyUnicode_FromStringAndSize(slot.text->data(), static_cast<Py_ssize_t>(slot.text->size()))
                         : Py_NewRef(Py_None);
      case FieldType::kInt: return PyLong_FromLongLong(slot.integer);
      case FieldType::kOperator: return Py_NewRef(types.op_instances[static_cast<int>(slot.op)]);
      case FieldType::kOperatorList: {
        Ref list = Ref::steal(PyList_New(slot.ops->size));
        if (!list) return nullptr;
        for (uint32_t i = 0; i < slot.ops->size; ++i)
          PyList_SET_ITEM(list.get(), i, Py_NewRef(types.op_instances[static_cast<int>((*slot.ops)[i])]));
        return list.release();
      }
    }
    return nullptr;
  }

  PyObject* name(Name* name) {
    if (!name->handle) {
      PyObject* text = PyUnicode_FromStringAndSize(name->text.data(), static_cast<Py_ssize_t>(name->text.size()));
      if (!text) return nullptr;
      PyUnicode_InternInPlace(&text);
      const Ref made = Ref::steal(text);
      if (PyList_Append(keep_, text) < 0) return nullptr;
      name->handle = text;
    }
    return Py_NewRef(static_cast<PyObject*>(name->handle));
  }

  static PyObject* constant(const Constant& constant) {
    if (constant.handle) return Py_NewRef(static_cast<PyObject*>(constant.handle));
    switch (constant.kind) {
      case ConstantKind::kNone: return Py_NewRef(Py_None);
      case ConstantKind::kTrue: return Py_NewRef(Py_True);
      case ConstantKind::kFalse: return Py_NewRef(Py_False);
      case ConstantKind::kEllipsis: return Py_NewRef(Py_Ellipsis);
      case ConstantKind::kNumber: return PyLong_FromLongLong(constant.integer);
      case ConstantKind::kString:
        return PyUnicode_FromStringAndSize(constant.text.data(), static_cast<Py_ssize_t>(constant.text.size()));
      case ConstantKind::kBytes:
        return PyBytes_FromStringAndSize(constant.text.data(), static_cast<Py_ssize_t>(constant.text.size()));
    }
    return nullptr;
  }

  PyObject* keep_;
  const bool to_compile_;
  std::vector<PyObject*> written_;  // indexed by number; borrowed
  Pattern patterns_[kKindCount];
};

}  // namespace

PyObject* write_ast(const Node* node, PyObject* keep, bool to_compile) {
  if (!init_ast_bridge()) return nullptr;
  return Writer(keep, to_compile).node(node);
}

}  // namespace footlight::python
