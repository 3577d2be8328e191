// Knows the records and steps of PyTorch 2.3 to 2.15; other steps are only shown on the timeline.
#include "engine/foreign/torch_compilations.h"

#include "engine/base/error_words.h"
#include "engine/base/text.h"
#include "engine/foreign/fx.h"
#include "engine/foreign/json.h"
#include "engine/foreign/scan.h"
#include "engine/foreign/torch_guards.h"

#include <algorithm>

namespace footlight::foreign {
namespace {

constexpr uint64_t kMaxTexts = 256 << 20;  // of all compilations, as they are kept: compressed
constexpr size_t kMaxStrings = 1 << 18, kMaxReason = 500, kMaxCompilations = 200'000;

// Steps of PyTorch's own timeline that are phases of a trace.
struct Step { std::string_view event, name, category; };
constexpr Step kSteps[] = {
    {"bytecode_tracing", "dynamo", "trace"},
    {"build_guards", "guards", "trace"},
    {"backend_compile", "backend", "compile"},
    {"OutputGraph.call_user_compiler", "backend", "compile"},
    {"create_aot_dispatcher_function", "aot", "lower"},
    {"inductor_compile", "inductor", "compile"},
    {"compile_fx_inner", "inductor", "compile"},
    {"code_gen", "code generation", "compile"},
    {"GraphLowering.codegen", "code generation", "compile"},
    {"backward_compile", "backward", "compile"},
    {"entire_backward_compile", "backward", "compile"}};

// Records whose text is kept with a trace; with a stage where the text is a graph.
struct Text { std::string_view record, name, kind, stage; };
constexpr Text kTexts[] = {
    {"dynamo_output_graph", "Dynamo graph", "fx", "dynamo"},
    {"aot_joint_graph", "AOT joint graph", "fx", "aot.joint"},
    {"aot_forward_graph", "AOT forward", "fx", "aot.forward"},
    {"aot_backward_graph", "AOT backward", "fx", "aot.backward"},
    {"aot_inference_graph", "AOT inference", "fx", "aot.inference"},
    {"inductor_post_grad_graph", "Inductor graph", "fx", "inductor"},
    {"inductor_post_grad_graph, backward", "Inductor graph, backward", "fx", "inductor.backward"},
    {"inductor_output_code", "Inductor code", "python", ""},
    {"inductor_output_code, backward", "Inductor code, backward", "python", ""},
    {"dynamo_cpp_guards_str", "Guards", "guards", ""},
    {"dynamo_bytecode", "Bytecode", "bytecode", ""},
    {"resume_bytecode", "Resume function", "bytecode", ""}};

constexpr std::string_view kResumed = "torch_dynamo_resume_in_";

// "step" of "torch_dynamo_resume_in_step_at_6", and 6; the name itself and 0 where it is another.
std::string resumed_function(std::string_view name, int& line) {
  line = 0;
  const size_t at = name.find(kResumed), number = name.rfind("_at_");
  if (at == name.npos || number == name.npos || number < at + kResumed.size()) return std::string(name);
  line = static_cast<int>(std::min<uint64_t>(leading_number(name.substr(number + 4)), INT32_MAX));
  return std::string(name.substr(at + kResumed.size(), number - at - kResumed.size()));
}

int line_of(std::string_view value) {
  return static_cast<int>(std::clamp<int64_t>(json_integer(value).value_or(0), 0, INT32_MAX));
}

// PyTorch's name for a graph break and its explanation, without hints.
std::string headline(std::string_view reason) {
  std::string first, explained;
  for (Lines lines(reason); lines.next();) {
    const std::string_view line = trimmed(lines.line());
    constexpr std::string_view kExplanation = "Explanation: ";
    if (line.empty() || line.starts_with("Encountered graph break when")) continue;
    if (line.starts_with("User code traceback")) break;
    if (first.empty()) first = line;
    if (explained.empty() && line.starts_with(kExplanation)) explained = line.substr(kExplanation.size());
  }
  if (first.empty()) first = "Graph break";
  return std::string(cut(explained.empty() ? first : first + ". " + explained, kMaxReason));
}

// "n == 0", "tensor 'y' size mismatch at index 0. expected 4, actual 5": which value differs, and how.
session::MissRecord miss(TraceId existing, std::string_view said) {
  session::MissRecord record{existing, torch_source(said), "", "", std::string(said)};
  constexpr std::string_view kTensor = "tensor '", kExpected = "expected ", kActual = ", actual ";
  if (const size_t at = said.find(kTensor); at != said.npos && record.path.empty()) {
    const std::string_view name = said.substr(at + kTensor.size());
    record.path = torch_source(name).empty() ? std::string(name.substr(0, name.find('\''))) : torch_source(name);
  } else if (const size_t end = said.find(" == "); end != said.npos) {
    if (record.path.empty() && said.substr(0, end).find_first_of(" (") == said.npos) record.path = said.substr(0, end);
    record.was = said.substr(end + 4);
  }
  const size_t expected = said.find(kExpected), actual = said.find(kActual);
  if (expected != said.npos && actual != said.npos && expected < actual) {
    record.was = said.substr(expected + kExpected.size(), actual - expected - kExpected.size());
    record.now = said.substr(actual + kActual.size());
  }
  return record;
}

bool was_asked_for(std::string_view reason) {
  for (const std::string_view words : {"torch.compiler.disable", "torch._dynamo.disable", "graph_break()"})
    if (reason.find(words) != reason.npos) return true;
  return false;
}

}  // namespace

TorchCompilations::TorchCompilations(const Import& import)
    : import_(import), program_(import), events_(import.builder, import.facts) {
  import.facts.engine = "torch";
  events_.add(R"({"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "torch.compile"}})");
  events_.add(R"({"ph": "M", "name": "thread_name", "pid": 0, "tid": 0, "args": {"name": "compilation"}})");
}

