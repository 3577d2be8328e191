// Writes a model as a session: nothing ran, so it has functions, traces and graphs, and no events.
#include "engine/model/describe.h"

#include "engine/session/writer.h"

#include <set>

namespace footlight::model {
namespace {

constexpr size_t kMaxLines = 100'000;

class SessionOfModel {
 public:
  SessionOfModel(session::Writer& writer, session::FileId page) : writer_(writer), page_(page) {}

  void add(const std::string& name, int line, const std::string& arguments,
           const std::vector<std::string>& traces, const std::vector<GraphId>& graphs) {
    session::FunctionRecord function;
    function.id = FunctionId(++functions_);
    function.name = name;
    function.file = page_;
    function.line = function.decorator_line = line;
    if (!arguments.empty()) function.parameters = {arguments};
    writer_.add(function);
    for (size_t i = 0; i < graphs.size(); ++i) {
      session::TraceRecord trace;
      trace.id = TraceId(++traces_);
      trace.function = function.id;
      trace.number = static_cast<int>(i + 1);
      trace.signature = traces[i];
      if (graphs[i].valid()) trace.graphs = {{"traced", graphs[i]}};
      writer_.add(trace);
    }
  }

 private:
  session::Writer& writer_;
  session::FileId page_;
  uint32_t functions_ = 0, traces_ = 0;
};

}  // namespace

void write_session(const ModelFile& model, const std::string& path) {
  session::RunRecord run;
  run.script = model.path;
  run.engine = model.kind;
  const auto writer = session::Writer::create(path, run, RecordingLevel::kStructure);
  std::vector<int> lines;
  const std::string page = describe(model, kMaxLines, &lines);
  const session::FileId file = writer->file(model.path, page);
  for (const session::GraphRecord& graph : model.graphs) writer->add(graph);
  SessionOfModel session(*writer, file);
  std::set<uint32_t> shown;
  for (size_t i = 0; i < model.functions.size(); ++i) {
    const Function& f = model.functions[i];
    session.add(f.name, lines[i], f.arguments, f.traces, f.graphs);
    for (const GraphId graph : f.graphs) shown.insert(graph.value);
  }
  for (const session::GraphRecord& graph : model.graphs)
    if (!shown.contains(graph.id.value)) session.add(graph.name, 1, "", {""}, {graph.id});
  writer->finish({0, 0, 0, "a model: nothing ran"});
}

}  // namespace footlight::model
