// `footlight values` and `footlight nan`: what the tensors of a call hold, and where the first NaN comes from.
#include "engine/base/errors.h"
#include "engine/base/place.h"
#include "engine/base/text.h"
#include "engine/cli/commands.h"
#include "engine/cli/json.h"
#include "engine/cli/open_file.h"
#include "engine/cli/script_run.h"
#include "engine/cli/text.h"
#include "engine/explain/values.h"
#include "engine/explain/words.h"
#include "engine/session/output_place.h"
#include "engine/session/reader.h"
#include "engine/session/users_line.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

namespace footlight::cli {
namespace {

using namespace explain;
using session::CallValues;
using session::TensorValue;

constexpr size_t kMaxRows = 40;      // of a table, unless a node is named
constexpr size_t kMaxPlacesShown = 12;
constexpr size_t kBarWidth = 40;

constexpr const char* kValuesOptions[] = {"--function", "--output", "--call", "--node"};
constexpr const char* kNanOptions[] = {"--function", "--output"};

// The number that the text is, or 0 if it is no number of a call.
uint64_t number_of_call(const std::string& text) {
  constexpr size_t kMaxDigits = 18;
  if (text.empty() || text.size() > kMaxDigits || text.find_first_not_of("0123456789") != text.npos) return 0;
  return std::stoull(text);
}

struct Request : ScriptRequest {
  explicit Request(ScriptRequest read)
      : ScriptRequest(std::move(read)),
        function(option("--function")),
        call(option("--call")),
        node(option("--node")) {
    const size_t dash = call.find('-');
    first = number_of_call(call.substr(0, dash));
    last = dash == std::string::npos ? first : number_of_call(call.substr(dash + 1));
    if (!call.empty() && (!first || last < first))
      throw Error(ErrorKind::kValue, "values: --call takes a number from 1, or two such as 1-20, not '" + call + "'");
  }
  std::string function, call, node;  // empty: not asked for
  uint64_t first = 0, last = 0;      // of `call`; 0: all
};

class Page {
 public:
  Page(const session::Reader& reader, const Request& request) : reader_(reader), request_(request) {}

  const session::NodeRecord* node(GraphId graph, NodeId id) const {
    const session::GraphRecord* const g = reader_.graph(graph);
    return g && id.value < g->nodes.size() ? &g->nodes[id.value] : nullptr;
  }
  FindNode nodes() const {
    return [this](GraphId graph, NodeId id) { return node(graph, id); };
  }
  std::string function_name(FunctionId id) const {
    const session::FunctionRecord* const f = reader_.function(id);
    return f ? f->name : "a function";
  }
  bool names(FunctionId id) const { return request_.names(function_name(id)); }
  std::string place(const TensorValue& value) const {
    const session::NodeRecord* const n = node(value.graph, value.node);
    if (!n) return {};
    const session::Reader::SourcePlace at = users_line(reader_, *n);
    const session::FileRecord* const file = reader_.file(at.file);
    if (!file || !at.line) return {};
    return place_text(file->path, at.line);
  }

  // Those that the request is about.
  std::vector<const CallValues*> calls() const {
    std::vector<const CallValues*> all;
    for (const CallValues& call : reader_.contents().values)
      if (names(call.function) && (!request_.first || (call.call >= request_.first && call.call <= request_.last)))
        all.push_back(&call);
    return all;
  }

  void line(const std::string& text) const {
    for (const std::string& one : text_lines(text)) std::printf("%s\n", one.c_str());
  }

  void heading(const CallValues& call) const {
    line(str(function_name(call.function), ", call ", call.call));
    line(story_text(nodes(), story_of(call, nodes())));
    if (!call.error.empty() && !call.values.empty()) line("It failed: " + call.error);
    if (!call.values.empty() && call.error.empty())
      line(call.same_results ? "Run again node by node, from the same state; the results are the call's, bit by bit."
                             : "Run again node by node; its results differ from those of the whole graph.");
    for (const std::string& note : call.notes) line(note + ".");
  }

