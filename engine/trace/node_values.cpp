// Keeps statistics of one run of each node: of the first with a NaN, else with an infinity, else of the last.
#include "engine/trace/node_values.h"

#include "engine/base/number_text.h"
#include "engine/optimize/program_rewrite.h"
#include "engine/tensor/gpu.h"
#include "engine/tensor/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace footlight::trace {
namespace {

using session::TensorValue;

constexpr int64_t kMaxBytesOfValue = int64_t{4} << 20;
constexpr int64_t kBytesOfPart = int64_t{256} << 10;      // bytes kept of a larger value
constexpr int64_t kMaxFiniteBytes = int64_t{12} << 20;    // for all values together
constexpr int64_t kMaxOtherBytes = int64_t{12} << 20;     // for values with NaN or infinity
constexpr size_t kMaxPlaces = 100;
constexpr size_t kMaxInputsShown = 4;

bool is_float(DType t) { return is_floating(t) || t == DType::kComplex64 || t == DType::kComplex128; }

// Whether float32 holds all numbers of this dtype exactly.
bool fits_float32(DType t) {
  switch (t) {
    case DType::kFloat32:
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kBool:
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kInt16:
    case DType::kUInt16: return true;
    default: return false;
  }
}

// Elements of the inputs at a position of the result, for inputs of its shape and for scalars.
std::string inputs_at(std::span<const Tensor> inputs, const Tensor& result, int64_t index) {
  std::string text;
  if (inputs.size() > kMaxInputsShown) return text;
  for (const Tensor& input : inputs) {
    if (!input || !is_plain(input.dtype())) return {};
    const bool same = input.shape() == result.shape();
    if (!same && input.elements() != 1) return {};
    const Tensor here = gpu::on_host(input);
    text += (text.empty() ? "" : ", ") + number_text(element_of(here, same ? index : 0));
  }
  return text;
}

void find_places(const Tensor& value, std::span<const Tensor> inputs, TensorValue& record) {
  for (int64_t i = 0, n = value.elements(); i < n && record.places.size() < kMaxPlaces; ++i) {
    const double v = element_of(value, i);
    if (std::isfinite(v)) continue;
    record.places.push_back({i, number_text(v), inputs_at(inputs, value, i)});
  }
}

}  // namespace

compile::ProgramPtr program_as_traced(const Graph& graph) {
  optimize::ProgramRewrite rewrites(graph);
  return compile::compile(rewrites);
}

bool takes_elements(const OpRow& row) {
  const std::string_view op = row.name;
  return op.starts_with("IteratorGetNext") || op.find("Dequeue") != op.npos || op.starts_with("ReaderRead");
}

void ElementWatch::on_result(const compile::Program& program, const compile::Instruction& in, std::span<const Tensor>,
                             std::span<const Tensor> outputs) {
  if (is_cut || !takes_elements(*program.node(in).op)) return;
  for (const Tensor& output : outputs) bytes_ += output && is_plain(output.dtype()) ? output.bytes() : 64;
  is_cut = bytes_ > kMaxBytes || taken.size() >= kMaxElements;
  if (is_cut) taken = {};
  else taken.emplace_back(outputs.begin(), outputs.end());
}

bool ElementReplay::supply(const compile::Program& program, const compile::Instruction& in,
                           std::span<Tensor> outputs) {
  if (next_ >= taken_.size() || !takes_elements(*program.node(in).op)) return false;
  const std::vector<Tensor>& given = taken_[next_++];
  if (given.size() != outputs.size()) return false;
  std::ranges::copy(given, outputs.begin());
  return true;
}

void NodeValues::keep_elements(const Tensor& value, TensorValue& record) {
  const bool is_complex = value.dtype() == DType::kComplex64 || value.dtype() == DType::kComplex128;
  record.width = fits_float32(value.dtype()) || value.dtype() == DType::kComplex64 ? 4 : 8;
  const bool finite = record.nan + record.positive_infinity + record.negative_infinity == 0;
  int64_t& used = finite ? finite_bytes_ : other_bytes_;
  const int64_t left = (finite ? kMaxFiniteBytes : kMaxOtherBytes) / calls_ - used;
  int64_t bytes = value.elements() * record.width * (is_complex ? 2 : 1);  // real and imaginary part
  if (bytes > kMaxBytesOfValue || bytes > left) bytes = std::min(kBytesOfPart, bytes);
  if (bytes > left) bytes = 0;
  if (bytes == 0) record.width = 0;
  if (record.width == 0) return;
  used += bytes;
  record.data.bytes.resize(static_cast<size_t>(bytes));
  char* to = record.data.bytes.data();
  const int64_t count = bytes / record.width;
  if (is_complex || value.dtype() == DType::kFloat32 || value.dtype() == DType::kFloat64) {
    std::memcpy(to, value.raw(), static_cast<size_t>(bytes));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const double v = element_of(value, i);
    const auto narrow = static_cast<float>(v);
    if (record.width == 4) std::memcpy(to + i * 4, &narrow, 4);
    else std::memcpy(to + i * 8, &v, 8);
  }
}

