// Parses the definitions of all rows, once at first use.
#include "engine/ops/define.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace footlight {

constinit RowFamily* RowFamily::first = nullptr;

namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Calls body for each part between `separator`s that are not inside brackets.
template <class Body>
void for_parts(std::string_view text, char separator, Body&& body) {
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '[' || text[i] == '(')) ++depth;
    if (i < text.size() && (text[i] == ']' || text[i] == ')')) --depth;
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      const std::string_view part = trim(text.substr(start, i - start));
      if (!part.empty()) body(part);
      start = i + 1;
    }
  }
}

uint32_t type_set(std::string_view text) {
  static const std::pair<std::string_view, uint32_t> kSets[] = {
      {"any", kAllTypes},        {"plain", kPlainTypes},       {"numbers", kNumberTypes},
      {"real", kRealTypes},      {"floats", kFloatingTypes},   {"complex", kComplexTypes},
      {"floatcomplex", kFloatingTypes | kComplexTypes},        {"integers", kIntegerTypes},
      {"signed", kSignedTypes},  {"index", dtype_set(DType::kInt32, DType::kInt64)},
  };
  uint32_t set = 0;
  for_parts(text, '|', [&](std::string_view part) {
    for (auto& [name, mask] : kSets)
      if (part == name) {
        set |= mask;
        return;
      }
    const DType one = dtype_from_name(part);
    FL_CHECK(one != DType::kInvalid);
    set |= bit_of(one);
  });
  return set;
}

bool is_attr_type(std::string_view type) {
  return type == "type" || type == "int" || type == "bool" || type == "float" || type == "string" || type == "shape" ||
         type == "tensor" || type == "func" || type.starts_with("list(");
}

AttrValue parse_default(std::string_view type, std::string_view text) {
  const std::string copy(text);
  if (type == "bool") return text == "true";
  if (type == "int") return int64_t{std::stoll(copy)};
  if (type == "float") return std::stof(copy);
  if (type == "type") return dtype_from_name(text);
  if (type == "shape") return text == "unknown" ? Shape::unknown_rank() : Shape();
  if (type == "string") return copy.substr(1, copy.size() - 2);
  if (type == "list(int)") {
    std::vector<int64_t> values;
    for_parts(text.substr(1, text.size() - 2), ',',
              [&](std::string_view v) { values.push_back(std::stoll(std::string(v))); });
    return values;
  }
  if (type == "list(type)") return std::vector<DType>{};
  if (type == "list(shape)") return std::vector<Shape>{};
  if (type == "list(string)") return std::vector<std::string>{};
  if (type == "list(float)") return std::vector<float>{};
  FL_CHECK(!"a default of this type cannot be written in a row");
  return {};
}

// Whether the ops of a family only pass existing values on.
bool moves_values(OpFamily family) {
  switch (family) {
    case OpFamily::kMove:
    case OpFamily::kConstant:
    case OpFamily::kVariable:
    case OpFamily::kControl:
    case OpFamily::kIo: return true;
    default: return false;
  }
}

class Registry {
 public:
  Registry() {
    for (const RowFamily* family = RowFamily::first; family; family = family->next)
      for (const RowDef& def : family->rows()) add(def);
  }
  std::span<const OpRow* const> all() const { return pointers_; }
  const OpRow* find(std::string_view name) const {
    auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : it->second;
  }

 private:
  const char* keep(std::string_view text) { return texts_.emplace_back(text).c_str(); }

