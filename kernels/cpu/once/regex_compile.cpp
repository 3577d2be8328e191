// From a pattern to a program: RE2's syntax without \C, and with its limits on repetitions and size.
#include "kernels/cpu/once/regex.h"

#include "engine/base/text.h"

#include <algorithm>
#include <memory>

namespace footlight {

namespace {

constexpr uint32_t kLastCode = 0x10ffff;
constexpr int kMostRepeats = 1000;
constexpr size_t kMostSteps = 200000;
constexpr int kDeepest = 500;

void tidy(CodeRanges& set) {
  std::sort(set.begin(), set.end());
  CodeRanges out;
  for (const auto& [low, high] : set) {
    if (!out.empty() && low <= out.back().second + 1)
      out.back().second = std::max(out.back().second, high);
    else
      out.emplace_back(low, high);
  }
  set = std::move(out);
}

CodeRanges inverse(const CodeRanges& set) {
  CodeRanges out;
  uint32_t next = 0;
  for (const auto& [low, high] : set) {
    if (low > next) out.emplace_back(next, low - 1);
    next = high + 1;
  }
  if (next <= kLastCode) out.emplace_back(next, kLastCode);
  return out;
}

// With every code point its other case.
void fold(CodeRanges& set) {
  const CodeRanges before = set;
  for (const auto& [low, high] : before)
    for (uint32_t c = low; c <= high && c < 0x1e944; ++c) {
      const uint32_t lower = to_lower_code(c), upper = to_upper_code(c);
      if (lower != c) set.emplace_back(lower, lower);
      if (upper != c) set.emplace_back(upper, upper);
    }
  tidy(set);
}

void append(CodeRanges& to, const CodeRanges& from) { to.insert(to.end(), from.begin(), from.end()); }

const CodeRanges kDigits{{'0', '9'}};
const CodeRanges kSpaces{{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
const CodeRanges kWords{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const std::pair<std::string_view, CodeRanges> kPosix[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    {"ascii", {{0, 127}}},
    {"blank", {{'\t', '\t'}, {' ', ' '}}},
    {"cntrl", {{0, 31}, {127, 127}}},
    {"digit", {{'0', '9'}}},
    {"graph", {{'!', '~'}}},
    {"lower", {{'a', 'z'}}},
    {"print", {{' ', '~'}}},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", {{'\t', '\r'}, {' ', ' '}}},
    {"upper", {{'A', 'Z'}}},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}}};

struct Node;
using NodePtr = std::unique_ptr<Node>;
struct Node {
  enum Kind { kEmpty, kSet, kAssert, kAll, kAny, kRepeat, kGroup } kind = kEmpty;
  CodeRanges set;
  uint8_t assertion = 0;
  std::vector<NodePtr> parts;  // kAll: one behind the other; kAny: one of them; kRepeat, kGroup: what
  int least = 0, most = -1;    // of kRepeat; -1: no limit
  bool greedy = true;
  int group = 0;
  mutable int32_t set_id = -1;  // among the program's sets, once written
};

NodePtr node(Node::Kind kind) {
  auto n = std::make_unique<Node>();
  n->kind = kind;
  return n;
}

class Parser {
 public:
  explicit Parser(std::string_view pattern) : whole_(pattern), rest_(pattern) {}

  NodePtr all() {
    NodePtr n = alternatives();
    if (!rest_.empty()) wrong("unexpected ): ", whole_);
    return n;
  }
  int groups() const { return groups_; }

 private:
  struct Flags {
    bool fold = false, lines = false, dot_all = false, swapped = false;
  };

  template <class... Parts>
  [[noreturn]] void wrong(const Parts&... parts) {
    invalid("Invalid pattern: ", whole_, ", error: ", parts...);
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  uint32_t take_code() {
    const auto [code, length] = code_at(rest_, 0);
    if (code == kNoCode) wrong("invalid UTF-8");
    rest_.remove_prefix(length);
    return code;
  }

  NodePtr alternatives() {
    if (++depth_ > kDeepest) wrong("nested too deeply");
    const Flags before = flags_;
    NodePtr any = node(Node::kAny);
    do any->parts.push_back(sequence());
    while (take("|"));
    flags_ = before;
    --depth_;
    return any->parts.size() == 1 ? std::move(any->parts[0]) : std::move(any);
  }

  NodePtr sequence() {
    NodePtr all = node(Node::kAll);
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      if (take("\\Q")) {
        while (!rest_.empty() && !take("\\E")) all->parts.push_back(literal(take_code()));
        continue;
      }
      if (take("\\E")) continue;
      NodePtr one = atom();
      // A repetition behind flags alone belongs to what stands before them.
      if (one)
        all->parts.push_back(repeated(std::move(one)));
      else if (!all->parts.empty())
        all->parts.back() = repeated(std::move(all->parts.back()));
    }
    return all;
  }

  NodePtr literal(uint32_t code) { return of_set({{code, code}}); }

  NodePtr of_set(CodeRanges set) {
    NodePtr n = node(Node::kSet);
    tidy(set);
    if (flags_.fold) fold(set);
    n->set = std::move(set);
    return n;
  }

  NodePtr assertion(RegexAssertion a) {
    NodePtr n = node(Node::kAssert);
    n->assertion = a;
    return n;
  }

  // x* x+ x? x{n,m}, lazy with a ? behind.
  NodePtr repeated(NodePtr what) {
    std::string_view last = rest_;  // from the repetition before on
    for (bool first = true;; first = false) {
      const std::string_view before = rest_;
      int least = 0, most = -1;
      if (take("*")) {
      } else if (take("+")) {
        least = 1;
      } else if (take("?")) {
        most = 1;
      } else if (!counts(least, most)) {
        return what;
      }
      if (!first) wrong("bad repetition operator: ", last.substr(0, last.size() - rest_.size()));
      last = before;
      NodePtr n = node(Node::kRepeat);
      n->greedy = take("?") == flags_.swapped;
      n->least = least;
      n->most = most;
      n->parts.push_back(std::move(what));
      what = std::move(n);
    }
  }

  // {n}, {n,}, {n,m}; anything else is text.
  bool counts(int& least, int& most) {
    if (rest_.empty() || rest_.front() != '{') return false;
    std::string_view s = rest_.substr(1);
    const auto number = [&](int& out) {
      size_t digits = 0;
      out = 0;
      while (digits < s.size() && s[digits] >= '0' && s[digits] <= '9') {
        out = std::min(out * 10 + (s[digits] - '0'), 100000);
        ++digits;
      }
      s.remove_prefix(digits);
      return digits > 0;
    };
    if (!number(least)) return false;
    most = least;
    if (s.starts_with(',')) {
      s.remove_prefix(1);
      if (!number(most)) most = -1;
    }
    if (!s.starts_with('}')) return false;
    const std::string_view whole = rest_.substr(0, rest_.size() - s.size() + 1);
    if (least > kMostRepeats || most > kMostRepeats || (most >= 0 && most < least))
      wrong("invalid repetition size: ", whole);
    rest_ = s.substr(1);
    return true;
  }

  NodePtr atom() {
    switch (rest_.front()) {
      case '(': return group();
      case '[': return of_class();
      case '*':
      case '+':
      case '?': wrong("no argument for repetition operator: ", rest_.substr(0, 1));
      case '.': {
        rest_.remove_prefix(1);
        NodePtr n = node(Node::kSet);
        n->set =
            flags_.dot_all ? CodeRanges{{0, kLastCode}} : CodeRanges{{0, '\n' - 1}, {'\n' + 1, kLastCode}};
        return n;
      }
      case '^': rest_.remove_prefix(1); return assertion(flags_.lines ? kLineBegin : kTextBegin);
      case '$': rest_.remove_prefix(1); return assertion(flags_.lines ? kLineEnd : kTextEnd);
      case '\\': {
        if (take("\\b")) return assertion(kWordEdge);
        if (take("\\B")) return assertion(kNoWordEdge);
        if (take("\\A")) return assertion(kTextBegin);
        if (take("\\z")) return assertion(kTextEnd);
        CodeRanges set;
        if (named_set(set)) return of_set(std::move(set));
        return literal(escaped());
      }
      default: {
        int least, most;
        const std::string_view here = rest_;
        if (counts(least, most))
          wrong("no argument for repetition operator: ", here.substr(0, here.size() - rest_.size()));
        return literal(take_code());
      }
    }
  }

  // Null for a group of flags alone.
  NodePtr group() {
    const std::string_view before = rest_;
    rest_.remove_prefix(1);
    const Flags outer = flags_;
    int number = 0;
    if (rest_.starts_with("?P<") || rest_.starts_with("?<")) {
      rest_.remove_prefix(rest_[1] == 'P' ? 3 : 2);
      const size_t end = rest_.find('>');
      const std::string name(rest_.substr(0, std::min(end, rest_.size())));
      const bool good =
          end != rest_.npos && !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
            return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
          });
      if (!good) wrong("invalid named capture group: ", before);
      if (std::find(names_.begin(), names_.end(), name) != names_.end())
        wrong("duplicate capture group name: ", name);
      names_.push_back(name);
      rest_.remove_prefix(end + 1);
      number = ++groups_;
    } else if (take("?")) {
      bool on = true, any = false;
      for (;;) {
        if (rest_.empty()) wrong("missing ): ", whole_);
        const char c = rest_.front();
        rest_.remove_prefix(1);
        if (c == ')') {
          if (!any && !on) wrong("invalid perl operator: ", before.substr(0, 3));
          return nullptr;  // for the rest of the group around
        }
        if (c == ':') break;
        if (c == '-' && on)
          on = false;
        else if (c == 'i')
          flags_.fold = on;
        else if (c == 'm')
          flags_.lines = on;
        else if (c == 's')
          flags_.dot_all = on;
        else if (c == 'U')
          flags_.swapped = on;
        else
          wrong("invalid perl operator: ", before.substr(0, before.size() - rest_.size()));
        any = true;
      }
    } else {
      number = ++groups_;
    }
    NodePtr n = node(Node::kGroup);
    n->group = number;
    n->parts.push_back(alternatives());
    if (!take(")")) wrong("missing ): ", whole_);
    flags_ = outer;
    return n;
  }

