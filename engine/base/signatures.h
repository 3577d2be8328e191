// What ops ran on: every distinct op with its dtypes and shapes is described once and named by its id in op events.
// Who describes them is not known here (engine/ops/cost.h); the recorder reads them into the session.
#pragma once

#include "engine/base/recording.h"

#include <cstdint>
#include <string>

namespace footlight {

struct Signature {
  OpId op;
  std::string inputs, outputs;  // "float32[32,784], float32[784,128]"
  uint64_t input_bytes = 0, output_bytes = 0;
  uint64_t flops = 0;  // operations on numbers, by the op's rule; 0: it only moves or looks
};

// `hash` stands for all that the signature says: two of one hash are one. None: there are too many already.
SignatureId find_signature(uint64_t hash);
SignatureId add_signature(uint64_t hash, Signature signature);
bool room_for_signatures();  // never again once it is not there

// For the recorder: those from number `first` on, in the order in which they came; and how often one was refused.
void visit_signatures(uint32_t first, void (*visit)(void* context, SignatureId, const Signature&), void* context);
uint64_t signatures_refused();

// Around a fork: nobody else holds the lock while it happens.
void signatures_before_fork();
void signatures_after_fork();

}  // namespace footlight
