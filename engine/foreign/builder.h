// Makes a recording of the events of one process, whatever their file's format: sorts them as a recorder would have
// written them, and finds the op and the line behind each launch.
#pragma once

#include "engine/foreign/nesting.h"
#include "engine/foreign/progress.h"
#include "engine/foreign/spill.h"
#include "engine/foreign/texts.h"
#include "engine/session/writer.h"

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footlight::foreign {

enum class EventKind : uint8_t {
  kOp,         // an op on a thread of the host
  kSpan,       // anything else that took time
  kFrame,      // a function of Python: a span that says which line the ops inside it stand on
  kNote,       // what the program called a part of itself: a span that names the kernels launched inside it
  kRuntime,    // a call of a device's interface
  kDriver,
  kKernel,
  kMemcpy,
  kMemset,
  kSync,
  kOverhead,
  kCounter,
};
constexpr bool is_device_work(EventKind kind) { return kind >= EventKind::kKernel && kind <= EventKind::kMemset; }
constexpr bool is_device_event(EventKind kind) { return kind >= EventKind::kRuntime && kind <= EventKind::kOverhead; }

// An event as an importer found it. Texts live until add() returns.
struct Event {
  EventKind kind = EventKind::kSpan;
  uint32_t lane = 0;
  int64_t start_ns = 0, end_ns = 0;
  std::string_view name, category;
  std::string_view args;                 // a JSON object, or nothing
  uint32_t device = 0, context = 0, stream = 0;  // of device work
  uint64_t correlation = 0;              // the same for a call and the work that it asked for; 0: none
  uint64_t external = 0;                 // of an op and of the work that it asked for; 0: none
  uint64_t bytes = 0;                    // moved by a copy
  std::string_view inputs, outputs;      // of an op: "float32[8,16], float32[16,4]"
  uint64_t input_bytes = 0, output_bytes = 0, flops = 0;
  std::string_view annotation;           // of device work, where the file itself says what it is for
  uint64_t sequence = 0;                 // of an op of the forward pass and of its gradient; 0: none
  bool is_gradient = false;
  LocationNumber location = kNoLocation; // of an op, where the file says it
  double value = 0;                      // of a counter
};

// What a file says of itself.
struct FileFacts {
  std::string path, format;              // "Kineto"
  std::string engine, engine_version;
  std::string machine, host;
  int rank = 0, world = 1;
  int files = 1;                         // of the whole import
  int64_t pid = 0;
  int64_t base_ns = 0;                   // to be added to all times
  int64_t first_ns = 0, last_ns = 0;     // of what the importer itself wrote; 0: nothing that has a time
};

class Builder {
 public:
  // `kept`: the device numbers that files of the recording have taken; this file's are added.
  Builder(session::Writer& writer, std::string beside, std::set<uint32_t>& kept);

  // The row of the timeline for a thread (or a stream, or whatever events lie on), by the file's names for it.
  uint32_t lane(std::string_view process, std::string_view thread);
  void name_process(std::string_view process, std::string_view name);
  void name_lane(uint32_t lane, std::string_view name);
  const std::string& lane_name(uint32_t lane) const { return lanes_[lane].name; }
  const std::string& process_name(uint32_t lane) const { return processes_[lanes_[lane].process].name; }
  // A counter's row. Throws nothing; beyond a limit all further counters share one.
  uint32_t counter(std::string_view process, std::string_view name, bool is_memory = false, uint32_t device = 0);
  void name_device(uint32_t device, std::string_view description);

  void add(const Event& event);
  // An arrow that ends (or begins) in the event that is open on the lane at that time.
  void add_flow(uint32_t lane, int64_t time_ns, uint64_t number, bool ends);
  Locations& locations() { return locations_; }
  // Counts something of the file that the recording does not have.
  void leave_out(const std::string& what, const std::string& why, uint64_t count = 1) {
    if (left_out_.size() < 1000) left_out_[{what, why}] += count;
  }

  uint64_t events() const { return events_.size(); }
  // Writes everything. Returns the times of the first and of the last event, 0 without events.
  struct Times { int64_t first = 0, last = 0; };
  Times finish(FileFacts facts, Progress& progress);

 private:
  struct Lane {
    uint32_t process = 0;
    std::string key, name;
    uint64_t ops = 0, spans = 0, calls = 0;
    session::TrackId track;
    session::ThreadId thread;
  };
  struct Process { std::string key, name; session::TrackId track; };
  struct Counter {
    uint32_t process = 0;
    std::string name;
    bool is_memory = false;
    uint32_t device = 0;   // counted from 1; 0: the host
    session::TrackId track;
  };
  struct Stored;
  class Rows;
  uint32_t process(std::string_view key);
  uint32_t system_id(const Lane& lane) const;
  void add_signature(const Event& event, Stored& stored);
  void write_names(const FileFacts& facts);
  uint32_t shown_device(uint32_t device);

  session::Writer& writer_;
  std::set<uint32_t>& kept_;
  Spill events_;
  Nesting nesting_;
  Texts texts_;
  Locations locations_;
  std::vector<Process> processes_;
  std::vector<Lane> lanes_;
  std::vector<Counter> counters_;
  std::unordered_map<std::string, uint32_t> process_of_, lane_of_, counter_of_;
  std::unordered_map<std::string, uint32_t> signature_of_, op_of_;
  std::map<uint32_t, std::string> devices_;   // their descriptions
  std::map<uint32_t, uint32_t> shown_devices_;
  std::map<std::pair<std::string, std::string>, uint64_t> left_out_;
  uint32_t ops_ = 0, spans_ = 0;
  int64_t first_ = INT64_MAX, last_ = INT64_MIN;
  std::string record_;
};

}  // namespace footlight::foreign
