// Making the states of a regular expression's automaton and following them.
#include "kernels/cpu/once/regex_automaton.h"

#include <algorithm>
#include <bit>

namespace footlight {

namespace {

constexpr size_t kMostWork = size_t{1} << 20;  // ranges times sets, when classes are told apart
constexpr size_t kMostSize = size_t{1} << 18;  // threads and moves of all states
constexpr uint32_t kClassLimit = 60000;

}  // namespace

RegexAutomaton::RegexAutomaton(const RegexProgram& program, int slots, bool whole)
    : program_(program), slots_(static_cast<size_t>(slots)), whole_(whole) {
  for (const RegexStep& step : program.steps) asserts_ |= step.kind == RegexStep::kAssert;
  find_classes();
  if (slots > 32) too_large_ = true;
  if (too_large_) return;
  for (int before = 0; before < (asserts_ ? 4 : 1); ++before)
    start_[before] = state(std::vector<int32_t>(whole ? 1 : 0, 0), !whole, static_cast<Before>(before));
}

// Code points that are in the same sets, and mean the same to assertions, are one class.
void RegexAutomaton::find_classes() {
  static const CodeRanges kWordBytes{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  static const CodeRanges kLineEnds{{'\n', '\n'}};
  std::vector<const CodeRanges*> sets;
  for (const CodeRanges& set : program_.sets) sets.push_back(&set);
  if (asserts_) sets.insert(sets.end(), {&kWordBytes, &kLineEnds});
  starts_ = {0, 128};
  for (const CodeRanges* set : sets)
    for (const auto& [low, high] : *set) starts_.insert(starts_.end(), {low, high + 1});
  std::sort(starts_.begin(), starts_.end());
  starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
  if (starts_.size() * sets.size() > kMostWork || starts_.size() > kClassLimit) {
    too_large_ = true;
    return;
  }
  std::map<std::vector<bool>, uint16_t> known;
  for (const uint32_t start : starts_) {
    std::vector<bool> in(sets.size());
    for (size_t k = 0; k < sets.size(); ++k) in[k] = contains(*sets[k], start);
    const auto [it, fresh] = known.try_emplace(std::move(in), static_cast<uint16_t>(known.size()));
    if (fresh) examples_.push_back(start);
    classes_.push_back(it->second);
  }
  examples_.push_back(kNoCode);
  end_class_ = static_cast<uint32_t>(examples_.size());
  for (uint32_t c = 0; c < 128; ++c) ascii_[c] = static_cast<uint16_t>(class_of(c));
}

uint32_t RegexAutomaton::class_of(uint32_t code) const {
  if (code == kNoCode) return end_class_ - 1;
  return classes_[static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), code) - starts_.begin()) - 1];
}

RegexAutomaton::State* RegexAutomaton::state(std::vector<int32_t> steps, bool searching, Before before) const {
  const int rest = static_cast<int>(before) * 2 + searching;
  std::unique_ptr<State>& entry = states_[{steps, rest}];
  if (!entry) {
    size_ += steps.size() + end_class_ + 8;
    entry = std::make_unique<State>();
    entry->steps = std::move(steps);
    entry->searching = searching;
    entry->before = before;
    entry->moves = std::make_unique<std::atomic<const Move*>[]>(end_class_ + 1);
  }
  return entry.get();
}