  // \d \D \s \S \w \W \pL \p{Lu} \P{...}
  bool named_set(CodeRanges& out) {
    if (rest_.size() < 2 || rest_[0] != '\\') return false;
    const char c = rest_[1];
    const CodeRanges* set = c == 'd' || c == 'D'   ? &kDigits
                            : c == 's' || c == 'S' ? &kSpaces
                            : c == 'w' || c == 'W' ? &kWords
                                                   : nullptr;
    if (set) {
      rest_.remove_prefix(2);
      append(out, c < 'a' ? inverse(*set) : *set);
      return true;
    }
    if (c != 'p' && c != 'P') return false;
    const std::string_view before = rest_;
    rest_.remove_prefix(2);
    if (rest_.empty()) wrong("invalid character class range: ", before);
    std::string_view name = rest_.substr(0, 1);
    if (name == "{") {
      const size_t end = rest_.find('}');
      if (end == rest_.npos) wrong("invalid character class range: ", before);
      name = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
    } else {
      rest_.remove_prefix(1);
    }
    bool negative = c == 'P';
    if (name.starts_with('^')) {
      negative = !negative;
      name.remove_prefix(1);
    }
    static const CodeRanges kEvery{{0, kLastCode}};
    const CodeRanges& ranges = name == "Any" ? kEvery : category_ranges(name);
    if (ranges.empty())
      wrong("invalid character class range: ", before.substr(0, before.size() - rest_.size()));
    append(out, negative ? inverse(ranges) : ranges);
    return true;
  }

