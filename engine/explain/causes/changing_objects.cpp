// Finds objects that are made for one call.
#include "engine/explain/causes/changing_objects.h"

#include <algorithm>
#include <unordered_set>

namespace footlight::explain {

using session::KeyLeaf;
using session::TraceRecord;

namespace {

constexpr size_t kManyObjects = 3, kManyCalls = 3;

// "<Eq value 14 like 12>" -> 14 and 12; 0: no such number.
std::pair<uint64_t, uint64_t> number_and_like(const std::string& text) {
  const auto number_at = [&](size_t at) {
    uint64_t number = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      number = number * 10 + static_cast<uint64_t>(text[at] - '0');
    return number;
  };
  const size_t like = text.find(" like ");
  if (like == text.npos || like == 0 || like > text.find(": ")) return {};
  return {number_at(text.rfind(' ', like - 1) + 1), number_at(like + 6)};
}

// An object in the calls of a run, one after the other.
struct Used {
  std::string text;
  int64_t since_ns = 0, last_ns = 0;  // known to exist since then; the end of the last call with it
  size_t calls = 0;
};

// Members of an ensemble exist side by side. A list of objects that a function meets once each is no ensemble.
bool are_side_by_side(const std::vector<Used>& objects, bool instances) {
  bool met = false;
  size_t calls = 0;
  for (size_t i = 0; i < objects.size(); ++i) {
    calls += objects[i].calls;
    met |= i > 0 && objects[i].since_ns > 0 && objects[i].since_ns <= objects[i - 1].last_ns;
  }
  return met && (instances || calls >= kManyCalls * objects.size());
}

// A callable is told from others by its closure, too; it stands in the key by the words of the call.
std::string object_text(const TraceRecord& trace, const std::string& path) {
  std::string text;
  for (const KeyLeaf& leaf : trace.key)
    if (leaf.path == path || leaf.path.starts_with(path + ".closure[")) text += leaf.value + leaf.shape + ' ';
  return text;
}

// The objects at one path that are used one after the other, and never again once the next is there.
struct InTurn {
  const LeafSeries* series;
  std::vector<Used> objects;
  std::unordered_set<std::string> reused;  // texts of the objects that are used again after another one
};

bool are_in_turn(const Evidence& evidence, const FunctionRun& run, InTurn& at) {
  std::unordered_set<std::string> known;
  const std::string* last = nullptr;
  for (const FunctionRun::Step& step : run.steps) {
    if (!step.call) continue;
    const std::string now = object_text(*step.trace, at.series->path);
    const auto [one, added] = known.insert(now);
    if (!added && (!last || *last != now)) at.reused.insert(now);
    last = &*one;
  }
  // Functions that come back are choices of the program, and so may be those beside them.
  const bool callables = std::ranges::any_of(at.series->leaves, [](auto* l) { return l && l->kind == "callable"; });
  if (callables && !at.reused.empty()) return false;
  for (const FunctionRun::Step& step : run.steps) {
    if (!step.call) continue;
    std::string now = object_text(*step.trace, at.series->path);
    if (at.reused.contains(now)) continue;
    if (at.objects.empty() || at.objects.back().text != now) {
      const KeyLeaf* leaf = leaf_at(*step.trace, at.series->path);
      at.objects.push_back({std::move(now), leaf ? evidence.known_since(*step.trace, leaf->value) : 0});
    }
    at.objects.back().last_ns = step.end_ns;
    ++at.objects.back().calls;
  }
  return at.objects.size() >= kManyObjects;
}

LeafSeries in_turn_only(const FunctionRun& run, const InTurn& one) {
  LeafSeries made{one.series->path, one.series->parameter, {}};
  for (size_t i = 0; i < one.series->leaves.size(); ++i)
    if (!one.reused.contains(object_text(*run.traces[i], made.path))) made.leaves.push_back(one.series->leaves[i]);
  return made;
}

// Each call has the same number of the one as of the other.
bool change_together(const std::vector<Used>& a, const std::vector<Used>& b) {
  return std::ranges::equal(a, b, {}, &Used::last_ns, &Used::last_ns);
}

// Objects of which the graphs captured variables and tensors of other shapes are no replacement for each other, nor are
// those that are reused.
std::unordered_map<uint64_t, uint64_t> classes_of(const Evidence& evidence, const FunctionRun& run, const InTurn& one,
                                                  const std::set<std::string>& where) {
  std::unordered_map<uint64_t, uint64_t> classes;
  std::unordered_map<std::string, uint64_t> known;
  const EqualValues equal(run);
  for (const TraceRecord* t : run.traces) {
    std::string text = object_text(*t, one.series->path);
    std::string kind = one.reused.contains(text) ? "reused " + text : capture_types(*t);
    const KeyLeaf* leaf = leaf_at(*t, one.series->path);
    for (const keys::ItemPlace& place : keys::places(evidence.key_of(*t))) {
      if (!where.count(place.path) || !place.item.number) continue;
      std::string own = kind;  // another value stays another one, however long objects are kept
      if (leaf && is_value(*leaf)) own += " value " + std::to_string(equal.first_equal(place.item.number));
      classes.try_emplace(place.item.number, known.try_emplace(std::move(own), known.size()).first->second);
    }
  }
  return classes;
}

}  // namespace

EqualValues::EqualValues(const FunctionRun& run) {
  for (const TraceRecord* t : run.traces)
    for (const KeyLeaf& leaf : t->key)
      if (const auto [number, like] = number_and_like(leaf.value); number) like_[number] = like;
}

uint64_t EqualValues::first_equal(uint64_t number) const {
  for (auto at = like_.find(number); at != like_.end() && at->second < number; at = like_.find(number))
    number = at->second;
  return number;
}

std::string EqualValues::first_equal(const std::string& text) const {
  const uint64_t number = number_and_like(text).first;
  if (!number) return without_fields(text);
  const size_t before = text.rfind(' ', text.find(" like ") - 1);
  return text.substr(0, before + 1) + std::to_string(first_equal(number)) + '>';
}

bool is_value(const KeyLeaf& leaf) {
  return leaf.kind == "object" && (leaf.value.find(" value ") != leaf.value.npos || replaces_dead_equal(leaf));
}

bool replaces_dead_equal(const KeyLeaf& leaf) { return without_fields(leaf.value).find(" like ") != std::string::npos; }

std::string without_fields(const std::string& text) {
  const size_t fields = text.starts_with('<') ? text.find(": ") : text.npos;
  return fields == text.npos ? text : text.substr(0, fields) + '>';
}

std::vector<std::pair<std::string, std::string>> fields_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> fields;
  size_t at = text.starts_with('<') ? text.find(": ") : text.npos;
  while (at != text.npos && at + 2 < text.size()) {
    const size_t name = at + 2, equals = text.find('=', name);
    if (equals == text.npos || equals + 1 >= text.size()) break;
    size_t end = equals + 1;
    const char quote = text[end];
    if (quote == '\'' || quote == '"') {
      for (++end; end < text.size() && text[end] != quote; ++end)
        if (text[end] == '\\') ++end;
      ++end;
    }
    const size_t next = text.find(", ", end);
    end = next == text.npos ? text.size() - 1 : next;
    fields.emplace_back(text.substr(name, equals - name), text.substr(equals + 1, end - equals - 1));
    at = next;
  }
  return fields;
}

