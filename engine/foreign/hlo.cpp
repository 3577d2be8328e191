// Names may have a % before them or not, operands their types or not: XLA prints all of these forms.
#include "engine/foreign/hlo.h"

#include "engine/base/text.h"
#include "engine/foreign/families.h"
#include "engine/foreign/hlo_frames.h"
#include "engine/foreign/scan.h"

#include <algorithm>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxAttributes = 500, kMaxConstant = 200;

std::string_view without_percent(std::string_view name) {
  name = trimmed(name);
  return name.starts_with('%') ? name.substr(1) : name;
}

// "/*index=5*/f32[4]", as XLA writes each fifth item of a list.
std::string_view without_comment(std::string_view text) {
  if (!text.starts_with("/*")) return text;
  const size_t end = text.find("*/");
  return end == text.npos ? text : trimmed(text.substr(end + 2));
}

// "ENTRY %main.7 (a: f32[4]) -> f32[4] {" and "region_0.5 {"; empty: the line begins no computation.
std::string_view computation_of(std::string_view line, bool& is_entry) {
  if (line.empty() || line[0] == ' ' || line[0] == '}' || line.starts_with("HloModule")) return {};
  if (!trimmed(line).ends_with('{')) return {};
  is_entry = skip_word(line, "ENTRY ");
  line = without_percent(line);
  return line.substr(0, line.find_first_of(" ("));
}

// "f32[4,8]{1,0}": "float32 (4, 8)".
std::string type_text(std::string_view type) {
  const size_t open = type.find('[');
  if (open == type.npos) return std::string(type);
  const size_t close = std::min(type.find(']', open), type.size() - 1);
  return array_type(type.substr(0, open), type.substr(open + 1, close - open - 1));
}

bool is_called_by(std::string_view attribute) {
  static constexpr std::string_view kCalls[] = {
      "calls", "to_apply", "body", "condition", "branch_computations", "called_computations", "true_computation",
      "false_computation", "select", "scatter"};
  return std::ranges::find(kCalls, attribute) != std::end(kCalls);
}

class HloReader {
 public:
  explicit HloReader(const Import& import) : import_(import), program_(import), frames_(program_.locations()) {}

  void read(std::string_view text) {
    find_computations(text);
    program_.own_text(text);
    Lines lines(text);
    while (lines.next()) {
      bool is_entry = false;
      if (const std::string_view name = computation_of(lines.line(), is_entry); !name.empty()) {
        begin(name, is_entry, lines.number());
        import_.progress.at(static_cast<double>(lines.position()) / static_cast<double>(text.size()));
      } else if (!graph_) {
        frames_.take(lines.line());
      } else if (lines.line().starts_with('}')) {
        end();
      } else if (!trimmed(lines.line()).empty()) {
        const int number = lines.number();
        lines.complete();
        if (!instruction(lines.line(), number)) import_.builder.leave_out("instructions", "they are damaged");
      }
    }
    if (graph_) {
      import_.builder.leave_out("the end of a computation", "the file ends before it");
      end();
    }
    if (computations_.empty()) fail(ErrorKind::kValue, import_.facts.path, " is damaged; it holds no computation");
    program_.add_functions(computations_, module_, "hlo", text_artifact("HLO", "hlo", text));
  }

 private:
  void find_computations(std::string_view text) {
    for (Lines lines(text); lines.next();) {
      if (lines.line().starts_with("HloModule ")) {
        module_ = lines.line().substr(10);
        module_ = module_.substr(0, module_.find_first_of(", "));
      }
      bool is_entry = false;
      const std::string_view name = computation_of(lines.line(), is_entry);
      if (name.empty()) continue;
      NamedGraph* const computation = computations_.add(name);
      if (!computation) continue;
      computation->graph = program_.new_graph();
      computation->line = lines.number();
      computation->is_entry = is_entry;
    }
  }

  void begin(std::string_view name, bool is_entry, int line) {
    if (graph_) end();  // the bracket of the one before is missing
    computation_ = computations_.find(name);
    if (computation_->line != line) import_.builder.leave_out("computations", "one before has the same name");
    graph_.emplace();
    graph_->line = line;
    graph_->record.id = computation_->line == line ? computation_->graph : program_.new_graph();
    graph_->record.name = is_entry ? std::string(module_) : str(module_, '/', name);
    name_ = name;
  }

  void end() {
    if (computation_->line == graph_->line) computation_->signature = signature_of(graph_->record);
    program_.add(std::move(*graph_));
    graph_.reset();
  }

