// `footlight compare`: runs a script with a call repeated, eagerly and traced, or takes a recording that holds that, or
// two recordings or parts of them, and prints where the difference goes.
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/cli/commands.h"
#include "engine/cli/compare_json.h"
#include "engine/cli/json.h"
#include "engine/cli/compare_work.h"
#include "engine/cli/open_file.h"
#include "engine/cli/script_run.h"
#include "engine/cli/text.h"
#include "engine/explain/compare/recorded.h"
#include "engine/explain/compare/text.h"
#include "engine/session/output_place.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace footlight::cli {
namespace {

using namespace explain;

using Request = ScriptRequest;

constexpr const char* kOptions[] = {"--function", "--call", "--pairs", "--seconds", "--output", "--engine"};

// Why a run of a script, which ended with this status, compared no call.
std::string why_nothing(const session::Reader& reader, const Request& request, int status) {
  const std::string name = request.option("--function"), call = request.option("--call", "1");
  std::map<FunctionId, int64_t> calls;
  for (const session::CallRecord& one : reader.all_calls()) ++calls[one.function];
  std::string called;  // "train_step (36 calls), evaluate (1 call)"
  int64_t most = 0;    // calls of the function that was asked for; without a name, of the one called most
  for (const session::FunctionRecord& function : reader.contents().functions) {
    const auto at = calls.find(function.id);
    if (at == calls.end()) continue;
    called += str(called.empty() ? "" : ", ", function.name, " (", at->second, at->second == 1 ? " call)" : " calls)");
    if (request.names(function.name)) most = std::max(most, at->second);
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

// RUN.footlight[:FUNCTION[#TRACE|:CALL]], or a recording of another program.
bool names_session(const std::string& word) {
  return names_recording(word) || word.find(std::string(kEnding) + ":") != std::string::npos;
}

struct SideName {
  std::string file;
  Recorded what;
};

// What a word names; `file`: of a word that names none.
SideName side_named(const std::string& word, const std::string& file) {
  if (!names_session(word)) return {file, recorded_named(word)};
  if (names_recording(word) || std::filesystem::exists(word)) return {word, {}};
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
  const bool whole = left.what == Recorded() && right.what == Recorded();
  if (left.file == right.file && left.what == right.what && !whole)
    throw Error(ErrorKind::kValue, std::string("compare: both sides are the same. ") + kHow);
  const auto left_reader = open_file(left.file);
  const auto other = left.file == right.file && !whole ? nullptr : open_file(right.file);
  const session::Reader& right_reader = other ? *other : *left_reader;
  const Comparison c =
      compare_recorded({*left_reader, left.file, left.what}, {right_reader, right.file, right.what}, [] {});
  if (request.json) std::printf("%s\n", comparison_json(*left_reader, c).c_str());
  else for (const std::string& line : text_lines(text_of(*left_reader, c))) std::printf("%s\n", line.c_str());
  if (!request.json && whole)
    std::fputs(compared_work(*left_reader, right_reader).c_str(), stdout);
  return 0;
}

}  // namespace

int compare(const Words& words) {
  const Request request = script_request("compare", words, kOptions);
  if (names_session(request.file)) {
    if (!request.arguments.empty() || !names_recording(request.file)) return compare_two(request);
    if (!request.options.empty()) throw Error(ErrorKind::kValue, "compare: a recording takes no option but --json");
    const auto reader = open_file(request.file);
    if (reader->contents().comparisons.empty())
      return complain(str("compare: ", request.file, " holds no comparison of eager and traced calls. Two parts of it ",
                          "are compared with `footlight compare ", request.file, " FUNCTION#1 FUNCTION#2`"));
    return print(*reader, request.json);
  }
  const std::string call = request.option("--call", "1");
  if (call.empty() || call == "0" || call.find_first_not_of("0123456789") != std::string::npos)
    throw Error(ErrorKind::kValue, "compare: --call takes a number from 1, not '" + call + "'");
  const std::string output = request.option("--output");
  if (!output.empty()) session::refuse_unless_recording(output);  // else what is there would be taken for the result
  const KeptRecording kept(output);
  const Words options{"--compare=" + request.option("--function") + ":" + call,
                      "--compare-pairs=" + request.option("--pairs", "200"),
                      "--compare-seconds=" + request.option("--seconds", "10"),
                      "--engine=" + request.option("--engine", "auto")};
  const int status = run_script(options, request, kept);
  if ((DeferredSignals::caught() || status == kUnusable) && !std::filesystem::exists(kept.path())) return status;
  const auto reader = session::Reader::open(kept.path());
  if (reader->contents().comparisons.empty())
    return DeferredSignals::caught() ? status : complain(why_nothing(*reader, request, status));
  return print(*reader, request.json);
}

}  // namespace footlight::cli
