// Reads the body of the loop token by token, and compares the nodes that its turns made.
#include "engine/explain/staged_range.h"

#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

namespace footlight::explain {
namespace {

using session::NodeRecord;

constexpr int kMaxDepth = 64;       // of brackets, and of graphs in each other
constexpr size_t kMaxBody = 1 << 16;  // characters

// The uses of the loop's variable in one statement.
struct Uses {
  int last_line = 0;
  bool as_index = false;   // in x[i]
  bool as_number = false;  // in arithmetic, or as an argument of an op
};

class LoopReader {
 public:
  LoopReader(const Evidence& evidence, const source::Outline& outline, session::FileId file, const source::Loop& loop)
      : evidence_(evidence), outline_(outline), file_(file), loop_(loop) {}

  StagedRange read(const session::GraphRecord& graph, FunctionId function, uint64_t copies) {
    collect(graph, function, 0);
    const std::string_view head = loop_.head;
    constexpr std::string_view kFor = "for ";
    const size_t in = head.find(" in ");
    if (!head.starts_with(kFor) || in == head.npos) return {{}, "write the loop over range()"};
    variable_ = head.substr(kFor.size(), in - kFor.size());
    read_tokens();
    if (first_.empty()) read_assignments();
    if (first_.empty()) compare_turns(copies);
    std::string dtype = first_.empty() ? dtype_of_uses() : std::string();
    return {std::move(dtype), std::move(first_)};
  }

 private:
  struct Made {
    const session::GraphRecord* graph = nullptr;
    const NodeRecord* node = nullptr;
    int line = 0;
  };

  bool is_inside(int line) const { return line >= loop_.line && line <= loop_.last_line; }
  std::string line_text(int line) const { return "line " + std::to_string(line); }
  void refuse(std::string first) {
    if (first_.empty()) first_ = std::move(first);
  }

  // The nodes that lines of the loop made.
  void collect(const session::GraphRecord& graph, FunctionId function, int depth) {
    if (depth > kMaxDepth || !seen_.insert(graph.id).second) return;
    for (const NodeRecord& node : graph.nodes) {
      const Line at = evidence_.line(node.source);
      if (at.file == file_ && is_inside(at.line)) made_.push_back({&graph, &node, at.line});
      for (const session::NodeFunction& f : node.functions) {
        const session::GraphRecord* const inner = evidence_.graph(f.graph);
        if (inner && !evidence_.is_of_other(f.graph, function)) collect(*inner, function, depth + 1);
      }
    }
  }

  std::string body() const {
    std::string text;
    for (int line = loop_.line; line <= loop_.last_line && text.size() < kMaxBody; ++line) {
      std::string_view all = evidence_.text({file_, line});
      if (line == loop_.line) {
        const size_t head = all.find(loop_.head);
        all = head == all.npos ? std::string_view() : all.substr(head + loop_.head.size());
      }
      text += all;
      text += '\n';
    }
    return text;
  }