  void table(const std::vector<const TensorValue*>& values, bool all) const {
    size_t width = 4;
    for (const TensorValue* v : values) width = std::max(width, std::min<size_t>(36, value_name(nodes(), *v).size()));
    const int w = static_cast<int>(width);
    line(str("  ", padded("node", w), "  ", padded("line", 16), "  ", padded("type", 22),
             "        min        max       mean   not finite"));
    size_t shown = 0;
    for (const TensorValue* v : values) {
      if (!all && ++shown > kMaxRows) {
        line(str("  and ", with_commas(values.size() - kMaxRows),
                 " more; `footlight values --node NAME` shows one, --json all"));
        break;
      }
      char figures[64] = "";
      std::snprintf(figures, sizeof figures, "%11.4g%11.4g%11.4g", v->minimum, v->maximum, v->mean);
      const bool any = !std::isnan(v->minimum);
      line(str("  ", padded(value_name(nodes(), *v), w), "  ", padded(place(*v), 16), "  ",
               padded(v->dtype + " " + v->shape, 22), any ? figures : "          -          -          -", "   ",
               non_finite_text(*v)));
    }
  }

  void one(const TensorValue& v) const {
    line(str(value_name(nodes(), v), "  ", place(v), "  ", v.dtype, " ", v.shape));
    if (v.runs > 1) line(str("  The figures are of run ", v.run, " of ", v.runs, "."));
    line(str("  elements ", v.elements, ", NaN ", v.nan, ", +Inf ", v.positive_infinity, ", -Inf ", v.negative_infinity,
             ", zeros ", v.zeros));
    if (std::isnan(v.minimum)) {
      line("  No element is finite.");
    } else {
      const char* const what = is_complex(v) ? "  of the finite magnitudes: min " : "  of the finite: min ";
      line(str(what, number_text(v.minimum), ", max ", number_text(v.maximum), ", mean ",
               number_text(v.mean), ", std ", number_text(v.deviation)));
      histogram(v);
    }
    for (const auto& [part, name] :
         {std::pair(ComplexPart::kReal, "real"), std::pair(ComplexPart::kImaginary, "imaginary")}) {
      if (!is_complex(v) || !kept_elements(v)) break;
      const PartFigures f = figures_of(v, part);
      line(str("  ", name, " parts: min ", number_text(f.minimum), ", max ", number_text(f.maximum), ", mean ",
               number_text(f.mean), ", NaN ", f.nan, ", Inf ", f.infinity));
    }
    if (!v.places.empty()) line("  " + why_not_finite(nodes(), v) + ". At:");
    const std::vector<int64_t> sizes = sizes_of_value(v);
    for (size_t i = 0; i < v.places.size() && i < kMaxPlacesShown; ++i)
      line(str("    ", place_text(sizes, v.places[i].index), "  ", v.places[i].value,
               v.places[i].inputs.empty() ? "" : "   inputs " + v.places[i].inputs));
  }

  std::string json() const {
    std::vector<std::string> out;
    for (const CallValues* call : calls()) {
      const NumericsStory story = story_of(*call, nodes());
      std::vector<std::string> values;
      for (const TensorValue& v : call->values) {
        if (!request_.node.empty() && !is_named(v)) continue;
        values.push_back(value_json(v));
      }
      JsonObject object;
      object.add("function", function_name(call->function)).add("call", call->call);
      object.add("reason", session::kValuesReasons[std::min<size_t>(2, static_cast<size_t>(call->reason))]);
      object.add("story", story_text(nodes(), story)).add("same_results", call->same_results);
      object.add("error", call->error);
      object.raw("first_nan", story.first_nan ? value_json(*story.first_nan) : "null");
      object.raw("first_infinity", story.first_infinity ? value_json(*story.first_infinity) : "null");
      object.add("checked", checked_text(checked_calls(reader_.contents().checked_calls, call->function)));
      out.push_back(object.raw("values", json_list(values)).lines());
    }
    return json_list(out);
  }

  bool is_named(const TensorValue& v) const {
    const session::NodeRecord* const n = node(v.graph, v.node);
    return n && (n->name == request_.node || value_name(nodes(), v) == request_.node);
  }

  std::vector<FunctionId> checked_functions() const {
    std::set<FunctionId> all;
    for (const session::CheckedCall& row : reader_.contents().checked_calls)
      if (names(row.function)) all.insert(row.function);
    return {all.begin(), all.end()};
  }

 private:
  static std::string padded(std::string text, int width) {
    text = valid_text(text);
    const auto most = static_cast<size_t>(width);
    if (text.size() > most) text = "..." + text.substr(text.size() - most + 3);
    text.resize(most, ' ');
    return text;
  }

