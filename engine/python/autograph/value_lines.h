// Finds where the arguments of a running call were computed, from its file's source. Runs none of the user's code.
#pragma once

#include "engine/python/types/objects.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace footlight::python {

struct SourceLine {
  std::string file;
  int line = 0;
  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

// Parameters of the function that the innermost frame calls.
struct CalleeParameters {
  std::string name;
  bool method = false;             // a method of an instance, which counts as parameter 0
  size_t positional = 0;           // number of names that may be given by position
  std::vector<std::string> names;  // without `self`, *args and **kwargs
};

struct CallLines {
  SourceLine at;  // the call; line 0: it was not found in its source
  struct Argument {
    size_t parameter = 0;
    std::optional<uint32_t> item;  // item of a list or tuple that is written in the call
    std::vector<SourceLine> made;  // the most specific first, without the call's own line
    std::optional<SourceLine> passed;  // the call of the wrapper that passes it on with its *args or **kwargs
  };
  std::vector<Argument> arguments;
};

// Analyses the innermost call in the user's code. Throws PythonErrorSet.
CallLines ag_value_lines(const CalleeParameters& callee);

}  // namespace footlight::python
