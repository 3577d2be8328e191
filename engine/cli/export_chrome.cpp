// Chrome's trace events, as JSON: for chrome://tracing and the Perfetto UI.
#include "engine/base/text.h"
#include "engine/cli/export_timeline.h"
#include "engine/cli/json.h"

#include "footlight_version.h"

#include <charconv>
#include <set>

namespace footlight::cli {
namespace {

class ChromeSink : public TimelineSink {
 public:
  ChromeSink(Output& out, int64_t origin_ns) : out_(out), origin_ns_(origin_ns) {}

  void track(const TimelineTrack& track) override {
    if (track.kind == TimelineTrack::Kind::kCounter) {
      // Counters are told apart by name.
      std::string name = track.name;
      for (int n = 2; !counters_.insert({track.pid, name}).second; ++n) name = str(track.name, " (", n, ")");
      counter_names_.emplace(track.number, std::move(name));
      return;
    }
    const bool process = track.kind == TimelineTrack::Kind::kProcess;
    metadata(track, process ? "process_name" : "thread_name", "name", json_text(track.name));
    metadata(track, process ? "process_sort_index" : "thread_sort_index", "sort_index", std::to_string(track.number));
  }

  void slice(const Slice& slice) override {
    begin('X', *slice.track, slice.start_ns, slice.name, slice.category);
    line_ += ",\"dur\":";
    // As unsigned numbers: times of a file may lie anywhere.
    append_micros(static_cast<uint64_t>(slice.end_ns) - static_cast<uint64_t>(slice.start_ns));
    append_arguments(slice.arguments);
    end();
    for (const Flow& flow : slice.flows) {
      static constexpr char kPhases[] = {'s', 't', 'f'};
      begin(kPhases[static_cast<size_t>(flow.role)], *slice.track, slice.start_ns, "flow", "flow");
      char id[24] = "";
      *std::to_chars(id, id + sizeof id - 1, flow.id, 16).ptr = 0;
      line_.append(",\"id\":\"0x").append(id).append(flow.role == Flow::Role::kEnd ? "\",\"bp\":\"e\"" : "\"");
      end();
    }
  }

  void counter(const TimelineTrack& track, int64_t time_ns, double value) override {
    begin('C', track, time_ns, counter_names_[track.number], "counter");
    char text[40];
    line_.append(",\"args\":{\"value\":").append(text, std::to_chars(text, text + sizeof text, value).ptr) += '}';
    end();
  }

  void instant(const TimelineTrack& track, int64_t time_ns, std::string_view name,
               std::span<const Argument> arguments) override {
    begin('i', track, time_ns, name, "missing");
    line_ += ",\"s\":\"g\"";
    append_arguments(arguments);
    end();
  }

 private:
  void metadata(const TimelineTrack& track, const char* name, const char* key, const std::string& value) {
    line_ += "{\"ph\":\"M\",\"name\":";
    append_json_text(line_, name);
    append_ids(track);
    line_.append(",\"args\":{\"").append(key).append("\":").append(value) += '}';
    end();
  }

  void begin(char phase, const TimelineTrack& track, int64_t time_ns, std::string_view name,
             std::string_view category) {
    line_.append("{\"ph\":\"").append(1, phase).append("\",\"name\":");
    append_json_text(line_, name);
    line_ += ",\"cat\":";
    append_json_text(line_, category);
    append_ids(track);
    line_ += ",\"ts\":";
    const bool before = time_ns < origin_ns_;
    const uint64_t distance = static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(origin_ns_);
    if (before) line_ += '-';
    append_micros(before ? 0 - distance : distance);
  }

  void end() {
    out_.write(first_ ? "" : ",\n");
    first_ = false;
    out_.write(line_ += '}');
    line_.clear();
  }

  void append_ids(const TimelineTrack& track) {
    line_.append(",\"pid\":").append(std::to_string(track.pid)).append(",\"tid\":").append(std::to_string(track.tid));
  }

  void append_micros(uint64_t ns) {
    const char fraction[] = {'.', static_cast<char>('0' + ns / 100 % 10), static_cast<char>('0' + ns / 10 % 10),
                             static_cast<char>('0' + ns % 10)};
    line_.append(std::to_string(ns / 1000)).append(fraction, sizeof fraction);
  }

  void append_arguments(std::span<const Argument> arguments) {
    if (arguments.empty()) return;
    line_ += ",\"args\":{";
    for (const Argument& a : arguments) {
      if (&a != &arguments.front()) line_ += ',';
      line_.append("\"").append(a.name).append("\":");
      if (a.is_number) line_ += std::to_string(a.number);
      else if (a.json) line_ += a.text;
      else append_json_text(line_, a.text);
    }
    line_ += '}';
  }

  Output& out_;
  int64_t origin_ns_;
  std::string line_;
  bool first_ = true;
  std::set<std::pair<int32_t, std::string>> counters_;
  std::unordered_map<uint32_t, std::string> counter_names_;
};

}  // namespace

// Times count from the first event: as numbers of JSON, nanoseconds since 1970 would lose their last digits.
void export_chrome(const Export& what) {
  const session::Contents& c = what.reader.contents();
  const int64_t origin = what.reader.first_time();
  what.out.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  ChromeSink sink(what.out, origin);
  const std::vector<Missing> missing = write_timeline(what, sink);
  JsonObject about;
  about.add("producer", "footlight " FOOTLIGHT_VERSION).add("script", c.run.script).add("python", c.run.python);
  about.add("engine", c.run.engine).add("machine", c.run.machine).add("origin_ns", std::to_string(origin));
  about.add("damage", what.reader.damage()).add("left_out", what.reader.left_out());
  std::vector<std::string> all;
  for (const Missing& m : missing)
    all.push_back(JsonObject().add("what", m.what).add("why", m.why).add("count", m.count).inline_());
  about.raw("missing", json_list(all));
  what.out.write("\n],\"otherData\":" + about.inline_() + "}\n");
}

}  // namespace footlight::cli
