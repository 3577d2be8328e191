// Walks the blocks of a function, as its indentation shows them.
#include "app/models/lines_run.h"

#include "app/models/line_fates.h"
#include "engine/source/lexer.h"

#include <algorithm>

namespace footlight::app {
namespace {

// `if`, its `elif`s and its `else` are statements of one block, each with a body.
struct Statement {
  size_t line = 0, last = 0;  // indices; `last` is the last line of its body
  std::string word;
  std::vector<Statement> body;
};

class Walk {
 public:
  Walk(const std::vector<CodeLine>& lines, const std::vector<LineSeen>& seen)
      : lines_(lines), seen_(seen), starts_(statement_starts(lines)), ran_(lines.size(), Ran::kMaybe) {}

  std::vector<Ran> run() {
    size_t at = 0;
    std::vector<Statement> all = block(at, -1);
    for (Statement& s : all) {
      // The decorators and the def of the function itself.
      if (s.word == "def") enter(s.body, Ran::kYes);
      else put(s, Ran::kYes);
    }
    prove(all);
    for (size_t i = 0; i < ran_.size(); ++i) ran_[i] = ran_[starts_[i]];
    return std::move(ran_);
  }

 private:
  // Where control may go from a statement.
  struct Leaves {
    bool function = false, loop = false;  // by `return` or `raise`; by `break` or `continue`
    bool always = false;
    bool any() const { return function || loop; }
  };

  static bool goes_on(const std::string& word) {
    return word == "elif" || word == "else" || word == "except" || word == "finally";
  }

  int indent(size_t line) const {
    int columns = 0;
    for (const QChar c : lines_[line].text) {
      if (c == QLatin1Char(' ')) ++columns;
      else if (c == QLatin1Char('\t')) columns += 8 - columns % 8;
      else break;
    }
    return columns;
  }

  bool is_code(size_t line) const {
    const QString text = lines_[line].text.trimmed();
    return starts_[line] == line && !text.isEmpty() && !text.startsWith(QLatin1Char('#'));
  }

  // The statements from `at` on that are indented by more than `outer`.
  std::vector<Statement> block(size_t& at, int outer) {
    std::vector<Statement> made;
    while (at < lines_.size()) {
      if (!is_code(at)) {
        ++at;
        continue;
      }
      const int here = indent(at);
      if (here <= outer) break;
      Statement s;
      s.line = at++;
      const std::string text = lines_[s.line].text.trimmed().toStdString();
      s.word = std::string(source::leading_word(text));
      if (++depth_ < kMaxDepth) s.body = block(at, here);
      --depth_;
      s.last = std::max(s.line, at - 1);
      made.push_back(std::move(s));
    }
    return made;
  }

  void put(const Statement& s, Ran state) { ran_[s.line] = state; }

  const Way* decided(const Statement& s, std::string_view fate) const {
    for (const Way* way : seen_[s.line].ways)
      if (way->fate == fate) return way;
    return nullptr;
  }

  bool decided_as(const Statement& s, const char* note) const {
    return std::ranges::any_of(seen_[s.line].ways,
                               [&](const Way* way) { return short_note(way->note) == QLatin1String(note); });
  }

  static bool contains_return(const std::vector<Statement>& all) {
    return std::ranges::any_of(all, [](const Statement& s) {
      const bool is_nested = s.word == "def" || s.word == "class";
      return s.word == "return" || s.word == "raise" || (!is_nested && contains_return(s.body));
    });
  }

