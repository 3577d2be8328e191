// The table of public functions, collected from the families at first use; and helpers shared by families.
#include "engine/ops/composite/define.h"

#include "engine/ops/builder.h"
#include "engine/ops/composite/scalar.h"
#include "engine/ops/infer.h"

#include <algorithm>

namespace footlight {

std::span<const PublicFunction> public_functions() {
  static const std::vector<PublicFunction> all = [] {
    using namespace composite;
    std::vector<PublicFunction> out;
    for (const PublicFamily* family = PublicFamily::first; family; family = family->next) {
      for (const PublicDef& def : family->functions()) {
        PublicFunction function{{}, def.parameters, def.call, def.doc};
        for (std::string_view rest = def.names; !rest.empty();) {
          const size_t blank = rest.find(' ');
          function.names.push_back(rest.substr(0, blank));
          rest.remove_prefix(blank == rest.npos ? rest.size() : blank + 1);
        }
        out.push_back(std::move(function));
      }
    }
    return out;
  }();
  return all;
}

namespace composite {

constinit PublicFamily* PublicFamily::first = nullptr;

Arg apply_to(const OpRow& row, Args inputs, std::string_view name) {
  static const Attrs none;
  switch (inputs.size()) {
    case 1: return {apply(row, Borrowed(tensor(inputs[0])), none, name)};
    case 2: return {apply(row, Borrowed(tensor(inputs[0]), tensor(inputs[1])), none, name)};
    default: break;
  }
  std::vector<Tensor> all;
  for (const Arg& input : inputs) all.push_back(tensor(input));
  return {apply(row, all, none, name)};
}

std::vector<Tensor> tensors(const Arg& a) {
  const ArgList& list = std::get<ArgList>(a.value);
  std::vector<Tensor> out;
  out.reserve(list.size() + 1);  // many callers append an axis
  for (const Arg& item : list) out.push_back(tensor(item));
  return out;
}

ArgList list_of(const std::vector<Tensor>& values) {
  ArgList out;
  for (const Tensor& t : values) out.push_back({t});
  return out;
}

std::vector<int64_t> integers(const Arg& a) {
  std::vector<int64_t> out;
  for (const Arg& item : std::get<ArgList>(a.value)) out.push_back(integer(item));
  return out;
}

std::optional<int64_t> seed(const Arg& a) {
  if (a.none()) return std::nullopt;
  if (const auto* number = std::get_if<double>(&a.value)) return static_cast<int64_t>(*number);
  if (const auto* is = std::get_if<bool>(&a.value)) return *is;
  if (!std::holds_alternative<int64_t>(a.value)) fail(ErrorKind::kType, "a seed is a number known now");
  return integer(a);
}

const Tensor& tensor_or_none(const Arg& a) {
  static const Tensor none;
  return a.none() ? none : tensor(a);
}

DType dtype_or_none(const Arg& a) { return a.none() ? DType::kInvalid : dtype(a); }

void check_count(Args args, size_t parameters) { FL_CHECK(args.size() == parameters); }

Tensor shape_tensor(const Arg& a, DType dtype) {
  if (const Tensor* given = std::get_if<Tensor>(&a.value)) {
    if (!in_set(given->dtype(), kIntegerTypes))
      fail(ErrorKind::kType, "a shape must consist of integers, got values of dtype ", name_of(given->dtype()));
    if (in_set(given->dtype(), bit_of(DType::kInt32) | bit_of(DType::kInt64))) return *given;
    return ops::cast(*given, size_of(given->dtype()) < 4 ? DType::kInt32 : DType::kInt64);
  }
  const Shape& shape = std::get<Shape>(a.value);
  if (!shape.fully_known())
    fail(ErrorKind::kValue, "a shape must be fully known here, got ", shape.to_string());
  return ops::ints(shape.dims(), dtype);
}

namespace {

Tensor number_tensor(const Arg& a, DType dtype, std::string_view what) {
  if (const auto* t = std::get_if<Tensor>(&a.value)) return *t;
  if (const auto* text = std::get_if<std::string>(&a.value)) return Tensor::string(*text).as_constant();
  if (const auto* is = std::get_if<bool>(&a.value)) return Tensor::scalar(*is).as_constant();
  if (const auto* whole = std::get_if<int64_t>(&a.value))
    return dtype == DType::kInvalid || !is_plain(dtype) ? ops::integer(*whole) : ops::integer(*whole, dtype);
  if (const auto* real = std::get_if<double>(&a.value))
    return ops::number(*real, is_floating(dtype) ? dtype : DType::kFloat32);
  if (const auto* shape = std::get_if<Shape>(&a.value); shape && shape->fully_known()) return ops::ints(shape->dims());
  const auto* list = std::get_if<ArgList>(&a.value);
  if (!list) fail(ErrorKind::kType, what, " cannot become a tensor");
  if (list->empty()) return Tensor::empty(dtype == DType::kInvalid ? DType::kFloat32 : dtype, Shape{0}).as_constant();
  if (std::ranges::all_of(*list, [](const Arg& item) { return std::holds_alternative<int64_t>(item.value); }))
    return ops::ints(integers(a));
  for (const Arg& item : *list)
    if (const auto* t = std::get_if<Tensor>(&item.value)) dtype = t->dtype();
  std::vector<Tensor> parts;
  for (const Arg& item : *list) parts.push_back(number_tensor(item, dtype, what));
  return ops::pack(parts, 0);
}

}  // namespace

Tensor as_int32(const Tensor& t, std::string_view what) {
  const DType type = t.dtype();
  if (!is_integer(type) || size_of(type) < 4 || type == DType::kInt32) return ops::cast(t, DType::kInt32);
  if (const Tensor known = known_value(t)) {
    for (const int64_t n : infer::ints_of(known))
      if (n != static_cast<int32_t>(n)) invalid(what, " must fit 32 bits, got ", n);
    return ops::cast(t, DType::kInt32);
  }
  if (type == DType::kUInt64)
    return ops::cast(ops::minimum(t, ops::cast(ops::integer(INT32_MAX, DType::kInt64), type)), DType::kInt32);
  const Tensor least = ops::integer(INT32_MIN, DType::kInt64), most = ops::integer(INT32_MAX, DType::kInt64);
  return ops::cast(ops::maximum(ops::minimum(ops::cast(t, DType::kInt64), most), least), DType::kInt32);
}

void one_index_type(std::initializer_list<Tensor*> all) {
  const auto from_python = [](const Tensor& t) { return !t.is_symbolic() && t.body()->python_number; };
  DType type = DType::kInvalid;
  bool wide = false;
  for (const Tensor* t : all) {
    if (from_python(*t)) wide |= t->dtype() == DType::kInt64;
    else if (type == DType::kInvalid) type = t->dtype();
  }
  if (type == DType::kInvalid && wide) type = DType::kInt64;
  if (type != DType::kInt64 && type != DType::kInt32 && type != DType::kInt16) return;
  const int64_t most = type == DType::kInt64 ? INT64_MAX : type == DType::kInt32 ? INT32_MAX : INT16_MAX;
  for (Tensor* t : all) {
    if (!from_python(*t) || t->dtype() == type || !is_integer(t->dtype())) continue;
    const std::vector<int64_t> values = infer::ints_of(*t);
    if (std::ranges::all_of(values, [&](int64_t v) { return v >= -most - 1 && v <= most; }))
      *t = ops::hooks.eager_builder->emit_one("Cast"_op.row(), {t, 1}, {{"DstT"_attr, type}}, {}).as_constant();
  }
}

Tensor value_tensor(const Arg& a, std::string_view what, DType wanted) {
  const Tensor out = number_tensor(a, wanted, what);
  if (wanted != DType::kInvalid && out.dtype() != wanted)
    fail(ErrorKind::kType, what, " must be of dtype ", name_of(wanted), ", not ", name_of(out.dtype()));
  return out;
}

Tensor constant(const Tensor& value, std::string_view name) {
  if (!this_thread.builder) return value;
  return apply("Const"_op, {}, {{"value"_attr, value}, {"dtype"_attr, value.dtype()}}, name_or(name, "Const"));
}

}  // namespace composite
}  // namespace footlight
