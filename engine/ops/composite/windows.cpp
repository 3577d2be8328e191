// Strides, dilations, windows and paddings of convolution and pooling.
#include "engine/ops/composite/windows.h"

namespace footlight::composite {

std::vector<int64_t> per_dimension(const Arg& a, int spatial, bool channels_first, const char* what) {
  std::vector<int64_t> values{1};
  if (!a.none()) values = integers(a);
  for (int64_t v : values)
    if (v != static_cast<int32_t>(v)) invalid("Attr ", what, " has value ", v, " out of range for an int32");
  const auto n = static_cast<size_t>(spatial);
  if (values.size() == n + 2) return values;
  if (values.size() == 1) values.assign(n, values[0]);
  if (values.size() != n)
    fail(ErrorKind::kValue, what, " should be of length 1, ", n, " or ", n + 2, ", its length is ", values.size());
  values.insert(values.begin(), 1);
  values.insert(channels_first ? values.begin() : values.end(), 1);
  return values;
}

PaddingAttrs padding_of(const Arg& a, int rank) {
  if (const auto* name = std::get_if<std::string>(&a.value)) {
    if (*name == "EXPLICIT")
      fail(ErrorKind::kValue, "'EXPLICIT' cannot be passed as a padding: an explicit padding is a list of pairs");
    return {*name, {}};
  }
  const auto* list = std::get_if<ArgList>(&a.value);
  if (!list) fail(ErrorKind::kType, "padding is 'SAME', 'VALID' or a list with a pair of numbers for each dimension");
  PaddingAttrs out{"EXPLICIT", {}};
  for (const Arg& one : *list) {
    const auto* pair = std::get_if<ArgList>(&one.value);
    if (!pair || pair->size() != 2)
      fail(ErrorKind::kValue, "each element of a padding that is a list must be a pair of numbers");
    for (const Arg& number : *pair) {
      const auto* value = std::get_if<int64_t>(&number.value);
      if (!value) fail(ErrorKind::kType, "a padding must consist of integers");
      out.pairs.push_back(*value);
    }
  }
  if (list->size() != static_cast<size_t>(rank))
    fail(ErrorKind::kValue, "a padding that is a list must have ", rank, " pairs, one per dimension, got ",
         list->size());
  return out;
}

PaddingAttrs padding_without_pairs(const Arg& a, const char* function) {
  if (const auto* name = std::get_if<std::string>(&a.value)) return {*name, {}};
  fail(ErrorKind::kType, "the padding of ", function, " is 'SAME' or 'VALID'");
}

Attrs window_attrs(const std::vector<int64_t>& strides, const PaddingAttrs& padding, const std::string& format) {
  Attrs attrs{{"strides"_attr, strides}, {"padding"_attr, padding.padding}, {"data_format"_attr, format}};
  if (!padding.pairs.empty()) attrs.set("explicit_paddings"_attr, padding.pairs);
  return attrs;
}

bool starts_with_nc(const Arg& format) { return !format.none() && text(format).starts_with("NC"); }

bool channels_first(const Arg& format, const char* last, const char* first) {
  if (format.none()) return false;
  const std::string& given = text(format);
  if (given == last) return false;
  if (given == first) return true;
  fail(ErrorKind::kValue, "data_format must be '", last, "' or '", first, "', not '", given, "'");
}

Tensor over_flat_batch(const Tensor& x, int inner_rank, std::string_view name,
                       const std::function<Tensor(const Tensor&)>& body) {
  const Scope scope(name_or(name, "squeeze_batch_dims"));
  const auto part = [&](const Tensor& t, bool inner) {
    const Shape& s = t.shape();
    const int split = s.rank() - inner_rank;
    const auto dims =
        inner ? s.dims().last(static_cast<size_t>(inner_rank)) : s.dims().first(static_cast<size_t>(split));
    if (Shape(dims).fully_known()) return ops::ints(dims);
    return apply("StridedSlice"_op, {ops::shape(t), ops::ints({-inner_rank}), ops::ints({-inner_rank}), ops::ints({1})},
                 {{inner ? "end_mask"_attr : "begin_mask"_attr, int64_t{1}}});
  };
  const Tensor flat_shape[] = {ops::ints({-1}), part(x, true)};
  const Tensor out = body(ops::reshape(x, ops::concat(flat_shape, 0)));
  const Tensor whole[] = {part(x, false), part(out, true)};
  return ops::reshape(out, ops::concat(whole, 0));
}

}  // namespace footlight::composite
