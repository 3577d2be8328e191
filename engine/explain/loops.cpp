// Splits a source into logical lines, as far as Python's lexical rules are needed for that; indentation nests them.
#include "engine/explain/loops.h"

#include <algorithm>
#include <charconv>

namespace footlight::explain {
namespace {

constexpr size_t kLongest = size_t{1} << 20;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

// One blank where there were several, or a new line.
std::string squeezed(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\';
    if (!blank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

struct Logical {
  int line = 0, last_line = 0;
  size_t indent = 0;
  std::string_view word;      // the first one; after `async` the second
  size_t begin = 0, colon = std::string_view::npos;  // of its text; the first colon outside of brackets
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
  explicit Scanner(std::string_view text) : text_(text) {}

  void run() {
    while (at_ < text_.size()) logical_line();
    if (!open_.empty()) {
      for (const size_t b : open_) brackets[b].last_line = line_, brackets[b].end = text_.size();
      open_.clear();
    }
    end_words(text_.size(), SIZE_MAX);
  }

  std::vector<Logical> lines;
  std::vector<Comprehension> comprehensions;
  std::vector<Bracket> brackets;

 private:
  void logical_line() {
    size_t indent = 0;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\f')) {
      indent += text_[at_] == '\t' ? 8 : 1;
      ++at_;
    }
    Logical l{line_, line_, indent, {}, at_};
    const size_t start = at_;
    scan(l);
    const std::string_view all = text_.substr(start, at_ - start);
    if (all.find_first_not_of(" \t\r\n\f") == all.npos || all[0] == '#') return;
    size_t word = 0;
    const auto next = [&] {
      while (word < all.size() && (all[word] == ' ' || all[word] == '\t')) ++word;
      const size_t from = word;
      while (word < all.size() && is_word(all[word])) ++word;
      return all.substr(from, word - from);
    };
    l.word = next();
    if (l.word == "async") l.word = next();
    lines.push_back(l);
  }

  // To the end of the logical line.
  void scan(Logical& l) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        l.last_line = line_++;
        ++at_;
        if (open_.empty()) return;
      } else if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '\\' && at_ + 1 < text_.size()) {
        line_ += text_[at_ + 1] == '\n';
        at_ += 2;
      } else if (c == '"' || c == '\'') {
        string(c);
      } else if (c == '(' || c == '[' || c == '{') {
        open_.push_back(brackets.size());
        brackets.push_back({line_, line_, text_.size()});
        ++at_;
      } else if (c == ')' || c == ']' || c == '}') {
        if (!open_.empty()) {
          end_words(at_, open_.back());
          brackets[open_.back()].last_line = line_;
          brackets[open_.back()].end = at_;
          open_.pop_back();
        }
        ++at_;
      } else if (is_word(c)) {
        const size_t from = at_;
        while (at_ < text_.size() && is_word(text_[at_])) ++at_;
        const std::string_view word = text_.substr(from, at_ - from);
        if (open_.empty() || (from && text_[from - 1] == '.')) continue;
        if (word == "for" || word == "if" || word == "async") end_words(from, open_.back());
        if (word != "for") continue;
        unended_.push_back(comprehensions.size());
        comprehensions.push_back({from, SIZE_MAX, line_, open_.back()});
      } else {
        if (c == ':' && open_.empty() && l.colon == std::string_view::npos) l.colon = at_;
        ++at_;
      }
    }
    l.last_line = line_;
  }

  void string(char quote) {
    const bool triple = text_.substr(at_, 3) == std::string(3, quote);
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        line_ += text_[at_ + 1] == '\n';
        at_ += 2;
        continue;
      }
      if (c == '\n') {
        if (!triple) return;
        ++line_;
      }
      if (c == quote && (!triple || text_.substr(at_, 3) == std::string(3, quote))) {
        at_ += triple ? 3 : 1;
        return;
      }
      ++at_;
    }
  }

  // Of the comprehensions in a bracket, and of those in brackets inside it.
  void end_words(size_t here, size_t bracket) {
    while (!unended_.empty() && (bracket == SIZE_MAX || comprehensions[unended_.back()].bracket >= bracket)) {
      comprehensions[unended_.back()].end = here;
      unended_.pop_back();
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  std::vector<size_t> open_;     // brackets
  std::vector<size_t> unended_;  // comprehensions
};

}  // namespace

