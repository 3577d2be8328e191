// What help() says of a public function, from the table of public names.
#pragma once

#include "engine/python/calls/binder.h"

#include <string>
#include <vector>

namespace footlight::python {

// Its sentence, an example if it has one, and the type and default of each parameter.
std::string help_text(const PublicFunction&, const std::vector<Parameter>&);
// The default value of a parameter, as Python writes it.
std::string default_text(const Parameter&);

}  // namespace footlight::python
