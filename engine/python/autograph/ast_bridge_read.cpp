// Reads CPython's ast objects into our tree, in one pass driven by the table of kinds.
#include "engine/python/autograph/ast_bridge.h"
#include "engine/python/autograph/ast_bridge_types.h"
#include "engine/python/interpreter/text.h"

#include <unordered_map>

namespace footlight::python {

using namespace autograph;

namespace bridge {
Types types;
}
using bridge::types;

bool init_ast_bridge() {
  if (types.lineno) return true;
  const Ref module = Ref::steal(PyImport_ImportModule("_ast"));
  if (!module) return false;
  for (int k = 0; k < kKindCount; ++k) {
    bridge::KindEntry& entry = types.kinds[k];
    entry.type = reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(module.get(), kinds[k].name));
    if (!entry.type) {
      if (!cleared_if(PyExc_AttributeError)) return false;
      continue;
    }
    types.insert(entry.type, k);
    const Ref fields = Ref::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(entry.type), "_fields"));
    if (!fields) return false;
    for (int f = 0; f < kinds[k].field_count; ++f) {
      const Ref name = Ref::steal(PyUnicode_InternFromString(kinds[k].fields[f].name));
      const int has = name ? PySequence_Contains(fields.get(), name.get()) : -1;
      if (has < 0) return false;
      if (has) entry.field_names[f] = Ref(name).release();
    }
  }
  for (int o = 0; o < kOpCount; ++o) {
    PyObject* type = PyObject_GetAttrString(module.get(), op_names[o]);
    if (!type) return false;
    types.ops[o] = reinterpret_cast<PyTypeObject*>(type);
    types.insert(types.ops[o], -1 - o);
    types.op_instances[o] = PyObject_CallNoArgs(type);
    if (!types.op_instances[o]) return false;
  }
  types.col_offset = PyUnicode_InternFromString("col_offset");
  types.end_lineno = PyUnicode_InternFromString("end_lineno");
  types.end_col_offset = PyUnicode_InternFromString("end_col_offset");
  types.lineno = PyUnicode_InternFromString("lineno");
  return types.lineno && types.col_offset && types.end_lineno && types.end_col_offset;
}

std::string constant_text(PyObject* value) {
  const Ref text = Ref::steal(PyObject_Repr(value));
  if (text) return readable(text.get());
  clear_only(PyExc_ValueError);  // an integer with too many digits
  return "...";
}

namespace {

class Reader {
 public:
  Reader(Tree& tree, const ReadOptions& options)
      : tree_(tree), options_(options), mangle_(!options.private_class.empty()) {
    const size_t letters = options.private_class.find_first_not_of('_');
    if (letters == std::string::npos) mangle_ = false;
    else class_ = options.private_class.substr(letters);
  }

  Node* node(PyObject* object) {
    const int found = types.find(Py_TYPE(object));
    if (found < 0) {
      PyErr_Format(PyExc_TypeError, "not a node of a syntax tree: %.100s", Py_TYPE(object)->tp_name);
      return nullptr;
    }
    if (depth_ == options_.deepest) {
      PyErr_Format(PyExc_RecursionError, "its syntax tree is nested more than %d deep", depth_);
      return nullptr;
    }
    ++depth_;
    Node* const made = fill(object, static_cast<Kind>(found));
    --depth_;
    return made;
  }

