// A run of one function whose trace serves later calls, for tests of the causes that explain observations.
#pragma once

#include "tests/explain/sample_run.h"
#include "tests/keys/specs.h"

namespace footlight::explain {

// `calls` calls of step(x), of which the first traces.
inline SampleRun run_of(size_t calls, uint32_t function = 1) {
  SampleRun run({"x"}, function);
  for (size_t i = 0; i < calls; ++i)
    run.call(call_key([](keys::KeyWriter& w) { w.tensor(keys::key_spec(keys::DType::kFloat32, {4})); }), scaled("1"));
  return run;
}

inline session::ObservationRecord observed(const SampleRun& run, session::ObservationKind kind, std::string path,
                                           int line) {
  session::ObservationRecord o;
  o.kind = kind;
  o.function = run.functions[0].id;
  o.trace = run.traces[0].id;
  o.path = std::move(path);
  o.file = session::FileId(1);
  o.line = line;
  return o;
}

}  // namespace footlight::explain
