// Each operation is a line; a bracket at its end opens a region, whose operations are the lines up to its end.
#include "engine/foreign/stablehlo.h"

#include "engine/base/text.h"
#include "engine/foreign/families.h"
#include "engine/foreign/mlir_operation.h"
#include "engine/foreign/mlir_places.h"
#include "engine/foreign/scan.h"

#include <algorithm>
#include <memory>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxAttributes = 500, kMaxConstant = 200, kMaxDepth = 200;

std::string_view text_of_symbol(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('"')) return without_quotes(text.substr(0, behind_string(text, 0)));
  return text.substr(0, std::min(text.find_first_not_of(kMlirNameLetters), text.size()));
}

// "@main" of "func.func public @main(...)", "main" of "sym_name = "main""; empty: the operation is no function.
std::string_view function_of(std::string_view line) {
  line = trimmed(line);
  const bool is_generic = line.starts_with("\"func.func\"");
  if (!is_generic && !line.starts_with("func.func ")) return {};
  constexpr std::string_view kSymbol = "sym_name = ";
  const size_t at = is_generic ? line.find(kSymbol) : line.find('@');
  if (at == line.npos) return {};
  return text_of_symbol(line.substr(at + (is_generic ? kSymbol.size() : 1)));
}

bool is_module(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("module ") || line == "module" || line.starts_with("builtin.module") ||
         line.starts_with("\"builtin.module\"");
}

bool is_return(std::string_view op) {
  return op == "return" || op.ends_with(".return") || op.ends_with(".yield");
}

class ModuleReader {
 public:
  explicit ModuleReader(const Import& import) : import_(import), program_(import), places_(program_.locations()) {}

  void read(std::string_view text) {
    look_ahead(text);
    program_.own_text(text);
    Lines lines(text);
    while (lines.next()) {
      if ((lines.number() & 0x3FF) == 0)
        import_.progress.at(static_cast<double>(lines.position()) / static_cast<double>(text.size()));
      const std::string_view line = trimmed(lines.line());
      if (line.empty() || line.starts_with("//") || line.starts_with('#') || line.starts_with("{-#")) continue;
      take(line, lines.number());
    }
    if (!scopes_.empty()) import_.builder.leave_out("the end of the module", "the file ends before it");
    while (!scopes_.empty()) end_scope();
    if (functions_.empty())
      fail(ErrorKind::kValue, import_.facts.path, " holds no func.func, so there is no graph in it");
    program_.add_functions(functions_, module_, "stablehlo", text_artifact("StableHLO", "stablehlo", text));
  }

 private:
  // A module, whose graph is null, a function, or a region of the last operation of the scope around it.
  struct Scope {
    std::unique_ptr<TextGraph> graph;
    std::string function;             // the symbol, if it is a function
    uint32_t regions = 0;             // how many its last operation has so far
    std::vector<std::pair<std::string, std::string>> next_arguments;  // names and types for these regions
  };

  void look_ahead(std::string_view text) {
    for (Lines lines(text); lines.next();) {
      if (lines.line().starts_with('#')) places_.take(lines.line());
      if (is_module(lines.line()) && module_.empty()) {
        const bool is_generic = trimmed(lines.line()).starts_with('"');
        const size_t at = lines.line().find(is_generic ? "sym_name = " : "@");
        if (at != std::string_view::npos) module_ = text_of_symbol(lines.line().substr(at + (is_generic ? 11 : 1)));
      }
      const std::string_view name = function_of(lines.line());
      if (name.empty()) continue;
      NamedGraph* const function = functions_.add(name);
      if (!function) continue;
      function->graph = program_.new_graph();
      function->line = lines.number();
      function->is_entry = name == "main";
    }
  }

