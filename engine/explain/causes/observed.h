// What the causes have in common that explain an observation of a trace.
#pragma once

#include "engine/explain/findings.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace footlight::explain {

// Counts the later calls of the program that ran the graphs of some traces, alone or as a part of other graphs. Calls
// that made the traces do not count.
class LaterCalls {
 public:
  explicit LaterCalls(const Evidence& evidence) : evidence_(evidence), served_(evidence.served_calls()) {}
  size_t count(const std::set<TraceId>& traces) const;
  // The time from a moment on, and up to another, in which calls that ran the trace's graph count.
  struct Span {
    TraceId trace;
    int64_t since = 0, until = INT64_MAX;
  };
  size_t count(const std::vector<Span>& spans) const;  // a call in several spans counts once
  std::vector<FunctionId> functions(const std::set<TraceId>& traces) const;  // that the program called

 private:
  // The traces that run graphs of `traces`, each with the time when the first of those graphs was complete.
  std::map<TraceId, int64_t> run_by(const std::set<TraceId>& traces) const;
  size_t count_of(TraceId served_by, int64_t since, int64_t until) const;

  const Evidence& evidence_;
  const ServedCalls& served_;
};

// A finding that results are wrong, with what every such finding says.
Finding wrong_result(const Evidence& evidence, const session::ObservationRecord& observed, size_t hits);

// Nothing is to be found if no call hit the trace; says so if a trace was asked for (rule 4).
void suppress(const Evidence& evidence, const session::ObservationRecord& observed, Findings& findings);

// Relates the lines with role `from` as `role`.
void relate(Finding& finding, const session::ObservationRecord& observed, std::string_view from, const char* role);

// The number of "2.0", "5", "True"; nothing for other values.
std::optional<double> number_of(std::string_view text);
// Whether a recorded value is a scalar, which a tf.Variable can keep.
bool is_scalar(const std::string& value);

// "12 later calls", "1 later call"
std::string later_calls(size_t count);

// "track": the name of a function without those around it.
std::string short_name(const Evidence& evidence, FunctionId function);
// Whether a library made the function that it traces around the program's own: train_step of a Keras model.
bool is_step_of_library(const Evidence& evidence, FunctionId function);
// The name of the function; of a library's step the name of the program's function around the line.
std::string name_at(const Evidence& evidence, FunctionId function, const Line& line);

}  // namespace footlight::explain