  void read_tokens() {
    static constexpr std::array<std::string_view, 4> kLeave = {"return", "break", "yield", "await"};
    static constexpr std::array<std::string_view, 4> kConditions = {"if", "elif", "while", "assert"};
    static constexpr std::array<std::string_view, 9> kChanges = {"append", "extend", "insert", "update",    "add",
                                                                 "pop",    "remove", "clear",  "setdefault"};
    struct Bracket { bool index = false; std::string callee; };
    const std::string text = body();
    std::vector<Bracket> brackets;
    source::Lexer lexer(text);
    int line = loop_.line;
    statement_ = line;
    bool begins = true;  // a statement
    std::string before;       // the name that ends right before this token, with its attributes
    bool value_before = false;  // a value ends right before it: x[ is an index
    for (size_t end = 0; lexer.next(); end = lexer.token.end) {
      const bool joined = lexer.token.begin == end;
      switch (lexer.token.kind) {
        case source::TokenKind::kNewline:
          if (const auto at = uses_.find(statement_); at != uses_.end()) at->second.last_line = line;
          ++line;
          if (brackets.empty()) statement_ = line, begins = true;
          continue;
        case source::TokenKind::kOpen: {
          const bool call = lexer.is('(') && joined && !before.empty();
          if (call) {
            const std::string_view method = last_name(before);
            if (before.find('.') != before.npos && !before.starts_with("tf.") &&
                std::ranges::find(kChanges, method) != kChanges.end())
              refuse("let " + line_text(line) + " write to a tf.TensorArray in place of " + before + "()");
          }
          if (brackets.size() == kMaxDepth) return refuse("take its body apart");
          brackets.push_back({lexer.is('[') && joined && value_before, call ? before : std::string()});
          break;
        }
        case source::TokenKind::kClose:
          if (!brackets.empty()) brackets.pop_back();
          break;
        case source::TokenKind::kString:
          line += static_cast<int>(std::ranges::count(lexer.text(), '\n'));
          if (joined && !before.empty() && is_in_text(lexer.text()))
            refuse("let " + line_text(line) + " do without " + variable_ + " in a text");
          break;
        case source::TokenKind::kName: {
          const bool attribute = lexer.token.begin > 0 && text[lexer.token.begin - 1] == '.';
          if (!attribute) lexer.take_attributes();
          const std::string name(lexer.text());
          if (std::ranges::find(kLeave, name) != kLeave.end())
            refuse("let " + line_text(line) + " do without `" + name + '`');
          const std::string_view behind = source::trimmed(std::string_view(text).substr(lexer.token.end, 3));
          const bool keyword = !brackets.empty() && behind.starts_with('=') && !behind.starts_with("==");
          if (begins) condition_ = std::ranges::find(kConditions, name) != kConditions.end();
          begins = false;
          if (name.substr(0, name.find('.')) == variable_ && !attribute && !keyword) note_use(line, brackets);
          before = name;
          value_before = true;
          continue;
        }
        default: break;
      }
      value_before = lexer.token.kind == source::TokenKind::kClose || lexer.token.kind == source::TokenKind::kString;
      before.clear();
    }
  }

  void refuse_use(int line) {
    refuse("let " + line_text(line) + " do without the Python number " + variable_ +
           ": in a loop of the graph it is a tensor");
  }

  // Whether a text with names in braces has the variable.
  bool is_in_text(std::string_view text) const {
    for (size_t at = text.find(variable_); at != text.npos; at = text.find(variable_, at + 1)) {
      const size_t end = at + variable_.size();
      const bool whole = at > 0 && !source::in_name(text[at - 1]) && end < text.size() && !source::in_name(text[end]);
      const size_t open = text.substr(0, at).find_last_of("{}");
      if (whole && open != text.npos && text[open] == '{') return true;
    }
    return false;
  }

  template <class Brackets>
  void note_use(int line, const Brackets& brackets) {
    if (condition_) return refuse_use(line);
    Uses& uses = uses_.try_emplace(statement_, Uses{line}).first->second;
    for (auto bracket = brackets.rbegin(); bracket != brackets.rend(); ++bracket) {
      if (bracket->index) {
        uses.as_index = true;
        return;
      }
      const std::string& callee = bracket->callee;
      if (callee.empty()) continue;
      const bool takes_tensors = (callee.starts_with("tf.") && callee != "tf.constant" && callee != "tf.ones" &&
                                  callee != "tf.zeros" && callee != "tf.Variable") ||
                                 callee.ends_with(".write") || callee.ends_with(".read") || callee == "float";
      if (!takes_tensors) return refuse_use(line);
    }
    uses.as_number = true;
  }

