// What an op ran on and what it cost: the signature of its event, and its number of operations by a rule per row.
#pragma once

#include "engine/base/signatures.h"
#include "engine/ops/row.h"
#include "engine/tensor/tensor.h"

#include <span>
#include <vector>

namespace footlight {

// A tensor's dtype and shape without the tensor.
struct TensorType {
  DType dtype = DType::kInvalid;
  Shape shape;
};

// How many operations on numbers the op does, as one counts them by hand: a product 2mnk, a convolution 2 for each
// element of the output and of the filter that meets it, a reduction one for each element, an elementwise op one, or
// about ten when it takes a series; four times that for complex numbers. Moving and looking cost nothing.
uint64_t flops_of(const OpRow&, std::span<const TensorType> inputs, std::span<const TensorType> outputs);

// The hash that a signature goes by; a handful of instructions for each dimension.
class SignatureHash {
 public:
  explicit SignatureHash(const OpRow& row) : h_(row.id.value + 1) {}
  void add(const Tensor& t) {
    if (!t) return mix(0x51);
    const Shape& shape = t.shape();
    mix(uint64_t(t.dtype()) << 32 | static_cast<uint32_t>(shape.rank()) << 8 | 0x55);
    for (const int64_t d : shape.dims()) mix(static_cast<uint64_t>(d));
  }
  void next() { mix(0x7f); }  // the outputs begin
  uint64_t value() const { return h_; }

 private:
  void mix(uint64_t v) {
    h_ = (h_ ^ v) * 0x9e3779b97f4a7c15u;
    h_ ^= h_ >> 29;
  }
  uint64_t h_;
};

SignatureId describe_signature(uint64_t hash, const OpRow&, std::span<const TensorType> inputs,
                               std::span<const Tensor> outputs);

// For a caller that still has the inputs when the op has run.
inline SignatureId signature_of(const OpRow& row, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  SignatureHash hash(row);
  for (const Tensor& t : inputs) hash.add(t);
  hash.next();
  for (const Tensor& t : outputs) hash.add(t);
  auto& known = thread_rings().known_signature(hash.value());
  if (known.hash == hash.value()) [[likely]] return known.id;
  std::vector<TensorType> types;
  for (const Tensor& t : inputs) types.push_back(t ? TensorType{t.dtype(), t.shape()} : TensorType{});
  known = {hash.value(), describe_signature(hash.value(), row, types, outputs)};
  return known.id;
}

// For one whose inputs may be gone by then: an output can take over the memory of an input.
class SignatureProbe {
 public:
  SignatureProbe(const OpRow& row, std::span<const Tensor> inputs) : row_(row), hash_(row), count_(inputs.size()) {
    if (count_ > kFew) many_.resize(count_);
    TensorType* const types = count_ > kFew ? many_.data() : few_;
    for (size_t i = 0; i < count_; ++i) {
      hash_.add(inputs[i]);
      if (inputs[i]) types[i] = {inputs[i].dtype(), inputs[i].shape()};
    }
    hash_.next();
  }
  SignatureId finish(std::span<const Tensor> outputs) const {
    SignatureHash hash = hash_;
    for (const Tensor& t : outputs) hash.add(t);
    auto& known = thread_rings().known_signature(hash.value());
    if (known.hash != hash.value()) [[unlikely]]
      known = {hash.value(),
               describe_signature(hash.value(), row_, {count_ > kFew ? many_.data() : few_, count_}, outputs)};
    return known.id;
  }

 private:
  static constexpr size_t kFew = 4;
  const OpRow& row_;
  SignatureHash hash_;
  size_t count_;
  TensorType few_[kFew];
  std::vector<TensorType> many_;
};

}  // namespace footlight
