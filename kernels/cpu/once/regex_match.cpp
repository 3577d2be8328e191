// Running a compiled regular expression: by its automaton, or where that would be too large all its threads side by
// side, one step of the text at a time.
#include "kernels/cpu/once/regex_automaton.h"

#include <algorithm>

namespace footlight {

bool contains(const CodeRanges& set, uint32_t code) {
  if (code == kNoCode) return false;
  const auto at =
      std::upper_bound(set.begin(), set.end(), code, [](uint32_t c, const auto& r) { return c < r.first; });
  return at != set.begin() && code <= std::prev(at)->second;
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

namespace {

bool holds(uint8_t assertion, std::string_view text, size_t at) {
  const bool before = at > 0 && is_word(text[at - 1]);
  const bool after = at < text.size() && is_word(text[at]);
  switch (assertion) {
    case kTextBegin: return at == 0;
    case kTextEnd: return at == text.size();
    case kLineBegin: return at == 0 || text[at - 1] == '\n';
    case kLineEnd: return at == text.size() || text[at] == '\n';
    case kWordEdge: return before != after;
    default: return before == after;
  }
}

// The threads at one place of the text, the preferred first, and the groups that each has seen.
struct Threads {
  std::vector<int32_t> order;
  std::vector<uint32_t> seen;  // by step: the mark of the round in which it was added
  std::vector<int64_t> places;
};

}  // namespace

bool Regex::run(std::string_view text, size_t from, bool whole, std::vector<int64_t>* places) const {
  const auto& steps = program_.steps;
  const size_t slots = places ? 2 * static_cast<size_t>(program_.groups + 1) : 0;
  Threads now, next;
  for (Threads* t : {&now, &next}) {
    t->seen.assign(steps.size(), 0);
    t->places.assign(steps.size() * slots, -1);
  }
  uint32_t mark = 0;
  std::vector<int64_t> current(slots, -1);
  struct Pending {
    int32_t step;  // to be added, or
    int32_t slot;  // to be set back to
    int64_t value;
  };
  std::vector<Pending> stack;
  // Everything that a thread reaches without taking a step of the text; jumps are followed at once.
  const auto add = [&](Threads& to, int32_t start, size_t at) {
    stack.assign(1, {start, -1, 0});
    while (!stack.empty()) {
      const Pending top = stack.back();
      stack.pop_back();
      if (top.step < 0) {
        current[static_cast<size_t>(top.slot)] = top.value;
        continue;
      }
      const auto s = static_cast<size_t>(top.step);
      if (to.seen[s] == mark) continue;
      to.seen[s] = mark;
      const RegexStep& step = steps[s];
      switch (step.kind) {
        case RegexStep::kJump: stack.push_back({step.next, -1, 0}); break;
        case RegexStep::kSplit:
          stack.push_back({step.other, -1, 0});
          stack.push_back({step.next, -1, 0});
          break;
        case RegexStep::kAssert:
          if (holds(step.assertion, text, at)) stack.push_back({step.next, -1, 0});
          break;
        case RegexStep::kSave:
          if (static_cast<size_t>(step.other) < slots) {
            stack.push_back({-1, step.other, current[static_cast<size_t>(step.other)]});
            current[static_cast<size_t>(step.other)] = static_cast<int64_t>(at);
          }
          stack.push_back({step.next, -1, 0});
          break;
        default:
          to.order.push_back(top.step);
          std::copy(current.begin(), current.end(),
                    to.places.begin() + static_cast<std::ptrdiff_t>(s * slots));
      }
    }
  };
  bool matched = false;
  for (size_t at = from;;) {
    if (now.order.empty()) {
      if (matched || (whole && at > from)) break;
      ++mark;
    }
    // A new thread begins here, behind all that began before.
    if (!matched && (!whole || at == from)) {
      std::fill(current.begin(), current.end(), -1);
      add(now, 0, at);
    }
    const auto [code, length] =
        at < text.size() ? code_at(text, at) : std::pair<uint32_t, size_t>{kNoCode, 1};
    ++mark;
    for (int32_t id : now.order) {
      const auto s = static_cast<size_t>(id);
      const RegexStep& step = steps[s];
      if (step.kind == RegexStep::kMatch) {
        if (whole && at != text.size()) continue;
        matched = true;
        if (!places) return true;
        const auto begin = now.places.begin() + static_cast<std::ptrdiff_t>(s * slots);
        places->assign(begin, begin + static_cast<std::ptrdiff_t>(slots));
        break;  // those behind it are less preferred
      }
      if (at < text.size() && contains(program_.sets[static_cast<size_t>(step.other)], code)) {
        std::copy_n(now.places.begin() + static_cast<std::ptrdiff_t>(s * slots), slots, current.begin());
        add(next, step.next, at + length);
      }
    }
    std::swap(now, next);
    next.order.clear();
    if (at >= text.size()) break;
    at += length;
  }
  return matched;
}

Regex::Regex(std::string_view pattern)
    : program_(compile_regex(pattern)),
      search_(std::make_unique<RegexAutomaton>(program_, 2 * (program_.groups + 1), false)),
      whole_(std::make_unique<RegexAutomaton>(program_, 0, true)) {}
Regex::~Regex() = default;

bool Regex::full_match(std::string_view text, RegexRoom& room) const {
  const auto found = whole_->find(text, 0, nullptr, room.threads);
  return found == RegexAutomaton::Found::kTooLarge ? run(text, 0, true, nullptr) : found == RegexAutomaton::Found::kYes;
}

bool Regex::find(std::string_view text, size_t from, RegexRoom& room) const {
  room.places.resize(2 * static_cast<size_t>(program_.groups + 1));
  const auto found = search_->find(text, from, room.places.data(), room.threads);
  return found == RegexAutomaton::Found::kTooLarge ? run(text, from, false, &room.places)
                                                   : found == RegexAutomaton::Found::kYes;
}

void Regex::replace(std::string_view text, std::string_view rewrite, bool all, RegexRoom& room,
                    std::string& out) const {
  // A rewrite that asks for groups the pattern lacks changes nothing.
  for (size_t k = 0; k + 1 < rewrite.size(); ++k)
    if (rewrite[k] == '\\' && rewrite[++k] >= '0' && rewrite[k] <= '9' && rewrite[k] - '0' > groups()) {
      out = text;
      return;
    }
  const std::vector<int64_t>& places = room.places;
  const auto rewritten = [&] {
    for (size_t k = 0; k < rewrite.size(); ++k) {
      if (rewrite[k] != '\\') {
        out += rewrite[k];
        continue;
      }
      const char c = ++k < rewrite.size() ? rewrite[k] : '\0';
      if (c >= '0' && c <= '9') {
        const auto group = static_cast<size_t>(c - '0');
        const int64_t begin = places[2 * group], end = places[2 * group + 1];
        if (begin >= 0 && end >= begin)
          out.append(text, static_cast<size_t>(begin), static_cast<size_t>(end - begin));
      } else if (c == '\\') {
        out += '\\';
      } else {
        return;  // no such escape: nothing more is written
      }
    }
  };
  size_t at = 0;
  int64_t last_end = -1;
  while (at <= text.size() && find(text, at, room)) {
    const auto begin = static_cast<size_t>(places[0]);
    out.append(text, at, begin - at);
    if (places[0] == last_end && places[1] == places[0]) {
      // No empty match right behind the last one: a character is passed over.
      if (begin >= text.size()) {
        at = begin + 1;
        break;
      }
      const size_t length = code_at(text, begin).second;
      out.append(text, begin, length);
      at = begin + length;
      continue;
    }
    rewritten();
    at = static_cast<size_t>(places[1]);
    last_end = places[1];
    if (!all) break;
  }
  if (at < text.size()) out.append(text, at);
}

}  // namespace footlight
