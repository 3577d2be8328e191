// `footlight compare`: runs a script with a call repeated, eagerly and traced, or takes a session that holds that, and
// prints where the difference goes.
#include "engine/base/errors.h"
#include "engine/cli/commands.h"
#include "engine/cli/json.h"
#include "engine/cli/text.h"
#include "engine/explain/compare/text.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace footlight::cli {
namespace {

using namespace explain;

struct Request {
  std::string file;                 // a script, or a session
  Words arguments;                  // of the script
  std::map<std::string, std::string> options;
  bool json = false;
};

constexpr const char* kOptions[] = {"--function", "--call", "--pairs", "--seconds", "-o", "--output"};

Request request_of(const Words& words) {
  Request request;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i], value;
    const size_t equals = name.starts_with("--") ? name.find('=') : std::string::npos;
    const bool has_value = equals != std::string::npos;
    if (has_value) value = name.substr(equals + 1), name.resize(equals);
    if (name == "--") {
      request.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (name == "--json" && !has_value) {
      request.json = true;
    } else if (std::ranges::find(kOptions, name) != std::end(kOptions)) {
      if (!has_value && ++i == words.size())
        throw Error(ErrorKind::kValue, "compare: option '" + name + "' needs a value");
      request.options[name == "-o" ? "--output" : name] = has_value ? value : words[i];
    } else if (name.starts_with("-")) {
      throw Error(ErrorKind::kValue, "compare: unknown option '" + words[i] + "'; a script's own stand behind --");
    } else if (request.file.empty()) {
      request.file = name;
    } else {
      request.arguments.push_back(words[i]);
    }
  }
  if (request.file.empty())
    throw Error(ErrorKind::kValue, "compare: which script? `footlight compare script.py --function NAME`");
  return request;
}

std::string option(const Request& request, const char* name, const char* otherwise) {
  const auto at = request.options.find(name);
  return at == request.options.end() ? otherwise : at->second;
}

