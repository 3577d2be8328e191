// Reads the figures of the nodes in the order of the call's steps.
#include "engine/explain/values.h"

#include "engine/base/text.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <charconv>
#include <cmath>
#include <cstring>

namespace footlight::explain {

using session::CallValues;
using session::NodeRecord;
using session::TensorValue;

namespace {
// A recording from elsewhere may hold any numbers.
int64_t sum_of(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
}  // namespace

int64_t infinities(const TensorValue& value) { return sum_of(value.positive_infinity, value.negative_infinity); }
int64_t not_finite(const TensorValue& value) { return sum_of(value.nan, infinities(value)); }

namespace {

// The kept numbers have two for each complex element.
double kept_number(const TensorValue& value, int64_t index) {
  const char* const at = value.data.bytes.data() + index * value.width;
  if (value.width == 4) {
    float narrow;
    std::memcpy(&narrow, at, 4);
    return static_cast<double>(narrow);
  }
  double wide;
  std::memcpy(&wide, at, 8);
  return wide;
}

}  // namespace

bool is_complex(const TensorValue& value) { return value.dtype.starts_with("complex"); }

int64_t kept_elements(const TensorValue& value) {
  if (value.width != 4 && value.width != 8) return 0;
  const size_t bytes_of_one = value.width * (is_complex(value) ? 2 : 1);
  return std::min(value.elements, static_cast<int64_t>(value.data.bytes.size() / bytes_of_one));
}

double kept_element(const TensorValue& value, int64_t index) {
  if (index < 0 || index >= kept_elements(value)) return session::kNoNumber;
  if (!is_complex(value)) return kept_number(value, index);
  const double real = kept_number(value, 2 * index), imaginary = kept_number(value, 2 * index + 1);
  if (std::isnan(real) || std::isnan(imaginary)) return session::kNoNumber;
  return std::hypot(real, imaginary);
}

double kept_part(const TensorValue& value, int64_t index, ComplexPart part) {
  if (index < 0 || index >= kept_elements(value)) return session::kNoNumber;
  if (!is_complex(value)) return part == ComplexPart::kReal ? kept_number(value, index) : 0;
  return kept_number(value, 2 * index + (part == ComplexPart::kImaginary));
}

PartFigures figures_of(const TensorValue& value, ComplexPart part) {
  PartFigures made;
  int64_t finite = 0;
  double sum = 0;
  for (int64_t i = 0, count = kept_elements(value); i < count; ++i) {
    const double v = kept_part(value, i, part);
    made.nan += std::isnan(v);
    made.infinity += std::isinf(v);
    if (!std::isfinite(v)) continue;
    made.minimum = finite ? std::min(made.minimum, v) : v;
    made.maximum = finite ? std::max(made.maximum, v) : v;
    sum += v;
    ++finite;
  }
  if (finite) made.mean = sum / static_cast<double>(finite);
  return made;
}

std::vector<int64_t> sizes_of_value(const TensorValue& value) {
  std::vector<int64_t> sizes;
  const std::string& text = value.shape;
  for (size_t at = 0; at < text.size();) {
    int64_t size = 0;
    const auto read = std::from_chars(text.data() + at, text.data() + text.size(), size);
    if (read.ec != std::errc()) {
      ++at;
      continue;
    }
    sizes.push_back(size);
    at = static_cast<size_t>(read.ptr - text.data());
  }
  // A recording from elsewhere may hold any text.
  constexpr size_t kMaxDimensions = 16;
  if (sizes.size() > kMaxDimensions) return {};
  int64_t all = 1;
  for (const int64_t size : sizes)
    if (size < 0 || __builtin_mul_overflow(all, size, &all)) return {};
  return all == value.elements ? sizes : std::vector<int64_t>();
}

std::string place_text(std::span<const int64_t> sizes, int64_t index) {
  if (sizes.empty()) return "the value";
  std::string text;
  for (size_t d = sizes.size(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(1, sizes[d]);
    text = std::to_string(index % size) + (text.empty() ? "" : ", ") + text;
    index /= size;
  }
  return "[" + text + "]";
}

std::string non_finite_text(const TensorValue& value) {
  std::vector<std::string> parts;
  const auto add = [&](int64_t count, const char* what) {
    if (count) parts.push_back(with_commas(static_cast<uint64_t>(count)) + " " + what);
  };
  add(value.nan, "NaN");
  add(value.positive_infinity, "+Inf");
  add(value.negative_infinity, "-Inf");
  return joined(parts, ", ");
}

std::string value_name(const FindNode& nodes, const TensorValue& value) {
  const NodeRecord* const node = nodes(value.graph, value.node);
  const std::string name = node ? node->name : str("node ", value.node.value);
  return value.output ? str(name, ":", value.output) : name;
}

// Whether an element of the result depends on more than the inputs at its place.
static bool mixes_elements(std::string_view op) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"Softmax", "Cumsum", "Cumprod", "Cumulative", "Norm", "Matrix", "FFT"},
      [&](std::string_view part) { return op.find(part) != op.npos; });
}