SourceOutline outline_of(std::string_view text) {
  if (text.size() > kLongest) return {};
  Scanner scanner(text);
  scanner.run();
  SourceOutline outline;
  const std::vector<Logical>& lines = scanner.lines;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Logical& l = lines[i];
    const bool is_for = l.word == "for", is_while = l.word == "while", is_def = l.word == "def";
    if (!is_for && !is_while && !is_def) continue;
    int last = l.last_line;
    for (size_t j = i + 1; j < lines.size() && lines[j].indent > l.indent; ++j) last = lines[j].last_line;
    if (is_def) {
      outline.functions.push_back({l.line, last});
      continue;
    }
    const size_t end = l.colon == std::string_view::npos ? l.begin : l.colon;
    outline.loops.push_back({is_for ? SourceLoop::Kind::kFor : SourceLoop::Kind::kWhile, l.line, l.line, last, 0,
                             squeezed(text.substr(l.begin, end - l.begin))});
  }
  for (const Comprehension& c : scanner.comprehensions) {
    const Bracket& b = scanner.brackets[c.bracket];
    outline.loops.push_back({SourceLoop::Kind::kComprehension, c.line, b.line, b.last_line, 0,
                             squeezed(text.substr(c.begin, std::min(c.end, b.end) - c.begin))});
  }
  for (SourceLoop& loop : outline.loops) loop.function_line = outline.function_around(loop.line);
  std::ranges::stable_sort(outline.loops, [](const SourceLoop& a, const SourceLoop& b) {
    return a.first_line != b.first_line ? a.first_line < b.first_line : a.last_line > b.last_line;
  });
  return outline;
}

uint64_t number_in_note(std::string_view note) {
  uint64_t number = 0;
  if (const size_t digit = note.find_first_of("0123456789"); digit != note.npos)
    std::from_chars(note.data() + digit, note.data() + note.size(), number);
  return number;
}

std::string iterating_call(std::string_view line, size_t* arguments) {
  struct Known {
    std::string_view name, module;  // of the standard library; no module: a built-in function
  };
  static constexpr Known kKnown[] = {{"reduce", "functools"}, {"accumulate", "itertools"}, {"starmap", "itertools"},
                                     {"sum", ""},             {"map", ""},                 {"prod", "math"}};
  for (size_t at = line.find('('); at != line.npos; at = line.find('(', at + 1)) {
    size_t from = at;
    while (from > 0 && (is_word(line[from - 1]) || line[from - 1] == '.')) --from;
    const std::string_view called = line.substr(from, at - from);
    for (const Known& known : kKnown) {
      const bool with_module = !known.module.empty() && called.size() == known.module.size() + 1 + known.name.size() &&
                               called.starts_with(known.module) && called.ends_with(known.name);
      if (called != known.name && !with_module) continue;
      if (arguments) *arguments = at + 1;
      return std::string(called);
    }
  }
  return {};
}

int SourceOutline::function_around(int line) const {
  int found = 0;
  for (const SourceFunction& f : functions)
    if (f.line <= line && line <= f.last_line) found = std::max(found, f.line);
  return found;
}

std::vector<const SourceLoop*> SourceOutline::loops_around(int line) const {
  std::vector<const SourceLoop*> around;
  const int function = function_around(line);
  for (const SourceLoop& loop : loops)
    if (loop.first_line <= line && line <= loop.last_line && loop.function_line == function) around.push_back(&loop);
  return around;
}

const SourceOutline& Outlines::of(session::FileId file) {
  const auto [at, added] = outlines_.try_emplace(file);
  if (!added) return at->second;
  const auto record = std::ranges::find(evidence_.records().files, file, &session::FileRecord::id);
  if (record != evidence_.records().files.end()) at->second = outline_of(record->text);
  return at->second;
}

}  // namespace footlight::explain