  // One code point behind a backslash.
  uint32_t escaped() {
    const std::string_view before = rest_;
    rest_.remove_prefix(1);
    if (rest_.empty()) wrong("trailing \\");
    const char c = rest_.front();
    const auto done = [&](uint32_t code) {
      rest_.remove_prefix(1);
      return code;
    };
    switch (c) {
      case 'a': return done('\a');
      case 'f': return done('\f');
      case 'n': return done('\n');
      case 'r': return done('\r');
      case 't': return done('\t');
      case 'v': return done('\v');
      default: break;
    }
    if (c == 'x') {
      rest_.remove_prefix(1);
      const bool braces = take("{");
      uint32_t code = 0;
      size_t digits = 0;
      while (!rest_.empty() && (braces || digits < 2)) {
        const char h = rest_.front();
        const int value = h >= '0' && h <= '9'   ? h - '0'
                          : h >= 'a' && h <= 'f' ? h - 'a' + 10
                          : h >= 'A' && h <= 'F' ? h - 'A' + 10
                                                 : -1;
        if (value < 0) break;
        code = code * 16 + static_cast<uint32_t>(value);
        if (code > kLastCode) break;
        ++digits;
        rest_.remove_prefix(1);
      }
      if (digits == 0 || code > kLastCode || (braces && !take("}")) || (!braces && digits != 2))
        wrong("invalid escape sequence: ", before.substr(0, before.size() - rest_.size()));
      return code;
    }
    // \1 to \7 are octal only when more digits follow, \0 always.
    if (c == '0' || (c >= '1' && c <= '7' && rest_.size() > 1 && rest_[1] >= '0' && rest_[1] <= '7')) {
      uint32_t code = 0;
      for (int k = 0; k < 3 && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '7'; ++k) {
        code = code * 8 + static_cast<uint32_t>(rest_.front() - '0');
        rest_.remove_prefix(1);
      }
      return code;
    }
    const bool word = c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (word || static_cast<unsigned char>(c) >= 0x80)
      wrong("invalid escape sequence: ", before.substr(0, 1 + code_at(rest_, 0).second));
    return done(static_cast<unsigned char>(c));
  }