  // Gives the statements of a block their states; `state`: of its first one.
  Leaves enter(const std::vector<Statement>& all, Ran state) {
    Leaves left;
    const auto take = [&](const Leaves& more) {
      left.function |= more.function, left.loop |= more.loop;
      if (more.always) state = Ran::kNo, left.always = true;
      else if (more.any() && state == Ran::kYes) state = Ran::kMaybe;
    };
    for (size_t i = 0; i < all.size(); ++i) {
      const Statement& s = all[i];
      put(s, state);
      if (state == Ran::kNo) {
        enter(s.body, state);
      } else if (s.word == "return" || s.word == "raise") {
        take({true, false, true});
      } else if (s.word == "break" || s.word == "continue") {
        take({false, true, true});
      } else if (s.word == "if") {
        take(enter_if(all, i, state));
      } else if (s.word == "for" || s.word == "while") {
        take(enter_loop(s, state));
      } else if (s.word == "with" || s.word == "class" || s.word == "finally") {
        take(enter(s.body, state));
      } else if (s.word == "try") {
        ++tries_;
        Leaves inside = enter(s.body, state);
        --tries_;
        inside.always = false;
        while (i + 1 < all.size() && (goes_on(all[i + 1].word))) {
          const Statement& next = all[++i];
          const bool always = next.word == "finally";
          put(next, always ? state : Ran::kMaybe);
          const Leaves more = enter(next.body, always ? state : Ran::kMaybe);
          inside.function |= more.function, inside.loop |= more.loop;
        }
        take(inside);
      } else if (s.word == "def") {
        enter(s.body, Ran::kMaybe);
      } else if (!s.body.empty()) {  // `match`, `else` of a loop
        Leaves inside = enter(s.body, Ran::kMaybe);
        inside.always = false;
        take(inside);
      }
      if (tries_ && state == Ran::kYes) state = Ran::kMaybe;  // the statement may have raised
    }
    return left;
  }

  // `if`, and what belongs to it from all[i] on; leaves `i` at the last of these.
  Leaves enter_if(const std::vector<Statement>& all, size_t& i, Ran state) {
    const Statement& s = all[i];
    put(s, state);
    const bool staged = decided(s, "staged") != nullptr;
    const bool yes = decided_as(s, "True"), no = decided_as(s, "False");
    const bool known = staged || yes || no;
    const Leaves body = enter(s.body, !known ? std::min(state, Ran::kMaybe) : staged || yes ? state : Ran::kNo);
    const Ran other = !known ? std::min(state, Ran::kMaybe) : staged || no ? state : Ran::kNo;
    Leaves rest;
    if (i + 1 < all.size() && all[i + 1].word == "elif") {
      rest = enter_if(all, ++i, other);
    } else if (i + 1 < all.size() && all[i + 1].word == "else") {
      put(all[++i], other);
      rest = enter(all[i].body, other);
    }
    if (!known) return {body.function || rest.function, body.loop || rest.loop, body.always && rest.always};
    // Both branches of a staged one are traced, and what follows one that does not leave.
    if (staged || (yes && no)) return {false, false, body.always && rest.always};
    return yes ? body : rest;
  }

  Leaves enter_loop(const Statement& s, Ran state) {
    // It has a decision for each time that it ran; a Python loop without iterations does not enter its body.
    bool entered = decided(s, "staged") != nullptr;
    for (const Way* way : seen_[s.line].ways) {
      const size_t digit = way->note.find_first_of("0123456789");
      entered |= digit != way->note.npos && way->note[digit] != '0';
    }
    enter(s.body, entered ? state : std::min(state, Ran::kMaybe));
    return {contains_return(s.body), false, false};
  }

  // A statement ran if it made nodes or decided something, or a later one of its block or inside of it did.
  bool prove(std::vector<Statement>& all) {
    bool later = false;
    for (auto s = all.rbegin(); s != all.rend(); ++s) {
      const bool inside = prove(s->body) && s->word != "def";
      const bool here = seen_[s->line].made_nodes || !seen_[s->line].ways.empty();
      // What `else` and `except` belong to ran, they themselves need not have; `if` decides before its `else` runs.
      if (here || inside || (later && !goes_on(s->word))) ran_[s->line] = Ran::kYes;
      later |= here || inside;
    }
    return later;
  }

  static constexpr int kMaxDepth = 100;
  const std::vector<CodeLine>& lines_;
  const std::vector<LineSeen>& seen_;
  std::vector<size_t> starts_;
  std::vector<Ran> ran_;
  int depth_ = 0, tries_ = 0;
};

}  // namespace

std::vector<Ran> lines_that_ran(const std::vector<CodeLine>& lines, const std::vector<LineSeen>& seen) {
  return Walk(lines, seen).run();
}

}  // namespace footlight::app