std::string why_not_finite(const FindNode& nodes, const TensorValue& value) {
  const NodeRecord* const node = nodes(value.graph, value.node);
  const char* const what = value.nan ? "NaN" : "an infinity";
  if (!node) return str("it gave ", what);
  if (node->op == "Placeholder") return str("the argument held ", what, " when it was passed");
  if (node->op == "Const") return str("it is a constant that holds ", what);
  if (node->op == "ReadVariableOp") return str("the variable held ", what, " when it was read");
  const auto wanted = std::ranges::find_if(
      value.places, [&](const session::ValuePlace& p) { return (p.value == "NaN") == (value.nan > 0); });
  if (wanted != value.places.end() && !wanted->inputs.empty() && !mixes_elements(node->op))
    return str(node->op, "(", wanted->inputs, ") is ", wanted->value);
  if (value.input_nan) return str(node->op, " read NaN");
  if (value.input_infinity) return str(node->op, " read an infinity and gave ", what);
  return value.nan ? str(node->op, " made NaN of finite inputs")
                   : str(node->op, " of finite inputs is too large, or a division by 0");
}

// A softmax subtracts the greatest number of each row: without NaN, -Inf alone spoils a row only if there is no other.
std::string why_not_finite(const FindNode& nodes, const TensorValue& value, std::span<const TensorValue> all) {
  const NodeRecord* const node = nodes(value.graph, value.node);
  const bool is_softmax = node && (node->op == "Softmax" || node->op == "LogSoftmax");
  if (is_softmax && value.nan && !value.input_nan && !node->inputs.empty()) {
    const auto& edge = node->inputs[0];
    const auto read = std::ranges::find_if(all, [&](const TensorValue& v) {
      return v.graph == value.graph && v.node.value == edge.from && v.output == edge.output;
    });
    if (read != all.end() && read->runs == 1 && value.runs == 1 && !read->nan) {
      if (read->negative_infinity && !read->positive_infinity)
        return str(node->op, " of a row that is all -Inf is NaN");
      if (read->positive_infinity && !read->negative_infinity) return str(node->op, " of a row with +Inf is NaN");
    }
  }
  return why_not_finite(nodes, value);
}

const TensorValue* to_blame(const FindNode& nodes, const NumericsStory& story) {
  const TensorValue* const cause = story.cause();
  const NodeRecord* const node = cause ? nodes(cause->graph, cause->node) : nullptr;
  return node && node->op == "Const" && story.first_nan ? story.first_nan : cause;
}

const TensorValue* NumericsStory::cause() const {
  if (!first_nan) return first_infinity;
  return first_nan->input_infinity && !first_nan->input_nan && infinity_origin ? infinity_origin : first_nan;
}

NumericsStory story_of(const CallValues& call) {
  NumericsStory story;
  story.call = &call;
  for (const TensorValue& value : call.values) {
    story.with_nan += value.first_nan > 0;
    story.with_infinity += value.first_infinity > 0;
    if (value.first_nan && (!story.first_nan || value.first_nan < story.first_nan->first_nan)) story.first_nan = &value;
    if (value.first_infinity &&
        (!story.first_infinity || value.first_infinity < story.first_infinity->first_infinity))
      story.first_infinity = &value;
  }
  size_t origins = 0;  // infinities made of finite inputs
  for (const TensorValue& value : call.values) {
    if (!story.first_nan || !value.first_infinity || value.input_infinity) continue;
    if (value.first_infinity >= story.first_nan->first_nan) continue;
    story.infinity_origin = ++origins == 1 ? &value : nullptr;
  }
  const auto step = story.first_nan ? &TensorValue::first_nan : &TensorValue::first_infinity;
  for (const TensorValue& value : call.values)
    if (value.*step) story.spread.push_back(&value);
  std::ranges::stable_sort(story.spread, {}, step);
  return story;
}

namespace {

// Walks from the node that made the first NaN to the infinities that it was made of.
class InfinityOrigin {
 public:
  InfinityOrigin(const CallValues& call, const FindNode& nodes, const TensorValue& nan) : nodes_(nodes), nan_(nan) {
    for (const TensorValue& value : call.values)
      if (value.graph == nan.graph) values_[{value.node.value, value.output}] = &value;
  }

