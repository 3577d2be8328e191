// Traces: reasons, keys, phases, graphs of every stage, and artifacts of the engine.
#pragma once

#include "engine/session/records/ids.h"

#include <string_view>

namespace footlight::session {

enum class KeySide : uint8_t { kUsed, kAsked };
constexpr const char* kKeySides[] = {"used", "asked"};
constexpr std::span<const char* const> enumerators(KeySide) { return kKeySides; }

enum class KeyRole : uint8_t { kKey, kGuard, kStatic, kContext };
constexpr const char* kKeyRoles[] = {"key", "guard", "static", "context"};
constexpr std::span<const char* const> enumerators(KeyRole) { return kKeyRoles; }

// One leaf of a cache key, or one guard.
struct KeyLeaf {
  std::string path;
  std::string parameter;
  std::string kind;
  std::string type;
  std::string shape;
  std::string value;
  KeySide side = KeySide::kUsed;
  KeyRole role = KeyRole::kKey;
  std::string code = {};

  static void describe(auto& f) {
    using R = KeyLeaf;
    f.column("path", &R::path, "args[0], args[1]['lr'], context.graph");
    f.column("parameter", &R::parameter, "batch");
    f.column("kind", &R::kind, "tensor, variable, literal, structure, object, callable, context, none");
    f.column("type", &R::type, "float32, float, list[3]");
    f.column("shape", &R::shape, "32,8 with None; of tensors and variables");
    f.column("value", &R::value, "0.1, <Model object 3>, the number of an alias");
    f.column("side", &R::side, "of the trace that was made or of the call that asked for it", {.since = 3});
    f.column("role", &R::role, "what it is to the engine", {.since = 3});
    f.column("code", &R::code, "of a guard, as the engine writes it", {.since = 3});
  }
};

enum class TraceReason : uint8_t { kCall, kGetConcreteFunction, kVariableCreation, kEvicted, kRelaxed };
constexpr const char* kTraceReasons[] = {"call", "get_concrete_function", "variable creation", "evicted", "relaxed"};
constexpr std::span<const char* const> enumerators(TraceReason) { return kTraceReasons; }

enum class TraceKind : uint8_t { kTrace, kLower, kCompile };
constexpr const char* kTraceKinds[] = {"trace", "lower", "compile"};
constexpr std::span<const char* const> enumerators(TraceKind) { return kTraceKinds; }

// A phase of a trace's time. `parent`: position of the phase that contains it.
struct PhaseRecord {
  std::string name, category;
  int32_t parent = -1;
  int64_t start_ns = 0, end_ns = 0;
  ThreadId thread = {};

  static void describe(auto& f) {
    using R = PhaseRecord;
    f.column("name", &R::name, "python, autograph, optimize, compile, ...");
    f.column("category", &R::category, "trace, lower, compile");
    f.column("parent", &R::parent, "position of the phase that it is part of, or -1");
    f.column("start_ns", &R::start_ns, "when it began", {.unit = "ns"});
    f.column("end_ns", &R::end_ns, "when it ended", {.unit = "ns"});
    f.column("thread", &R::thread, "that did it");
  }
};

struct TraceGraph {
  std::string stage;
  GraphId graph;

  static void describe(auto& f) {
    f.column("stage", &TraceGraph::stage, "traced, optimised, jaxpr, stablehlo, hlo, dynamo, aot.forward, ...");
    f.column("graph", &TraceGraph::graph, "the graph at that stage");
  }
};

// Something large that an engine generated: code, guards, text of an intermediate form.
struct ArtifactRecord {
  std::string name, kind;
  Blob data;  // see pack() and unpack() in chunk.h

  static void describe(auto& f) {
    f.column("name", &ArtifactRecord::name, "what it is");
    f.column("kind", &ArtifactRecord::kind, "python, stablehlo, guards, ...; absent: why there is no text");
    f.column("data", &ArtifactRecord::data, "the text or the bytes, compressed with zstd");
  }
};

// Why an existing trace did not serve the call.
struct MissRecord {
  TraceId existing;
  std::string path, was, now, words;

  static void describe(auto& f) {
    using R = MissRecord;
    f.column("existing", &R::existing, "the trace that was there");
    f.column("path", &R::path, "of the leaf that differs");
    f.column("was", &R::was, "in the existing trace");
    f.column("now", &R::now, "in the call");
    f.column("words", &R::words, "the engine's own");
  }
};

struct TraceRecord {
  TraceId id;
  FunctionId function;
  int number = 0;
  TraceReason reason = TraceReason::kCall;
  TraceKind kind = TraceKind::kTrace;
  int attempt = 1;
  std::string native_id;
  int64_t start_ns = 0, end_ns = 0;
  std::string signature;
  uint32_t cached = 0;
  KeyId call_key;
  std::vector<KeyLeaf> key;
  TraceId nearest;
  std::vector<std::string> differing;
  std::string why;
  std::vector<std::string> captures;
  std::vector<uint32_t> captured;  // numbers of them
  SourceRef source;
  LocationId location;
  std::string error;
  std::vector<PhaseRecord> phases;
  std::vector<TraceGraph> graphs;
  std::vector<ArtifactRecord> artifacts;
  std::vector<MissRecord> misses;