std::vector<Candidate> changing_objects(const Evidence& evidence, const FunctionRun& run,
                                        bool (*wanted)(const LeafSeries& series)) {
  const std::vector<LeafSeries> all = leaf_series(run);
  std::vector<InTurn> in_turn;
  for (const LeafSeries& s : all)
    if (InTurn one{&s, {}, {}}; wanted(s) && are_in_turn(evidence, run, one)) in_turn.push_back(std::move(one));
  std::vector<Candidate> found;
  std::set<const LeafSeries*> taken;
  for (const InTurn& one : in_turn) {
    const LeafSeries& s = *one.series;
    if (!taken.insert(&s).second) continue;
    Candidate c;
    c.variants = are_side_by_side(one.objects, s.path == "args[0]" && s.parameter == "self");
    c.finding.path = s.path;
    c.finding.parameter = s.parameter;
    c.paths = {s.path};
    for (const InTurn& other : in_turn) {
      if (taken.count(other.series) || !change_together(one.objects, other.objects)) continue;
      taken.insert(other.series);
      c.paths.insert(other.series->path);
      c.finding.also_paths.push_back(other.series->path);
    }
    c.finding.values = distinct(in_turn_only(run, one), [](const KeyLeaf* leaf) { return leaf->value; });
    for (const Used& object : one.objects) c.finding.calls += object.calls;
    const std::set<std::string> where = places_of(evidence, run, c.paths);
    c.fix.call = become_alike(where, classes_of(evidence, run, one, where));
    c.captures_may_differ = true;
    found.push_back(std::move(c));
  }
  return found;
}

}  // namespace footlight::explain
