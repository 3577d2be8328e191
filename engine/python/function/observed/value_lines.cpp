// Chooses the traces to examine, and records what autograph/value_lines.h finds.
#include "engine/python/function/observed/value_lines.h"

#include "engine/base/device_hooks.h"
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/python/autograph/value_lines.h"
#include "engine/python/function/call/binding.h"
#include "engine/python/function/function_object.h"
#include "engine/session/writer.h"

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace footlight::python {
namespace {

constexpr int kMaxTraces = 64;  // traces of one call line

// What is known of a function's call lines.
struct Noted {
  CallId last_call;
  int traces = 0;
  struct Line {
    int looked = 0;
    std::map<std::string, std::pair<std::optional<SourceLine>, std::vector<SourceLine>>> last;
  };
  std::map<std::pair<uint32_t, uint32_t>, Line> lines;
};

std::shared_ptr<Noted> noted_of(FunctionId function) {
  constexpr size_t kMaxFunctions = 4096;
  static auto& all = *new std::unordered_map<FunctionId, std::shared_ptr<Noted>>;
  static uint32_t recording = 0;
  const uint32_t now = recording_number.load(std::memory_order_relaxed);
  if (recording != now || all.size() >= kMaxFunctions) all.clear();
  recording = now;
  std::shared_ptr<Noted>& noted = all[function];
  if (!noted) noted = std::make_shared<Noted>();
  return noted;
}

CalleeParameters parameters_of(const FunctionCore& core) {
  CalleeParameters callee{core.name, core.self_number != 0, 0, {}};
  for (const FunctionParameter& p : core.signature.parameters) {
    // A name that no keyword has keeps the place.
    const bool variadic = p.kind == FunctionParameter::kVarArgs || p.kind == FunctionParameter::kVarKeywords;
    callee.names.push_back(variadic ? "*" : p.name);
    if (p.kind == FunctionParameter::kPositionalOnly || p.kind == FunctionParameter::kPositionalOrKeyword)
      callee.positional = callee.names.size();
  }
  return callee;
}

void record(FunctionCore& core, TraceId trace, Noted::Line& noted, session::Writer& writer) {
  const CallLines call = ag_value_lines(parameters_of(core));
  for (const CallLines::Argument& argument : call.arguments) {
    session::ObservationRecord record;
    record.path = str("args[", argument.parameter, "]");
    if (argument.item) record.path += str("[", *argument.item, "]");
    const auto now = std::pair(argument.passed, argument.made);
    auto& last = noted.last[record.path];
    if (last == now) continue;
    last = now;
    record.kind = session::ObservationKind::kValueLine;
    record.function = core.function.id();
    record.trace = trace;
    record.file = writer.file(call.at.file);
    record.line = call.at.line;
    if (const auto& at = argument.passed) record.lines.push_back({"call", writer.file(at->file), at->line});
    for (const SourceLine& line : argument.made) record.lines.push_back({"value", writer.file(line.file), line.line});
    writer.add(std::move(record));
  }
}

}  // namespace

void record_value_lines(FunctionCore& core, TraceId trace) {
  session::Writer* writer = session::active_writer();
  const SourceRef source = current_source();
  if (!writer || !source.code.valid()) return;
  try {
    const std::shared_ptr<Noted> kept = noted_of(core.function.id());  // other threads may run meanwhile
    Noted& noted = *kept;
    // Both traces of a call that makes variables are one.
    const bool again = noted.traces && this_thread.call.valid() && noted.last_call == this_thread.call;
    noted.last_call = this_thread.call;
    if (!again) ++noted.traces;
    if (noted.traces < 2) return;
    Noted::Line& line = noted.lines[{source.code.value, source.offset}];
    if (++line.looked <= kMaxTraces) record(core, trace, line, *writer);
  } catch (const PythonErrorSet&) {
    clear_only(PyExc_Exception);
  } catch (const Error&) {
    // a name that is no UTF-8: its lines stay unknown
  }
}

}  // namespace footlight::python
