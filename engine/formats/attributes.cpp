// An attribute is converted to the type that the op's row declares, so that rules and kernels find what they expect.
#include "engine/formats/attributes.h"

#include "engine/base/text.h"
#include "engine/formats/graph_def.h"
#include "engine/ops/branches.h"

#include <algorithm>

namespace footlight::formats {

const AttrName kExtras("_extra fields");

namespace {

// Attributes of a single application, which our own code reads: a file has no say in them. The shapes of outputs
// follow from the op.
bool is_internal(std::string_view name) {
  return name == "_state" || name == "_axis" || name == "_call" || name == "_function" || name == "_output_shapes" ||
         name == kExtras.text();
}

std::vector<DType> types_from(const AttrValue::ListValue& list) {
  std::vector<DType> types;
  for (int type : list.type()) types.push_back(dtype_from(type));
  return types;
}

std::vector<Shape> shapes_from(const AttrValue::ListValue& list) {
  std::vector<Shape> shapes;
  for (const TensorShapeProto& shape : list.shape()) shapes.push_back(shape_from(shape));
  return shapes;
}

// By its declared type; nothing if the value has another one.
std::optional<footlight::AttrValue> declared(const AttrValue& v, std::string_view type, Reading& reading) {
  const auto is = [&](AttrValue::ValueCase wanted) { return v.value_case() == wanted; };
  if (type == "int" && is(AttrValue::kI)) return int64_t{v.i()};
  if (type == "bool" && is(AttrValue::kB)) return v.b();
  if (type == "float" && is(AttrValue::kF)) return v.f();
  if (type == "string" && is(AttrValue::kS)) return v.s();
  if (type == "type" && is(AttrValue::kType)) return dtype_from(v.type());
  if (type == "shape" && is(AttrValue::kShape)) return shape_from(v.shape());
  if (type == "tensor" && is(AttrValue::kTensor))
    return tensor_from(v.tensor(), reading.constant_bytes, reading.limits);
  if (type == "func" && is(AttrValue::kFunc)) return reading.function(v.func());
  if (!type.starts_with("list(") || !is(AttrValue::kList)) return {};
  const AttrValue::ListValue& list = v.list();
  // A list of another type is not mistaken for an empty one.
  const int all = list.s_size() + list.i_size() + list.f_size() + list.b_size() + list.type_size() +
                  list.shape_size() + list.tensor_size() + list.func_size();
  if (type == "list(int)" && all == list.i_size()) return std::vector<int64_t>(list.i().begin(), list.i().end());
  if (type == "list(float)" && all == list.f_size()) return std::vector<float>(list.f().begin(), list.f().end());
  if (type == "list(string)" && all == list.s_size())
    return std::vector<std::string>(list.s().begin(), list.s().end());
  if (type == "list(type)" && all == list.type_size()) return types_from(list);
  if (type == "list(shape)" && all == list.shape_size()) return shapes_from(list);
  return {};
}

// By the type that the file gives; nothing for what has no counterpart.
std::optional<footlight::AttrValue> extra(const AttrValue& v, Reading& reading) {
  switch (v.value_case()) {
    case AttrValue::kI: return int64_t{v.i()};
    case AttrValue::kB: return v.b();
    case AttrValue::kF: return v.f();
    case AttrValue::kS: return v.s();
    case AttrValue::kType: return dtype_from(v.type());
    case AttrValue::kShape: return shape_from(v.shape());
    case AttrValue::kTensor: return tensor_from(v.tensor(), reading.constant_bytes, reading.limits);
    case AttrValue::kList: break;
    default: return {};
  }
  for (const char* type : {"list(int)", "list(string)", "list(type)", "list(shape)", "list(float)"})
    if (auto value = declared(v, type, reading)) return value;
  return {};
}

// The value of a node in a function that has attributes of its own.
const AttrValue& substituted(const AttrValue& value, const Reading& reading) {
  if (value.value_case() != AttrValue::kPlaceholder) return value;
  const auto at = reading.parameters ? reading.parameters->find(value.placeholder()) : AttrMap::const_iterator();
  if (!reading.parameters || at == reading.parameters->end())
    fail(ErrorKind::kValue, "the function's attribute '", value.placeholder(), "' has no value");
  return at->second;
}

// Whether a newer version added the attribute, and the node has what it means where it is missing.
bool is_newer_default(const std::string& name, const AttrValue& value, const OpRow& row, const Reading& reading) {
  const auto op = reading.producer_ops.find(row.name);
  if (op == reading.producer_ops.end()) return false;
  return std::ranges::any_of(op->second->attr(), [&](const OpDef::AttrDef& attr) {
    return attr.name() == name && attr.has_default_value() && bytes_of(attr.default_value()) == bytes_of(value);
  });
}

bool follows_from_inputs(const OpRow& row, size_t attr) {
  return std::ranges::any_of(row.inputs, [&](const ArgSpec& input) {
    return input.type_attr == static_cast<int>(attr) || input.count_attr == static_cast<int>(attr);
  });
}

// Each function is an attribute of its own.
void read_branches(Attrs& attrs, const std::string& name, const AttrValue& given, const OpRow& row, Reading& reading) {
  const AttrValue::ListValue& list = given.list();
  if (given.value_case() != AttrValue::kList || list.func_size() == 0)
    fail(ErrorKind::kValue, "the attribute '", name, "' of ", row.name, " must be a list(func), not empty");
  if (list.func_size() > reading.limits.branches)
    fail(ErrorKind::kValue, "it has ", list.func_size(), " branches: at most ", reading.limits.branches, " can be");
  for (int k = 0; k < list.func_size(); ++k)
    attrs.set(branch_attr(static_cast<size_t>(k)), reading.function(list.func(k)));
}

}  // namespace

Attrs attrs_from(const AttrMap& map, const OpRow& row, Reading& reading) {
  Attrs attrs;
  if (map.size() > reading.limits.attributes)
    fail(ErrorKind::kValue, "a node has ", map.size(), " attributes: at most ", reading.limits.attributes,
         " are read");
  std::vector<const std::string*> names;
  for (const auto& [name, value] : map) names.push_back(&name);
  std::ranges::sort(names, {}, [](const std::string* name) -> const std::string& { return *name; });
  for (const std::string* name : names) {
    const auto spec = std::ranges::find(row.attrs, *name, [](const AttrSpec& s) { return std::string_view(s.name); });
    const AttrValue& given = substituted(map.at(*name), reading);
    if (spec == row.attrs.end()) {
      if (!name->starts_with('_') && is_newer_default(*name, given, row, reading)) continue;
      if (!name->starts_with('_')) fail(ErrorKind::kValue, "the op ", row.name, " has no attribute '", *name, "'");
      if (is_internal(*name)) continue;
      if (auto value = extra(given, reading)) attrs.set(AttrName(*name), std::move(*value));
      continue;
    }
    if (std::string_view(spec->type) == "list(func)") {
      read_branches(attrs, *name, given, row, reading);
      continue;
    }
    auto value = declared(given, spec->type, reading);
    if (!value) fail(ErrorKind::kValue, "the attribute '", *name, "' of ", row.name, " must be a ", spec->type);
    attrs.set(spec->key, std::move(*value));
  }
  for (size_t i = 0; i < row.attrs.size(); ++i) {
    const AttrSpec& spec = row.attrs[i];
    const bool there = std::string_view(spec.type) == "list(func)" ? attrs.find(branch_attr(0)) != nullptr
                                                                    : attrs.find(spec.key) != nullptr;
    if (!spec.has_default && !follows_from_inputs(row, i) && !there)
      fail(ErrorKind::kValue, "the attribute '", spec.name, "' of ", row.name, " is missing");
  }
  return attrs;
}

Attrs extra_attrs_from(const AttrMap& map, Reading& reading) {
  Attrs attrs;
  if (map.size() > reading.limits.attributes)
    fail(ErrorKind::kValue, "a function has ", map.size(), " attributes: at most ", reading.limits.attributes,
         " are read");
  for (const auto& [name, value] : map)
    if (!is_internal(name) && value.value_case() != AttrValue::kTensor)
      if (auto converted = extra(value, reading)) attrs.set(AttrName(name), std::move(*converted));
  return attrs;
}

}  // namespace footlight::formats
