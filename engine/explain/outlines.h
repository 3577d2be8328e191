// The outlines of a run's sources, and what these import.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/source/outline.h"

#include <functional>
#include <map>

namespace footlight::explain {

// Each is made once, and is valid as long as the evidence.
class Outlines {
 public:
  explicit Outlines(const Evidence& evidence) : evidence_(evidence) {}
  const source::Outline& of(session::FileId file);

 private:
  const Evidence& evidence_;
  std::map<session::FileId, source::Outline> outlines_;
};

// Calls `look` for each line of the function below its def, without comments, until it returns true.
void each_line_of(const Evidence& evidence, const FunctionRun& run,
                  const std::function<bool(const Line&, std::string_view)>& look);

// Whether a file imports the package: "import jax.numpy as jnp", "from jax import lax". With `by_name` only imports
// count after which the file can write the package's own name.
bool imports(const Evidence& evidence, session::FileId file, std::string_view package, bool by_name = false);

}  // namespace footlight::explain