  const TensorValue* find() {
    std::set<const TensorValue*> seen, origins;
    for (std::vector<const TensorValue*> open{&nan_}; !open.empty();) {
      const TensorValue& value = *open.back();
      open.pop_back();
      const NodeRecord* const node = nodes_(value.graph, value.node);
      if (!node) continue;
      for (const session::EdgeRecord& edge : node->inputs) {
        const auto at = values_.find({edge.from, edge.output});
        if (at == values_.end()) continue;
        const TensorValue& input = *at->second;
        if (!input.first_infinity || input.first_infinity >= nan_.first_nan || !seen.insert(&input).second) continue;
        if (input.input_infinity) open.push_back(&input);
        else origins.insert(&input);
      }
    }
    return origins.size() == 1 ? *origins.begin() : nullptr;
  }

 private:
  const FindNode& nodes_;
  const TensorValue& nan_;
  std::map<std::pair<uint32_t, uint32_t>, const TensorValue*> values_;  // by node and output
};

}  // namespace

NumericsStory story_of(const CallValues& call, const FindNode& nodes) {
  NumericsStory story = story_of(call);
  if (story.first_nan && story.first_nan->input_infinity && !story.infinity_origin)
    story.infinity_origin = InfinityOrigin(call, nodes, *story.first_nan).find();
  return story;
}

std::string story_text(const FindNode& nodes, const NumericsStory& story) {
  const auto of = [](int64_t count, int64_t all) {
    return all == 1 ? std::string()
                    : str(", in ", with_commas(static_cast<uint64_t>(count)), " of ",
                          with_commas(static_cast<uint64_t>(all)), " elements");
  };
  if (!story.call->error.empty() && story.call->values.empty()) return "No values: " + story.call->error + ".";
  if (!story.first_nan && !story.first_infinity)
    return str("All ", with_commas(story.call->values.size()), " values of the call are finite.");
  if (!story.first_nan) {
    const TensorValue& first = *story.first_infinity;
    return str("The first infinity comes from ", value_name(nodes, first), ": ", why_not_finite(nodes, first),
               of(infinities(first), first.elements), ". No value is NaN.");
  }
  const TensorValue& nan = *story.first_nan;
  std::string text = str("The first NaN comes from ", value_name(nodes, nan), ": ",
                         why_not_finite(nodes, nan, story.call->values), of(nan.nan, nan.elements), ".");
  if (const TensorValue* const cause = story.cause(); cause != &nan)
    text += str(" Before it, the first infinity comes from ", value_name(nodes, *cause), ": ",
                why_not_finite(nodes, *cause), of(infinities(*cause), cause->elements), ".");
  return text;
}

namespace {

// How many calls of a function were searched, from its rows. A call that failed has no row.
class SearchedCount {
 public:
  void add(const session::CheckedCall& row) {
    if (row.call <= session::CheckedCall::kEachUpTo) ++rows_;
    else beyond_ = std::max(beyond_, row.call - session::CheckedCall::kEachUpTo);
  }
  uint64_t calls() const { return rows_ + beyond_; }

 private:
  uint64_t rows_ = 0, beyond_ = 0;
};

}  // namespace

uint64_t searched_calls(std::span<const session::CheckedCall> all) {
  std::map<FunctionId, SearchedCount> counts;
  for (const session::CheckedCall& row : all) counts[row.function].add(row);
  uint64_t calls = 0;
  for (const auto& [function, count] : counts) calls += count.calls();
  return calls;
}

CheckedCalls checked_calls(std::span<const session::CheckedCall> all, FunctionId function) {
  CheckedCalls checked;
  SearchedCount count;
  for (const session::CheckedCall& row : all) {
    if (row.function != function) continue;
    checked.rows.push_back(&row);
    count.add(row);
    if (row.nan && (!checked.first_nan || row.call < checked.first_nan)) checked.first_nan = row.call;
    if (row.infinity && (!checked.first_infinity || row.call < checked.first_infinity))
      checked.first_infinity = row.call;
  }
  checked.calls = count.calls();
  return checked;
}

std::string checked_text(const CheckedCalls& checked) {
  if (checked.rows.empty()) return {};
  std::string text = checked.calls == 1 ? std::string("The results and variables of 1 call were searched after it")
                                        : str("The results and variables of ", with_commas(checked.calls),
                                              " calls were searched after each call");
  if (!checked.first_nan && !checked.first_infinity) text += "; all were finite";
  return text + ". A NaN that reached neither is not seen.";
}

}  // namespace footlight::explain
