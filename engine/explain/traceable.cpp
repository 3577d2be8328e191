// Goes over the tokens of the functions' bodies, statement by statement.
#include "engine/explain/traceable.h"

#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>
#include <array>
#include <set>

namespace footlight::explain {
namespace {

using source::TokenKind;
using Names = std::set<std::string, std::less<>>;

template <size_t n>
bool among(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 17> kMutators{
    "append", "appendleft", "extend", "extendleft", "insert", "add",        "update", "pop",    "popleft",
    "popitem", "remove",    "discard", "clear",     "sort",   "setdefault", "reverse", "rotate"};
constexpr std::array<std::string_view, 5> kTakesNumber{"float", "int", "bool", "complex", "round"};
constexpr std::array<std::string_view, 3> kOfTensor{"numpy", "item", "tolist"};
constexpr std::array<std::string_view, 8> kModules{"tf", "np", "jnp", "jax", "numpy", "tensorflow", "math", "lax"};
constexpr std::array<std::string_view, 12> kArrayTypes{"float16", "float32", "float64", "int8", "int16", "int32",
                                                       "int64",   "uint8",   "bool_",   "ndim", "shape", "dtype"};
constexpr std::array<std::string_view, 3> kGenerators{"default_rng(", "RandomState(", "random.Random("};
constexpr std::array<std::string_view, 5> kMakers{"__init__", "build", "setup", "_build", "initialize"};
constexpr std::array<std::string_view, 4> kClocks{"perf_counter", "monotonic", "perf_counter_ns", "time_ns"};
constexpr std::array<std::string_view, 12> kKeywords{"for", "in", "if", "else", "elif",   "while",
                                                     "and", "or", "not", "is", "return", "lambda"};
constexpr std::array<std::string_view, 7> kLogs{"debug", "info", "warning", "error", "critical", "exception", "log"};

// A token with what stands before it: "self.x" and "stats['n']" are one path.
struct Part {
  std::string text;       // "self.x", "stats['n']", "=", "("
  std::string root;       // "self", "stats"; empty: no path
  std::string last;       // "x", "stats": its last name
  std::string owner;      // "self", "": the path without its last name
  TokenKind kind = TokenKind::kOther;
  int line = 0;
  size_t end = 0;         // where its text ends in the body
  bool item = false;      // it ends in [...]
  bool is_path() const { return !root.empty(); }
};

std::string_view root_of(std::string_view path) { return path.substr(0, path.find_first_of(".[")); }

class Body {
 public:
  Body(const Evidence& evidence, const source::Outline& outline, session::FileId file, const source::Function& def,
       const Names& defined, bool jax)
      : evidence_(evidence), outline_(outline), file_(file), def_(def), defined_(defined), jax_(jax),
        has_numpy_(imports(evidence, file, "numpy")) {
    for (int line = def.line; line <= def.last_line; ++line) text_ += std::string(evidence.text({file, line})) + '\n';
    read_statements();
    read_names();
  }

  // The functions whose names it calls.
  Names called() const {
    Names names;
    for (const std::vector<Part>& parts : statements_)
      for (size_t i = 0; i + 1 < parts.size(); ++i)
        if (parts[i].is_path() && parts[i + 1].text == "(" && (parts[i].owner.empty() || parts[i].owner == "self"))
          names.insert(parts[i].last);
    return names;
  }

  void obstacles(std::vector<std::string>& steps) const {
    for (const std::vector<Part>& parts : statements_) {
      stores(parts, steps);
      for (size_t i = 0; i < parts.size(); ++i)
        if (parts[i].is_path()) use(parts, i, steps);
    }
  }

 private:
  bool is_outside(const Part& part) const { return is_outside(part.root) || parameters_.contains(part.root); }
  bool is_outside(std::string_view root) const {
    return !locals_.contains(root) || declared_.contains(root) || aliases_.contains(root);
  }

  static void add(std::vector<std::string>& steps, std::string step) {
    if (std::ranges::find(steps, step) == steps.end()) steps.push_back(std::move(step));
  }
  std::string on(int line) const { return " on line " + std::to_string(line); }

  // Statements end with their line, outside of brackets.
  void read_statements() {
    source::Lexer lexer(text_);
    int line = def_.line, depth = 0;
    size_t counted = 0;
    std::vector<Part> parts;
    while (lexer.next()) {
      line += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted),
                                          text_.begin() + static_cast<std::ptrdiff_t>(lexer.token.begin), '\n'));
      counted = lexer.token.begin;
      const TokenKind kind = lexer.token.kind;
      depth += (kind == TokenKind::kOpen) - (kind == TokenKind::kClose);
      const bool is_head = statements_.empty() && lexer.is(':');  // the end of the def
      const bool ends = depth <= 0 && (kind == TokenKind::kNewline || lexer.is(';') || is_head);
      if (ends && !parts.empty()) statements_.push_back(std::exchange(parts, {}));
      if (ends || kind == TokenKind::kNewline || kind == TokenKind::kComment || kind == TokenKind::kJoin) continue;
      Part part;
      part.kind = kind;
      part.line = line;
      const bool continues = !parts.empty() && parts.back().text == ".";
      if (kind == TokenKind::kName) lexer.take_attributes();
      part.text = lexer.text();
      part.end = lexer.token.end;
      if (kind == TokenKind::kName) {
        part.root = continues ? "()" : std::string(root_of(part.text));
        const size_t dot = part.text.rfind('.');
        part.last = dot == std::string::npos ? part.text : part.text.substr(dot + 1);
        part.owner = dot == std::string::npos ? (continues ? "()" : "") : part.text.substr(0, dot);
      }
      parts.push_back(std::move(part));
    }
    if (!parts.empty()) statements_.push_back(std::move(parts));
  }