TorchCompilations::Record TorchCompilations::record_of(std::string_view object) const {
  Record r;
  for (JsonParts part(object); part.next();) {
    if (part.key == "frame_id") r.frame = part.value;
    else if (part.key == "frame_compile_id") r.compile = part.value;
    else if (part.key == "attempt") r.attempt = part.value;
    else if (part.key == "rank") r.rank = part.value;
    else if (r.kind.empty() && part.key != "has_payload" && part.key != "stack" && part.key != "compiled_autograd_id")
      r.kind = part.key, r.about = part.value;
  }
  if (r.kind == "artifact" && r.about.starts_with('{'))
    for (JsonParts part(r.about); part.next();)
      if (part.key == "name") r.artifact = json_text(part.value);
  if (r.artifact.empty()) r.artifact = r.kind;
  return r;
}

bool TorchCompilations::add(std::string_view object, std::string_view payload) {
  if (json_value(object).empty()) return false;
  const Record record = record_of(object);
  add_process_record(record, payload);
  const auto frame = json_integer(record.frame), compile = json_integer(record.compile);
  if (frame && compile && *frame >= 0 && *compile >= 0) add_compilation_record(record, payload);
  return true;
}

void TorchCompilations::add_process_record(const Record& record, std::string_view payload) {
  FileFacts& facts = import_.facts;
  if (!record.rank.empty()) {
    facts.rank = static_cast<int>(std::clamp<int64_t>(json_integer(record.rank).value_or(0), 0, 1 << 24));
    facts.world = std::max(facts.files, facts.rank + 1);
  }
  if (record.kind == "str") {
    JsonParts parts(record.about);
    if (!parts.next()) return;
    std::string text = json_text(parts.value);
    if (!parts.next() || strings_.size() >= kMaxStrings) return;
    if (const auto number = json_integer(parts.value)) strings_[static_cast<uint64_t>(*number)] = std::move(text);
  } else if (record.artifact == "torch_version") {
    for (JsonParts part(payload); part.next();)
      if (part.key == "pytorch_version") facts.engine_version = json_text(part.value);
  } else if (record.kind == "chromium_event") {
    if (!events_.add(payload)) import_.builder.leave_out("events", "they are damaged");
  }
}

TorchCompilations::Compilation& TorchCompilations::compilation(const Record& record) {
  const std::string native = str(*json_integer(record.frame), '/', *json_integer(record.compile));
  const auto [at, is_new] = by_native_.try_emplace(native, all_.size());
  if (is_new && all_.size() >= kMaxCompilations) {
    by_native_.erase(at);
    fail(ErrorKind::kValue, import_.facts.path, " holds more than ", kMaxCompilations, " compilations");
  }
  if (is_new) {
    Compilation made;
    made.native = native;
    made.frame = static_cast<uint64_t>(*json_integer(record.frame));
    made.id = program_.new_trace();
    functions_[made.frame].compilations.push_back(all_.size());
    all_.push_back(std::move(made));
  }
  return all_[at->second];
}