void NodeValues::see(const Graph& graph, NodeId node, std::span<const Tensor> inputs,
                     std::span<const Tensor> outputs) {
  ++step_;
  if (!graph.id.valid()) return;  // the recording does not know the graph
  bool input_nan = false, input_infinity = false, looked = false;
  for (uint32_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k]) continue;
    const auto [at, fresh] = values_.try_emplace({graph.id.value, node.value, k});
    TensorValue& record = at->second;
    if (fresh) {
      record.graph = graph.id;
      record.node = node;
      record.output = k;
      record.order = step_;
    }
    ++record.runs;
    const bool plain = is_plain(outputs[k].dtype());
    const Tensor value = plain ? gpu::on_host(outputs[k]) : outputs[k];
    const NonFinite found = plain ? non_finite_in(value) : NonFinite();
    const bool first_nan = found.nan && !record.first_nan, first_infinity = found.infinity && !record.first_infinity;
    if (first_nan) record.first_nan = step_;
    if (first_infinity) record.first_infinity = step_;
    // The figures of the first NaN stay; until there is one, those of the first infinity.
    if (!fresh && !first_nan && (record.nan || (!first_infinity && record.first_infinity))) continue;
    if (!looked && (found.nan || found.infinity)) {
      looked = true;
      for (const Tensor& input : inputs) {
        if (!input || !is_float(input.dtype())) continue;
        const NonFinite before = non_finite_in(gpu::on_host(input));
        input_nan |= before.nan > 0;
        input_infinity |= before.infinity > 0;
      }
    }
    auto& used = record.nan + record.positive_infinity + record.negative_infinity ? other_bytes_ : finite_bytes_;
    used -= static_cast<int64_t>(record.data.bytes.size());
    record.data.bytes.clear();
    record.width = 0;
    record.places.clear();
    record.at = step_;
    record.run = record.runs;
    record.input_nan = input_nan;
    record.input_infinity = input_infinity;
    record.dtype = name_of(value.dtype());
    record.shape = value.shape().to_string();
    record.elements = value.elements();
    if (!plain) continue;
    Statistics s = statistics_of(value);
    record.nan = s.nan;
    record.positive_infinity = s.positive_infinity;
    record.negative_infinity = s.negative_infinity;
    record.zeros = s.zeros;
    record.minimum = s.minimum;
    record.maximum = s.maximum;
    record.mean = s.mean;
    record.deviation = s.deviation;
    record.bins = std::move(s.bins);
    if (found.nan || found.infinity) find_places(value, inputs, record);
    keep_elements(value, record);
  }
}

void NodeValues::on_entry(const compile::Program& program, std::span<const Tensor> inputs) {
  const Graph& graph = *program.graph;
  if (known_.insert(&graph).second) {
    for (uint32_t i = 0; i < graph.size(); ++i) {
      const Node& node = graph.node(NodeId(i));
      if (node.op->execution != Execution::kConstant) continue;
      const AttrValue* const value = node.attrs.find("value"_attr);
      if (const Tensor* const t = value ? std::get_if<Tensor>(value) : nullptr) see(graph, NodeId(i), {}, {t, 1});
    }
  }
  for (size_t i = 0; i < inputs.size() && i < graph.inputs.size(); ++i)
    see(graph, graph.inputs[i], {}, {&inputs[i], 1});
}

void NodeValues::on_result(const compile::Program& program, const compile::Instruction& in,
                           std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  const optimize::Origin origin = program.origin(in);
  if (program.has_origin(in) && origin.graph) see(*origin.graph, origin.node, inputs, outputs);
}

std::vector<TensorValue> NodeValues::take() {
  std::vector<TensorValue> all;
  for (auto& [key, value] : values_) all.push_back(std::move(value));
  values_.clear();
  std::ranges::stable_sort(all, {}, &TensorValue::order);
  return all;
}

}  // namespace footlight::trace