  void histogram(const TensorValue& v) const {
    constexpr size_t kRows = 8;
    if (v.bins.size() < 2) return;
    std::vector<uint64_t> rows(kRows);
    for (size_t i = 0; i < v.bins.size(); ++i) rows[i * kRows / v.bins.size()] += v.bins[i];
    const uint64_t most = std::max<uint64_t>(1, *std::ranges::max_element(rows));
    for (size_t i = 0; i < kRows; ++i) {
      const double from = v.minimum + (v.maximum - v.minimum) * static_cast<double>(i) / kRows;
      const auto length = static_cast<size_t>(std::ceil(static_cast<double>(rows[i]) / static_cast<double>(most) *
                                                        static_cast<double>(kBarWidth)));
      char label[32];
      std::snprintf(label, sizeof label, "  %11.4g  ", from);
      line(label + std::string(length, '#') + " " + with_commas(rows[i]));
    }
  }

  static std::string json_number(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", v);
    return std::isfinite(v) ? text : "null";
  }

  static std::string part_json(const TensorValue& v, ComplexPart part) {
    const PartFigures f = figures_of(v, part);
    JsonObject object;
    object.add("kept", kept_elements(v)).add("nan", f.nan).add("infinity", f.infinity);
    return object.raw("min", json_number(f.minimum)).raw("max", json_number(f.maximum))
        .raw("mean", json_number(f.mean)).inline_();
  }

  std::string value_json(const TensorValue& v) const {
    std::vector<std::string> places, bins;
    const std::vector<int64_t> sizes = sizes_of_value(v);
    for (const session::ValuePlace& p : v.places)
      places.push_back(JsonObject().add("index", place_text(sizes, p.index)).add("value", p.value)
                           .add("inputs", p.inputs).inline_());
    for (const uint64_t count : v.bins) bins.push_back(std::to_string(count));
    const session::NodeRecord* const n = node(v.graph, v.node);
    JsonObject object;
    object.add("node", value_name(nodes(), v)).add("op", n ? n->op : "").add("line", place(v));
    object.add("dtype", v.dtype).add("shape", v.shape).add("elements", v.elements).add("nan", v.nan);
    object.add("positive_infinity", v.positive_infinity).add("negative_infinity", v.negative_infinity);
    object.add("zeros", v.zeros).raw("min", json_number(v.minimum)).raw("max", json_number(v.maximum));
    object.raw("mean", json_number(v.mean)).raw("std", json_number(v.deviation)).raw("bins", json_list(bins));
    if (is_complex(v)) {
      object.raw("real", part_json(v, ComplexPart::kReal)).raw("imaginary", part_json(v, ComplexPart::kImaginary));
    }
    object.add("runs", v.runs).add("run", v.run).add("first_nan_step", v.first_nan);
    object.add("first_infinity_step", v.first_infinity);
    object.add("why", v.nan || infinities(v) ? why_not_finite(nodes(), v) : "");
    return object.raw("places", json_list(places)).inline_();
  }

