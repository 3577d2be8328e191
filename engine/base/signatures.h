// What ops ran on: each distinct op with its dtypes and shapes is described once; op events refer to it by id.
// Who writes the descriptions is not known here (engine/ops/cost.h); the recorder copies them into the session.
#pragma once

#include "engine/base/recording.h"

#include <cstdint>
#include <string>

namespace footlight {

struct Signature {
  OpId op;
  std::string inputs, outputs;  // "float32[32,784], float32[784,128]"
  uint64_t input_bytes = 0, output_bytes = 0;
  uint64_t flops = 0;  // floating-point operations by the op's rule; 0: it only moves or reads data
};

// Signatures with one `hash` are the same. Returns none if there are too many already.
SignatureId find_signature(uint64_t hash);
SignatureId add_signature(uint64_t hash, Signature signature);
bool room_for_signatures();  // once false, always false

// For the recorder: the signatures from number `first` on, in order; and how often one was refused.
void visit_signatures(uint32_t first, void (*visit)(void* context, SignatureId, const Signature&), void* context);
uint64_t signatures_refused();

// Called around a fork, so that no other thread holds the lock then.
void signatures_before_fork();
void signatures_after_fork();

}  // namespace footlight
