// Splits a source into statements; indentation nests them.
#include "engine/source/outline.h"

#include "engine/source/lexer.h"
#include "engine/source/line.h"

#include <algorithm>

namespace footlight::source {
namespace {

constexpr size_t kMaxText = size_t{1} << 20;
constexpr size_t kMaxHead = 500;  // comprehensions in each other share their ends

// One blank where there were several, or a new line.
std::string squeezed(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, kMaxHead)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\';
    if (!blank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

struct Statement {
  int line = 0, last_line = 0;
  size_t indent = 0, begin = 0;
  std::string_view word, name;                       // the first two words, after `async`
  size_t colon = std::string_view::npos;             // the first one outside of brackets
  bool yields = false;
};

struct Comprehension {
  size_t begin = 0, end = 0;  // of the words
  int line = 0;
  size_t bracket = 0;         // which one it is in
};

struct Bracket {
  int line = 0, last_line = 0;
  size_t end = 0;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), lexer_(text) {}

  void run() {
    bool begins = true;  // the next token begins a statement
    while (lexer_.next()) {
      const auto [kind, from, to] = lexer_.token;
      if (kind == TokenKind::kNewline) {
        ++line_;
        line_begin_ = to;
        begins |= open_.empty();
      } else if (kind == TokenKind::kJoin) {
        ++line_;
      } else if (kind != TokenKind::kComment) {
        if (begins) statements.push_back({line_, line_, indent_of(text_.substr(line_begin_)).columns, from, {}, {}});
        begins = false;
        take(kind, from, statements.back());
        statements.back().last_line = line_;
      }
    }
    for (const size_t b : open_) brackets[b].last_line = line_, brackets[b].end = text_.size();
    end_words(text_.size(), SIZE_MAX);
  }

  std::vector<Statement> statements;
  std::vector<Comprehension> comprehensions;
  std::vector<Bracket> brackets;

 private:
  void take(TokenKind kind, size_t from, Statement& s) {
    if (kind == TokenKind::kString) {
      line_ += static_cast<int>(std::ranges::count(lexer_.text(), '\n'));
    } else if (kind == TokenKind::kOpen) {
      open_.push_back(brackets.size());
      brackets.push_back({line_, line_, text_.size()});
    } else if (kind == TokenKind::kClose && !open_.empty()) {
      end_words(from, open_.back());
      brackets[open_.back()].last_line = line_;
      brackets[open_.back()].end = from;
      open_.pop_back();
    } else if (kind == TokenKind::kName && (from == 0 || text_[from - 1] != '.')) {
      word(lexer_.text(), from, s);
    } else if (lexer_.is(':') && open_.empty() && s.colon == std::string_view::npos) {
      s.colon = from;
    }
  }

  void word(std::string_view word, size_t from, Statement& s) {
    if (from == s.begin || (s.word == "async" && s.name.empty())) s.word = word;
    else if (s.name.empty()) s.name = word;
    s.yields |= word == "yield";
    if (open_.empty()) return;
    if (word == "for" || word == "if" || word == "async") end_words(from, open_.back());
    if (word != "for") return;
    unended_.push_back(comprehensions.size());
    comprehensions.push_back({from, SIZE_MAX, line_, open_.back()});
  }

  // Ends the words of the comprehensions in a bracket, and in brackets inside it.
  void end_words(size_t here, size_t bracket) {
    while (!unended_.empty() && (bracket == SIZE_MAX || comprehensions[unended_.back()].bracket >= bracket)) {
      comprehensions[unended_.back()].end = here;
      unended_.pop_back();
    }
  }

  std::string_view text_;
  Lexer lexer_;
  int line_ = 1;
  size_t line_begin_ = 0;
  std::vector<size_t> open_;     // brackets
  std::vector<size_t> unended_;  // comprehensions
};

// Nests loops and functions by the indentation of statements.
class Nesting {
 public:
  Nesting(std::string_view text, Outline& outline) : text_(text), outline_(outline) {}

