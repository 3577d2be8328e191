// Checks an application of an op against its signature, and defines the shape rules that several rows share.
#include "engine/ops/infer.h"

#include "engine/ops/hooks.h"
#include "engine/ops/output_name.h"
#include "engine/tensor/size.h"

#include <algorithm>

namespace footlight {

namespace {

// Whether one attribute gives the length of all input lists of the row.
bool of_one_length(const OpRow& row) {
  int8_t count = -1;
  for (const ArgSpec& spec : row.inputs) {
    if (!spec.list) continue;
    if (spec.count_attr < 0 || (count >= 0 && spec.count_attr != count)) return false;
    count = spec.count_attr;
  }
  return count >= 0;
}

size_t input_count(const ArgSpec& spec, const OpRow& row, size_t given) {
  if (!spec.list) return 1;
  const auto lists = static_cast<size_t>(std::ranges::count_if(row.inputs, &ArgSpec::list));
  if (lists > 1 && of_one_length(row)) return (given - (row.inputs.size() - lists)) / lists;
  // At most one list per row has no count attribute: it gets the remaining inputs.
  return given - (row.inputs.size() - 1);
}

const AttrValue* attr_or_default(const AttrSpec& spec, const Attrs& attrs) {
  if (const AttrValue* v = attrs.find(spec.key)) return v;
  return spec.has_default ? &spec.otherwise : nullptr;
}

[[noreturn]] void wrong_count(const OpRow& row, size_t given) {
  invalid(row.name, " takes ", row.inputs.size(), " inputs, got ", given, " [Op:", row.name, "]");
}

void check_allowed(const OpRow& row, const AttrSpec& attr, DType dtype, const char* input = nullptr) {
  if (in_set(dtype, attr.allowed)) return;
  std::string allowed;
  // Ordered by kind, then by size.
  static constexpr DType kOrder[] = {
      DType::kBool,     DType::kInt8,    DType::kInt16,   DType::kInt32,     DType::kInt64,
      DType::kUInt8,    DType::kUInt16,  DType::kUInt32,  DType::kUInt64,    DType::kFloat16,
      DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128,
      DType::kString,   DType::kResource, DType::kVariant};
  for (const DType t : kOrder)
    if (in_set(t, attr.allowed)) append_to(allowed, str(allowed.empty() ? "" : ", ", name_of(t)));
  invalid("Value for attr '", attr.name, "' of ", name_of(dtype), " is not in the list of allowed values: ", allowed,
          input ? str("; input '", input, "' is of ", name_of(dtype), ", tf.cast changes it") : std::string(),
          " [Op:", row.name, "]");
}

// The dtypes of all type attributes: from the inputs, then from the given attributes, then from the defaults.
struct Types {
  DType of[16];
};

// Lists with per-element dtypes range over all inputs, so they are the only list of their row or bounded by attributes.
void find_types(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs, Types& types) {
  for (DType& t : types.of) t = DType::kInvalid;
  size_t at = 0;
  size_t lists = 0;
  for (const ArgSpec& spec : row.inputs) lists += spec.list;
  if (lists == 0 ? inputs.size() != row.inputs.size() : inputs.size() + lists < row.inputs.size())
    wrong_count(row, inputs.size());
  for (const ArgSpec& spec : row.inputs) {
    size_t count = 1;
    if (spec.list) {
      if (lists == 1 || of_one_length(row)) {
        count = input_count(spec, row, inputs.size());
      } else {
        const AttrSpec& by = row.attrs[static_cast<size_t>(spec.count_attr >= 0 ? spec.count_attr : spec.type_attr)];
        const AttrValue* v = attrs.find(by.key);
        if (!v) invalid("the attribute '", by.name, "' is missing, which says how long a list is [Op:", row.name, "]");
        count = spec.count_attr >= 0 ? static_cast<size_t>(std::get<int64_t>(*v))
                                     : std::get<std::vector<DType>>(*v).size();
      }
    }
    for (size_t i = 0; i < count; ++i, ++at) {
      if (at >= inputs.size()) wrong_count(row, inputs.size());
      const DType given = inputs[at].dtype();
      if (spec.list && spec.count_attr < 0) continue;
      DType expected = spec.dtype;
      if (spec.type_attr >= 0) {
        DType& type = types.of[spec.type_attr];
        if (type == DType::kInvalid) {
          check_allowed(row, row.attrs[static_cast<size_t>(spec.type_attr)], given, spec.name);
          type = given;
        }
        expected = type;
      }
      if (given != expected)
        invalid("cannot compute ", row.name, " as input #", at, "(zero-based) was expected to be a ",
                short_name(expected), " tensor but is a ", short_name(given), " tensor (input '", spec.name, "' is ",
                name_of(given), ", not ", name_of(expected), ") [Op:", row.name, "]");
    }
  }
  if (at != inputs.size()) wrong_count(row, inputs.size());
}

DType type_from_attrs(const OpRow& row, size_t index, const Attrs& attrs) {
  const AttrSpec& spec = row.attrs[index];
  const AttrValue* v = attr_or_default(spec, attrs);
  if (!v) return DType::kInvalid;
  const DType t = std::get<DType>(*v);
  check_allowed(row, spec, t);
  return t;
}

}  // namespace

namespace {
// The number of outputs that an attribute gives.
size_t count_of(const OpRow& row, const AttrSpec& spec, const AttrValue& value) {
  const int64_t count = std::get<int64_t>(value);
  constexpr int64_t kMaxOutputs = 1 << 24;
  if (count < 0 || count > kMaxOutputs)
    invalid("the attribute '", spec.name, "' says how many outputs there are, ", count, " cannot be [Op:", row.name,
            "]");
  return static_cast<size_t>(count);
}
}  // namespace

size_t output_count(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs) {
  if (row.outputs != kVariableOutputs) return row.outputs;
  size_t count = 0;
  for (const ArgSpec& spec : row.output_specs) {
    if (!spec.list) {
      ++count;
      continue;
    }
    const AttrSpec& by = row.attrs[static_cast<size_t>(spec.count_attr >= 0 ? spec.count_attr : spec.type_attr)];
    const AttrValue* v = attr_or_default(by, attrs);
    if (v) {
      count += spec.count_attr >= 0 ? count_of(row, by, *v) : std::get<std::vector<DType>>(*v).size();
      continue;
    }
    // An input list with the same attribute determines the number.
    for (const ArgSpec& in : row.inputs)
      if (in.list && (spec.count_attr >= 0 ? in.count_attr == spec.count_attr : in.type_attr == spec.type_attr))
        count += input_count(in, row, inputs.size());
  }
  return count;
}

namespace {
size_t lists_in(std::span<const ArgSpec> specs) {
  return static_cast<size_t>(std::ranges::count_if(specs, [](const ArgSpec& spec) { return spec.list; }));
}
// The number of tensors of one output argument; the node has `outputs` in all. A row's only list gets what the others
// leave. Where there are several, an attribute has the length, or the input list with the same attribute.
size_t outputs_in(const OpRow& row, const ArgSpec& spec, size_t outputs, const Attrs& attrs, size_t inputs) {
  if (!spec.list) return 1;
  if (lists_in(row.output_specs) == 1) return outputs - std::min(outputs, row.output_specs.size() - 1);
  const AttrSpec& by = row.attrs[static_cast<size_t>(spec.count_attr >= 0 ? spec.count_attr : spec.type_attr)];
  if (const AttrValue* v = attr_or_default(by, attrs))
    return spec.count_attr >= 0 ? count_of(row, by, *v) : std::get<std::vector<DType>>(*v).size();
  for (const ArgSpec& in : row.inputs)
    if (in.list && in.type_attr == spec.type_attr && in.count_attr == spec.count_attr &&
        inputs + 1 >= row.inputs.size())
      return input_count(in, row, inputs);
  return 0;
}
}  // namespace

OutputName output_name(const OpRow& row, size_t outputs, size_t output) {
  return output_name(row, outputs, output, {});
}

OutputName output_name(const OpRow& row, size_t outputs, size_t output, const Attrs& attrs) {
  size_t first = 0;
  for (const ArgSpec& spec : row.output_specs) {
    const size_t count = outputs_in(row, spec, outputs, attrs, 0);
    if (output < first + count) return {spec.name, output - first};
    first += count;
  }
  FL_CHECK(!"the op has no such output");
  return {};
}

void infer_outputs(Inference& i) {
  const OpRow& row = i.row;
  Types types;
  find_types(row, i.inputs, i.attrs, types);
  size_t at = 0;
  for (const ArgSpec& spec : row.output_specs) {
    if (!spec.list) {
      DType t = spec.dtype;
      if (spec.type_attr >= 0) {
        t = types.of[spec.type_attr];
        if (t == DType::kInvalid) t = type_from_attrs(row, static_cast<size_t>(spec.type_attr), i.attrs);
      }
      i.output_dtypes[at++] = t;
      continue;
    }
    const size_t count = outputs_in(row, spec, i.output_dtypes.size(), i.attrs, i.inputs.size());
    if (count > i.output_dtypes.size() - at) wrong_count(row, i.inputs.size());
    const std::vector<DType>* list = nullptr;
    DType one = spec.dtype;
    if (spec.type_attr >= 0 && spec.count_attr >= 0) {
      one = types.of[spec.type_attr];
      if (one == DType::kInvalid) one = type_from_attrs(row, static_cast<size_t>(spec.type_attr), i.attrs);
    } else if (spec.type_attr >= 0) {
      if (const AttrValue* v = attr_or_default(row.attrs[static_cast<size_t>(spec.type_attr)], i.attrs))
        list = &std::get<std::vector<DType>>(*v);
    }
    size_t first = 0;  // the first input with the same list of dtypes: all inputs before it are single ones
    while (first < row.inputs.size() &&
           !(row.inputs[first].list && row.inputs[first].type_attr == spec.type_attr))
      ++first;
    for (size_t k = 0; k < count; ++k, ++at) {
      if (list) i.output_dtypes[at] = (*list)[k];
      else if (spec.count_attr < 0 && spec.type_attr >= 0) i.output_dtypes[at] = i.inputs[first + k].dtype();
      else i.output_dtypes[at] = one;
    }
  }
  row.infer(i);
  for (const Shape& shape : i.output_shapes) check_shape(shape);
}

Attrs complete_attrs(const OpRow& row, std::span<const Tensor> inputs, const Attrs& given) {
  Attrs attrs = given;
  Types types;
  find_types(row, inputs, given, types);
  for (size_t a = 0; a < row.attrs.size(); ++a) {
    const AttrSpec& spec = row.attrs[a];
    if (attrs.find(spec.key)) continue;
    if (types.of[a] != DType::kInvalid) {
      attrs.set(spec.key, types.of[a]);
      continue;
    }
    bool set = false;
    size_t at = 0;
    for (const ArgSpec& in : row.inputs) {
      const size_t count = in.list ? input_count(in, row, inputs.size()) : 1;
      if (in.list && in.count_attr == static_cast<int>(a)) {
        attrs.set(spec.key, static_cast<int64_t>(count));
        set = true;
      } else if (in.list && in.count_attr < 0 && in.type_attr == static_cast<int>(a)) {
        std::vector<DType> list;
        for (size_t k = 0; k < count; ++k) list.push_back(inputs[at + k].dtype());
        attrs.set(spec.key, std::move(list));
        set = true;
      }
      at += count;
    }
    if (!set && spec.has_default) attrs.set(spec.key, spec.otherwise);
  }
  return attrs;
}

namespace infer {

void none(Inference&) {}

void same(Inference& i) {
  for (Shape& s : i.output_shapes) s = i.shape(0);
}

void broadcast(Inference& i) {
  Shape out = i.shape(0);
  for (size_t k = 1; k < i.inputs.size(); ++k) {
    try {
      out = footlight::broadcast(out, i.shape(k));
    } catch (const Error&) {
      invalid("Incompatible shapes: ", i.shape(0).brackets(), " vs. ", i.shape(k).brackets(),
              ": dimensions must be equal or one of them 1, counted from the last [Op:", i.row.name, "]");
    }
  }
  for (Shape& s : i.output_shapes) s = out;
}

void scalar(Inference& i) {
  for (Shape& s : i.output_shapes) s = Shape();
}

void unknown(Inference& i) {
  for (Shape& s : i.output_shapes) s = Shape::unknown_rank();
}

void vector(Inference& i) {
  for (Shape& s : i.output_shapes) s = Shape{kUnknownDim};
}

int64_t normalize_axis(int64_t axis, int rank, const OpRow& row) {
  if (axis < -rank || axis >= rank)
    invalid("Expected dimension in the range [", -rank, ", ", rank, "), but got ", axis, " [Op:", row.name, "]");
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> ints_of(const Tensor& t) {
  std::vector<int64_t> out(static_cast<size_t>(t.elements()));
  for (size_t k = 0; k < out.size(); ++k) {
    switch (t.dtype()) {
      case DType::kInt32: out[k] = t.data<int32_t>()[k]; break;
      case DType::kInt64: out[k] = t.data<int64_t>()[k]; break;
      case DType::kInt16: out[k] = t.data<int16_t>()[k]; break;
      case DType::kInt8: out[k] = t.data<int8_t>()[k]; break;
      case DType::kUInt8: out[k] = t.data<uint8_t>()[k]; break;
      case DType::kUInt16: out[k] = t.data<uint16_t>()[k]; break;
      case DType::kUInt32: out[k] = t.data<uint32_t>()[k]; break;
      case DType::kUInt64: {
        const uint64_t value = t.data<uint64_t>()[k];
        if (value > static_cast<uint64_t>(INT64_MAX)) invalid("expected an integer below 2**63, got ", value);
        out[k] = static_cast<int64_t>(value);
        break;
      }
      default: invalid("expected a tensor of integers, got ", name_of(t.dtype()));
    }
  }
  return out;
}

std::optional<std::vector<int64_t>> constant_ints(Inference& i, size_t input) {
  // A value on the host is returned as it is, without counting a reference.
  if (const Tensor& here = i.inputs[input]; !here.is_symbolic() && here.device().type == DeviceType::kCpu)
    return ints_of(here);
  const Tensor t = i.constant(input);
  if (!t) return std::nullopt;
  return ints_of(t);
}

Shape shape_from(Inference& i, size_t input, NegativeSizes negative_sizes) {
  if (i.shape(input).has_rank() && i.shape(input).rank() > 1)
    invalid("the shape must be a vector of integers, its own shape is ", i.shape(input).to_string(),
            " [Op:", i.row.name, "]");
  if (auto dims = constant_ints(i, input)) {
    for (int64_t size : *dims)
      if (size < (negative_sizes == NegativeSizes::kAllowed ? kUnknownDim : 0))
        invalid("Dimension ", size, " must be >= 0 [Op:", i.row.name, "]");
    return Shape(std::span<const int64_t>(*dims));
  }
  const Shape& s = i.shape(input);
  if (ops::hooks.known_part_of_shape && i.inputs[input].is_symbolic() && i.inputs[input].graph())
    if (const Shape part = ops::hooks.known_part_of_shape(i.inputs[input]); part.has_rank()) return part;
  return s.has_rank() && s.rank() == 1 && s[0] >= 0 ? unknown_dimensions(s[0]) : Shape::unknown_rank();
}

void check_rank(Inference& i, size_t input, int rank) {
  const Shape& s = i.shape(input);
  if (s.has_rank() && s.rank() != rank)
    invalid(i.row.inputs[std::min(input, i.row.inputs.size() - 1)].name, " must have rank ", rank, ", its shape is ",
            s.to_string(), " [Op:", i.row.name, "]");
}

}  // namespace infer
}  // namespace footlight