  // The graph as traced: the one of stage "traced", else the first.
  GraphId graph() const {
    for (const TraceGraph& g : graphs)
      if (g.stage == "traced") return g.graph;
    return graphs.empty() ? GraphId() : graphs.front().graph;
  }
  // The time of all phases of that name, without the phases recorded inside them.
  int64_t phase_ns(std::string_view name) const {
    int64_t sum = 0;
    for (const PhaseRecord& p : phases) {
      const int64_t ns = p.end_ns - p.start_ns;
      if (p.name == name) sum += ns;
      const auto parent = static_cast<size_t>(p.parent);
      if (p.parent >= 0 && parent < phases.size() && phases[parent].name == name) sum -= ns;
    }
    return sum;
  }
  // Appends a phase of that length.
  void add_phase(const char* name, int64_t ns) {
    if (ns <= 0) return;
    const int64_t start = phases.empty() ? start_ns : phases.back().end_ns;
    phases.push_back({name, "trace", -1, start, start + ns});
  }

  static constexpr TableNote kTable{"trace", "One trace of a function, or one later step on the way to what runs."};
  static void describe(auto& f) {
    using R = TraceRecord;
    f.id("id", &R::id, "number of the trace");
    f.column("function", &R::function, "that was traced");
    f.column("number", &R::number, "#1, #2 in its function");
    f.column("reason", &R::reason, "what asked for it");
    f.column("kind", &R::kind, "which step it is", {.since = 3});
    f.column("attempt", &R::attempt, "from 1; engines that start over count on", {.since = 3});
    f.column("native_id", &R::native_id, "what the engine calls it", {.since = 3});
    f.column("start_ns", &R::start_ns, "when it began", {.unit = "ns"});
    f.column("end_ns", &R::end_ns, "when it ended", {.unit = "ns"});
    f.column("signature", &R::signature, "f32[32,8] 0.1");
    f.column("cached", &R::cached, "how many traces the function held before it", {.since = 3});
    f.column("call_key", &R::call_key, "the key that it serves, as the dispatcher has it", {.since = 3});
    f.column("nearest", &R::nearest, "the existing trace whose key differs in the fewest leaves");
    f.column("why", &R::why, "value of lr");
    f.column("source", &R::source, "code object and instruction of the call");
    f.column("location", &R::location, "of the call, where there is no code object", {.since = 3});
    f.column("error", &R::error, "class and message, when tracing failed");
    f.list("key_leaf", &R::key, "The leaves of a trace's key, and guards.");
    f.list("trace_differing", &R::differing, "Paths of the leaves in which a key differs from the nearest trace's.",
           {.column = "path"});
    f.list("trace_capture", &R::captures, "What a trace uses that is no argument: \"w1 float32 (8, 16) variable\".",
           {.column = "capture"});
    f.list("trace_captured", &R::captured,
           "What it captured, by number: in traces of one function the same number is the same variable or tensor.",
           {.since = 3, .column = "number"});
    f.list("trace_phase", &R::phases, "What the time of a trace went into.", {.since = 3});
    f.list("trace_graph", &R::graphs, "The graphs of a trace, by stage.", {.since = 3});
    f.list("trace_artifact", &R::artifacts, "What an engine made on the way.", {.since = 3});
    f.list("trace_miss", &R::misses, "Why the traces that were there did not serve.", {.since = 3});
    f.former("graph", 2, [](R& r, int64_t id) { r.graphs = {{"traced", GraphId(static_cast<uint32_t>(id))}}; });
    f.former("autograph_ns", 2, [](R& r, int64_t ns) { r.add_phase("autograph", ns); });
    f.former("python_ns", 2, [](R& r, int64_t ns) { r.add_phase("python", ns); });
    f.former("optimize_ns", 2, [](R& r, int64_t ns) { r.add_phase("optimize", ns); });
    f.former("compile_ns", 2, [](R& r, int64_t ns) { r.add_phase("compile", ns); });
  }
};

// A key as the dispatcher compared it (engine/keys/key.h), so that a changed call can be tried on the recorded ones.
struct KeyName {
  uint64_t number = 0;
  std::string name;
  int64_t since_ns = 0;

  static void describe(auto& f) {
    f.column("number", &KeyName::number, "as it stands in the words");
    f.column("name", &KeyName::name, "<Model object>, <lambda> (train.py:14)");
    f.column("since_ns", &KeyName::since_ns, "known to exist since then; 0: since its first key",
             {.unit = "ns", .since = 3});
  }
};

struct KeyRecord {
  KeyId id;
  FunctionId function;
  std::vector<uint64_t> words;
  std::vector<KeyName> names;

  static constexpr TableNote kTable{"call_key", "The key of a trace or of a call, each different one once.", 3};
  static void describe(auto& f) {
    using R = KeyRecord;
    f.id("id", &R::id, "calls and traces name it so");
    f.column("function", &R::function, "whose key it is; its parameters stand there");
    f.column("words", &R::words, "64-bit words, little-endian: engine/keys/key.h");
    f.list("call_key_name", &R::names, "Names for the numbers of objects, types and code in a key.", {.since = 3});
  }
};

// A decision taken while tracing: an `if` on line 14 became cond in trace 3.
struct DecisionRecord {
  TraceId trace;
  FileId file;
  int line = 0;
  std::string kind, fate, note;

  static constexpr TableNote kTable{"decision", "A decision taken while tracing: an `if` became cond."};
  static void describe(auto& f) {
    using R = DecisionRecord;
    f.column("trace", &R::trace, "in which it was taken");
    f.column("file", &R::file, "where the statement is");
    f.column("line", &R::line, "of the statement");
    f.column("kind", &R::kind, "if, while, for, ...");
    f.column("fate", &R::fate, "staged, python, fallback");
    f.column("note", &R::note, "became cond");
  }
};

}  // namespace footlight::session
