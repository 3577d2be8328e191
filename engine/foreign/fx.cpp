// A class is a graph; a class inside of one is a graph that a node of it runs.
#include "engine/foreign/fx.h"

#include "engine/base/text.h"
#include "engine/foreign/families.h"
#include "engine/foreign/fx_statement.h"
#include "engine/foreign/scan.h"

#include <algorithm>
#include <optional>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxAttributes = 500, kMaxDepth = 100;

size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// "class GraphModule(torch.nn.Module):"; empty: the line begins no class of a module.
std::string_view class_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("class ") || !line.ends_with(':')) return {};
  const size_t open = line.find('(');
  if (open == line.npos || line.find("Module", open) == line.npos) return {};
  return trimmed(line.substr(6, open - 6));
}

// The arguments may stand on lines of their own.
bool is_forward(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("def forward(self") || line == "def forward(";
}
bool is_listed(std::string_view line) { return trimmed(line) == "graph():"; }

// A list of arguments may have a comment behind each of them.
std::string without_comments(std::string_view text) {
  std::string plain;
  for (Lines lines(text); lines.next();) plain.append(lines.line().substr(0, lines.line().find("  # "))) += '\n';
  return plain;
}

class FxReader {
 public:
  FxReader(Program& program, std::string_view name, bool own_lines)
      : program_(program), name_(name), own_lines_(own_lines) {}

  std::vector<FxGraph> read(std::string_view text) {
    find_classes(text);
    path_.clear();
    Progress& progress = program_.import().progress;
    for (Lines lines(text); lines.next();) {
      if ((lines.number() & 0x3FF) == 0 && own_lines_)
        progress.at(static_cast<double>(lines.position()) / static_cast<double>(text.size()));
      const std::string_view line = trimmed(lines.line());
      const int number = lines.number();
      if (line.empty()) {
        place_ = kNoLocation;
      } else if (line.starts_with('#')) {
        place_ = place_above(line);
      } else if (const std::string_view name = class_of(line); !name.empty()) {
        end();
        enter(name, indent_of(lines.line()));
      } else if (is_listed(line)) {
        begin(name_.empty() ? "graph" : name_, number);
        is_listed_ = true;
      } else if (is_forward(line)) {
        lines.complete();
        const std::string_view outside = name_.empty() ? std::string_view("forward") : name_;
        begin(path_.empty() ? outside : std::string_view(path_.back().second), number);
        arguments(lines.line(), number);
      } else if (graph_) {
        lines.complete();
        take(is_listed_ ? fx_listed(lines.line()) : fx_statement(lines.line()), number);
      }
    }
    end();
    std::vector<FxGraph> unused;
    for (const FxGraph& one : found_)
      if (std::ranges::find(called_, one.graph) == called_.end()) unused.push_back(one);
    return unused;
  }

 private:
  // Enters a class: path_ holds the classes around it, which are indented less.
  void enter(std::string_view name, size_t indent) {
    while (!path_.empty() && path_.back().first >= indent) path_.pop_back();
    if (path_.size() >= kMaxDepth) path_.pop_back();
    std::string whole = path_.empty() ? std::string() : path_.back().second + "/";
    whole += name;
    path_.emplace_back(indent, std::move(whole));
  }

  void find_classes(std::string_view text) {
    for (Lines lines(text); lines.next();) {
      const std::string_view name = class_of(lines.line());
      if (name.empty()) continue;
      enter(name, indent_of(lines.line()));
      const auto [at, is_new] = classes_.try_emplace(path_.back().second);
      if (is_new) at->second = program_.new_graph();
    }
  }

  void begin(std::string_view name, int line) {
    end();
    graph_.emplace();
    graph_->line = line;
    const auto known = path_.empty() ? classes_.end() : classes_.find(path_.back().second);
    const bool is_first = known != classes_.end() && begun_.insert_or_assign(known->first, line).second;
    graph_->record.id = is_first ? known->second : program_.new_graph();
    graph_->record.name = name;
    place_ = kNoLocation;
    is_listed_ = false;
    graphs_.clear();
  }

  void end() {
    if (!graph_) return;
    found_.push_back({graph_->record.id, graph_->record.name, signature_of(graph_->record), graph_->line});
    program_.add(std::move(*graph_));
    graph_.reset();
  }

  // " # File: /tmp/x.py:5 in f, code: y = torch.relu(x)"
  LocationNumber place_above(std::string_view comment) {
    constexpr std::string_view kFile = "File: ";
    const size_t at = comment.find(kFile);
    if (at == comment.npos) return kNoLocation;
    std::string_view place = comment.substr(at + kFile.size());
    place = place.substr(0, place.find(", code: "));
    std::string_view function;
    if (const size_t in = place.rfind(" in "); in != place.npos) {
      function = trimmed(place.substr(in + 4));
      place = place.substr(0, in);
    }
    const size_t colon = place.rfind(':');
    if (colon == place.npos) return kNoLocation;
    const uint64_t line = leading_number(place.substr(colon + 1));
    if (line == 0 || line > INT32_MAX) return kNoLocation;
    Locations& all = program_.locations();
    return all.called(kNoLocation, all.frame(place.substr(0, colon), static_cast<int>(line), function));
  }

  LocationNumber place(int line) {
    return place_ == kNoLocation && own_lines_ ? program_.own_line(line, graph_->record.name) : place_;
  }