  void add(const Statement& s) {
    end_blocks(s.indent);
    if (s.word == "def") {
      outline_.functions.push_back({s.line, s.last_line, inner_, false, std::string(s.name)});
      inner_ = outline_.functions.size() - 1;
      open_.push_back({s.indent, inner_, true});
    } else if (s.word == "for" || s.word == "while") {
      const size_t end = s.colon == std::string_view::npos ? s.begin : s.colon;
      open_.push_back({s.indent, outline_.loops.size(), false});
      outline_.loops.push_back({s.word == "for" ? Loop::Kind::kFor : Loop::Kind::kWhile, s.line, s.line, s.last_line,
                                inner_ == SIZE_MAX ? 0 : outline_.functions[inner_].line,
                                squeezed(text_.substr(s.begin, end - s.begin))});
    }
    if (s.yields && inner_ != SIZE_MAX) outline_.functions[inner_].is_generator = true;
    last_line_ = s.last_line;
  }

  // Ends the blocks that are indented at least as far.
  void end_blocks(size_t indent) {
    for (; !open_.empty() && open_.back().indent >= indent; open_.pop_back()) {
      const Block& block = open_.back();
      if (!block.is_function) {
        outline_.loops[block.index].last_line = last_line_;
        continue;
      }
      Function& function = outline_.functions[block.index];
      function.last_line = last_line_;
      inner_ = function.outer;
    }
  }

 private:
  struct Block {
    size_t indent = 0, index = 0;
    bool is_function = false;
  };
  std::string_view text_;
  Outline& outline_;
  std::vector<Block> open_;
  size_t inner_ = SIZE_MAX;  // the innermost function
  int last_line_ = 0;
};

}  // namespace

Outline outline_of(std::string_view text) {
  if (text.size() > kMaxText) return {};
  Scanner scanner(text);
  scanner.run();
  Outline outline;
  Nesting nesting(text, outline);
  for (const Statement& s : scanner.statements) nesting.add(s);
  nesting.end_blocks(0);
  // Outer brackets were opened before those inside.
  std::ranges::stable_sort(scanner.comprehensions, {}, &Comprehension::bracket);
  for (const Comprehension& c : scanner.comprehensions) {
    const Bracket& b = scanner.brackets[c.bracket];
    outline.loops.push_back({Loop::Kind::kComprehension, c.line, b.line, b.last_line, outline.function_around(c.line),
                             squeezed(text.substr(c.begin, std::min(c.end, b.end) - c.begin))});
  }
  std::ranges::stable_sort(outline.loops, [](const Loop& a, const Loop& b) {
    return a.first_line != b.first_line ? a.first_line < b.first_line : a.last_line > b.last_line;
  });
  return outline;
}

const Function* Outline::innermost(int line) const {
  auto at = static_cast<size_t>(std::ranges::upper_bound(functions, line, {}, &Function::line) - functions.begin()) - 1;
  while (at != SIZE_MAX && functions[at].last_line < line) at = functions[at].outer;
  return at == SIZE_MAX ? nullptr : &functions[at];
}

const Function* Outline::around(const Function& function) const {
  return function.outer == SIZE_MAX ? nullptr : &functions[function.outer];
}

int Outline::function_around(int line) const {
  const Function* function = innermost(line);
  return function ? function->line : 0;
}

int Outline::function_from(int line) const {
  const auto at = std::ranges::lower_bound(functions, line, {}, &Function::line);
  return at == functions.end() ? 0 : at->line;
}

std::vector<const Loop*> Outline::loops_around(int line) const {
  std::vector<const Loop*> around;
  const int function = function_around(line);
  for (const Loop& loop : loops)
    if (loop.first_line <= line && line <= loop.last_line && loop.function_line == function) around.push_back(&loop);
  return around;
}

}  // namespace footlight::source
