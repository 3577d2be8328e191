// Describes signatures: dtypes, shapes, bytes and operations.
#include "engine/ops/cost.h"

#include <vector>

namespace footlight {
namespace {

using Types = std::span<const TensorType>;

uint64_t bytes_of(Types types) {
  double bytes = 0;
  for (const TensorType& t : types)
    if (t.dtype != DType::kInvalid) bytes += flops::elements(t) * static_cast<double>(size_of(t.dtype));
  return static_cast<uint64_t>(bytes);
}

std::string text_of(Types types) {
  std::string out;
  for (const TensorType& t : types) {
    if (!out.empty()) out += ", ";
    if (t.dtype == DType::kInvalid) {
      out += "nothing";
      continue;
    }
    out += name_of(t.dtype);
    out += t.shape.brackets();
  }
  return out;
}

}  // namespace

SignatureId describe_signature(uint64_t hash, const OpRow& row, std::span<const Tensor> given,
                               std::span<const Tensor> made) {
  if (const SignatureId id = find_signature(hash); id.valid()) return id;
  if (!room_for_signatures()) return add_signature(hash, {});  // refused and counted, without a description
  const auto type_of = [](const Tensor& t) { return t ? TensorType{t.dtype(), t.shape()} : TensorType{}; };
  std::vector<TensorType> inputs, outputs;
  for (const Tensor& t : made) outputs.push_back(type_of(t));
  for (const Tensor& t : given) inputs.push_back(t || made.empty() ? type_of(t) : type_of(made[0]));
  Signature s;
  s.op = row.id;
  s.inputs = text_of(inputs);
  s.outputs = text_of(outputs);
  s.input_bytes = bytes_of(inputs);
  s.output_bytes = bytes_of(outputs);
  s.flops = flops_of(row, inputs, outputs);
  return add_signature(hash, std::move(s));
}

}  // namespace footlight
