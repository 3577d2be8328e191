// tf.nest: flatten, pack, map and compare nested structures.
#include "engine/python/types/nest.h"

#include "engine/base/text.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"

namespace footlight::python {
namespace {

enum class Kind { kLeaf, kList, kTuple, kNamedTuple, kMapping, kAttrs, kSequence, kComposite, kSpec, kFlattened };

bool is_a(PyObject* o, const char* name, PyObject*& kept) {
  if (!kept) {
    Ref abc = checked(PyImport_ImportModule("collections.abc"));
    kept = checked(PyObject_GetAttrString(abc.get(), name)).release();
  }
  return is_instance(o, kept);
}
PyObject *mapping_class = nullptr, *sequence_class = nullptr, *view_class = nullptr;

// Whether it is the spec of a composite, which is opened into the specs of its components. One that has none is a leaf.
bool opens_into_specs(PyObject* o) {
  if (is_spec(o) || !class_has_attribute(o, "_component_specs") || class_has_attribute(o, "_is_leaf_of_nest"))
    return false;
  const Ref components = Ref::steal(PyObject_GetAttrString(o, "_component_specs"));
  if (!components) clear_only(PyExc_NotImplementedError);
  return components && components.get() != o;
}

Kind kind_of(PyObject* o, bool composites = false) {
  if (is_tensor(o) || PyUnicode_Check(o) || PyLong_Check(o) || PyFloat_Check(o) || o == Py_None)
    return Kind::kLeaf;
  if (PyList_Check(o)) return Kind::kList;
  if (PyTuple_CheckExact(o)) return Kind::kTuple;
  if (PyTuple_Check(o)) return class_has_attribute(o, "_fields") ? Kind::kNamedTuple : Kind::kTuple;
  if (PyDict_Check(o)) return Kind::kMapping;
  if (flattens_itself(o)) return Kind::kFlattened;
  if (PyBytes_Check(o) || PyType_Check(o) || PyCallable_Check(o)) return Kind::kLeaf;
  if (class_has_attribute(o, "__attrs_attrs__")) return Kind::kAttrs;
  if (composites && class_has_attribute(o, "_type_spec") && !is_variable(o)) return Kind::kComposite;
  if (composites && opens_into_specs(o)) return Kind::kSpec;
  if (is_a(o, "Mapping", mapping_class)) return Kind::kMapping;
  // A range, the views of a dict; not what is a sequence of bytes.
  if (PyByteArray_Check(o) || PyMemoryView_Check(o)) return Kind::kLeaf;
  return is_a(o, "Sequence", sequence_class) || is_a(o, "MappingView", view_class) ? Kind::kSequence : Kind::kLeaf;
}

Ref sorted_keys(PyObject* mapping) {
  Ref keys = checked(PyMapping_Keys(mapping));
  Ref list = checked(PySequence_List(keys.get()));
  if (PyList_Sort(list.get()) < 0) {
    clear_only(PyExc_Exception);
    fail(ErrorKind::kType, "nest only supports dicts with sortable keys.");
  }
  return list;
}

Ref field_names(PyObject* o) {
  Ref fields = checked(PyObject_GetAttrString(o, "__attrs_attrs__"));
  return list_of(Items(fields.get()), [](auto* field) { return checked(PyObject_GetAttrString(field, "name")); });
}

// The components of a composite, as a structure.
Ref components_of(PyObject* o) {
  Ref spec = checked(PyObject_GetAttrString(o, "_type_spec"));
  return checked(PyObject_CallMethod(spec.get(), "_to_components", "(O)", o));
}

// The children of a structure in order, taken at one look; `names`: of a mapping's or an attrs object's.
struct Children {
  std::vector<Ref> names, values;
  Ref metadata;  // of an object that flattens itself
};

Children children_of(PyObject* o, Kind kind) {
  Children children;
  if (kind == Kind::kComposite) {
    children.values.push_back(components_of(o));
  } else if (kind == Kind::kSpec) {
    children.values.push_back(checked(PyObject_GetAttrString(o, "_component_specs")));
  } else if (kind == Kind::kFlattened) {
    Flattened own = flattened(o);
    children.metadata = std::move(own.metadata);
    children.values = std::move(own.components);
  } else if (kind == Kind::kMapping || kind == Kind::kAttrs) {
    const Ref names = kind == Kind::kMapping ? sorted_keys(o) : field_names(o);
    for (PyObject* name : Items(names.get())) {
      children.names.push_back(Ref::borrow(name));
      children.values.push_back(
          checked(kind == Kind::kMapping ? PyObject_GetItem(o, name) : PyObject_GetAttr(o, name)));
    }
  } else {
    for (PyObject* item : Items(o)) children.values.push_back(Ref::borrow(item));
  }
  return children;
}

void flatten(PyObject* o, std::vector<Ref>& leaves, bool composites) {
  const Level level("tf.nest");
  const Kind kind = kind_of(o, composites);
  if (kind == Kind::kLeaf) return leaves.push_back(Ref::borrow(o));
  for (const Ref& child : children_of(o, kind).values) flatten(child.get(), leaves, composites);
}

Ref pack(PyObject* o, std::span<const Ref> leaves, size_t& at, bool composites) {
  const Level level("tf.nest");
  const Kind kind = kind_of(o, composites);
  if (kind == Kind::kLeaf) {
    if (at >= leaves.size())
      fail(ErrorKind::kValue, "Too few flat values for the structure: ", leaves.size(), " were given");
    return leaves[at++];
  }
  Children parts = children_of(o, kind);
  for (Ref& part : parts.values) part = pack(part.get(), leaves, at, composites);
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(o));
  if (kind == Kind::kComposite || kind == Kind::kSpec) {
    Ref spec = kind == Kind::kSpec ? Ref::borrow(o) : checked(PyObject_GetAttrString(o, "_type_spec"));
    return checked(PyObject_CallMethod(spec.get(), "_from_components", "(O)", parts.values[0].get()));
  }
  if (kind == Kind::kFlattened) return unflattened(type, parts.metadata.get(), parts.values);
  Ref tuple = tuple_of(parts.values);
  if (kind == Kind::kSequence) {
    const bool made = !PyRange_Check(o) && !is_a(o, "MappingView", view_class);
    Ref children = checked(PySequence_List(tuple.get()));
    return made ? checked(PyObject_CallOneArg(type, children.get())) : children;
  }
  if (kind == Kind::kList) {
    Ref children = checked(PySequence_List(tuple.get()));
    return PyList_CheckExact(o) ? children : checked(PyObject_CallOneArg(type, children.get()));
  }
  if (kind == Kind::kTuple)
    return PyTuple_CheckExact(o) ? tuple : checked(PyObject_CallOneArg(type, tuple.get()));
  if (kind == Kind::kNamedTuple) return checked(PyObject_Call(type, tuple.get(), nullptr));
  Ref by_name = checked(PyDict_New());
  for (size_t i = 0; i < parts.names.size(); ++i)
    if (PyDict_SetItem(by_name.get(), parts.names[i].get(), parts.values[i].get()) < 0) throw PythonErrorSet();
  Ref none = checked(PyTuple_New(0));
  if (kind == Kind::kAttrs) return checked(PyObject_Call(type, none.get(), by_name.get()));
  // In the order of the original: people print dicts.
  Ref result =
      PyDict_CheckExact(o) ? checked(PyDict_New()) : checked(PyObject_CallMethod(o, "copy", nullptr));
  const Ref keys = checked(PyMapping_Keys(o));
  for (PyObject* key : Items(keys.get())) {
    const Ref value = Ref::borrow(find_item(by_name.get(), key));
    if (!value) changed_meanwhile();
    if (PyObject_SetItem(result.get(), key, value.get()) < 0) throw PythonErrorSet();
  }
  return result;
}

// Namedtuples with the same name and fields, but of different classes.
bool same_fields(PyObject* a, PyObject* b) {
  if (std::string_view(Py_TYPE(a)->tp_name) != Py_TYPE(b)->tp_name) return false;
  Ref x = checked(PyObject_GetAttrString(a, "_fields")), y = checked(PyObject_GetAttrString(b, "_fields"));
  return are_equal(x.get(), y.get());
}

// Whether `spec` is the spec of a composite, and `value` one that it allows.
bool describes(PyObject* spec, PyObject* value) {
  if (is_spec(spec) || !class_has_attribute(spec, "_component_specs")) return false;
  return is_true(checked(PyObject_CallMethod(spec, "is_compatible_with", "(O)", value)).get());
}

void same(PyObject* a, PyObject* b, bool types, bool composites) {
  const Level level("tf.nest");
  const Kind x = kind_of(a, composites), y = kind_of(b, composites);
  if (x == Kind::kLeaf && y == Kind::kLeaf) return;
  if ((x == Kind::kComposite && describes(b, a)) || (y == Kind::kComposite && describes(a, b))) return;
  const bool other_spec = x != y && (x == Kind::kSpec || y == Kind::kSpec);  // it does not describe the value
  if (x == Kind::kLeaf || y == Kind::kLeaf || other_spec)
    fail(ErrorKind::kValue, "The two structures don't have the same nested structure: ", repr_of(a),
         " and ", repr_of(b));
  if (types && Py_TYPE(a) != Py_TYPE(b) && !(x == Kind::kMapping && y == Kind::kMapping) &&
      !(x == Kind::kNamedTuple && y == Kind::kNamedTuple && same_fields(a, b)) &&
      !(x == y && x != Kind::kNamedTuple && (PyType_IsSubtype(Py_TYPE(a), Py_TYPE(b)) ||
                                             PyType_IsSubtype(Py_TYPE(b), Py_TYPE(a)))))
    fail(ErrorKind::kType, "The two structures don't have the same nested structure: ", repr_of(a), " and ",
         repr_of(b), " don't have the same sequence type, ", Py_TYPE(a)->tp_name, " and ", Py_TYPE(b)->tp_name);
  if (types && x == Kind::kMapping && y == Kind::kMapping) {
    Ref ka = sorted_keys(a), kb = sorted_keys(b);
    if (!are_equal(ka.get(), kb.get()))
      fail(ErrorKind::kValue, "The two dictionaries don't have the same set of keys: ", repr_of(ka.get()),
           " and ", repr_of(kb.get()));
  }
  const std::vector<Ref> ca = children_of(a, x).values, cb = children_of(b, y).values;
  if (ca.size() != cb.size())
    fail(ErrorKind::kValue, "The two structures don't have the same number of elements: ", repr_of(a),
         " and ", repr_of(b));
  for (size_t i = 0; i < ca.size(); ++i) same(ca[i].get(), cb[i].get(), types, composites);
}

PyObject* py_flatten(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* structure;
  int expand = 0;
  parse_keywords(args, keywords, "O|p:flatten", {"structure", "expand_composites"}, &structure, &expand);
  std::vector<Ref> leaves;
  nest_flatten(structure, leaves, expand);
  return list_of(leaves).release();
}
PyObject* py_is_nested(PyObject*, PyObject* o) { return PyBool_FromLong(is_nested(o)); }
PyObject* py_pack(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *structure, *flat;
  int expand = 0;
  parse_keywords(args, keywords, "OO|p:pack_sequence_as", {"structure", "flat_sequence", "expand_composites"},
                 &structure, &flat, &expand);
  if (!is_nested(flat))
    fail(ErrorKind::kType, "pack_sequence_as: flat_sequence must be a sequence, not ",
         Py_TYPE(flat)->tp_name);
  std::vector<Ref> leaves, wanted;
  for (PyObject* item : Items(flat, "pack_sequence_as: flat_sequence must be a sequence"))
    leaves.push_back(Ref::borrow(item));
  nest_flatten(structure, wanted, expand);
  if (wanted.size() != leaves.size())
    fail(ErrorKind::kValue, "Could not pack sequence. Structure had ", wanted.size(),
         " atoms, but flat_sequence had ", leaves.size(), " items.");
  return nest_pack(structure, leaves, expand).release();
}
PyObject* py_same(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *a, *b;
  int types = 1, expand = 0;
  parse_keywords(args, keywords, "OO|pp:assert_same_structure", {"nest1", "nest2", "check_types", "expand_composites"},
                 &a, &b, &types, &expand);
  nest_assert_same(a, b, types, expand);
  Py_RETURN_NONE;
}
PyObject* py_map(PyObject*, PyObject* args, PyObject* keywords) {
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  if (n < 2) fail(ErrorKind::kValue, "map_structure: a function and at least one structure are needed");
  PyObject* function = PyTuple_GET_ITEM(args, 0);
  if (!PyCallable_Check(function))
    fail(ErrorKind::kType, "map_structure: func must be callable, not ", Py_TYPE(function)->tp_name);
  PyObject* check = keywords ? find_item(keywords, "check_types") : nullptr;
  PyObject* expand = keywords ? find_item(keywords, "expand_composites") : nullptr;
  if (keywords && PyDict_GET_SIZE(keywords) != (check != nullptr) + (expand != nullptr))
    fail(ErrorKind::kValue, "map_structure: only check_types and expand_composites may be given by name");
  const bool composites = expand && is_true(expand);
  std::vector<std::vector<Ref>> leaves(static_cast<size_t>(n - 1));
  for (Py_ssize_t i = 1; i < n; ++i) {
    if (i > 1)
      nest_assert_same(PyTuple_GET_ITEM(args, 1), PyTuple_GET_ITEM(args, i),
                       !check || is_true(check), composites);
    nest_flatten(PyTuple_GET_ITEM(args, i), leaves[static_cast<size_t>(i - 1)], composites);
    if (leaves[static_cast<size_t>(i - 1)].size() != leaves[0].size()) changed_meanwhile();
  }
  std::vector<Ref> results;
  for (size_t i = 0; i < leaves[0].size(); ++i) {
    Ref call = checked(PyTuple_New(n - 1));
    for (Py_ssize_t k = 0; k < n - 1; ++k)
      PyTuple_SET_ITEM(call.get(), k, Py_NewRef(leaves[static_cast<size_t>(k)][i].get()));
    results.push_back(checked(PyObject_Call(function, call.get(), nullptr)));
  }
  return nest_pack(PyTuple_GET_ITEM(args, 1), results, composites).release();
}

PyMethodDef functions[] = {
    {"flatten", as_method(guard<py_flatten>), METH_VARARGS | METH_KEYWORDS,
     "flatten(structure, expand_composites=False)\n--\n\nThe leaves as a list."},
    {"is_nested", guard<py_is_nested>, METH_O,
     "is_nested(structure)\n--\n\nWhether it is a list, tuple, mapping, attrs object or one with "
     "__tf_flatten__."},
    {"pack_sequence_as", as_method(guard<py_pack>), METH_VARARGS | METH_KEYWORDS,
     "pack_sequence_as(structure, flat_sequence, expand_composites=False)\n--\n\nThe structure with other "
     "leaves."},
    {"assert_same_structure", as_method(guard<py_same>), METH_VARARGS | METH_KEYWORDS,
     "assert_same_structure(nest1, nest2, check_types=True, expand_composites=False)\n--\n\nValueError or "
     "TypeError where two structures differ."},
    {"map_structure", as_method(guard<py_map>), METH_VARARGS | METH_KEYWORDS,
     "map_structure(func, *structure, check_types=True)\n--\n\n"
     R"(The structure with func applied to its leaves.

  >>> tf.nest.map_structure(lambda a, b: a + b, {'x': 1, 'y': (2, 3)}, {'x': 10, 'y': (20, 30)})
  {'x': 11, 'y': (22, 33)}

Args:
  func: a function of as many leaves as there are structures.
  structure: nested lists, tuples and dicts, all of the same structure.
  check_types: whether their lists, tuples and dicts must also be of the same classes.)"}};

}  // namespace

bool flattens_itself(PyObject* o) {
  return !PyType_Check(o) && class_has_attribute(o, "__tf_flatten__") &&
         class_has_attribute(o, "__tf_unflatten__");
}

Flattened flattened(PyObject* o) {
  const Ref pair = checked(PyObject_CallMethod(o, "__tf_flatten__", nullptr));
  const Items both(pair.get(), "__tf_flatten__() must return metadata and components");
  if (both.size() != 2)
    fail(ErrorKind::kType, "__tf_flatten__() of a ", Py_TYPE(o)->tp_name,
         " must return metadata and components, not ", repr_of(pair.get()));
  Flattened result{Ref::borrow(both[0]), {}};
  for (PyObject* one : Items(both[1], "the components that __tf_flatten__() returns must be a sequence"))
    result.components.push_back(Ref::borrow(one));
  return result;
}

Ref unflattened(PyObject* type, PyObject* metadata, std::span<const Ref> components) {
  const Ref tuple = tuple_of(components);
  return checked(PyObject_CallMethod(type, "__tf_unflatten__", "OO", metadata, tuple.get()));
}

bool is_nested(PyObject* o) { return kind_of(o) != Kind::kLeaf; }
void nest_flatten(PyObject* structure, std::vector<Ref>& leaves, bool composites) {
  flatten(structure, leaves, composites);
}
Ref nest_pack(PyObject* structure, std::span<const Ref> leaves, bool composites) {
  size_t at = 0;
  return pack(structure, leaves, at, composites);
}
void nest_assert_same(PyObject* a, PyObject* b, bool check_types, bool composites) {
  same(a, b, check_types, composites);
}

void init_nest() { for (PyMethodDef& f : functions) publish_function(str("nest.", f.ml_name).c_str(), &f); }

}  // namespace footlight::python