 private:
  // Borrowed; null if the node does not have it.
  static PyObject* field(PyObject* dict, PyObject* object, PyObject* name) {
    if (PyObject* value = PyDict_GetItemWithError(dict, name)) return value;
    if (PyErr_Occurred()) return nullptr;
    // Nodes made by hand have optional fields as class attributes.
    const Ref value = Ref::steal(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(object)), name));
    if (!value && !cleared_if(PyExc_AttributeError)) return nullptr;
    return value.get() == Py_None ? Py_None : nullptr;
  }

  Node* fill(PyObject* object, Kind kind) {
    PyObject** dict_slot = _PyObject_GetDictPtr(object);
    PyObject* dict = dict_slot ? *dict_slot : nullptr;
    if (!dict) {
      if (kinds[static_cast<int>(kind)].field_count == 0) return tree_.make(kind, {});
      if (kind == Kind::karguments || kind == Kind::kModule) return tree_.make(kind, {});
      PyErr_Format(PyExc_TypeError, "an empty %s node", kinds[static_cast<int>(kind)].name);
      return nullptr;
    }
    const KindInfo& described = info(kind);
    Position at;
    if (described.category != Category::kRoot && described.category != Category::kPlain) {
      at.line = number(dict, types.lineno);
      at.column = number(dict, types.col_offset);
      at.end_line = number(dict, types.end_lineno);
      at.end_column = number(dict, types.end_col_offset);
      at.line += static_cast<uint32_t>(options_.line_offset);
      at.end_line += static_cast<uint32_t>(options_.line_offset);
    }
    Node* made = tree_.make(kind, at);
    if (options_.functions && (is_function(made) || kind == Kind::kLambda))
      options_.functions->emplace_back(made, object);
    const bridge::KindEntry& entry = types.kinds[static_cast<int>(kind)];
    for (int i = 0; i < described.field_count; ++i) {
      if (!entry.field_names[i]) continue;
      PyObject* value = field(dict, object, entry.field_names[i]);
      if (!value) {
        if (PyErr_Occurred()) return nullptr;
        continue;
      }
      // A nested class has private names of its own.
      const bool mangling = mangle_;
      if (kind == Kind::kClassDef && i == at::ClassDef::body) mangle_ = false;
      const bool good = slot(made->fields()[i], described.fields[i].type, value);
      mangle_ = mangling;
      if (!good) return nullptr;
    }
    return made;
  }

  static uint32_t number(PyObject* dict, PyObject* name) {
    PyObject* value = PyDict_GetItemWithError(dict, name);
    int overflow = 0;
    const long n = value && PyLong_Check(value) ? PyLong_AsLongAndOverflow(value, &overflow) : 0;
    return overflow ? 0 : static_cast<uint32_t>(n);
  }

  bool slot(Slot& slot, FieldType type, PyObject* value) {
    switch (type) {
      case FieldType::kNode:
      case FieldType::kOptional:
        if (value == Py_None) return true;
        return (slot.node = node(value)) != nullptr;
      case FieldType::kList:
      case FieldType::kOptionalList: {
        if (!PyList_Check(value)) return wrong("a list", value);
        const Py_ssize_t size = PyList_GET_SIZE(value);
        Node* few[16];
        std::vector<Node*> many;
        Node** items = few;
        if (size > 16) {
          many.resize(static_cast<size_t>(size));
          items = many.data();
        }
        for (Py_ssize_t i = 0; i < size; ++i) {
          PyObject* item = PyList_GET_ITEM(value, i);
          items[i] = nullptr;
          if (item != Py_None && !(items[i] = node(item))) return false;
        }
        slot.list = tree_.list(items, static_cast<size_t>(size));
        return true;
      }
      case FieldType::kName:
      case FieldType::kOptionalName:
        if (value == Py_None) return true;
        return (slot.name = name(value)) != nullptr;
      case FieldType::kNameList: {
        if (!PyList_Check(value)) return wrong("a list", value);
        std::vector<Name*> names;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i) {
          Name* one = name(PyList_GET_ITEM(value, i));
          if (!one) return false;
          names.push_back(one);
        }
        slot.names = tree_.name_list(names.data(), names.size());
        return true;
      }
      case FieldType::kConstant: return (slot.constant = constant(value)) != nullptr;
      case FieldType::kText: {
        if (value == Py_None) return true;
        slot.text = tree_.text(utf8(value));
        return true;
      }
      case FieldType::kInt:
        slot.integer = value == Py_None ? 0 : PyLong_AsLong(value);
        return !PyErr_Occurred();
      case FieldType::kOperator: return op(value, slot.op);
      case FieldType::kOperatorList: {
        if (!PyList_Check(value)) return wrong("a list", value);
        std::vector<Op> ops(static_cast<size_t>(PyList_GET_SIZE(value)));
        for (size_t i = 0; i < ops.size(); ++i)
          if (!op(PyList_GET_ITEM(value, static_cast<Py_ssize_t>(i)), ops[i])) return false;
        slot.ops = tree_.op_list(ops.data(), ops.size());
        return true;
      }
    }
    return false;
  }

  static bool wrong(const char* wanted, PyObject* value) {
    PyErr_Format(PyExc_TypeError, "expected %s in a syntax tree, not %.100s", wanted, Py_TYPE(value)->tp_name);
    return false;
  }

  static bool op(PyObject* value, Op& op) {
    const int found = types.find(Py_TYPE(value));
    if (found >= 0 || found == bridge::Types::kUnknown) return wrong("an operator", value);
    op = static_cast<Op>(-1 - found);
    return true;
  }

  Name* name(PyObject* value) {
    Name*& known = (mangle_ ? mangled_names_ : names_)[value];
    if (known) return known;
    const std::string_view text = utf8(value);
    if (mangle_ && text.starts_with("__") && !text.ends_with("__") && text.find('.') == text.npos) {
      return known = tree_.name("_" + class_ + std::string(text));
    }
    known = tree_.name(text);
    if (!known->handle) known->handle = value;
    return known;
  }

  const Constant* constant(PyObject* value) {
    auto made = [&](ConstantKind kind, std::string_view text = {}) {
      Constant* c = new (tree_.allocate(sizeof(Constant))) Constant{kind, value, text};
      return c;
    };
    if (value == Py_None) return made(ConstantKind::kNone);
    if (value == Py_True) return made(ConstantKind::kTrue);
    if (value == Py_False) return made(ConstantKind::kFalse);
    if (value == Py_Ellipsis) return made(ConstantKind::kEllipsis);
    if (PyUnicode_Check(value)) return made(ConstantKind::kString, tree_.keep(distinct_utf8(value)));
    if (PyBytes_Check(value)) return made(ConstantKind::kBytes, tree_.keep(constant_text(value)));
    if (PyLong_CheckExact(value)) {
      int overflow = 0;
      const long n = PyLong_AsLongAndOverflow(value, &overflow);
      if (!overflow) {
        Constant* c = const_cast<Constant*>(made(ConstantKind::kNumber));
        c->integer = n;
        return c;
      }
    }
    if (PyLong_CheckExact(value)) {  // any length: repr() refuses integers of many thousand digits
      const Ref hex = Ref::steal(PyNumber_ToBase(value, 16));
      if (!hex) return nullptr;
      const std::string decimal = constant_text(value);
      return made(ConstantKind::kNumber, tree_.keep(decimal == "..." ? utf8(hex.get()) : decimal));
    }
    return made(ConstantKind::kNumber, tree_.keep(constant_text(value)));
  }

  Tree& tree_;
  const ReadOptions& options_;
  int depth_ = 0;
  bool mangle_;
  std::string class_;
  std::unordered_map<PyObject*, Name*> names_, mangled_names_;
};

bool printable(char32_t c) { return _PyUnicode_IsPrintable(c) != 0; }

}  // namespace

Node* read_ast(PyObject* ast, Tree& tree, const ReadOptions& options) {
  if (!init_ast_bridge()) return nullptr;
  tree.host.is_printable = printable;
  return Reader(tree, options).node(ast);
}

}  // namespace footlight::python