  void add(const RowDef& def) {
    auto& attrs = attrs_.emplace_back();
    for_parts(def.attrs, ';', [&](std::string_view part) {
      const size_t colon = part.find(':');
      const size_t equals = part.find('=');
      FL_CHECK(colon != std::string_view::npos);
      AttrSpec spec{keep(trim(part.substr(0, colon))), "type"};
      spec.key = AttrName(spec.name);
      const std::string_view type = trim(part.substr(colon + 1, equals == part.npos ? part.npos : equals - colon - 1));
      if (is_attr_type(type)) spec.type = keep(type);
      else spec.allowed = type_set(type);
      if (equals != part.npos) {
        spec.has_default = true;
        spec.otherwise = parse_default(spec.type, trim(part.substr(equals + 1)));
      }
      attrs.push_back(spec);
    });
    const std::string_view signature = def.signature;
    const size_t arrow = signature.find("->");
    FL_CHECK(arrow != signature.npos);
    auto& inputs = args_.emplace_back();
    auto& outputs = args_.emplace_back();
    for_parts(signature.substr(0, arrow), ',', [&](std::string_view part) {
      const size_t colon = part.find(':');
      FL_CHECK(colon != part.npos);
      inputs.push_back(parse_arg(trim(part.substr(0, colon)), trim(part.substr(colon + 1)), attrs, true));
    });
    for_parts(signature.substr(arrow + 2), ',', [&](std::string_view part) {
      const size_t colon = part.find(':');
      const std::string_view name = colon == part.npos ? "output" : trim(part.substr(0, colon));
      outputs.push_back(parse_arg(name, trim(colon == part.npos ? part : part.substr(colon + 1)), attrs, false));
    });
    OpRow& row = rows_.emplace_back();
    row.name = def.name;
    row.inputs = inputs;
    row.attrs = attrs;
    row.output_specs = outputs;
    row.outputs = static_cast<uint8_t>(outputs.size());
    for (const ArgSpec& out : outputs)
      if (out.list) row.outputs = kVariableOutputs;
    row.infer = def.infer;
    row.gradient = def.gradient;
    row.family = def.family;
    row.effect = def.properties.effect;
    row.doc = def.doc;
    row.fast = def.properties.fast;
    row.dispatch = inputs.empty() ? int8_t{-1} : def.properties.dispatch;
    row.host_inputs = def.properties.host_inputs;
    row.zero_gradient = def.properties.zero_gradient;
    // Strings are only ever on the host.
    const auto is_text = [](const ArgSpec& arg) { return arg.dtype == DType::kString; };
    row.host_only =
        def.properties.host_only || std::ranges::any_of(inputs, is_text) || std::ranges::any_of(outputs, is_text);
    row.takes_slices = def.properties.takes_slices;
    row.copies_elements = def.properties.copies_elements || moves_values(def.family);
    const bool in_place = row.fast == FastPath::kUnary || row.fast == FastPath::kBinary;
    row.alias = def.properties.alias == Alias::kNone && in_place ? Alias::kInPlace : def.properties.alias;
    row.alias_input = def.properties.alias_input;
    row.execution = def.properties.execution;
    row.flops = def.properties.flops ? def.properties.flops : flops::of_family(def.family);
    row.id = OpId(static_cast<uint16_t>(pointers_.size()));
    pointers_.push_back(&row);
    FL_CHECK(by_name_.emplace(row.name, &row).second);
  }

  ArgSpec parse_arg(std::string_view names, std::string_view type, std::vector<AttrSpec>& attrs, bool input) {
    const size_t slash = names.find('/');
    ArgSpec spec{keep(names.substr(0, slash))};
    spec.node_name = slash == names.npos ? spec.name : keep(names.substr(slash + 1));
    auto attr_index = [&](std::string_view attr) -> int8_t {
      for (size_t i = 0; i < attrs.size(); ++i)
        if (attr == attrs[i].name) return static_cast<int8_t>(i);
      return -1;
    };
    if (const size_t star = type.find('*'); star != type.npos) {
      spec.list = true;
      spec.count_attr = attr_index(type.substr(0, star));
      FL_CHECK(spec.count_attr >= 0);
      if (input) attrs[static_cast<size_t>(spec.count_attr)].hidden = true;
      type.remove_prefix(star + 1);
    } else if (type.ends_with("[]")) {
      spec.list = true;
      type.remove_suffix(2);
    }
    spec.dtype = dtype_from_name(type);
    if (spec.dtype == DType::kInvalid) {
      spec.type_attr = attr_index(type);
      FL_CHECK(spec.type_attr >= 0);
      if (input) attrs[static_cast<size_t>(spec.type_attr)].hidden = true;
    }
    return spec;
  }

  std::deque<OpRow> rows_;
  std::deque<std::vector<AttrSpec>> attrs_;
  std::deque<std::vector<ArgSpec>> args_;
  std::deque<std::string> texts_;
  std::vector<const OpRow*> pointers_;
  std::unordered_map<std::string_view, const OpRow*> by_name_;
};

const Registry& registry() {
  static const Registry* const it = new Registry;
  return *it;
}

}  // namespace

std::span<const OpRow* const> all_rows() { return registry().all(); }
const OpRow& row_of(OpId id) { return *registry().all()[id.value]; }
const OpRow* find_row(std::string_view name) { return registry().find(name); }

Op::Op(std::string_view name) : row_(find_row(name)) {
  if (!row_)
    std::fprintf(stderr, "footlight: there is no op row \"%.*s\"\n", static_cast<int>(name.size()),
                 name.data());
  FL_CHECK(row_ != nullptr);
}

}  // namespace footlight