  void take(std::string_view line, int number) {
    if (line.starts_with('}')) return close(line, number);
    if (is_module(line)) {
      if (line.ends_with('{')) scopes_.emplace_back();
      return;
    }
    if (const std::string_view name = function_of(line); !name.empty()) return begin_function(name, line, number);
    if (scopes_.empty() || !scopes_.back().graph)
      return import_.builder.leave_out("operations", "they stand outside of functions");
    if (line.starts_with('^')) return add_inputs(line, number);
    if (const std::string_view role = region_role(line); !role.empty()) return begin_region(role, line, number);
    operation(line, number);
  }

  // "cond {" and "reducer(%a: tensor<f32>, %b: tensor<f32>) {" continue the last operation.
  static std::string_view region_role(std::string_view line) {
    if (!line.ends_with('{') || line.starts_with('%') || line.starts_with('"')) return {};
    const size_t end = std::min(line.find_first_not_of(kMlirNameLetters), line.size());
    const std::string_view word = line.substr(0, end);
    return word.find('.') == word.npos ? word : std::string_view();
  }

  void begin_function(std::string_view name, std::string_view line, int number) {
    const NamedGraph* const known = functions_.find(name);
    const bool is_first = known && known->line == number;
    if (!is_first) import_.builder.leave_out("functions", "one before has the same name");
    if (!line.ends_with('{')) return;  // only declared
    Scope scope;
    scope.graph = std::make_unique<TextGraph>();
    scope.graph->line = number;
    scope.graph->record.id = is_first ? known->graph : program_.new_graph();
    scope.graph->record.name = name;
    scope.function = is_first ? name : "";
    scopes_.push_back(std::move(scope));
    if (line.starts_with('"')) return;  // the generic form has arguments in the line below
    add_inputs(line, number);
  }

  void begin_region(std::string_view role, std::string_view line, int number) {
    if (scopes_.size() > kMaxDepth)
      fail(ErrorKind::kValue, import_.facts.path, " is damaged: regions in line ", number, " are nested too deep");
    Scope& outer = scopes_.back();
    Scope scope;
    scope.graph = std::make_unique<TextGraph>();
    scope.graph->line = number;
    TextGraph& graph = *outer.graph;
    if (graph.record.nodes.empty()) graph.add(str("op_", number), "unknown", "elementwise", kNoLocation);
    const std::string attribute = role.empty() ? str("region ", outer.regions) : std::string(role);
    ++outer.regions;
    const GraphId id = program_.new_graph();
    graph.record.nodes.back().functions.push_back({attribute, id});
    scope.graph->record.id = id;
    scope.graph->record.name = str(graph.record.name, '/', graph.record.nodes.back().name, '/', attribute);
    const auto arguments = outer.next_arguments;
    scopes_.push_back(std::move(scope));
    for (const auto& [name, type] : arguments) add_input(name, type, number);
    if (!role.empty()) add_inputs(line, number);
  }

  // The arguments in a line's brackets: "^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):".
  void add_inputs(std::string_view line, int number) {
    const size_t open = line.find('(');
    if (open == line.npos) return;
    const size_t end = std::min(closing(line, open, Angles::kBrackets), line.size());
    for (const auto& [name, type] : mlir_arguments(line.substr(open + 1, end - open - 1)))
      add_input(name, type, number);
  }

  void add_input(std::string_view name, const std::string& type, int number) {
    TextGraph& graph = *scopes_.back().graph;
    session::NodeRecord& node = graph.add(std::string(name), "input", "variable", program_.own_line(number, ""));
    if (!type.empty()) node.outputs = {type};
    graph.record.inputs.push_back(node.id);
  }

  void operation(std::string_view line, int number) {
    const MlirOperation op = mlir_operation(line);
    if (op.name.empty()) return import_.builder.leave_out("operations", "they are damaged");
    if (is_return(op.name)) {
      TextGraph& graph = *scopes_.back().graph;
      graph.record.outputs.clear();
      for_each_value(op.body, [&](std::string_view value, uint32_t part) {
        session::EdgeRecord edge;
        if (find(value, part, scopes_.size() - 1, number, edge)) graph.record.outputs.push_back(edge);
      });
      return;
    }
    add(op, number);
    if (op.opens_region) begin_region({}, {}, number);
  }