// A name for a session that nobody asked to keep.
class Kept {
 public:
  explicit Kept(std::string wanted) : path_(std::move(wanted)), ours_(path_.empty()) {
    if (!ours_) return;
    std::string name = (std::filesystem::temp_directory_path() / "footlight-compare-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error(ErrorKind::kIo, "cannot make a folder in " + name);
    folder_ = name;
    path_ = name + "/run.footlight";
  }
  ~Kept() {
    std::error_code ignored;
    if (ours_) std::filesystem::remove_all(folder_, ignored);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_, folder_;
  bool ours_;
};

// Runs the script to its end; its exit status. With --json its output goes to standard error.
int run_script(const Request& request, const std::string& session) {
  const std::string call = option(request, "--call", "1");
  if (call.empty() || call.find_first_not_of("0123456789") != std::string::npos)
    throw Error(ErrorKind::kValue, "compare: --call takes a number from 1, not '" + call + "'");
  Words words{"--compare=" + option(request, "--function", "") + ":" + call,
              "--compare-pairs=" + option(request, "--pairs", "50"),
              "--compare-seconds=" + option(request, "--seconds", "10"), "-o", session, request.file};
  if (!request.arguments.empty()) words.push_back("--");
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw Error(ErrorKind::kIo, "cannot start another process");
  if (child == 0) {
    if (request.json) dup2(2, 1);
    _exit(record(words));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string number(double value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string json_of(const Spread& spread) {
  return JsonObject()
      .raw("mean", number(spread.mean))
      .raw("p5", number(spread.p5))
      .raw("p95", number(spread.p95))
      .inline_();
}

const char* kind_of(Part::Kind kind) {
  switch (kind) {
    case Part::Kind::kShare: return "share";
    case Part::Kind::kGroup: return "group";
    case Part::Kind::kCall: return "call";
    case Part::Kind::kRecording: return "recording";
    case Part::Kind::kOthers: return "others";
  }
  return "";
}

std::string json_of(const std::vector<Part>& parts) {
  std::vector<std::string> out;
  for (const Part& part : parts) {
    JsonObject one;
    one.add("name", part.name).add("kind", kind_of(part.kind));
    one.raw("eager_ns", number(part.eager)).raw("traced_ns", number(part.traced));
    one.raw("difference_ns", json_of(part.difference));
    if (!part.joined.empty()) one.raw("joined", json_of(part.joined));
    out.push_back(one.inline_());
  }
  return json_list(out);
}

std::string json_of(const session::Reader& reader, const std::vector<Row>& rows) {
  std::vector<std::string> out;
  for (const Row& row : rows) {
    const session::FileRecord* file = row.at ? reader.file(row.at.file) : nullptr;
    JsonObject one;
    one.add("file", file ? file->path : "").add("line", row.at.line).add("function", row.function);
    one.add("eager_ops", row.eager_ops).add("eager_count", row.eager_count).raw("eager_ns", json_of(row.eager));
    one.add("graph_nodes", row.graph_nodes).add("traced_count", row.traced_count).raw("traced_ns", json_of(row.traced));
    one.raw("difference_ns", json_of(row.difference)).add("group", name_of(row.group)).add("why", row.why);
    one.add("eager_bytes", row.eager_bytes).add("traced_bytes", row.traced_bytes).add("flops", row.flops);
    out.push_back(one.inline_());
  }
  return json_list(out);
}

std::string json_of(const Side& side) {
  JsonObject shares;
  for (size_t s = 0; s < kShares; ++s) shares.raw(name_of(static_cast<Share>(s)), number(side.shares[s]));
  std::vector<std::string> lanes;
  for (const Lane& lane : side.picture.lanes)
    lanes.push_back(JsonObject()
                        .add("name", lane.name)
                        .raw("busy", std::to_string(lane.busy))
                        .add("pieces", uint64_t{lane.pieces.size()})
                        .inline_());
  return JsonObject()
      .add("name", side.name)
      .raw("total_ns", json_of(side.total))
      .raw("recorded_ns", json_of(side.recorded))
      .raw("recording_adds_ns", number(side.recording))
      .raw("shares_ns", shares.inline_())
      .add("ops", side.ops)
      .add("lost", side.lost)
      .raw("lanes", json_list(lanes))
      .inline_();
}

std::string json_of(const session::Reader& reader, const Comparison& c) {
  JsonObject out;
  out.add("function", c.name).add("call", c.call).add("sentence", sentence_of(c)).add("worth", worth_of(c));
  out.raw("left", json_of(c.eager)).raw("right", json_of(c.traced)).raw("difference_ns", json_of(c.difference));
  out.raw("known_within", std::to_string(c.known_within)).raw("unexplained", std::to_string(c.unexplained));
  out.add("pairs", uint64_t{c.pairs}).add("pairs_with_events", uint64_t{c.pairs_with_events});
  out.add("warm_up", uint64_t{c.warm_up}).add("stopped", c.stopped).add("error", c.error);
  out.add("tracing_ns", c.tracing_ns).add("simulated", c.simulated).add("device", c.device);
  out.raw("worth_from", c.worth_from ? std::to_string(*c.worth_from) : "null");
  std::vector<std::string> notes;
  for (const std::string& note : c.notes) notes.push_back(json_text(note));
  out.raw("notes", json_list(notes)).raw("parts", json_of(c.parts)).raw("rows", json_of(reader, c.rows));
  return out.lines();
}

int print(const std::string& path, bool json) {
  const auto reader = session::Reader::open(path);
  const std::vector<Comparison> all = comparisons_of(*reader);
  if (all.empty()) return complain("no call was compared: the function was not called so often, or under another name");
  if (json) {
    std::vector<std::string> out;
    for (const Comparison& c : all) out.push_back(json_of(*reader, c));
    std::printf("%s\n", json_list(out).c_str());
    return 0;
  }
  for (const Comparison& c : all)
    for (const std::string& line : text_lines(text_of(*reader, c))) std::printf("%s\n", line.c_str());
  return 0;
}

}  // namespace

int compare(const Words& words) {
  const Request request = request_of(words);
  const bool session = request.file.ends_with(".footlight");
  if (session) {
    if (!request.options.empty()) throw Error(ErrorKind::kValue, "compare: a session takes no option but --json");
    return print(request.file, request.json);
  }
  const Kept kept(option(request, "--output", ""));
  const int status = run_script(request, kept.path());
  if (status == kUnusable && !std::filesystem::exists(kept.path())) return status;
  return print(kept.path(), request.json);
}

}  // namespace footlight::cli