  // Whether the loop's lines give a name another value in each turn, and what it has before the loop.
  void read_assignments() {
    const source::Function* const function = outline_.innermost(loop_.line);
    if (!function) return refuse("put it into a function");
    std::set<int> lines_with_nodes;
    for (const Made& m : made_) lines_with_nodes.insert(m.line);
    for (int line = loop_.line; line <= loop_.last_line; ++line) {
      std::string_view text = evidence_.text({file_, line});
      if (line == loop_.line) text.remove_prefix(std::min(text.size(), text.find(loop_.head) + loop_.head.size() + 1));
      text = source::trimmed(source::without_comment(text));
      const size_t equals = text.find(" = ");
      const size_t changed = text.find("= ");
      if (changed == text.npos || changed == 0) continue;
      const bool plain = equals != text.npos && equals + 1 == changed;
      constexpr std::string_view kOperators = "+-*/%@&|^";
      const bool augmented = !plain && changed > 1 && kOperators.find(text[changed - 1]) != text.npos;
      if (!plain && !augmented) continue;
      const std::string_view target = source::trimmed(text.substr(0, plain ? equals : text.find(' ')));
      if (target.find_first_of("([{'\"") != target.npos || target.find('.') != target.npos) {
        if (target.starts_with("if ") || target.starts_with("for ") || target.find('(') != target.npos) continue;
        return refuse("let " + line_text(line) + " keep its tensor in a name in place of " + std::string(target));
      }
      for (const std::string& name : source::names_in(target)) check_name(*function, name, line, lines_with_nodes);
    }
  }

  // Whether the line calls something else than what computes Python values.
  static bool calls_a_function(std::string_view line) {
    static constexpr std::array<std::string_view, 16> kOfPython = {"min", "max", "int", "float", "len", "abs", "round",
                                                                   "sum", "str", "bool", "divmod", "pow", "range",
                                                                   "sorted", "list", "tuple"};
    source::Lexer lexer(line);
    std::string before;
    for (size_t end = 0; lexer.next(); end = lexer.token.end) {
      const bool call = lexer.is('(') && lexer.token.begin == end && !before.empty();
      const std::string_view library = std::string_view(before).substr(0, before.find('.'));
      const bool of_python = std::ranges::find(kOfPython, before) != kOfPython.end() || library == "math" ||
                             library == "np" || library == "numpy";
      if (call && !of_python) return true;
      before.clear();
      if (lexer.token.kind != source::TokenKind::kName) continue;
      lexer.take_attributes();
      before = lexer.text();
    }
    return false;
  }

  void check_name(const source::Function& function, const std::string& name, int line,
                  const std::set<int>& lines_with_nodes) {
    // The nodes of a function that the line calls stand on that function's lines.
    if (!lines_with_nodes.contains(line) && !calls_a_function(evidence_.text({file_, line})))
      return refuse("let " + line_text(line) + " compute " + name + " with tensors");
    std::string_view start;
    bool is_known = false;
    for (int at = function.line; at < loop_.line; ++at) {
      const std::string_view text = source::trimmed(source::without_comment(evidence_.text({file_, at})));
      if (at == function.line || text.starts_with("def ")) is_known |= source::has_name(text, name);
      if (!source::assigns(text, name)) continue;
      is_known = true;
      start = text.starts_with(name + " = ") ? source::trimmed(text.substr(name.size() + 3)) : std::string_view();
    }
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const bool is_integer = !start.empty() && std::ranges::all_of(start, is_digit);
    if (start == "None" || start.starts_with('[') || start.starts_with('{') || is_integer)
      return refuse("give " + name + " a tensor of its shape and dtype before the loop, where it is " +
                    std::string(start.substr(0, 20)));
    if (is_known) return;
    for (int at = loop_.last_line + 1; at <= function.last_line; ++at)
      if (source::has_name(source::without_comment(evidence_.text({file_, at})), name))
        return refuse("give " + name + " a tensor before the loop: " + line_text(at) + " reads it behind the loop");
  }

