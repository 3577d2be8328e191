// What a session holds, in words that belong to no engine: files, code, functions, traces, key leaves, graphs,
// nodes, generated code, calls, op events, device activity, console, notes. Writer and reader speak in these.
#pragma once

#include "engine/base/ids.h"
#include "engine/base/recording.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace footlight::session {

using FileId = Id<struct FileTag>;

struct RunRecord {
  std::string script;                  // absolute
  std::vector<std::string> arguments;
  std::string working_directory;
  std::string python;                  // version and executable
  std::string engine;                  // "footlight 0.1"
  std::string machine;                 // CPU and instruction set, threads, GPU or why there is none
  int64_t started_ns = 0;
};

struct FileRecord { FileId id; std::string path; std::string text; };

// A code object: where instruction offsets lead. `lines` are (first offset, line), ascending.
struct CodeRecord {
  CodeId id;
  FileId file;
  std::string qualname;
  int first_line = 0;
  std::vector<std::pair<uint32_t, uint32_t>> lines;
};

struct FunctionRecord {
  FunctionId id;
  std::string name;        // __qualname__
  FileId file;
  int line = 0;            // of the def
  int decorator_line = 0;  // of @tf.function or tf.function(
  std::vector<std::string> parameters;
};

// One leaf of a cache key: "args[1].shape[0]".
struct KeyLeaf {
  std::string path;        // "args[0]", "args[1]['lr']", "context.graph"
  std::string parameter;   // "batch"
  std::string kind;        // tensor, variable, literal, structure, object, callable, context, none
  std::string type;        // "float32", "float", "list[3]"
  std::string shape;       // "32,8" with "None"; only for tensors and variables
  std::string value;       // "0.1", "<Model object 3>", alias number
};

enum class TraceReason : uint8_t { kCall, kGetConcreteFunction, kVariableCreation, kEvicted, kRelaxed };

struct TraceRecord {
  TraceId id;
  FunctionId function;
  GraphId graph;
  int number = 0;                      // #1, #2 in its function
  TraceReason reason = TraceReason::kCall;
  int64_t start_ns = 0, end_ns = 0;
  int64_t python_ns = 0, autograph_ns = 0, optimize_ns = 0, compile_ns = 0;
  std::string signature;               // "f32[32,8] 0.1"
  std::vector<KeyLeaf> key;
  TraceId nearest;                     // existing trace with the least differing leaves, none for the first
  std::vector<std::string> differing;  // paths of the leaves that differ from it, minimal
  std::string why;                     // "value of lr"
  std::vector<std::string> captures;   // "w1 float32 (8, 16) variable"
  SourceRef source;                    // the call's line
  std::string error;                   // tracing failed: class and message
};

struct EdgeRecord { uint32_t from = 0; uint16_t output = 0; };

struct NodeRecord {
  uint32_t id = 0;                     // dense in its graph
  std::string name, op, family;        // "hidden/Relu", "Relu", "elementwise"
  std::vector<EdgeRecord> inputs;
  std::vector<uint32_t> control_inputs;
  std::vector<std::string> outputs;    // "float32 (32, 16)"
  std::string attributes;              // "T=float32; keep_dims=false", one line
  std::vector<std::pair<std::string, GraphId>> functions;  // ("then_branch", graph)
  std::string constant;                // value or summary of a constant
  SourceRef source;
};

struct GraphRecord {
  GraphId id;
  std::string name;
  std::vector<NodeRecord> nodes;
  std::vector<uint32_t> inputs;
  std::vector<EdgeRecord> outputs;
};

// AutoGraph's output for one function: readable text and, line by line, the user's line behind it.
struct GeneratedRecord {
  FunctionId function;                 // the tf.function under which it was converted first
  CodeId code;                         // of the user's function
  std::string name;                    // "train_step"
  FileId file;
  std::string text;
  std::vector<int> line_map;           // per generated line (from 1 at index 0): user's line or 0
  struct Statement { int line = 0, last_line = 0; std::string kind, fate, note; };  // fate: staged, python, fallback
  std::vector<Statement> statements;
};

// A decision taken while tracing: an `if` on line 14 became cond in trace 3.
struct DecisionRecord { TraceId trace; FileId file; int line = 0; std::string kind, fate, note; };

using footlight::CallOutcome;

struct CallRecord {
  CallId id;
  FunctionId function;
  TraceId trace;
  CallOutcome outcome = CallOutcome::kHit;
  uint16_t thread = 0;
  int64_t start_ns = 0, end_ns = 0;
  SourceRef source;
};

enum class ConsoleStream : uint8_t { kStdout, kStderr, kTfPrint, kNote };
struct ConsoleRecord { int64_t time_ns = 0; ConsoleStream stream = ConsoleStream::kStdout; std::string text; };

// A kernel, copy, memset or API call as CUPTI reported it.
struct DeviceRecord {
  std::string kind;                    // kernel, memcpy, memset, runtime, driver, overhead, sync
  std::string name;
  int64_t start_ns = 0, end_ns = 0;
  uint32_t device = 0, context = 0, stream = 0, thread = 0;
  uint32_t correlation = 0;
  uint64_t op_event = 0;               // id of the op event that caused it; 0: unknown
  CallId call;                         // the traced call that caused it; none: eager or unknown
  uint64_t bytes = 0;
};

// What the numbers in op events mean: ops by the engine's number, what they ran on, threads, devices.
struct OpNameRecord { OpId id; std::string name, family; };
struct SignatureRecord {
  SignatureId id;
  OpId op;
  std::string inputs, outputs;         // "float32[32,784], float32[784,128]"
  uint64_t input_bytes = 0, output_bytes = 0;
  uint64_t flops = 0;                  // 0: it only moves or looks
};
struct ThreadRecord { uint16_t number = 0; uint32_t system_id = 0; std::string name; };
struct DeviceNameRecord { uint8_t number = 0; std::string name, description; };  // "/gpu:0", "NVIDIA H200, 139 GB"

// So many things were not recorded: ("op events", "the thread's ring was full", 12000).
struct DroppedRecord { std::string what, why; uint64_t count = 0; };

struct EndRecord {
  int64_t time_ns = 0;
  int exit_code = 0;
  int signal = 0;
  std::string reason;                  // "finished", "stopped by the user", "killed: out of memory", ...
};

}  // namespace footlight::session