  const session::Reader& reader_;
  const Request& request_;
};

// A word of a shell's command line.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : printable(text)) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// "footlight run.footlight --view graph --select 'step#1;Log'": the window with that node selected.
std::string window_command(const session::Reader& reader, const std::string& path, const CallValues& call,
                           const TensorValue& value) {
  const session::FunctionRecord* const function = reader.function(call.function);
  const session::TraceRecord* const trace = reader.trace(call.trace);
  const session::GraphRecord* const graph = reader.graph(value.graph);
  std::string what = function ? function->name : "";
  // Another function may have the same name and as many traces.
  const bool is_one_of_several = function && std::ranges::count(reader.contents().functions, function->name,
                                                                &session::FunctionRecord::name) > 1;
  if (const session::FileRecord* file = is_one_of_several ? reader.file(function->file) : nullptr)
    what = file->path.substr(file->path.rfind('/') + 1) + ":" + std::to_string(function->line);
  if (trace) what += "#" + std::to_string(trace->number);
  if (graph && value.node.value < graph->nodes.size()) {
    const std::string& node = graph->nodes[value.node.value].name;
    if (node.find(';') == node.npos) what += ";" + node;  // which separates what is selected
  }
  return "footlight " + shell_word(path) + " --view graph --select " + shell_word(what);
}

int print_values(const session::Reader& reader, const Request& request) {
  const Page page(reader, request);
  if (request.json) {
    std::printf("%s\n", page.json().c_str());
    return 0;
  }
  bool any = false;
  for (const CallValues* call : page.calls()) {
    if (any) page.line("");
    page.heading(*call);
    std::vector<const TensorValue*> values;
    for (const TensorValue& v : call->values) values.push_back(&v);
    if (request.node.empty()) {
      page.table(values, false);
    } else {
      std::erase_if(values, [&](const TensorValue* v) { return !page.is_named(*v); });
      for (const TensorValue* v : values) page.one(*v);
      if (values.empty())
        return complain(str("values: no node '", request.node, "' ran in call ", call->call, " of ",
                            page.function_name(call->function), "; without --node all are listed"));
    }
    any = true;
  }
  return 0;
}

// `recording`: where it is kept; empty: it is not.
int print_story(const session::Reader& reader, const Request& request, const std::string& recording) {
  const Page page(reader, request);
  if (request.json) {
    std::printf("%s\n", page.json().c_str());
    return 0;
  }
  bool any = false;
  std::set<FunctionId> told;
  for (const CallValues* call : page.calls()) {
    const NumericsStory story = story_of(*call, page.nodes());
    // An infinity that no NaN came of may be meant, such as a mask: the story of a NaN comes first.
    if (any) page.line("");
    any = true;
    told.insert(call->function);
    page.heading(*call);
    if (const TensorValue* const cause = to_blame(page.nodes(), story)) {
      page.line("");
      page.one(*cause);
      if (story.first_nan && cause != story.first_nan) page.one(*story.first_nan);
      page.line("");
      page.line(story.first_nan ? str("Where NaN spread, in the order of the call's steps: ", story.with_nan, " of ",
                                      call->values.size(), " values")
                                : str("Where infinities are, in the order of the call's steps: ", story.with_infinity,
                                      " of ", call->values.size(), " values"));
      page.table(story.spread, false);
      page.line("");
      page.line(recording.empty() ? "With -o run.footlight the recording is kept, for the window to show it."
                                  : "In the window: " + window_command(reader, recording, *call, *cause));
    }
    page.line(checked_text(checked_calls(reader.contents().checked_calls, call->function)));
  }
  for (const FunctionId function : page.checked_functions()) {
    if (told.contains(function)) continue;
    if (any) page.line("");
    any = true;
    page.line(page.function_name(function) + ": no NaN and no infinity");
    page.line(checked_text(checked_calls(reader.contents().checked_calls, function)));
  }
  return 0;
}

int run(const std::string& command, const Words& words) {
  const bool nan = command == "nan";
  const std::span<const char* const> options_of_it =
      nan ? std::span<const char* const>(kNanOptions) : std::span<const char* const>(kValuesOptions);
  const Request request(script_request(command, words, options_of_it));
  const std::string output = request.option("--output");
  const auto print = [&](const session::Reader& reader, const Request& of) {
    return nan ? print_story(reader, of, names_recording(request.file) ? request.file : output)
               : print_values(reader, of);
  };
  if (names_recording(request.file)) {
    if (!output.empty() || !request.arguments.empty())
      throw Error(ErrorKind::kValue, command + ": a recording takes neither -o nor arguments; nothing runs");
    const auto reader = open_file(request.file);
    if (Page(*reader, request).calls().empty() && (!nan || Page(*reader, request).checked_functions().empty()))
      return complain(str(command, ": ", request.file, " holds no values",
                          request.function.empty() ? "" : " of '" + request.function + "'",
                          ". Run the script again: `footlight ", command, " script.py`"));
    return print(*reader, request);
  }
  if (!output.empty()) session::refuse_unless_recording(output);
  const KeptRecording kept(output);
  Words options;
  if (nan) options = {"--check-numerics"};
  else options = {"--values=" + request.function + ":" + (request.call.empty() ? "1" : request.call)};
  const int status = run_script(options, request, kept);
  if ((DeferredSignals::caught() || status == kUnusable) && !std::filesystem::exists(kept.path())) return status;
  const auto reader = session::Reader::open(kept.path());
  if (nan && !Page(*reader, request).checked_functions().empty()) return print(*reader, request);
  if (!Page(*reader, request).calls().empty()) return print(*reader, request);
  if (DeferredSignals::caught()) return status;
  std::string called;
  for (const session::FunctionRecord& f : reader->contents().functions)
    called += (called.empty() ? "" : ", ") + f.name;
  return complain(str(command, ": ", nan ? "no call was checked" : "no such call was made", "; the script ended with ",
                      "exit code ", status, called.empty() ? " and called no traced function"
                                                            : ". Its traced functions: " + called));
}

}  // namespace

int values(const Words& words) { return run("values", words); }
int nan_origin(const Words& words) { return run("nan", words); }

}  // namespace footlight::cli
