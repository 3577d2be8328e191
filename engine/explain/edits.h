// Fixes as edits of one line of the user's source.
#pragma once

#include "engine/explain/findings.h"

namespace footlight::explain {

// The line of the finding with the argument at its path written as `before` + argument + `after`. No edit if the line
// does not show the call, or shows it twice, or the argument is not one whole argument of it.
Finding::Edit wrap_argument(const Evidence& evidence, const FunctionRun& run, const Finding& finding,
                            std::string_view before, std::string_view after);
// The line of the decorator with these options in its parentheses; no edit if it has options already.
Finding::Edit add_options(const Evidence& evidence, const FunctionRun& run, std::string_view options);

}  // namespace footlight::explain