void TorchCompilations::add_compilation_record(const Record& record, std::string_view payload) {
  Compilation& c = compilation(record);
  c.attempt = std::max(c.attempt, line_of(record.attempt));
  if (record.kind == "chromium_event") add_step(c, payload);
  else if (record.kind == "dynamo_start") add_start(c, record.about);
  else if (record.kind == "compilation_metrics") add_metrics(c, record.about);
  else if (record.artifact == "recompile_reasons") add_recompile_reasons(c, payload);
  else if (record.artifact == "dynamo_graph_break_reason") add_break(c, payload);
  else if (record.artifact.ends_with("_MODIFIED_BYTECODE") || record.artifact == "dynamo_modified_bytecode")
    add_text(c, "dynamo_bytecode", payload);
  else if (record.artifact == "inductor_post_grad_graph") c.post_grad = payload;
  else if (record.artifact == "inductor_output_code") {
    // The code says which graph it was made of: the forward one or the backward one.
    const bool is_backward = payload.substr(0, 4096).find("_backward']") != payload.npos;
    const std::string direction = is_backward ? ", backward" : "";
    if (!c.post_grad.empty()) add_text(c, "inductor_post_grad_graph" + direction, c.post_grad);
    c.post_grad.clear();
    add_text(c, "inductor_output_code" + direction, payload);
  } else {
    if (record.artifact == "dynamo_cpp_guards_str") c.guards = torch_guards(payload);
    add_text(c, record.artifact, payload);
  }
}

// A "B" or "E" event of PyTorch's timeline.
void TorchCompilations::add_step(Compilation& c, std::string_view event) {
  std::string name;
  std::string_view phase;
  std::optional<int64_t> time;
  for (JsonParts part(event); part.next();) {
    if (part.key == "name") name = json_text(part.value);
    if (part.key == "ph") phase = part.value;
    if (part.key == "ts") time = json_scaled(part.value, 3);
  }
  if (!time || *time <= 0 || (phase != "\"B\"" && phase != "\"E\"")) return;
  c.first_ns = c.first_ns ? std::min(c.first_ns, *time) : *time;
  c.last_ns = std::max(c.last_ns, *time);
  const Step* const known = std::ranges::find(kSteps, std::string_view(name), &Step::event);
  if (known == std::end(kSteps)) return;
  if (phase == "\"E\"") {
    if (c.open.empty()) return;
    if (c.open.back() >= 0) c.phases[static_cast<size_t>(c.open.back())].end_ns = *time;
    c.open.pop_back();
    return;
  }
  const int32_t around = c.open.empty() ? -1 : c.open.back();
  if (around >= 0 && c.phases[static_cast<size_t>(around)].name == known->name) {
    c.open.push_back(-1);
  } else {
    const auto parent = std::ranges::find_if(c.open.rbegin(), c.open.rend(), [](int32_t at) { return at >= 0; });
    c.phases.push_back({std::string(known->name), std::string(known->category), parent == c.open.rend() ? -1 : *parent,
                        *time, *time});
    c.open.push_back(static_cast<int32_t>(c.phases.size() - 1));
  }
}

void TorchCompilations::add_text(Compilation& c, const std::string& kind, std::string_view payload) {
  const Text* const known = std::ranges::find(kTexts, std::string_view(kind), &Text::record);
  if (known == std::end(kTexts) || payload.empty()) return;
  if (!known->stage.empty()) {
    const std::vector<FxGraph> graphs = add_fx_graphs(program_, payload, str(known->stage, ' ', c.native), false);
    if (!graphs.empty()) {
      if (known->stage == "dynamo") c.signature = graphs[0].signature;
      std::erase_if(c.graphs, [&](const auto& graph) { return graph.stage == known->stage; });
      c.graphs.push_back({std::string(known->stage), graphs[0].graph});
    }
  }
  if (text_bytes_ > kMaxTexts)
    return import_.builder.leave_out("texts of traces", str("they have more than ", bytes_text(kMaxTexts), " in all"));
  session::ArtifactRecord artifact = text_artifact(known->name, known->kind, payload);
  text_bytes_ += artifact.data.bytes.size();
  c.texts[kind] = std::move(artifact);
}