  NodePtr of_class() {
    const std::string_view before = rest_;
    rest_.remove_prefix(1);
    const bool negative = take("^");
    CodeRanges set;
    bool first = true;
    const auto unfinished = [&] { wrong("missing ]: ", before); };
    for (; first || !rest_.starts_with(']'); first = false) {
      if (rest_.empty()) unfinished();
      if (rest_.starts_with("[:")) {
        const size_t end = rest_.find(":]");
        if (end != rest_.npos) {
          std::string_view name = rest_.substr(2, end - 2);
          const bool without = name.starts_with('^');
          if (without) name.remove_prefix(1);
          const auto* found =
              std::find_if(std::begin(kPosix), std::end(kPosix), [&](auto& p) { return p.first == name; });
          if (found == std::end(kPosix)) wrong("invalid character class range: ", rest_.substr(0, end + 2));
          append(set, without ? inverse(found->second) : found->second);
          rest_.remove_prefix(end + 2);
          continue;
        }
      }
      if (rest_.front() == '\\' && named_set(set)) continue;
      const std::string_view here = rest_;
      const uint32_t low = rest_.front() == '\\' ? escaped() : take_code();
      uint32_t high = low;
      if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        rest_.remove_prefix(1);
        high = rest_.front() == '\\' ? escaped() : take_code();
        if (high < low) wrong("invalid character class range: ", here.substr(0, here.size() - rest_.size()));
      }
      set.emplace_back(low, high);
    }
    if (!take("]")) unfinished();
    tidy(set);
    if (flags_.fold) fold(set);
    NodePtr n = node(Node::kSet);
    n->set = negative ? inverse(set) : std::move(set);
    return n;
  }