  void add(const MlirOperation& op, int number) {
    Scope& scope = scopes_.back();
    TextGraph& graph = *scope.graph;
    scope.regions = 0;
    scope.next_arguments.clear();
    const std::vector<std::string> types = result_types(op.types, op.values());
    // Operands first: one that lies outside becomes a node before this one.
    std::vector<session::EdgeRecord> inputs;
    const size_t pairs = op.body.starts_with('(') ? op.body.find(" = ") : op.body.npos;
    const bool names_arguments = op.name.ends_with(".while") && pairs < op.body.find_first_of(",)");
    bool is_argument = names_arguments;  // "%iterArg = %1": an argument of the regions, and its first value
    for_each_value(op.body, [&](std::string_view value, uint32_t part) {
      if (is_argument) {
        const size_t i = scope.next_arguments.size();
        scope.next_arguments.emplace_back(value, i < types.size() ? types[i] : "");
        is_argument = false;
        return;
      }
      is_argument = names_arguments;
      session::EdgeRecord edge;
      if (find(value, part, scopes_.size() - 1, number, edge)) inputs.push_back(edge);
    });
    const std::string name = op.results.empty() ? str("op_", number) : std::string(op.results[0].first);
    session::NodeRecord& node =
        graph.add(name, std::string(op.name), stablehlo_family(op.name), place(op.location, number));
    node.inputs = std::move(inputs);
    node.outputs = types;
    uint32_t first = 0;
    for (const auto& [result, count] : op.results) {
      graph.values.insert_or_assign(std::string(result), session::EdgeRecord{node.id, static_cast<uint16_t>(first)});
      first += count;
    }
    const std::string_view body = trimmed(op.body);
    if (op.name.ends_with(".constant")) {
      const size_t dense = body.find("dense");
      node.constant = cut(dense == body.npos ? body : body.substr(dense), kMaxConstant);
    } else {
      node.attributes = attributes_of(body);
    }
    take_calls(body, node);
  }

  LocationNumber place(std::string_view location, int number) {
    const LocationNumber found = location.empty() ? kNoLocation : places_.find(location);
    return found == kNoLocation ? program_.own_line(number, scopes_.back().graph->record.name) : found;
  }

  // All parts of the body that are no operands.
  static std::string attributes_of(std::string_view body) {
    std::string text;
    for (std::string_view part : split_list(body, Angles::kBrackets)) {
      if (part.starts_with('%')) {
        const size_t blank = part.find(' ');
        if (blank == part.npos) continue;
        part = trimmed(part.substr(blank));  // "%1 [0:1, 0:16]"
      } else if (part.starts_with('(')) {
        part = trimmed(part.substr(std::min(closing(part, 0, Angles::kBrackets), part.size() - 1) + 1));
      }
      if (part.empty()) continue;
      text += (text.empty() ? "" : "; ") + std::string(part);
      if (text.size() > kMaxAttributes) break;
    }
    return std::string(cut(text, kMaxAttributes));
  }

  void take_calls(std::string_view body, session::NodeRecord& node) {
    for (size_t i = 0; i < body.size(); ++i) {
      if (body[i] == '"') {
        i = behind_string(body, i) - 1;
      } else if (body[i] == '@') {
        NamedGraph* const called = functions_.find(text_of_symbol(body.substr(i + 1)));
        if (!called) continue;
        called->is_called = true;
        node.functions.push_back({"callee", called->graph});
      }
    }
  }