// Follows what takes no character, now that the characters on both sides are known, then the character.
const RegexAutomaton::Move* RegexAutomaton::make_move(const State& from, uint32_t of) const {
  const std::lock_guard lock(mutex_);
  if (const Move* made = from.moves[of].load(std::memory_order_relaxed)) return made;
  if (size_ > kMostSize) return nullptr;
  const bool at_end = of == end_class_;
  const uint32_t code = at_end ? kNoCode : examples_[of];
  const bool word = code < 128 && is_word(static_cast<char>(code)), newline = code == '\n';
  const auto holds = [&](uint8_t assertion) {
    switch (assertion) {
      case kTextBegin: return from.before == kNothing;
      case kTextEnd: return at_end;
      case kLineBegin: return from.before == kNothing || from.before == kNewline;
      case kLineEnd: return at_end || newline;
      case kWordEdge: return (from.before == kWord) != word;
      default: return (from.before == kWord) == word;
    }
  };
  auto move = std::make_unique<Move>();
  std::vector<int32_t> steps;
  std::vector<bool> seen(program_.steps.size()), gone_to(program_.steps.size());
  std::vector<std::pair<int32_t, uint32_t>> stack;  // a step, and the slots that are set on the way to it
  const auto follow = [&](int32_t start, int32_t thread) {
    stack.assign(1, {start, 0});
    while (!stack.empty()) {
      const auto [at, sets] = stack.back();
      stack.pop_back();
      if (seen[static_cast<size_t>(at)]) continue;
      seen[static_cast<size_t>(at)] = true;
      const RegexStep& step = program_.steps[static_cast<size_t>(at)];
      switch (step.kind) {
        case RegexStep::kJump: stack.emplace_back(step.next, sets); break;
        case RegexStep::kSplit:
          stack.emplace_back(step.other, sets);
          stack.emplace_back(step.next, sets);
          break;
        case RegexStep::kAssert:
          if (holds(step.assertion)) stack.emplace_back(step.next, sets);
          break;
        case RegexStep::kSave: {
          const bool wanted = static_cast<size_t>(step.other) < slots_;
          stack.emplace_back(step.next, wanted ? sets | 1u << step.other : sets);
          break;
        }
        case RegexStep::kSet:
          if (!contains(program_.sets[static_cast<size_t>(step.other)], code)) break;
          if (gone_to[static_cast<size_t>(step.next)]) break;
          gone_to[static_cast<size_t>(step.next)] = true;
          steps.push_back(step.next);
          move->threads.push_back({thread, sets});
          break;
        case RegexStep::kMatch:
          if (whole_ && !at_end) break;
          move->matches = true;
          move->match = {thread, sets};
          return;
      }
    }
  };
  for (size_t k = 0; k < from.steps.size() && !move->matches; ++k) follow(from.steps[k], static_cast<int32_t>(k));
  if (from.searching && !move->matches) follow(0, kFresh);
  const bool searching = from.searching && !move->matches;
  const Before before = !asserts_ ? kNothing : newline ? kNewline : word ? kWord : kOther;
  if (!at_end && (searching || !steps.empty())) move->to = state(std::move(steps), searching, before);
  move->plain = !move->matches;
  for (size_t k = 0; k < move->threads.size() && slots_ > 0; ++k)
    move->plain &= move->threads[k].from == static_cast<int32_t>(k) && move->threads[k].sets == 0;
  size_ += move->threads.size() + 8;
  const Move* made = moves_.emplace_back(std::move(move)).get();
  from.moves[of].store(made, std::memory_order_release);
  return made;
}

RegexAutomaton::Found RegexAutomaton::find(std::string_view text, size_t from, int64_t* places,
                                           std::vector<int64_t>& room) const {
  if (too_large_) return Found::kTooLarge;
  Before before = kNothing;
  if (asserts_ && from > 0) before = text[from - 1] == '\n' ? kNewline : is_word(text[from - 1]) ? kWord : kOther;
  const State* state = start_[before];
  size_t half = room.size() / 2;  // the slots of the threads at hand, and those of the next
  int64_t* now = room.data();
  int64_t* next = now + half;
  const auto write = [&](const Thread& thread, int64_t* to, size_t at) {
    for (size_t s = 0; s < slots_; ++s)
      to[s] = thread.from == kFresh ? -1 : now[static_cast<size_t>(thread.from) * slots_ + s];
    for (uint32_t sets = thread.sets; sets; sets &= sets - 1) to[std::countr_zero(sets)] = static_cast<int64_t>(at);
  };
  bool matched = false;
  for (size_t at = from;;) {
    uint32_t of = end_class_;
    size_t length = 0;
    if (at < text.size()) {
      const auto byte = static_cast<unsigned char>(text[at]);
      length = 1;
      if (byte < 128) {
        of = ascii_[byte];
      } else {
        const auto [code, bytes] = code_at(text, at);
        of = class_of(code);
        length = bytes;
      }
    }
    const Move* move = state->moves[of].load(std::memory_order_acquire);
    if (!move && !(move = make_move(*state, of))) return Found::kTooLarge;
    if (!move->plain) {
      if (move->matches) {
        matched = true;
        if (slots_ == 0) return Found::kYes;
        write(move->match, places, at);
      }
      if (const size_t wanted = move->threads.size() * slots_; wanted > half) {
        const auto kept = now - room.data();
        std::vector<int64_t> larger(4 * wanted);
        std::copy_n(room.begin() + kept, half, larger.begin());
        room = std::move(larger);
        half = 2 * wanted;
        now = room.data();
        next = now + half;
      }
      for (size_t k = 0; k < move->threads.size(); ++k) write(move->threads[k], next + k * slots_, at);
      std::swap(now, next);
    }
    if (!move->to) return matched ? Found::kYes : Found::kNo;
    state = move->to;
    at += length;
  }
}

}  // namespace footlight