  // Each turn has to make the same ops of the same shapes, the first one too.
  void compare_turns(uint64_t copies) {
    std::map<std::pair<CodeId, uint32_t>, std::map<std::string, size_t>> kinds;
    std::map<std::pair<CodeId, uint32_t>, std::pair<size_t, int>> totals;
    for (const Made& m : made_) {
      const NodeRecord& node = *m.node;
      if (node.inputs.empty()) continue;  // the turns may share what the first one made
      std::string kind = node.op;
      for (const std::string& output : node.outputs) kind += '|' + output;
      for (const session::EdgeRecord& input : node.inputs) {
        const std::vector<NodeRecord>& all = m.graph->nodes;
        if (input.from < all.size() && input.output < all[input.from].outputs.size())
          kind += '<' + all[input.from].outputs[input.output];
      }
      const std::pair<CodeId, uint32_t> at{node.source.code, node.source.offset};
      ++kinds[at][kind];
      auto& [count, line] = totals[at];
      ++count;
      line = m.line;
    }
    for (const auto& [at, total] : totals) {
      const auto& [count, line] = total;
      // A loop around this one makes its copies again.
      const bool same = std::ranges::all_of(kinds[at], [&](const auto& kind) { return kind.second * 2 > copies; });
      if (!same)
        return refuse("let " + line_text(line) + " make tensors of one shape in all turns: the turns differ");
    }
  }

  // The dtype in which the graph has the numbers that the loop's variable gives.
  std::string dtype_of_uses() {
    std::set<std::string> dtypes;
    for (const auto& [line, uses] : uses_) {
      std::map<std::pair<CodeId, uint32_t>, std::map<std::string, std::set<std::string>>> constants;
      bool slices = false;
      for (const Made& m : made_) {
        if (m.line < line || m.line > uses.last_line) continue;
        slices |= m.node->op == "StridedSlice" || m.node->op == "GatherV2";
        if (m.node->op != "Const" || m.node->outputs.empty()) continue;
        const std::string& type = m.node->outputs.front();
        const std::string dtype = type.substr(0, type.find(' '));
        constants[{m.node->source.code, m.node->source.offset}][dtype].insert(m.node->constant);
      }
      size_t differing = 0;
      for (const auto& [at, types] : constants)
        for (const auto& [dtype, values] : types)
          if (values.size() > 1) dtypes.insert(dtype), ++differing;
      if (!differing || (uses.as_index && !slices)) {
        refuse_use(line);
        return {};
      }
    }
    if (dtypes.empty() || (dtypes.size() == 1 && *dtypes.begin() == "int32")) return {};
    const bool index = std::ranges::any_of(uses_, [](const auto& use) { return use.second.as_index; });
    const std::string& dtype = *dtypes.begin();
    if (dtypes.size() == 1 && !index && (dtype == "float32" || dtype == "float64" || dtype == "int64")) return dtype;
    refuse("tf.cast() " + variable_ + " where " + listed(lines_of_uses()) + " computes with it");
    return {};
  }

  std::vector<std::string> lines_of_uses() const {
    std::vector<std::string> lines;
    for (const auto& [line, uses] : uses_) lines.push_back(line_text(line));
    return lines;
  }

  const Evidence& evidence_;
  const source::Outline& outline_;
  const session::FileId file_;
  const source::Loop& loop_;
  std::string variable_;
  std::string first_;
  std::vector<Made> made_;
  std::set<GraphId> seen_;
  std::map<int, Uses> uses_;  // by the first line of the statement
  int statement_ = 0;         // the first line of the one that is read
  bool condition_ = false;    // whether it is a condition
};

}  // namespace

StagedRange staged_range(const Evidence& evidence, const source::Outline& outline, session::FileId file,
                         const source::Loop& loop, TraceId trace, uint64_t copies) {
  const session::TraceRecord* const record = evidence.trace(trace);
  const session::GraphRecord* const graph = record ? evidence.graph(record->graph()) : nullptr;
  if (!graph) return {{}, "see that each turn makes tensors of one shape"};
  return LoopReader(evidence, outline, file, loop).read(*graph, record->function, copies);
}

}  // namespace footlight::explain