// The stack of the call; its last frame is the function itself.
void TorchCompilations::add_start(Compilation& c, std::string_view about) {
  std::string_view stack;
  for (JsonParts part(about); part.next();)
    if (part.key == "stack") stack = part.value;
  struct Frame { std::string file, name; int line = 0; };
  std::vector<Frame> frames;
  if (stack.starts_with('['))
    for (JsonParts one(stack); one.next();) {
      if (!one.value.starts_with('{')) continue;
      Frame frame;
      for (JsonParts part(one.value); part.next();) {
        if (part.key == "name") frame.name = json_text(part.value);
        if (part.key == "line") frame.line = line_of(part.value);
        if (part.key == "filename") {
          const auto number = json_integer(part.value);
          const auto known = number ? strings_.find(static_cast<uint64_t>(*number)) : strings_.end();
          frame.file = known != strings_.end() ? known->second : json_text(part.value);
        }
      }
      frames.push_back(std::move(frame));
    }
  if (frames.empty()) return;
  Function& function = functions_[c.frame];
  if (function.name.empty()) {
    function.name = frames.back().name;
    function.file = frames.back().file;
    function.line = frames.back().line;
  }
  Locations& all = program_.locations();
  for (size_t i = 0; i + 1 < frames.size(); ++i)
    c.location = all.called(c.location, all.frame(frames[i].file, frames[i].line, frames[i].name));
  if (c.location != kNoLocation) c.location = all.users(c.location);
}

void TorchCompilations::add_metrics(Compilation& c, std::string_view about) {
  std::string name, file, fail_type, reason;
  int line = 0;
  double start_s = 0, took_s = 0;
  for (JsonParts part(about); part.next();) {
    if (part.value == "null") continue;
    if (part.key == "co_name") name = json_text(part.value);
    if (part.key == "co_filename") file = json_text(part.value);
    if (part.key == "co_firstlineno") line = line_of(part.value);
    if (part.key == "fail_type") fail_type = json_text(part.value);
    if (part.key == "fail_reason") reason = json_text(part.value);
    if (part.key == "start_time") start_s = json_number(part.value).value_or(0);
    if (part.key == "entire_frame_compile_time_s") took_s = json_number(part.value).value_or(0);
  }
  Function& function = functions_[c.frame];
  if (function.name.empty() || function.line == 0) {
    function.name = name;
    function.file = file;
    function.line = line;
  }
  if (!fail_type.empty()) c.error = cut(str(fail_type, ": ", reason.substr(0, reason.find('\n'))), kMaxReason);
  constexpr double kLatest = 4e9;  // seconds since 1970
  if (c.first_ns == 0 && start_s > 0 && start_s < kLatest && took_s >= 0 && took_s < kLatest) {
    c.first_ns = static_cast<int64_t>(start_s * 1e9);
    c.last_ns = c.first_ns + static_cast<int64_t>(took_s * 1e9);
  }
}

// The payload is one reason as text, or several as JSON.
void TorchCompilations::add_recompile_reasons(Compilation& c, std::string_view payload) {
  c.reasons.clear();
  if (payload.starts_with('[')) {
    for (JsonParts part(payload); part.next() && c.reasons.size() < 1000;) c.reasons.push_back(json_text(part.value));
  } else {
    c.reasons.push_back(payload.starts_with('"') ? json_text(payload) : std::string(payload));
  }
}

// "Graph break in user code at train.py:6\nGraph Break Reason: ..."
void TorchCompilations::add_break(Compilation& c, std::string_view payload) {
  constexpr std::string_view kAt = "Graph break in user code at ", kReason = "Graph Break Reason: ";
  const size_t at = payload.find(kAt);
  if (at == payload.npos || c.breaks.size() >= 1000) return;
  std::string_view place = payload.substr(at + kAt.size());
  place = place.substr(0, place.find('\n'));
  const size_t colon = place.rfind(':');
  if (colon == place.npos) return;
  const size_t reason = payload.find(kReason);
  c.breaks.push_back({std::string(place.substr(0, colon)),
                      reason == payload.npos ? std::string() : std::string(payload.substr(reason + kReason.size())),
                      line_of(place.substr(colon + 1))});
}