  // Where the target that begins at `at` ends: behind its items and attributes.
  static size_t target_end(const std::vector<Part>& parts, size_t at) {
    ++at;
    while (at < parts.size() && (parts[at].text == "[" || parts[at].text == ".")) {
      if (parts[at].text == ".") {
        at += 2;
        continue;
      }
      int depth = 0;
      do {
        depth += (parts[at].kind == TokenKind::kOpen) - (parts[at].kind == TokenKind::kClose);
        ++at;
      } while (at < parts.size() && depth > 0);
    }
    return at;
  }

  // How many parts the statement's targets have, with the "="; 0: it assigns nothing.
  static size_t targets_of(const std::vector<Part>& parts) {
    int depth = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      depth += (parts[i].kind == TokenKind::kOpen) - (parts[i].kind == TokenKind::kClose);
      if (depth || parts[i].text != "=") continue;
      const bool compares = (i && std::string_view("=!<>").find(parts[i - 1].text) != std::string_view::npos &&
                             parts[i - 1].text.size() == 1 && parts[i - 1].end + 1 == parts[i].end) ||
                            (i + 1 < parts.size() && parts[i + 1].text == "=" && parts[i].end + 1 == parts[i + 1].end);
      if (!compares) return i + 1;
      if (i + 1 < parts.size() && parts[i + 1].text == "=") ++i;
    }
    return 0;
  }

  // Behind "if x:" on the same line stands a statement of its own; keywords begin no target.
  static size_t begin_of(const std::vector<Part>& parts) {
    static constexpr std::array<std::string_view, 8> kHeads{"if",   "else", "for", "while",
                                                            "with", "elif", "try", "finally"};
    if (parts.empty() || !among(parts[0].text, kHeads)) return 0;
    int depth = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      depth += (parts[i].kind == TokenKind::kOpen) - (parts[i].kind == TokenKind::kClose);
      if (!depth && parts[i].text == ":") return i + 1;
    }
    return parts.size();
  }

  static std::vector<Part> simple(const std::vector<Part>& parts) {
    return {parts.begin() + static_cast<std::ptrdiff_t>(begin_of(parts)), parts.end()};
  }

  void read_names() {
    Names rebound;
    if (!statements_.empty()) {
      int depth = 0;
      for (const Part& part : statements_[0]) {
        depth += (part.kind == TokenKind::kOpen) - (part.kind == TokenKind::kClose);
        if (part.is_path() && depth == 1) parameters_.insert(part.text);
        if (depth == 0 && part.text == ")") break;
      }
      locals_ = parameters_;
    }
    for (size_t s = 1; s < statements_.size(); ++s) {
      const std::vector<Part>& all = statements_[s];
      if (all[0].text == "global" || all[0].text == "nonlocal")
        for (const Part& part : all)
          if (part.is_path()) declared_.insert(part.text);
      for (size_t i = 0; i + 1 < all.size(); ++i) {
        if (all[i].text == "as" || all[i].text == "def" || all[i].text == "class") locals_.insert(all[i + 1].text);
        if (all[i].text != "for") continue;
        const bool of_range = std::ranges::any_of(all, [](const Part& p) { return p.text == "range"; });
        for (size_t k = i + 1; k < all.size() && all[k].text != "in"; ++k) {
          if (!all[k].is_path()) continue;
          locals_.insert(all[k].text);
          if (of_range) numbers_.insert(all[k].text);
        }
      }
      const std::vector<Part> parts = simple(all);
      const size_t targets = targets_of(parts);
      for (size_t i = 0; i < targets; ++i)
        if (parts[i].is_path() && parts[i].owner.empty() && target_end(parts, i) == i + 1)
          locals_.insert(parts[i].text);
      // `p = self.params` is another name of what is outside; `n = x.shape[0]` is a number.
      const bool names_one = targets == 2 && parts.size() > 2 && parts[0].is_path() && parts[0].owner.empty();
      const bool is_path = names_one && parts[2].is_path() && target_end(parts, 2) == parts.size();
      if (is_path && is_outside(parts[2])) aliases_.insert(parts[0].text);
      if (is_path && is_number(parts, 2, parts.size())) numbers_.insert(parts[0].text);
      if (names_one && !is_path) rebound.insert(parts[0].text);
    }
    // A name that also stands for a new object is not looked at as one of outside.
    for (const std::string& name : rebound) aliases_.erase(name), parameters_.erase(name);
    for (int line = 1; line <= evidence_.line_count(file_); ++line) {
      const std::string_view text = evidence_.text({file_, line});
      const size_t equals = text.find('=');
      if (equals != text.npos && std::ranges::any_of(kGenerators, [&](std::string_view made) {
            return text.find(made, equals) != text.npos;
          }))
        generators_.insert(std::string(source::trimmed(text.substr(0, equals))));
    }
  }

  // Whether the parts are a number of Python: shapes, lengths, literals, counters of range().
  bool is_number(const std::vector<Part>& parts, size_t from, size_t to) const {
    for (size_t i = from; i < to; ++i) {
      const Part& part = parts[i];
      if (!part.is_path()) continue;
      if (part.text == "len") return true;
      const bool of_shape =
          part.text.find(".shape") != std::string::npos || part.last == "ndim" || part.last == "as_list";
      const bool constant = std::ranges::none_of(part.text, [](char c) { return c >= 'a' && c <= 'z'; });
      if (!of_shape && !constant && !numbers_.contains(part.text)) return false;
    }
    return true;
  }

  void stores(const std::vector<Part>& all, std::vector<std::string>& steps) const {
    if (&all == &statements_.front()) return;
    const std::vector<Part> parts = simple(all);
    const size_t targets = targets_of(parts);
    for (size_t i = 0; i < targets; ++i) {
      if (!parts[i].is_path()) continue;
      const size_t end = target_end(parts, i);
      const bool whole = end == i + 1 && parts[i].owner.empty();
      if (whole ? declared_.contains(parts[i].root) : is_outside(parts[i])) {
        std::string name = parts[i].text;
        for (size_t k = i + 1; k < end; ++k) name += parts[k].text;
        const std::string where = "where " + def_.name + " is called (line " + std::to_string(parts[i].line);
        add(steps, (jax_ ? "change " + name + ' ' : "keep " + name + " in a tf.Variable or change it ") + where +
                       " changes it)");
      }
      i = end - 1;
    }
    // A method that changes a container.
    const bool is_call = !parts.empty() && parts[0].is_path() && !targets;
    const size_t call = is_call ? target_end(parts, 0) : 0;
    if (!is_call) return;
    const Part& method = call > 1 ? parts[call - 1] : parts[0];
    if (call < parts.size() && parts[call].text == "(") changes_container(parts[0], method, steps);
  }

  void changes_container(const Part& container, const Part& method, std::vector<std::string>& steps) const {
    if (method.owner.empty() || !among(method.last, kMutators) || defined_.contains(method.last)) return;
    if (among(container.root, kModules) || !is_outside(container)) return;
    add(steps, "move ." + method.last + "()" + on(method.line) + " to where " + def_.name + " is called");
  }

  void use(const std::vector<Part>& parts, size_t at, std::vector<std::string>& steps) const {
    const Part& part = parts[at];
    const bool call = at + 1 < parts.size() && parts[at + 1].text == "(";
    const std::string to_caller = " to where " + def_.name + " is called";
    if (&parts == &statements_.front()) return;
    const std::string own_random = jax_ ? "jax.random" : "tf.random";
    if (generator(part)) return add(steps, "draw with " + own_random + " in place of " + part.owner + on(part.line));
    const bool keyword = at + 1 < parts.size() && parts[at + 1].text == "=" &&
                         !(at + 2 < parts.size() && parts[at + 2].text == "=");
    if (!call && !keyword && !among(part.text, kKeywords)) return frozen(part, steps);
    if (!call) return;
    if (part.owner.empty()) {
      const std::string own_print = jax_ ? "jax.debug.print" : "tf.print";
      if (part.text == "print") return add(steps, "use " + own_print + " in place of print()" + on(part.line));
      const bool clock = among(part.text, kClocks) && !defined_.contains(part.text);
      if (part.text == "open" || part.text == "input" || clock)
        return add(steps, "move " + part.text + "()" + on(part.line) + to_caller);
      if (among(part.text, kTakesNumber) && !is_number(parts, at + 2, closing(parts, at + 1)))
        add(steps, "move " + part.text + "()" + on(part.line) + to_caller);
      return;
    }
    if (among(part.last, kOfTensor)) return add(steps, "move ." + part.last + "()" + on(part.line) + to_caller);
    if (part.root == "time" && !locals_.contains("time"))
      return add(steps, "move " + part.text + "()" + on(part.line) + to_caller);
    if (part.root == "datetime") return add(steps, "move " + part.text + "()" + on(part.line) + to_caller);
    if (part.text == "tf.Variable")
      return add(steps, "make the tf.Variable" + on(part.line) + " before the first call");
    if (part.owner.find("log") != std::string::npos && part.root != "tf" && among(part.last, kLogs) &&
        part.root != "np" && part.root != "math")
      return add(steps, "move " + part.text + "()" + on(part.line) + to_caller);
    if ((part.root == "np" || part.root == "numpy") && has_numpy_ && !among(part.last, kArrayTypes) &&
        !is_number(parts, at + 2, closing(parts, at + 1)))
      return add(steps, (jax_ ? "use jnp in place of " : "use tf in place of ") + part.text + "()" + on(part.line));
    if (part.last == "pop" || part.last == "popleft") changes_container(part, part, steps);
  }

  static size_t closing(const std::vector<Part>& parts, size_t open) {
    int depth = 0;
    for (size_t i = open; i < parts.size(); ++i) {
      depth += (parts[i].kind == TokenKind::kOpen) - (parts[i].kind == TokenKind::kClose);
      if (!depth) return i;
    }
    return parts.size();
  }

  bool generator(const Part& part) const {
    const std::string path = part.text + '.';
    if (path.starts_with("np.random.") || path.starts_with("numpy.random."))
      return part.owner.find('.') != part.owner.npos;
    if (part.root == "random" && !locals_.contains("random")) return !part.owner.empty();
    return !part.owner.empty() && generators_.contains(part.owner);
  }

  // A value that the program changes between calls: the graph would keep the first one.
  void frozen(const Part& part, std::vector<std::string>& steps) const {
    if (locals_.contains(part.root) && part.root != "self") return;
    const bool attribute = part.root == "self";
    if (attribute ? part.owner != "self" : !part.owner.empty()) return;
    for (int line = 1; line <= evidence_.line_count(file_); ++line) {
      if (line >= def_.line && line <= def_.last_line) continue;
      const std::string_view text = source::trimmed(source::without_comment(evidence_.text({file_, line})));
      const bool in_loop = std::ranges::any_of(outline_.loops_around(line), [](const source::Loop* loop) {
        return loop->kind == source::Loop::Kind::kFor || loop->kind == source::Loop::Kind::kWhile;
      });
      const source::Function* const around = outline_.innermost(line);
      const bool steps_on = in_loop || (around && !among(around->name, kMakers));
      if (attribute ? !stores_attribute(text, part.last) || !steps_on || text.find("Variable(") != text.npos
                    : !stores_name(text, part.text) || !(around ? is_global_in(*around, part.text) : in_loop))
        continue;
      add(steps, "pass " + part.text + on(part.line) +
                     (jax_ ? " as an argument" : " as a tensor, or keep it in a tf.Variable") + " (line " +
                     std::to_string(line) + " changes it)");
      return;
    }
  }

  static bool assigns_behind(std::string_view rest) {
    rest = source::trimmed(rest);
    if (rest.size() > 1 && std::string_view("+-*/%").find(rest[0]) != std::string_view::npos)
      rest.remove_prefix(rest.starts_with("**") || rest.starts_with("//") ? 2 : 1);
    return rest.starts_with('=') && !rest.starts_with("==");
  }
  static bool stores_name(std::string_view text, std::string_view name) {
    if (text.starts_with("for ") && source::has_name(text.substr(0, text.find(" in ")), name)) return true;
    for (std::string_view rest = text; !rest.empty();) {
      if (rest.starts_with(name) && assigns_behind(rest.substr(name.size()))) return true;
      const size_t next = rest.find_first_of(";:");
      rest = next == rest.npos ? std::string_view() : source::trimmed(rest.substr(next + 1));
    }
    return source::assigns(text, name);
  }
  static bool stores_attribute(std::string_view text, std::string_view name) {
    const std::string dotted = "." + std::string(name);
    for (size_t at = text.find(dotted); at != text.npos; at = text.find(dotted, at + 1))
      if (assigns_behind(text.substr(at + dotted.size()))) return true;
    return false;
  }
  bool is_global_in(const source::Function& function, std::string_view name) const {
    for (int line = function.line; line <= function.last_line; ++line) {
      const std::string_view text = source::trimmed(evidence_.text({file_, line}));
      if (text.starts_with("global ") && source::has_name(text, name)) return true;
    }
    return false;
  }

  const Evidence& evidence_;
  const source::Outline& outline_;
  session::FileId file_;
  const source::Function& def_;
  const Names& defined_;  // functions of the file
  bool jax_;
  bool has_numpy_;  // `from jax import numpy` is JAX's
  std::string text_;
  std::vector<std::vector<Part>> statements_;
  Names parameters_, locals_, declared_, aliases_, numbers_, generators_;
};

}  // namespace

std::vector<std::string> before_tracing(const Evidence& evidence, Outlines& outlines, const Line& def, bool jax) {
  const source::Outline& outline = outlines.of(def.file);
  Names defined;
  for (const source::Function& function : outline.functions) defined.insert(function.name);
  std::vector<std::string> steps;
  std::set<const source::Function*> seen;
  std::vector<const source::Function*> next;
  for (const source::Function& function : outline.functions)
    if (function.line == def.line) next.push_back(&function);
  while (!next.empty()) {
    const source::Function* const function = next.back();
    next.pop_back();
    if (!seen.insert(function).second) continue;
    const Body body(evidence, outline, def.file, *function, defined, jax);
    body.obstacles(steps);
    const Names called = body.called();
    for (const source::Function& other : outline.functions)
      if (called.contains(other.name)) next.push_back(&other);
  }
  return steps;
}

}  // namespace footlight::explain
