// Knows the stages of JAX and of PyTorch, and says of a missing one what the recording knows about it.
#include "app/models/generated_stages.h"

#include "app/models/generated_origins.h"
#include "app/models/run_end.h"
#include "app/models/text.h"

#include "engine/base/error_words.h"
#include "engine/explain/engines.h"
#include "engine/session/chunk.h"

#include <QStringList>

#include <algorithm>
#include <map>

namespace footlight::app {
namespace {

constexpr const char* kAbsent = "absent";  // kind of an artifact that says why there is no text

const session::ArtifactRecord* artifact_of(const session::TraceRecord& trace, const std::string& name) {
  const auto at = std::ranges::find_if(trace.artifacts, [&](const auto& a) { return a.name == name; });
  return at == trace.artifacts.end() ? nullptr : &*at;
}

bool has(const session::TraceRecord& trace, const std::string& name) {
  const session::ArtifactRecord* held = artifact_of(trace, name);
  return held && held->kind != kAbsent;
}

bool has_phase(const session::TraceRecord& trace, std::string_view name) {
  return std::ranges::any_of(trace.phases, [&](const session::PhaseRecord& p) { return p.name == name; });
}

struct TraceContext {
  const Document& document;
  const session::TraceRecord& trace;
  const session::FunctionRecord& function;
  const std::vector<std::string>& missing;
};

// The recorder's sentence that it could not record one of these; empty if it said nothing of that kind.
QString hook_missing(const TraceContext& context, std::initializer_list<std::string_view> gives) {
  for (const std::string& sentence : context.missing)
    for (const std::string_view what : gives)
      if (sentence.find(what) != std::string::npos && sentence.find(what) < sentence.find(" not recorded"))
        return QStringLiteral("The recorder says: ") + q(sentence) + QLatin1Char('.');
  return {};
}

// Why a text of any stage or engine may be absent; empty if none of these reasons holds.
QString why_absent_in_any(const TraceContext& context, const std::string& artifact) {
  const session::ArtifactRecord* held = artifact_of(context.trace, artifact);
  if (held && held->kind == kAbsent) return q(session::unpack(held->data));
  if (!context.trace.error.empty())
    return QStringLiteral("The trace failed before this was made: ") + error_line(context.trace.error);
  return {};
}

QString why_absent_in_jax(const TraceContext& context, const std::string& artifact) {
  if (QString reason = why_absent_in_any(context, artifact); !reason.isEmpty()) return reason;
  if (artifact == "jaxpr") return QStringLiteral("The recording has no text of this jaxpr.");
  if (artifact == "StableHLO") {
    if (QString reason = hook_missing(context, {"StableHLO"}); !reason.isEmpty()) return reason;
    if (!has_phase(context.trace, "lower"))
      return QStringLiteral(
          "JAX did not lower this trace by itself while it was recorded. A function that is called "
          "inside another jitted function is lowered as a part of that one.");
    return QStringLiteral("The recording has no text of this module.");
  }
  if (QString reason = hook_missing(context, {"compilations", "StableHLO"}); !reason.isEmpty()) return reason;
  if (!has_phase(context.trace, "compile"))
    return QStringLiteral(
        "XLA did not compile this trace by itself while it was recorded. A function that is called "
        "inside another jitted function is compiled as a part of that one.");
  return QStringLiteral("The recording has no text of this module.");
}

// "eager" from "backend='eager', dynamic=False"; "inductor", the default, if none is named.
QString backend_of(const TraceContext& context) {
  const session::FunctionRecord* f = continued_function(context.document, context.function.id);
  const QString options = f ? q(f->options) : QString();
  const QString before = QStringLiteral("backend='");
  const qsizetype at = options.indexOf(before);
  if (at < 0) return QStringLiteral("inductor");
  return options.mid(at + before.size()).section(QLatin1Char('\''), 0, 0);
}

QString why_absent_in_torch(const TraceContext& context, const std::string& artifact) {
  if (QString reason = why_absent_in_any(context, artifact); !reason.isEmpty()) return reason;
  if (artifact == "Bytecode" || artifact == "Resume function")
    return QStringLiteral(
        "The recorder was given no bytecode of this trace. Earlier versions of it kept bytecode only of "
        "resume functions.");
  if (QString reason = hook_missing(context, {"generated code"}); !reason.isEmpty()) return reason;
  if (artifact == "Dynamo graph")
    return QStringLiteral("PyTorch's log has no graph of this trace: TorchDynamo may have found no operation for one.");
  if (artifact == "Guards") return QStringLiteral("PyTorch's log has no text of these guards.");
  if (!has(context.trace, "Dynamo graph"))
    return QStringLiteral("Without a graph of TorchDynamo nothing is made here.");
  const QString backend = backend_of(context);
  const bool of_aot = artifact.starts_with("AOT");
  if (backend == QStringLiteral("eager"))
    return QStringLiteral("backend='eager' runs the graph of TorchDynamo op by op: %1 makes nothing of it.")
        .arg(of_aot ? QStringLiteral("AOTAutograd") : QStringLiteral("Inductor"));
  if (!of_aot && backend.startsWith(QStringLiteral("aot_")))
    return QStringLiteral("backend='%1' runs the graphs of AOTAutograd op by op: Inductor generates no code.")
        .arg(backend);
  if (backend != QStringLiteral("inductor") && !backend.startsWith(QStringLiteral("aot_")))
    return QStringLiteral("backend='%1' wrote no such text into PyTorch's log.").arg(backend);
  if (artifact == "Inductor code, backward" || artifact == "Inductor graph, backward") {
    if (has(context.trace, "AOT inference")) return QStringLiteral("No gradient is computed in this trace.");
    return QStringLiteral(
        "PyTorch's log has no code of a backward graph in this recording. Some are compiled only when "
        "they run for the first time.");
  }
  return QStringLiteral("PyTorch's log has no such text of this trace.");
}

using Absent = QString (*)(const TraceContext&, const std::string&);

GeneratedPart part_of(const TraceContext& context, Absent absent, const char* title, const char* artifact,
                      const char* about) {
  GeneratedPart part{QString::fromUtf8(title), artifact, QString::fromUtf8(about), {}};
  if (!has(context.trace, artifact)) part.absent = absent(context, artifact);
  return part;
}

std::vector<GeneratedStage> jax_stages(const TraceContext& context) {
  const auto stage = [&](const char* title, const char* artifact, const char* about) {
    return GeneratedStage{QString::fromUtf8(title), {part_of(context, why_absent_in_jax, title, artifact, about)}};
  };
  return {stage("jaxpr", "jaxpr", "What JAX traced: one equation for each operation"),
          stage("StableHLO", "StableHLO", "What JAX lowered the jaxpr to, and gave to XLA"),
          stage("HLO", "HLO", "What XLA made of it and runs: the module after its passes")};
}

std::vector<GeneratedStage> torch_stages(const TraceContext& context) {
  const auto part = [&](const char* title, const char* artifact, const char* about) {
    return part_of(context, why_absent_in_torch, title, artifact, about);
  };
  std::vector<GeneratedStage> all;
  all.push_back({QStringLiteral("Dynamo"),
                 {part("Graph", "Dynamo graph", "The graph that TorchDynamo traced from the function's bytecode")}});
  GeneratedStage aot{QStringLiteral("AOT"), {}};
  if (has(context.trace, "AOT inference")) {
    aot.parts.push_back(
        part("Inference", "AOT inference", "The graph as AOTAutograd made it; no gradient is computed"));
  } else {
    aot.parts.push_back(
        part("Forward", "AOT forward", "What AOTAutograd runs in the call, and keeps for the gradient"));
    aot.parts.push_back(part("Backward", "AOT backward", "What AOTAutograd runs when the gradient is computed"));
    aot.parts.push_back(
        part("Joint", "AOT joint graph", "Forward and backward as one, before AOTAutograd cuts it in two"));
  }
  all.push_back(std::move(aot));
  GeneratedStage inductor{
      QStringLiteral("Inductor"),
      {part("Code", "Inductor code", "Kernels that Inductor generated, and the Python that calls them"),
       part("Graph", "Inductor graph", "The graph after Inductor's passes, from which it generated code")}};
  if (!has(context.trace, "AOT inference")) {
    inductor.parts.push_back(part("Code, backward", "Inductor code, backward",
                                  "Kernels that Inductor generated for the gradient, and the Python that calls them"));
    inductor.parts.push_back(part("Graph, backward", "Inductor graph, backward",
                                  "The backward graph after Inductor's passes, from which it generated code"));
  }
  all.push_back(std::move(inductor));
  all.push_back({QStringLiteral("Guards"),
                 {part("Guards", "Guards", "What PyTorch checks at each call before this trace serves it")}});
  GeneratedStage bytecode{
      QStringLiteral("Bytecode"),
      {part("As it runs", "Bytecode", "The bytecode that TorchDynamo made, and that runs instead")}};
  if (explain::is_resume(context.function))
    bytecode.parts.push_back(
        part("Resume function", "Resume function",
             "The function that TorchDynamo made of what follows a graph break, before it was traced"));
  all.push_back(std::move(bytecode));
  return all;
}

// Finds lines of the program's own code from what a text says.
class Places {
 public:
  explicit Places(const Document& document) : document_(document) {}

