// The ops, and the signatures they ran on, to which numbers in op events refer.
#pragma once

#include "engine/session/records/ids.h"

namespace footlight::session {

struct OpNameRecord {
  OpNumber id;
  std::string name, family;

  static constexpr TableNote kTable{"op", "An op that events name."};
  static void describe(auto& f) {
    using R = OpNameRecord;
    f.id("id", &R::id, "the engine's number of it");
    f.column("name", &R::name, "MatMul");
    f.column("family", &R::family, "product");
  }
};

struct SignatureRecord {
  SignatureId id;
  OpNumber op;
  std::string inputs, outputs;
  uint64_t input_bytes = 0, output_bytes = 0;
  uint64_t flops = 0;

  static constexpr TableNote kTable{"op_signature",
                                    "An op with the types and shapes it ran on, each different one once.", 2};
  static void describe(auto& f) {
    using R = SignatureRecord;
    f.id("id", &R::id, "op events name it so");
    f.column("op", &R::op, "which op");
    f.column("inputs", &R::inputs, "float32[32,784], float32[784,128]");
    f.column("outputs", &R::outputs, "float32[32,128]");
    f.column("input_bytes", &R::input_bytes, "of all inputs", {.unit = "bytes"});
    f.column("output_bytes", &R::output_bytes, "of all outputs", {.unit = "bytes"});
    f.column("flops", &R::flops, "operations on numbers; 0: it only moves or looks");
  }
};

}  // namespace footlight::session