void TorchCompilations::finish() {
  events_.finish();
  ByName<FunctionId> originals;  // by file and name; functions that resume one come after it
  for (const bool resumed : {false, true})
    for (auto& [frame, function] : functions_) {
      int line = 0;
      const std::string original = resumed_function(function.name, line);
      if ((line > 0) != resumed) continue;
      write(function, originals);
      if (!resumed && function.id.valid()) originals.try_emplace(function.file + '\n' + original, function.id);
    }
}

void TorchCompilations::write(Function& function, const ByName<FunctionId>& originals) {
  std::vector<const Compilation*> kept;
  for (const size_t at : function.compilations) {
    const Compilation& c = all_[at];
    // A frame in which there is nothing to compile makes neither a graph nor guards.
    if (!c.graphs.empty() || !c.texts.empty() || !c.error.empty() || !c.breaks.empty()) kept.push_back(&c);
  }
  if (kept.empty()) return;
  session::FunctionRecord record;
  int after = 0;
  record.name = resumed_function(function.name, after);
  record.kind = after ? "resume" : "dynamo";
  if (after) {
    record.options = str("after line ", after);
    const auto parent = originals.find(function.file + '\n' + record.name);
    if (parent != originals.end()) record.parent = parent->second;
  }
  if (record.name.empty()) record.name = str("frame ", kept[0]->frame);
  record.file = session::FileId(program_.locations().file(function.file.empty() ? "<unknown>" : function.file));
  record.line = record.decorator_line = function.line;
  record.made_ns = kept[0]->first_ns;
  function.id = program_.add(std::move(record));
  std::vector<const Compilation*> before;
  for (const Compilation* const c : kept) {
    write_trace(function, *c, static_cast<int>(before.size() + 1), before);
    before.push_back(c);
  }
}

void TorchCompilations::write_trace(const Function& function, const Compilation& c, int number,
                                    const std::vector<const Compilation*>& before) {
  session::TraceRecord trace;
  trace.id = c.id;
  trace.function = function.id;
  trace.number = number;
  trace.attempt = c.attempt + 1;
  trace.native_id = c.native;
  trace.start_ns = c.first_ns;
  trace.end_ns = c.last_ns;
  trace.signature = c.signature;
  trace.cached = static_cast<uint32_t>(before.size());
  trace.key = c.guards;
  if (c.location != kNoLocation) trace.location = session::LocationId(c.location);
  trace.error = c.error;
  trace.phases = c.phases;
  trace.graphs = c.graphs;
  for (const auto& [kind, artifact] : c.texts) trace.artifacts.push_back(artifact);
  for (const std::string& reason : c.reasons) {
    // "0/0: n == 0    # if n > 2: y = y + n  # train.py:5 in step"
    const size_t colon = reason.find(": ");
    if (colon == reason.npos) continue;
    const auto existing = std::ranges::find(before, std::string_view(reason).substr(0, colon),
                                            [](const Compilation* one) { return std::string_view(one->native); });
    std::string_view said = std::string_view(reason).substr(colon + 2);
    said = trimmed(said.substr(0, std::min(said.find("  # "), said.find('\n'))));
    if (existing != before.end()) trace.misses.push_back(miss((*existing)->id, said));
    if (trace.why.empty()) trace.why = cut(said, kMaxReason);
  }
  if (!trace.misses.empty()) {
    trace.nearest = trace.misses[0].existing;
    if (!trace.misses[0].path.empty()) trace.differing = {trace.misses[0].path};
  }
  FileFacts& facts = import_.facts;
  if (c.first_ns > 0) {
    facts.first_ns = facts.first_ns ? std::min(facts.first_ns, c.first_ns) : c.first_ns;
    facts.last_ns = std::max(facts.last_ns, c.last_ns);
  }
  program_.add(std::move(trace));
  for (const Break& one : c.breaks) {
    session::DecisionRecord decision;
    decision.trace = c.id;
    decision.file = session::FileId(program_.locations().file(one.file));
    decision.line = one.line;
    decision.kind = "graph break";
    decision.fate = !is_users_file(one.file) ? "library" : was_asked_for(one.reason) ? "asked for" : "python";
    decision.note = headline(one.reason);
    import_.writer.add(std::move(decision));
  }
}

}  // namespace footlight::foreign