  // A value of the scope, or of one around it, which the scope then captures.
  bool find(std::string_view name, uint32_t part, size_t at, int number, session::EdgeRecord& edge) {
    TextGraph& graph = *scopes_[at].graph;
    if (const auto found = graph.values.find(name); found != graph.values.end()) {
      edge = {found->second.from, static_cast<uint16_t>(found->second.output + part)};
      return true;
    }
    if (!scopes_[at].function.empty() || at == 0 || !scopes_[at - 1].graph) return false;
    session::EdgeRecord outside;
    if (!find(name, part, at - 1, number, outside)) return false;
    const session::NodeRecord& given = scopes_[at - 1].graph->record.nodes[outside.from];
    const bool is_one_of_many = given.outputs.size() > 1;
    const std::string shown = is_one_of_many ? str(name, '#', part) : std::string(name);
    if (const auto known = graph.values.find(shown); known != graph.values.end()) {
      edge = known->second;
      return true;
    }
    const std::string type = outside.output < given.outputs.size() ? given.outputs[outside.output] : "";
    session::NodeRecord& node = graph.add(shown, "captured", "variable", program_.own_line(number, ""));
    if (!type.empty()) node.outputs = {type};
    graph.record.inputs.push_back(node.id);
    edge = {node.id, 0};
    return true;
  }

  // "}", "} do {", "}, {", "}) : (tensor<i32>) -> tensor<f32> loc(#loc3)"
  void close(std::string_view line, int number) {
    if (scopes_.empty()) return;
    end_scope();
    line = trimmed(line.substr(1));
    if (scopes_.empty() || !scopes_.back().graph) return;
    TextGraph& graph = *scopes_.back().graph;
    if (graph.record.nodes.empty()) return;
    session::NodeRecord& owner = graph.record.nodes.back();
    if (line.ends_with('{')) {
      std::string_view role = trimmed(line.substr(0, line.size() - 1));
      while (!role.empty() && (role[0] == ',' || role[0] == '(' || role[0] == ')')) role = trimmed(role.substr(1));
      return begin_region(role.substr(0, role.find_first_of(" (")), role, number);
    }
    if (const std::string_view location = take_location(line); !location.empty())
      if (const LocationNumber found = places_.find(location); found != kNoLocation)
        owner.location = session::LocationId(found);
    const size_t types = find_outside(line.starts_with(')') ? line.substr(1) : line, ": ", Angles::kBrackets);
    if (types != line.npos && owner.outputs.empty()) {
      const std::string_view behind = line.substr(types + (line.starts_with(')') ? 3 : 2));
      uint32_t values = 0;
      for (const auto& [name, edge] : graph.values) values += edge.from == owner.id;
      const size_t arrow = find_outside(behind, "->", Angles::kBrackets);
      const size_t given = arrow == behind.npos ? 1 : count_of_types(behind.substr(arrow + 2));
      if (values) owner.outputs = result_types(behind, static_cast<uint32_t>(given));
    }
  }

  static size_t count_of_types(std::string_view list) {
    list = trimmed(list);
    if (list.starts_with('(') && list.ends_with(')')) list = list.substr(1, list.size() - 2);
    return split_list(list, Angles::kBrackets).size();
  }

  void end_scope() {
    Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    if (!scope.graph) return;
    if (!scope.function.empty()) functions_.find(scope.function)->signature = signature_of(scope.graph->record);
    program_.add(std::move(*scope.graph));
  }

  const Import& import_;
  Program program_;
  MlirPlaces places_;
  std::string_view module_;
  NamedGraphs functions_;
  std::vector<Scope> scopes_;
};

}  // namespace

bool looks_like_stablehlo(std::string_view begin) {
  for (Lines lines(begin); lines.next();) {
    const std::string_view line = trimmed(lines.line());
    if (line.empty() || line.starts_with("//")) continue;
    if (line.starts_with("#loc") || (line.starts_with('#') && line.find(" = ") != line.npos)) continue;
    if (!is_module(line) && function_of(line).empty()) return false;
    return begin.find("func.func") != begin.npos || begin.find("stablehlo.") != begin.npos ||
           begin.find("mhlo.") != begin.npos;
  }
  // Nothing but locations: a large table of them.
  return begin.starts_with("#loc") && begin.find(" = loc(") != begin.npos;
}

void read_stablehlo(const Import& import) {
  import.facts.engine = "xla";
  const std::string text = import.source.all(kMaxProgramText);
  ModuleReader(import).read(text);
}

}  // namespace footlight::foreign
