// The log lies in memory where the system has a folder for that.
#include "tests/fuzz/foreign_input.h"

#include "engine/base/errors.h"
#include "engine/foreign/foreign.h"
#include "engine/session/writer.h"
#include "engine/wire/protobuf.h"

#include <unistd.h>

#include <filesystem>

namespace footlight::fuzz {

bool read_foreign_input(std::string_view input) {
  const char* const folder = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
  const std::string path = std::string(folder) + "/footlight-fuzz-" + std::to_string(getpid()) + ".footlight";
  bool done = false;
  {
    session::WriterOptions options;
    options.flush_ms = 1000;
    const auto writer = session::Writer::create(path, {}, RecordingLevel::kOps, options);
    try {
      foreign::import_bytes(input, *writer, path);
      done = true;
    } catch (const Error&) {
      // a file that is none, or damaged
    }
  }
  unlink(path.c_str());
  return done;
}

std::string small_kineto() {
  return R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A100"}],
 "distributedInfo": {"rank": 1, "world_size": 2},
"traceEvents": [{"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python"}},
{"ph": "X", "cat": "python_function", "name": "m.py(3): f", "pid": 7, "tid": 7, "ts": 1.5, "dur": 90,
 "args": {}},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 7, "tid": 7, "ts": 2, "dur": 80},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 3.25, "dur": 40,
 "args": {"External id": 5,
 "Sequence number": 9, "Fwd thread id": 0, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"],
 "Call stack": "m.py(4): g;m.py(3): f"}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": 4, "dur": 3,
 "args": {"correlation": 11}},
{"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 20, "dur": 30,
 "args": {"correlation": 11, "device": 0, "stream": 7}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": 51, "dur": 3,
 "args": {"correlation": 12, "bytes": 64}},
{"ph": "B", "name": "b", "pid": 7, "tid": 8, "ts": 5}, {"ph": "E", "pid": 7, "tid": 8, "ts": 6},
{"ph": "b", "cat": "c", "id": "0x1", "name": "n", "pid": 7, "tid": 8, "ts": 5}, {"ph": "e", "cat": "c",
 "id": "0x1", "pid": 7, "ts": 9},
{"ph": "s", "cat": "fwdbwd", "id": 1, "name": "n", "pid": 7, "tid": 7, "ts": 5}, {"ph": "f", "cat": "fwdbwd",
 "id": 1, "pid": 7, "tid": 7, "ts": 9},
{"ph": "C", "name": "queue", "pid": 7, "ts": 8, "args": {"value": 3, "more": 4.5}},
{"ph": "i", "name": "[memory]", "pid": 7, "tid": 7, "ts": 9, "args": {"Total Allocated": 99, "Device Type": 1,
 "Device Id": 0}}
], "baseTimeNanoseconds": 1717000000000000000})";
}

std::string small_xplane() {
  using wire::ProtobufWriter;
  const auto named = [](uint32_t field, uint64_t key, const char* name) {
    ProtobufWriter value, entry, plane;
    value.number(1, key);
    value.bytes(2, name);
    entry.number(1, key);
    entry.message(2, value);
    plane.message(field, entry);
    return plane.take();
  };
  const auto event = [](uint64_t kind, uint64_t offset, uint64_t took, uint64_t stat, const char* text,
                        uint64_t number) {
    ProtobufWriter s, e, line;
    s.number(1, stat);
    if (text) s.bytes(5, text);
    else s.number(3, number);
    e.number(1, kind);
    e.number(2, offset);
    e.number(3, took);
    e.message(4, s);
    line.message(4, e);
    return line.take();
  };
  const auto plane = [](const char* name, const std::string& names, const char* line_name, const std::string& events) {
    ProtobufWriter line, made;
    line.number(1, 7);
    line.bytes(2, line_name);
    line.number(3, 1000);
    made.number(1, 1);
    made.bytes(2, name);
    made.bytes(3, line.text() + events);
    ProtobufWriter space;
    space.bytes(1, made.text() + names);
    return space.take();
  };
  const std::string host = named(4, 1, "$m.py:3 f") + named(4, 2, "cuLaunchKernel") + named(4, 3, "dot.1") +
                           named(4, 4, "model/MatMul:MatMul") + named(5, 1, "correlation_id") + named(5, 2, "hlo_op");
  const std::string device = named(4, 1, "sgemm") + named(5, 1, "correlation_id") + named(5, 2, "tf_op");
  return plane("/host:CPU", host, "python",
               event(1, 0, 900'000, 9, nullptr, 1) + event(2, 30'000, 4'000, 1, nullptr, 11) +
                   event(3, 50'000, 9'000, 2, "dot.1", 0) + event(4, 10'000, 90'000, 9, nullptr, 1)) +
         plane("/device:GPU:0", device, "Stream #7(Kernel)",
               event(1, 60'000, 70'000, 1, nullptr, 11) + event(1, 160'000, 70'000, 2, "model/MatMul", 0));
}

}  // namespace footlight::fuzz