  std::string_view whole_, rest_;
  Flags flags_;
  std::vector<std::string> names_;
  int groups_ = 0;
  int depth_ = 0;
};

class Compiler {
 public:
  RegexProgram out;

  int32_t add(RegexStep::Kind kind) {
    if (out.steps.size() >= kMostSteps)
      invalid("Invalid pattern: it is too large once its repetitions are written out");
    out.steps.push_back({kind, 0, 0, 0});
    return static_cast<int32_t>(out.steps.size() - 1);
  }
  int32_t here() const { return static_cast<int32_t>(out.steps.size()); }
  RegexStep& at(int32_t i) { return out.steps[static_cast<size_t>(i)]; }

  // Writes the steps of a node; they end by going on to what is written next.
  void emit(const Node& n) {
    switch (n.kind) {
      case Node::kEmpty: break;
      case Node::kSet: {
        const int32_t s = add(RegexStep::kSet);
        if (n.set_id < 0) {
          n.set_id = static_cast<int32_t>(out.sets.size());
          out.sets.push_back(n.set);
        }
        at(s).other = n.set_id;
        at(s).next = here();
        break;
      }
      case Node::kAssert: {
        const int32_t s = add(RegexStep::kAssert);
        at(s).assertion = n.assertion;
        at(s).next = here();
        break;
      }
      case Node::kAll:
        for (const NodePtr& part : n.parts) emit(*part);
        break;
      case Node::kAny: {
        std::vector<int32_t> ends;
        for (size_t k = 0; k < n.parts.size(); ++k) {
          const bool last = k + 1 == n.parts.size();
          const int32_t split = last ? -1 : add(RegexStep::kSplit);
          if (!last) at(split).next = here();
          emit(*n.parts[k]);
          if (last) break;
          ends.push_back(add(RegexStep::kJump));
          at(split).other = here();
        }
        for (int32_t e : ends) at(e).next = here();
        break;
      }
      case Node::kRepeat: repeat(n); break;
      case Node::kGroup: {
        if (n.group) save(2 * n.group);
        emit(*n.parts[0]);
        if (n.group) save(2 * n.group + 1);
        break;
      }
    }
  }

  void save(int slot) {
    const int32_t s = add(RegexStep::kSave);
    at(s).other = slot;
    at(s).next = here();
  }

 private:
  // A way into what follows and a way past it, the preferred one first.
  int32_t choice(bool greedy) {
    const int32_t s = add(RegexStep::kSplit);
    (greedy ? at(s).next : at(s).other) = here();
    return s;
  }
  void past(int32_t split, bool greedy, int32_t to) { (greedy ? at(split).other : at(split).next) = to; }

  void repeat(const Node& n) {
    for (int k = 0; k < n.least; ++k) emit(*n.parts[0]);
    if (n.most < 0) {
      const int32_t split = choice(n.greedy);
      emit(*n.parts[0]);
      at(add(RegexStep::kJump)).next = split;
      past(split, n.greedy, here());
      return;
    }
    std::vector<int32_t> splits;
    for (int k = n.least; k < n.most; ++k) {
      splits.push_back(choice(n.greedy));
      emit(*n.parts[0]);
    }
    for (int32_t s : splits) past(s, n.greedy, here());
  }
};

}  // namespace

RegexProgram compile_regex(std::string_view pattern) {
  Parser parser(pattern);
  const NodePtr tree = parser.all();
  Compiler compiler;
  compiler.save(0);
  compiler.emit(*tree);
  compiler.save(1);
  compiler.add(RegexStep::kMatch);
  compiler.out.groups = parser.groups();
  return std::move(compiler.out);
}

}  // namespace footlight
