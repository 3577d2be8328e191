// The signature of an op's event: what the op ran on.
#pragma once

#include "engine/base/signatures.h"
#include "engine/ops/flops.h"
#include "engine/tensor/tensor.h"

#include <span>

namespace footlight {

// The hash that identifies a signature. It is computed for each op that is recorded, so it takes a few instructions per
// dimension.
class SignatureHash {
 public:
  explicit SignatureHash(const OpRow& row) : h_(row.id.value + 1) {}
  void add(const Tensor& t) {
    if (!t) return mix(0x51);
    const Shape& shape = t.shape();
    mix(uint64_t(t.dtype()) << 32 | static_cast<uint32_t>(shape.rank()) << 8 | 0x55);
    for (const int64_t d : shape.dims()) mix(static_cast<uint64_t>(d));
  }
  void next() { mix(0x7f); }  // separates the outputs
  uint64_t value() const { return h_; }

 private:
  void mix(uint64_t v) {
    h_ = (h_ ^ v) * 0x9e3779b97f4a7c15u;
    h_ ^= h_ >> 29;
  }
  uint64_t h_;
};

SignatureId describe_signature(uint64_t hash, const OpRow&, std::span<const Tensor> inputs,
                               std::span<const Tensor> outputs);

// Begins the hash with the inputs, before the op runs.
inline SignatureHash input_hash(const OpRow& row, std::span<const Tensor> inputs) {
  SignatureHash hash(row);
  for (const Tensor& t : inputs) hash.add(t);
  hash.next();
  return hash;
}

// Completes the hash with the outputs, after the op ran. The signature of a new hash is described then. An input may be
// gone by that time, but only if its memory became the first output's, which has the same type and shape.
inline SignatureId signature_of(const OpRow& row, SignatureHash hash, std::span<const Tensor> inputs,
                                std::span<const Tensor> outputs) {
  for (const Tensor& t : outputs) hash.add(t);
  auto& known = thread_rings().known_signature(hash.value());
  if (known.hash != hash.value()) [[unlikely]]
    known = {hash.value(), describe_signature(hash.value(), row, inputs, outputs)};
  return known.id;
}

inline SignatureId signature_of(const OpRow& row, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  return signature_of(row, input_hash(row, inputs), inputs, outputs);
}

}  // namespace footlight
