// `footlight compare`: runs a script with a call repeated, eagerly and traced, or takes a recording that holds that, or
// two recordings or parts of them, and prints where the difference goes.
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/cli/commands.h"
#include "engine/cli/compare_json.h"
#include "engine/cli/json.h"
#include "engine/cli/text.h"
#include "engine/explain/compare/recorded.h"
#include "engine/explain/compare/text.h"
#include "engine/explain/words.h"
#include "engine/session/output_place.h"

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
  std::string file;                 // a script, or a recording
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
    throw Error(ErrorKind::kValue, "compare needs a script; usage: `footlight compare script.py --function NAME`");
  return request;
}

std::string option(const Request& request, const char* name, const char* otherwise) {
  const auto at = request.options.find(name);
  return at == request.options.end() ? otherwise : at->second;
}

// A name for a recording that nobody asked to keep.
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
              "--compare-pairs=" + option(request, "--pairs", "200"),
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

// Why a run of a script, which ended with this status, compared no call.
std::string why_nothing(const session::Reader& reader, const Request& request, int status) {
  const std::string name = option(request, "--function", ""), call = option(request, "--call", "1");
  std::map<FunctionId, int64_t> calls;
  for (const session::CallRecord& one : reader.all_calls()) ++calls[one.function];
  std::string called;  // "train_step (36 calls), evaluate (1 call)"
  int64_t most = 0;    // calls of the function that was asked for; without a name, of the one called most
  for (const session::FunctionRecord& function : reader.contents().functions) {
    const auto at = calls.find(function.id);
    if (at == calls.end()) continue;
    called += str(called.empty() ? "" : ", ", function.name, " (", at->second, at->second == 1 ? " call)" : " calls)");
    if (name.empty() || function.name == name || last_name(function.name) == name) most = std::max(most, at->second);
  }
  if (called.empty() && status == 0) return "compare: the script called no traced function";
  if (called.empty()) return str("compare: no call was compared; the script ended with exit code ", status);
  if (most >= std::strtoll(call.c_str(), nullptr, 10))
    return str("compare: call ", call, " was not compared; the script ended with exit code ", status);
  return str("compare: no traced function", name.empty() ? "" : str(" '", name, "'"), " got to its call ", call,
             "; the script called ", called);
}

int print(const session::Reader& reader, bool json) {
  const std::vector<Comparison> all = comparisons_of(reader);
  if (json) {
    std::vector<std::string> out;
    for (const Comparison& c : all) out.push_back(comparison_json(reader, c));
    std::printf("%s\n", json_list(out).c_str());
    return 0;
  }
  for (const Comparison& c : all)
    for (const std::string& line : text_lines(text_of(reader, c))) std::printf("%s\n", line.c_str());
  return 0;
}

// --- what was recorded --------------------------------------------------------------------------------------------

constexpr const char* kEnding = ".footlight";

// RUN.footlight[:FUNCTION[#TRACE|:CALL]]
bool names_session(const std::string& word) {
  return word.ends_with(kEnding) || word.find(std::string(kEnding) + ":") != std::string::npos;
}

struct SideName {
  std::string file;
  Recorded what;
};

// What a word names; `file`: of a word that names none.
SideName side_named(const std::string& word, const std::string& file) {
  if (!names_session(word)) return {file, recorded_named(word)};
  if (word.ends_with(kEnding) || std::filesystem::exists(word)) return {word, {}};
  const size_t end = word.rfind(std::string(kEnding) + ":") + std::string(kEnding).size();
  const std::string rest = word.substr(end + 1);
  if (rest.empty()) throw Error(ErrorKind::kValue, word + ": which function?");
  return {word.substr(0, end), recorded_named(rest)};
}

constexpr const char* kHow =
    "`footlight compare A B`, each RUN.footlight, RUN.footlight:FUNCTION, RUN.footlight:FUNCTION#TRACE or "
    "RUN.footlight:FUNCTION:CALL; of one recording `footlight compare RUN.footlight FUNCTION#1 FUNCTION#2`";

int compare_two(const Request& request) {
  if (!request.options.empty()) throw Error(ErrorKind::kValue, "compare: recordings take no option but --json");
  Words words = request.arguments;
  // A file alone in front of two names is the file of both.
  if (words.size() == 1) words.insert(words.begin(), request.file);
  if (words.size() != 2)
    throw Error(ErrorKind::kValue, std::string("compare needs two calls or recordings; usage: ") + kHow);
  const std::string file = side_named(request.file, "").file;
  const SideName left = side_named(words[0], file), right = side_named(words[1], file);
  if (left.file == right.file && left.what == right.what)
    throw Error(ErrorKind::kValue, std::string("compare: both sides are the same. ") + kHow);
  const auto left_reader = session::Reader::open(left.file);
  const auto other = left.file == right.file ? nullptr : session::Reader::open(right.file);
  const session::Reader& right_reader = other ? *other : *left_reader;
  const Comparison c =
      compare_recorded({*left_reader, left.file, left.what}, {right_reader, right.file, right.what}, [] {});
  if (request.json) std::printf("%s\n", comparison_json(*left_reader, c).c_str());
  else for (const std::string& line : text_lines(text_of(*left_reader, c))) std::printf("%s\n", line.c_str());
  return 0;
}

}  // namespace

int compare(const Words& words) {
  const Request request = request_of(words);
  if (names_session(request.file)) {
    if (!request.arguments.empty() || !request.file.ends_with(kEnding)) return compare_two(request);
    if (!request.options.empty()) throw Error(ErrorKind::kValue, "compare: a recording takes no option but --json");
    const auto reader = session::Reader::open(request.file);
    if (reader->contents().comparisons.empty())
      return complain(str("compare: ", request.file, " holds no comparison of eager and traced calls. Two parts of it ",
                          "are compared with `footlight compare ", request.file, " FUNCTION#1 FUNCTION#2`"));
    return print(*reader, request.json);
  }
  const std::string output = option(request, "--output", "");
  if (!output.empty()) session::refuse_unless_recording(output);  // else what is there would be taken for the result
  const Kept kept(output);
  const int status = run_script(request, kept.path());
  if (status == kUnusable && !std::filesystem::exists(kept.path())) return status;
  const auto reader = session::Reader::open(kept.path());
  if (reader->contents().comparisons.empty()) return complain(why_nothing(*reader, request, status));
  return print(*reader, request.json);
}

}  // namespace footlight::cli