  void arguments(std::string_view line, int number) {
    const std::string plain = without_comments(line);
    const std::string_view list = std::string_view(plain).substr(plain.find('(') + 1);
    const size_t close = std::min(closing(plain, plain.find('(')), plain.size()) - (plain.size() - list.size());
    for (std::string_view one : split_list(list.substr(0, close))) {
      if (one == "self" || one == "/" || one.starts_with('*')) continue;
      one = trimmed(one.substr(0, find_outside(one, " = ")));
      const size_t colon = one.find(':');
      const std::string_view name = trimmed(one.substr(0, colon));
      input(name, colon == one.npos ? std::string() : fx_type_text(one.substr(colon + 1)), number);
    }
  }

  void input(std::string_view name, const std::string& type, int number) {
    session::NodeRecord& node = graph_->add(std::string(name), "input", "variable", place(number));
    if (!type.empty()) node.outputs = {type};
    graph_->record.inputs.push_back(node.id);
  }

  void take(const FxStatement& s, int number) {
    switch (s.kind) {
      case FxKind::kNone: break;
      case FxKind::kInput: input(s.name, s.type, number); break;
      case FxKind::kAlias: alias(s); break;
      case FxKind::kReturn:
        for (const std::string_view name : fx_names(s.value))
          if (const auto value = graph_->values.find(name); value != graph_->values.end())
            graph_->record.outputs.push_back(value->second);
        break;
      case FxKind::kAttribute:
        if (const auto inner = inner_graph(s.op); inner) {
          graphs_[std::string(s.name)] = {s.op, *inner};
        } else {
          session::NodeRecord& node = graph_->add(std::string(s.name), "constant", "constant", place(number));
          node.constant = s.op;
          if (!s.type.empty()) node.outputs = {s.type};
        }
        break;
      case FxKind::kCall: call(s, number); break;
    }
  }

  // An input that the code gives the name of its node.
  void alias(const FxStatement& s) {
    const auto value = graph_->values.find(s.value);
    if (value == graph_->values.end()) return;
    const session::EdgeRecord edge = value->second;
    session::NodeRecord& node = graph_->record.nodes[edge.from];
    if (node.op == "input") node.name = s.name;
    if (node.outputs.empty() && !s.type.empty()) node.outputs = {s.type};
    graph_->values.insert_or_assign(std::string(s.name), edge);
  }

  void call(const FxStatement& s, int number) {
    std::vector<session::EdgeRecord> inputs;
    std::vector<session::NodeFunction> functions;
    const auto runs = [&](std::string_view attribute, GraphId graph) {
      functions.push_back({std::string(attribute), graph});
      called_.push_back(graph);
    };
    for (const std::string_view name : fx_names(s.value)) {
      if (const auto value = graph_->values.find(name); value != graph_->values.end()) inputs.push_back(value->second);
      else if (const auto graph = graphs_.find(name); graph != graphs_.end())
        runs(graph->second.first, graph->second.second);
    }
    if (const auto inner = inner_graph(s.op); inner) runs(s.op, *inner);
    session::NodeRecord& node = graph_->add(std::string(s.name), s.op, torch_family(s.op), place(number));
    node.inputs = std::move(inputs);
    node.functions = std::move(functions);
    if (!s.type.empty()) node.outputs = {s.type};
    for (const auto& [argument, value] : s.arguments) {
      const std::string_view plain = value.starts_with('%') ? value.substr(1) : value;
      if (graph_->values.contains(plain) || graphs_.contains(plain)) continue;
      if (s.op == "constant") break;
      node.attributes += (node.attributes.empty() ? "" : "; ") + argument + "=" + std::string(value);
      if (node.attributes.size() > kMaxAttributes) break;
    }
    node.attributes = cut(node.attributes, kMaxAttributes);
    if (s.op == "constant") node.constant = cut(s.value, kMaxAttributes);
  }

  // The graph of a class inside of this one, by the attribute that holds it.
  std::optional<GraphId> inner_graph(std::string_view attribute) const {
    if (path_.empty()) return {};
    const auto at = classes_.find(str(path_.back().second, '/', attribute));
    return at == classes_.end() ? std::nullopt : std::optional(at->second);
  }

  Program& program_;
  const std::string_view name_;
  const bool own_lines_;
  bool is_listed_ = false;
  std::vector<std::pair<size_t, std::string>> path_;
  ByName<GraphId> classes_;
  ByName<int> begun_;
  std::optional<TextGraph> graph_;
  ByName<std::pair<std::string, GraphId>> graphs_;  // values that are graphs
  LocationNumber place_ = kNoLocation;
  std::vector<FxGraph> found_;
  std::vector<GraphId> called_;
};

}  // namespace

std::vector<FxGraph> add_fx_graphs(Program& program, std::string_view text, std::string_view name, bool own_lines) {
  return FxReader(program, name, own_lines).read(text);
}

bool looks_like_fx(std::string_view begin) {
  bool is_class = false;
  for (Lines lines(begin); lines.next();) {
    const std::string_view line = trimmed(lines.line());
    if (line.empty() || line.starts_with('#')) continue;
    if (is_class) return is_forward(line);
    is_class = !class_of(line).empty();
    if (!is_class) return line == "ExportedProgram:" || is_listed(line) || is_forward(line);
  }
  return false;
}

void read_fx(const Import& import) {
  import.facts.engine = "torch";
  const std::string text = import.source.all(kMaxProgramText);
  Program program(import);
  program.own_text(text);
  const std::vector<FxGraph> graphs = add_fx_graphs(program, text, {}, true);
  if (graphs.empty()) fail(ErrorKind::kValue, import.facts.path, " holds no graph: there is no \"def forward\" in it");
  const session::ArtifactRecord artifact = text_artifact("FX graph", "fx", text);
  for (const FxGraph& one : graphs) program.add_function(one.name, one.line, one.signature, "fx", one.graph, artifact);
}

}  // namespace footlight::foreign
