// `footlight info`: the contents of a session, or of a model, as text or JSON. `footlight recover`: finishes the log
// of a killed run.
#include "engine/base/errors.h"
#include "engine/cli/commands.h"
#include "engine/cli/json.h"
#include "engine/cli/model_info.h"
#include "engine/cli/open_file.h"
#include "engine/cli/text.h"
#include "engine/explain/evidence.h"
#include "engine/foreign/foreign.h"
#include "engine/model/model_file.h"
#include "engine/session/run_times.h"
#include "engine/session/reader.h"
#include "engine/session/schema.h"
#include "engine/session/trace_counts.h"
#include "engine/session/writer.h"

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <set>

namespace footlight::cli {
namespace {

const char* level_name(RecordingLevel level) {
  switch (level) {
    case RecordingLevel::kOff: return "off";
    case RecordingLevel::kStructure: return "structure";
    case RecordingLevel::kOps: return "ops";
  }
  return "";
}

const char* state_name(session::State state) {
  switch (state) {
    case session::State::kFinished: return "finished";
    case session::State::kLive: return "live";
    case session::State::kKilled: return "killed";
  }
  return "";
}

// Lines of the program's output; an unfinished last line counts.
uint64_t console_lines(const std::vector<session::ConsoleRecord>& records) {
  uint64_t lines = 0;
  bool open[3] = {};
  for (const auto& r : records) {
    if (r.stream >= session::ConsoleStream::kNote || r.text.empty()) continue;
    for (const char c : r.text) lines += c == '\n';
    open[uint8_t(r.stream)] = r.text.back() != '\n';
  }
  return lines + open[0] + open[1] + open[2];
}

uint64_t nodes(const std::vector<session::GraphRecord>& graphs) {
  uint64_t n = 0;
  for (const auto& g : graphs) n += g.nodes.size();
  return n;
}

// Counts the places where functions were made, as a report does: a factory makes many functions at one place.
uint64_t definitions(const std::vector<session::FunctionRecord>& functions) {
  std::set<std::pair<std::string, explain::Line>> places;
  for (const session::FunctionRecord& f : functions) places.emplace(f.name, explain::def_of(f));
  return places.size();
}

session::RunTimes run_times(const session::Reader& r) {
  return {session::run_time(r.contents().run, r.contents().end, r.first_time(), r.last_time()), r.events_ns()};
}

void print_json(const session::Reader& r) {
  const session::Contents& c = r.contents();
  JsonObject out;
  out.add("functions", uint64_t{c.functions.size()});
  out.add("definitions", definitions(c.functions));
  const session::TraceCounts traces = session::counts_of(c.traces);
  out.add("traces", uint64_t{traces.traces}).add("failed_traces", uint64_t{traces.failed});
  out.add("calls", r.calls().rows());
  out.add("nodes", nodes(c.graphs));
  out.add("op_events", r.op_events().rows());
  out.add("console_lines", console_lines(c.console));
  out.add("first_time", r.first_time());
  out.add("last_time", r.last_time());
  out.add("run_ns", run_times(r).run_ns);
  out.add("events_ns", run_times(r).events_ns);
  out.add("ended", c.end.has_value());
  out.add("graphs", uint64_t{c.graphs.size()});
  out.add("device_events", r.device_events().rows());
  out.add("level", level_name(c.level));
  out.add("state", state_name(r.state()));
  out.add("recovered", r.state() == session::State::kKilled);
  if (c.end) {
    out.add("exit_code", c.end->exit_code);
    out.add("signal", c.end->signal);
    out.add("reason", c.end->reason);
  }
  std::vector<std::string> dropped;
  for (const auto& d : c.dropped)
    dropped.push_back(JsonObject().add("what", d.what).add("why", d.why).add("count", d.count).inline_());
  out.raw("dropped", json_list(dropped));
  out.add("damage", r.damage());
  out.add("left_out", r.left_out());
  out.add("version", r.version());
  out.add("script", c.run.script);
  std::vector<std::string> arguments;
  for (const std::string& a : c.run.arguments) arguments.push_back(json_text(a));
  out.raw("arguments", json_list(arguments));
  out.add("working_directory", c.run.working_directory);
  out.add("python", c.run.python);
  out.add("engine", c.run.engine);
  out.add("machine", c.run.machine);
  out.add("started", c.run.started_ns);
  std::printf("%s\n", out.lines().c_str());
}

void line(const char* name, const std::string& value) {
  if (!value.empty()) std::printf("%-14s %s\n", name, printable(value).c_str());
}
void count(const char* name, uint64_t value) { std::printf("%-14s %" PRIu64 "\n", name, value); }

void print_text(const session::Reader& r) {
  const session::Contents& c = r.contents();
  std::string command = c.run.script;
  for (const std::string& a : c.run.arguments) command += " " + a;
  line("script", command);
  if (c.run.started_ns > 0) line("started", local_time(c.run.started_ns));
  line("python", c.run.python);
  line("engine", c.run.engine);
  for (const session::ProcessRecord& p : c.processes) {
    if (p.adapter.empty()) continue;
    line("recorded", p.engine + ' ' + p.engine_version);
    for (const std::string& missing : p.missing_hooks) line("missing", missing);
  }
  line("machine", c.run.machine);
  if (c.end) {
    std::string end = c.end->reason;
    if (c.end->signal) {
      end += ", signal " + std::to_string(c.end->signal);
    } else {
      end += ", exit code " + std::to_string(c.end->exit_code);
    }
    line("ended", end);
  } else if (r.state() == session::State::kLive) {
    line("ended", "not yet: it is running");
  } else {
    line("ended", "no: the run was killed; what was recorded up to then is here");
  }
  line("level", level_name(c.level));
  const auto seconds = [](int64_t ns, const char* of) {
    char text[96];
    std::snprintf(text, sizeof text, "%.6f s, from %s", static_cast<double>(ns) / 1e9, of);
    return std::string(text);
  };
  const session::RunTimes times = run_times(r);
  if (times.run_ns) line("run", seconds(times.run_ns, "the start of the script to its end"));
  if (times.events_ns) line("events", seconds(times.events_ns, "the first event that was recorded to the last"));
  const uint64_t places = definitions(c.functions);
  if (places == c.functions.size()) count("functions", places);
  else line("functions", std::to_string(c.functions.size()) + ", of " + std::to_string(places) +
                             (places == 1 ? " definition" : " definitions"));
  const session::TraceCounts traces = session::counts_of(c.traces);
  count("traces", traces.traces);
  if (traces.failed) count("failed traces", traces.failed);
  count("calls", r.calls().rows());
  count("graphs", c.graphs.size());
  count("nodes", nodes(c.graphs));
  count("op events", r.op_events().rows());
  count("device events", r.device_events().rows());
  count("console lines", console_lines(c.console));
  for (const auto& d : c.dropped)
    line("dropped", std::to_string(d.count) + " " + d.what + ": " + d.why);
  line("damage", r.damage());
  line("left out", r.left_out());
}

}  // namespace

int info(const Words& words) {
  constexpr const char* kHow =
      "`footlight info FILE [--ops [--filter TEXT] [--shapes]] [--json]` or `footlight info --schema`";
  bool json = false, ops = false;
  OpTable table;
  std::string file;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w == "--json") {
      json = true;
    } else if (w == "--ops") {
      ops = true;
    } else if (w == "--schema" && words.size() == 1) {
      std::fputs(session::schema_page().c_str(), stdout);
      return 0;
    } else if (w == "--shapes") {
      ops = table.shapes = true;
    } else if (w == "--filter" && i + 1 < words.size()) {
      ops = true;
      table.filter = words[++i];
    } else if (file.empty() && (w.empty() || w[0] != '-')) {
      file = w;
    } else {
      return complain("info: unknown option '" + w + "'; usage: " + kHow);
    }
  }
  if (file.empty()) return complain(std::string("info needs a recording or a model; usage: ") + kHow);
  if (model::looks_like_model(file) && !foreign::is_foreign(file)) {
    if (ops) return complain("info: --ops is about recorded runs, and " + file + " is a model");
    print_model(file, json);
    return 0;
  }
  const auto reader = open_file(file);
  table.json = json;
  if (ops) {
    print_ops(*reader, table);
  } else {
    json ? print_json(*reader) : print_text(*reader);
  }
  return 0;
}

int recover(const Words& words) {
  std::string file, out;
  for (size_t i = 0; i < words.size(); ++i) {
    if ((words[i] == "-o" || words[i] == "--output") && i + 1 < words.size()) {
      out = words[++i];
    } else if (file.empty() && (words[i].empty() || words[i][0] != '-')) {
      file = words[i];
    } else {
      return complain("recover: unknown option '" + words[i] + "'; usage: `footlight recover FILE [-o FILE]`");
    }
  }
  if (file.empty()) return complain("recover needs a recording; usage: `footlight recover FILE [-o FILE]`");
  if (session::Reader::open(file)->state() == session::State::kLive)
    return complain(file + ": the run has not ended yet");
  if (!out.empty()) {
    session::finish_log(file, out);
    return 0;
  }
  char resolved[PATH_MAX];  // a link stays a link
  const std::string session = realpath(file.c_str(), resolved) ? resolved : file;
  session::finish_log(session, session);
  return 0;
}

}  // namespace footlight::cli