  void add(const LineOrigin& origin, std::vector<SourcePlace>& to) {
    for (const OriginPlace& at : origin) {
      const SourcePlace place{file(at.file), at.line};
      if (const session::FileRecord* f = document_.file(place.file); f && is_users_file(f->path)) return put(place, to);
    }
    // A library's line: the lines of the program from which it was called in this recording.
    for (const OriginPlace& at : origin) {
      const SourcePlace place{file(at.file), at.line};
      if (!place) continue;
      for (const SourcePlace& caller : callers(place)) put(caller, to);
      return;
    }
  }

 private:
  static void put(SourcePlace place, std::vector<SourcePlace>& to) {
    if (std::ranges::find(to, place) == to.end()) to.push_back(place);
  }

  session::FileId file(const std::string& name) {
    const auto known = files_.find(name);
    if (known != files_.end()) return known->second;
    session::FileId found = document_.file_named(name);
    // PyTorch cuts the beginning of a long path, within a folder's name.
    if (!found.valid() && !name.starts_with('/') && name.find('/') != std::string::npos)
      found = document_.file_named(name.substr(name.find('/') + 1));
    return files_[name] = found;
  }

  const std::vector<SourcePlace>& callers(SourcePlace called) {
    if (callers_.empty()) {
      constexpr int kMaxFrames = 1000;  // a recording may hold a circle
      for (const session::LocationRecord& l : document_.locations) {
        int frames = 0;
        for (const auto* at = &l; at && frames < kMaxFrames; at = document_.location(at->caller), ++frames) {
          const SourcePlace place{at->file, at->line};
          const session::FileRecord* f = document_.file(place.file);
          if (!f || !is_users_file(f->path)) continue;
          put(place, callers_[{l.file.value, l.line}]);
          break;
        }
      }
      callers_[{UINT32_MAX, 0}];  // they were looked for
    }
    return callers_[{called.file.value, called.line}];
  }