  // "  ROOT %add.1 = f32[4]{0} add(f32[4]{0} %a, %b), metadata={...}"
  bool instruction(std::string_view line, int number) {
    line = trimmed(line);
    const bool is_root = skip_word(line, "ROOT ");
    const size_t equals = line.find(" = ");
    if (equals == line.npos) return false;
    const std::string_view name = without_percent(line.substr(0, equals));
    std::string_view rest = trimmed(line.substr(equals + 3));
    std::vector<std::string> outputs;
    if (rest.starts_with('(')) {
      const size_t close = closing(rest, 0);
      if (close == rest.npos) return false;
      for (const std::string_view type : split_list(rest.substr(1, close - 1)))
        outputs.push_back(type_text(without_comment(type)));
      rest = trimmed(rest.substr(close + 1));
    } else {
      const size_t blank = find_outside(rest, " ");
      if (blank == rest.npos) return false;
      outputs.push_back(type_text(rest.substr(0, blank)));
      rest = trimmed(rest.substr(blank));
    }
    const size_t open = rest.find('(');
    if (open == rest.npos || open == 0) return false;
    const size_t close = closing(rest, open);
    if (close == rest.npos) return false;
    const std::string_view op = rest.substr(0, open);
    add(name, op, std::move(outputs), rest.substr(open + 1, close - open - 1), rest.substr(close + 1), number);
    if (is_root) graph_->record.outputs = {{graph_->record.nodes.back().id, 0}};
    return true;
  }

  void add(std::string_view name, std::string_view op, std::vector<std::string> outputs, std::string_view operands,
           std::string_view behind, int line) {
    std::string attributes;
    LocationNumber location = kNoLocation;
    if (const size_t at = find_outside(behind, "metadata={"); at != behind.npos) {
      const size_t close = std::min(closing(behind, at + 9), behind.size() - 1);
      location = frames_.of_metadata(behind.substr(at + 10, close - at - 10));
      attributes = behind.substr(0, at);
      while (attributes.ends_with(' ') || attributes.ends_with(',')) attributes.pop_back();
      attributes += behind.substr(close + 1);
    } else {
      attributes = behind;
    }
    while (attributes.starts_with(' ') || attributes.starts_with(',')) attributes.erase(0, 1);
    if (location == kNoLocation) location = program_.own_line(line, name_);
    session::NodeRecord& node = graph_->add(std::string(name), std::string(op), hlo_family(op), location);
    node.outputs = std::move(outputs);
    take_calls(attributes, node);
    node.attributes = cut(attributes, kMaxAttributes);
    if (op == "constant") node.constant = cut(trimmed(operands), kMaxConstant);
    if (op == "parameter") graph_->record.inputs.push_back(node.id);
    if (op == "constant" || op == "parameter") return;
    for (const std::string_view one : split_list(operands)) {
      const std::string_view operand = without_comment(one);
      const size_t blank = operand.rfind(' ');
      graph_->take(without_percent(blank == operand.npos ? operand : operand.substr(blank)));
    }
    if (op == "get-tuple-element" && attributes.starts_with("index=") && !node.inputs.empty())
      node.inputs[0].output = static_cast<uint16_t>(std::min<uint64_t>(leading_number(attributes.substr(6)), 65535));
  }

  void take_calls(std::string_view attributes, session::NodeRecord& node) {
    for (const std::string_view attribute : split_list(attributes)) {
      const size_t equals = attribute.find('=');
      if (equals == attribute.npos || !is_called_by(attribute.substr(0, equals))) continue;
      std::string_view value = attribute.substr(equals + 1);
      if (value.starts_with('{')) value = value.substr(1, value.size() - 1 - value.ends_with('}'));
      for (const std::string_view called : split_list(value)) {
        NamedGraph* const computation = computations_.find(without_percent(called));
        if (!computation) continue;
        computation->is_called = true;
        node.functions.push_back({std::string(attribute.substr(0, equals)), computation->graph});
      }
    }
  }

  const Import& import_;
  Program program_;
  HloFrames frames_;
  std::string_view module_, name_;
  NamedGraphs computations_;
  NamedGraph* computation_ = nullptr;
  std::optional<TextGraph> graph_;
};

}  // namespace

bool looks_like_hlo(std::string_view begin) {
  for (Lines lines(begin); lines.next();) {
    const std::string_view line = trimmed(lines.line());
    if (line.empty() || line.starts_with("//")) continue;
    return line.starts_with("HloModule ");
  }
  return false;
}

void read_hlo(const Import& import) {
  import.facts.engine = "xla";
  const std::string text = import.source.all(kMaxProgramText);
  HloReader(import).read(text);
}

}  // namespace footlight::foreign
