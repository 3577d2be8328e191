// Builds the findings of wrong results from what a recorder observed in a trace, with their names and related lines.
#pragma once

#include "engine/explain/findings.h"

#include <optional>
#include <string>
#include <string_view>

namespace footlight::explain {

// A finding that results are wrong, with what every such finding says.
Finding wrong_result(const Evidence& evidence, const session::ObservationRecord& observed, size_t hits);

// Notes as suppressed what was observed in a trace that was asked for (rule 4). The caller found no call of it.
void suppress(const Evidence& evidence, const session::ObservationRecord& observed, Findings& findings);

// `seen.add(name)` of an argument that is a Python value: the later calls of the trace have the same one, so the set is
// as it would be, unless something is taken out of it.
bool adds_the_same(const Evidence& evidence, const session::ObservationRecord& observed);

// Relates the observed lines with role `from` to the finding, as `role`.
void relate(Finding& finding, const session::ObservationRecord& observed, std::string_view from, const char* role);

// The number of "2.0", "5", "True"; nothing for other values.
std::optional<double> number_of(std::string_view text);
// Whether a recorded value is a scalar, which a tf.Variable can keep.
bool is_scalar(const std::string& value);

// "track": the name of a function without those around it.
std::string short_name(const Evidence& evidence, FunctionId function);
// The same of several, sorted, each once.
std::vector<std::string> short_names(const Evidence& evidence, const std::vector<FunctionId>& functions);
// Whether a library made the function that it traces around the program's own: train_step of a Keras model.
bool is_step_of_library(const Evidence& evidence, FunctionId function);
// Whether a dataset runs it for its elements.
bool is_of_dataset(const Evidence& evidence, FunctionId function);
// The function's name; in a step of a library, the name of the program's function whose source holds the line.
std::string name_at(const Evidence& evidence, FunctionId function, const Line& line);

}  // namespace footlight::explain