  const Document& document_;
  std::map<std::string, session::FileId> files_;
  std::map<std::pair<uint32_t, int>, std::vector<SourcePlace>> callers_;
};

std::vector<std::vector<LineOrigin>> origins_in(const session::TraceRecord& trace,
                                                const session::ArtifactRecord& artifact,
                                                const std::vector<std::string_view>& lines, const std::string& file) {
  if (artifact.kind == "python") {
    // The nodes are those of the graph that the code was made of, or of TorchDynamo's.
    const auto first = std::ranges::find_if(lines, [](std::string_view l) { return l.starts_with("# AOT ID: "); });
    const bool backward = first != lines.end() && first->find("_backward'") != std::string_view::npos;
    std::vector<const char*> names{"Dynamo graph", "Inductor graph", "AOT forward", "AOT inference"};
    if (backward) names = {"Inductor graph, backward", "AOT backward", "Dynamo graph"};
    std::vector<OriginsOfNodes> graphs;
    for (const char* name : names)
      if (has(trace, name)) {
        const std::string text = session::unpack(artifact_of(trace, name)->data);
        graphs.push_back(origins_of_nodes(lines_of(text)));
      }
    return inductor_origins(lines, graphs);
  }
  std::vector<std::vector<LineOrigin>> all;
  for (LineOrigin& origin : origins_of_lines(artifact.kind, lines, file))
    all.push_back(origin.empty() ? std::vector<LineOrigin>{} : std::vector<LineOrigin>{std::move(origin)});
  return all;
}

}  // namespace

bool GeneratedStage::recorded() const {
  return std::ranges::any_of(parts, [](const GeneratedPart& p) { return p.absent.isEmpty(); });
}

std::vector<GeneratedStage> generated_stages(const Document& document, TraceId trace,
                                             const std::vector<std::string>& missing) {
  const session::TraceRecord* t = document.trace(trace);
  const session::FunctionRecord* f = t ? document.function(t->function) : nullptr;
  if (explain::is_jax(f)) return jax_stages({document, *t, *f, missing});
  if (explain::is_torch(f)) return torch_stages({document, *t, *f, missing});
  return {};
}

ViewLead stages_nothing(const Document& document, const Selection& selection) {
  if (document.function(selection.function)) return nothing_to_show(document, selection, LeadFor::kRetraces);
  bool jax = false, torch = false;
  for (const session::FunctionRecord& f : document.functions) {
    jax = jax || explain::is_jax(&f);
    torch = torch || explain::is_torch(&f);
  }
  const QString engine = jax && torch ? QStringLiteral("its engine")
                         : jax        ? QStringLiteral("JAX")
                                      : QStringLiteral("PyTorch");
  return {QStringLiteral("Choose a trace on the left to see what %1 made of the function.").arg(engine), {}, {}, {}};
}

std::vector<int> StageText::lines_from(SourcePlace place) const {
  std::vector<int> found;
  for (size_t i = 0; place && i < origins.size(); ++i)
    if (std::ranges::find(origins[i], place) != origins[i].end()) found.push_back(static_cast<int>(i) + 1);
  return found;
}

size_t StageText::with_origin() const {
  return static_cast<size_t>(std::ranges::count_if(origins, [](const auto& places) { return !places.empty(); }));
}

StageText stage_text(const Document& document, TraceId trace, const std::string& artifact) {
  StageText made;
  const session::TraceRecord* t = document.trace(trace);
  const session::ArtifactRecord* held = t ? artifact_of(*t, artifact) : nullptr;
  if (!held || held->kind == kAbsent) return made;
  const std::string text = session::unpack(held->data);
  const std::vector<std::string_view> lines = lines_of(text);
  const session::FunctionRecord* f = continued_function(document, t->function);
  const session::FileRecord* file = f ? document.file(f->file) : nullptr;
  Places places(document);
  for (const auto& origins : origins_in(*t, *held, lines, file ? file->path : std::string())) {
    made.origins.emplace_back();
    for (const LineOrigin& origin : origins) places.add(origin, made.origins.back());
  }
  for (const std::string_view line : lines) {
    CodeLine shown;
    shown.number = static_cast<int>(made.lines.size()) + 1;
    shown.text = q(std::string(line));
    made.lines.push_back(std::move(shown));
  }
  return made;
}

const session::FunctionRecord* continued_function(const Document& document, FunctionId function) {
  const session::FunctionRecord* f = document.function(function);
  constexpr int kMaxBreaks = 1000;  // a recording may hold a circle
  for (int i = 0; f && explain::is_resume(*f) && i < kMaxBreaks; ++i) {
    const session::FunctionRecord* parent = document.function(f->parent);
    if (!parent) break;
    f = parent;
  }
  return f;
}

QString line_ranges(const std::vector<int>& lines) {
  QStringList parts;
  for (size_t i = 0; i < lines.size();) {
    size_t last = i;
    while (last + 1 < lines.size() && lines[last + 1] == lines[last] + 1) ++last;
    parts << (last == i ? QString::number(lines[i])
                        : QString::number(lines[i]) + QString::fromUtf8("–") + QString::number(lines[last]));
    i = last + 1;
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace footlight::app
