// `footlight merge`: the recordings of the processes of one run become one.
#include "engine/base/errors.h"
#include "engine/cli/commands.h"
#include "engine/cli/text.h"
#include "engine/query/clocks.h"
#include "engine/query/late_ranks.h"
#include "engine/session/merge.h"
#include "engine/session/processes_beside.h"

#include <sys/stat.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <map>
#include <tuple>

namespace footlight::cli {
namespace {

using session::ProcessRecord;

constexpr const char* kHow = "`footlight merge FILE|FOLDER... [-o FILE]`";

// One recording that is merged.
struct Input {
  std::string path;
  std::string script;
  std::vector<ProcessRecord> processes;
  query::ClockSource clock;
};

Input open(const std::string& path) {
  const auto reader = session::Reader::open(path);
  if (reader->state() == session::State::kLive)
    throw Error(ErrorKind::kFailedPrecondition, path + ": the run has not ended yet; merge it when it has");
  Input input;
  input.path = path;
  input.script = reader->contents().run.script;
  input.processes = reader->contents().processes;
  if (!input.processes.empty()) input.clock.process = input.processes.front();
  input.clock.collectives = query::collectives(*reader, {});
  return input;
}

// The recordings in a folder; merged ones are left out, as their parts may lie beside them.
std::vector<std::string> recordings_in(const std::string& folder, const std::string& except) {
  std::vector<std::string> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".footlight") || !entry.is_regular_file(failed) || path == except) continue;
    if (!except.empty() && std::filesystem::equivalent(path, except, failed)) continue;
    const auto reader = session::Reader::open(path);
    if (std::ranges::none_of(reader->contents().processes, [](const auto& p) { return !p.recording.empty(); }))
      found.push_back(path);
  }
  if (failed) throw Error(ErrorKind::kIo, "cannot read the folder " + folder + ": " + failed.message());
  if (found.empty()) throw Error(ErrorKind::kValue, folder + ": there is no recording in this folder");
  std::ranges::sort(found);
  return found;
}

void refuse_twice(const std::vector<std::string>& files) {
  std::map<std::pair<uint64_t, uint64_t>, std::string> seen;
  for (const std::string& file : files) {
    struct stat s {};
    if (stat(file.c_str(), &s) != 0) continue;  // opening it says why
    const auto [at, added] = seen.try_emplace({uint64_t{s.st_dev}, uint64_t{s.st_ino}}, file);
    if (!added) throw Error(ErrorKind::kValue, file + " is the same file as " + at->second + ": name each one once");
  }
}

// Recordings that cannot be of one run.
void refuse_mixes(const std::vector<Input>& inputs) {
  std::map<std::tuple<std::string, int64_t, int64_t>, std::string> processes;
  std::map<int, std::string> ranks;
  int world = 0;
  std::string of_world;
  for (const Input& input : inputs)
    for (const ProcessRecord& p : input.processes) {
      if (!p.clocks.empty()) {
        const auto [at, added] = processes.try_emplace({p.host, p.pid, p.clocks.front().clock_ns}, input.path);
        if (!added)
          throw Error(ErrorKind::kValue, input.path + " and " + at->second + " both hold process " +
                                             std::to_string(p.pid) + ": merge each recording once");
      }
      if (p.world < 2 || p.is_child()) continue;
      if (world && world != p.world)
        throw Error(ErrorKind::kValue, input.path + " is of a run with " + std::to_string(p.world) + " ranks and " +
                                           of_world + " of one with " + std::to_string(world) +
                                           ": they are not of one run");
      world = p.world;
      of_world = input.path;
      const auto [at, added] = ranks.try_emplace(p.rank, input.path);
      if (!added)
        throw Error(ErrorKind::kValue, input.path + " and " + at->second + " are both of rank " +
                                           std::to_string(p.rank) + ": they are not of one run");
    }
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// The process that began the run comes first, then ranks in their order, then children.
bool comes_before(const Input& a, const Input& b) {
  const auto place = [](const Input& input) {
    const ProcessRecord& p = input.clock.process;
    const int kind = p.is_child() ? 2 : p.world > 1 ? 1 : 0;
    return std::tuple(kind, p.rank, p.clocks.empty() ? 0 : p.clocks.front().clock_ns);
  };
  return place(a) < place(b);
}

std::string time_text(int64_t ns) {
  char text[40];
  const double value = static_cast<double>(ns < 0 ? -ns : ns);
  if (value < 1e3) std::snprintf(text, sizeof text, "%.0f ns", value);
  else if (value < 1e6) std::snprintf(text, sizeof text, "%.1f us", value / 1e3);
  else if (value < 1e9) std::snprintf(text, sizeof text, "%.3f ms", value / 1e6);
  else std::snprintf(text, sizeof text, "%.3f s", value / 1e9);
  return text;
}

std::string clock_text(const query::ClockPlace& place) {
  using By = query::ClockPlace::By;
  if (place.by == By::kReference) return "the clock of all others";
  if (place.by == By::kSystemTime)
    return "by the system's time alone, error unknown: no collective that both recorded tells more";
  std::string text = place.move_ns == 0 ? "same clock" : std::string("moved by ") + (place.move_ns < 0 ? "-" : "+") +
                                                             time_text(place.move_ns);
  text += ", error " + time_text(place.error_ns);
  if (place.by == By::kHandshake) return text + ", by asking rank 0 over the folder of the recordings";
  return text + (place.by == By::kSteadyClock ? ", by the machine's steady clock"
                                              : ", by " + std::to_string(place.matched) + " collectives");
}

void say(const std::string& words) { std::printf("%s\n", printable_lines(words).c_str()); }

std::vector<std::string> with_those_beside(const std::string& file) {
  const auto reader = session::Reader::open(file);
  std::string run;
  for (const ProcessRecord& p : reader->contents().processes) run = run.empty() ? p.run : run;
  std::vector<std::string> files{file};
  if (run.empty()) return files;
  for (const std::string& other : session::settle_files_beside(file, run)) files.push_back(other);
  return files;
}

}  // namespace

int merge(const Words& words) {
  std::vector<std::string> files;
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if ((words[i] == "-o" || words[i] == "--output") && i + 1 < words.size()) out = words[++i];
    else if (words[i].empty() || words[i][0] != '-') files.push_back(words[i]);
    else return complain("merge: unknown option '" + words[i] + "'; usage: " + kHow);
  }
  if (files.empty()) return complain(std::string("merge needs recordings; usage: ") + kHow);
  std::string named = files.front();
  std::vector<std::string> given;
  std::swap(given, files);
  bool any_folder = false;
  std::error_code unknown;
  for (const std::string& one : given) {
    const bool is_folder = std::filesystem::is_directory(one, unknown);
    any_folder = any_folder || is_folder;
    const std::vector<std::string> inside = is_folder ? recordings_in(one, out) : std::vector<std::string>{one};
    files.insert(files.end(), inside.begin(), inside.end());
  }
  while (any_folder && named.size() > 1 && named.ends_with('/')) named.pop_back();
  refuse_twice(files);
  if (files.size() == 1 && any_folder)
    return complain(named + " holds one recording: there is nothing to be put together");
  if (files.size() == 1) files = with_those_beside(named);
  if (files.size() == 1)
    return complain(named + " is alone: beside it is no recording of another process of its run. Name all that belong "
                            "together: " + kHow);
  if (out.empty()) {
    out = named.ends_with(".footlight") ? named.substr(0, named.size() - 10) : named;
    out += "-merged.footlight";
  }
  std::vector<Input> inputs;
  for (const std::string& file : files) inputs.push_back(open(file));
  for (const Input& input : inputs)
    if (input.path == out) return complain(out + " is one of those that are merged: name another file after -o");
  refuse_mixes(inputs);
  std::ranges::stable_sort(inputs, comes_before);

  std::vector<query::ClockSource> clocks;
  for (Input& input : inputs) clocks.push_back(std::move(input.clock));
  const std::vector<query::ClockPlace> places = query::place_clocks(clocks);
  std::vector<session::MergePart> parts;
  for (size_t i = 0; i < inputs.size(); ++i)
    parts.push_back({inputs[i].path, places[i].move_ns, places[i].error_ns});
  session::write_merged(parts, out);

  const auto reader = session::Reader::open(out);
  say(out + ": " + std::to_string(reader->contents().processes.size()) + " processes");
  uint32_t number = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = query::process_name(reader->contents(), session::ProcessId(number));
    const std::string host = clocks[i].process.host.empty() ? "" : " on " + clocks[i].process.host;
    say("  " + name + host + ", " + file_name(inputs[i].path) + ": " + clock_text(places[i]));
    uint32_t count = 1;
    for (const ProcessRecord& p : inputs[i].processes) count = std::max(count, p.id.valid() ? p.id.value + 1 : 1);
    number += count;
  }
  // A launcher is another script than the ranks that it starts.
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = inputs[i];
    const bool is_of_one_run = !clocks[i].process.run.empty() && clocks[i].process.run == clocks.front().process.run;
    if (input.script != inputs.front().script && !is_of_one_run)
      say("Note: " + file_name(input.path) + " is of another script, " + input.script + ", not " +
          inputs.front().script);
  }
  const query::Ranks ranks = query::find_late_ranks(*reader);
  for (const std::string& missing : ranks.missing) say("Note: " + missing);
  say(query::verdict(ranks, *reader));
  return 0;
}

}  // namespace footlight::cli
