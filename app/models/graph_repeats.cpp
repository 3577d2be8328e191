// Finds tandem repeats: shortest period first, then repeats of repeats; edges decide whether pieces are alike.
#include "app/models/graph_repeats.h"

#include "app/models/text.h"

#include "engine/explain/fingerprint.h"
#include "engine/source/outline.h"

#include <algorithm>

namespace footlight::app {
namespace {

constexpr size_t kMinTimes = 4;
constexpr size_t kLongestPeriod = 1024;  // longest period, in elements
constexpr int kTries = 8;                // periods tried at one place

struct Element {
  size_t first = 0, nodes = 1;  // range in the graph
  Hash128 label;
  bool works = false;           // holds more than parameters and constants
};

class RepeatFinder {
 public:
  RepeatFinder(const Document& document, const session::GraphRecord& graph)
      : document_(document), graph_(graph), index_(graph),
        prints_([&document](GraphId id) { return document.graph(id); }) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const session::NodeRecord& n = graph.nodes[i];
      elements_.push_back({i, 1, label(n), n.op != "Const" && n.op != "Placeholder" && n.op != "NoOp"});
    }
  }

  std::vector<GraphRepeat> run() {
    // Short periods first, so that loops in loops are found from the inside out.
    for (size_t longest = 1; longest <= kLongestPeriod; longest *= 2)
      while (fold_once(longest)) {
      }
    std::ranges::stable_sort(found_, [](const GraphRepeat& a, const GraphRepeat& b) {
      return a.first != b.first ? a.first < b.first : a.end() > b.end();
    });
    return std::move(found_);
  }

 private:
  // Hashes a node without its name and values, and the line that made it.
  Hash128 label(const session::NodeRecord& n) {
    Hasher128 hasher;
    hasher.add(n.op);
    auto [known, added] = attributes_.try_emplace(n.attributes);
    if (added) {
      Hasher128 inner;
      for (const explain::AttributeText& a : explain::compared_attributes(n.attributes)) {
        const bool function =
            std::ranges::any_of(n.functions, [&](const auto& f) { return f.attribute == a.name; });
        if (function) continue;
        inner.add(a.name);
        inner.add(explain::without_values(a.name, a.value));
      }
      known->second = inner.result();
    }
    hasher.add(known->second);
    for (const std::string& output : n.outputs) hasher.add(output);
    for (const auto& [role, id] : n.functions) {
      const session::GraphRecord* callee = document_.graph(id);
      hasher.add(role);
      if (callee) hasher.add(prints_.of(*callee).structure);
    }
    const auto [line, fresh] = lines_.try_emplace(uint64_t{n.source.code.value} << 32 | n.source.offset);
    if (fresh) line->second = document_.place(n.source);
    hasher.add(uint64_t{line->second.file.value} << 32 | static_cast<uint32_t>(line->second.line));
    return hasher.result();
  }

  bool fold_once(size_t longest) {
    const size_t count = elements_.size();
    std::vector<size_t> next(count, count);
    std::unordered_map<Hash128, size_t> last;
    for (size_t i = count; i-- > 0;) {
      const auto [at, added] = last.try_emplace(elements_[i].label, i);
      if (!added) next[i] = std::exchange(at->second, i);
    }
    std::vector<Element> folded;
    bool any = false;
    for (size_t i = 0; i < count;) {
      size_t taken = 0;
      size_t other = i;
      for (int tries = 0; tries < kTries && !taken; ++tries) {
        other = next[other];
        if (other >= count || other - i > longest) break;
        taken = try_period(i, other - i, folded);
      }
      any |= taken > 0;
      if (!taken) folded.push_back(elements_[i++]);
      else i += taken;
    }
    elements_ = std::move(folded);
    return any;
  }

  // Elements that were folded from `at` on; 0: none.
  size_t try_period(size_t at, size_t period, std::vector<Element>& folded) {
    size_t same = 0;
    while (at + period + same < elements_.size() &&
           elements_[at + same].label == elements_[at + period + same].label)
      ++same;
    size_t times = same / period + 1;
    if (times < kMinTimes) return 0;
    GraphRepeat repeat{elements_[at].first, 0, times};
    Element whole{repeat.first, 0, {}, false};
    Hasher128 hasher;
    for (size_t k = 0; k < period; ++k) {
      repeat.period += elements_[at + k].nodes;
      hasher.add(elements_[at + k].label);
      whole.works |= elements_[at + k].works;
    }
    if (!whole.works) return 0;
    repeat.times = times = alike(repeat);
    if (times < kMinTimes) return 0;
    hasher.add(times);
    whole.label = hasher.result();
    whole.nodes = repeat.period * times;
    found_.push_back(repeat);
    folded.push_back(whole);
    return period * times;
  }

  // How many pieces from the first on are connected alike, in themselves and to the piece before.
  size_t alike(const GraphRepeat& r) const {
    for (size_t k = 0; k < r.times; ++k) {
      if (k == 1) continue;
      for (size_t j = 0; j < r.period; ++j)
        if (!same_edges(r, k, j)) return k == 0 ? 0 : k;
    }
    return r.times;
  }

  // Piece k against piece 1. What comes from further away may be anything; so may what the first piece starts from.
  bool same_edges(const GraphRepeat& r, size_t k, size_t j) const {
    const size_t base = r.first + r.period, mine = r.first + k * r.period;
    const auto &a = graph_.nodes[base + j].inputs, &b = graph_.nodes[mine + j].inputs;
    if (a.size() != b.size()) return false;
    const auto back = static_cast<int64_t>(k ? r.period : 0);
    for (size_t i = 0; i < a.size(); ++i) {
      const int64_t from_a = static_cast<int64_t>(index_.find(a[i].from)) - static_cast<int64_t>(base);
      const int64_t from_b = static_cast<int64_t>(index_.find(b[i].from)) - static_cast<int64_t>(mine);
      if (from_a < -back && from_b < -back) continue;
      if (from_a != from_b || a[i].output != b[i].output) return false;
    }
    return true;
  }

  const Document& document_;
  const session::GraphRecord& graph_;
  explain::GraphIndex index_;
  explain::Fingerprints prints_;
  std::unordered_map<std::string, Hash128> attributes_;
  std::unordered_map<uint64_t, SourcePlace> lines_;
  std::vector<Element> elements_;
  std::vector<GraphRepeat> found_;
};

}  // namespace

std::vector<GraphRepeat> find_repeats(const Document& document, const session::GraphRecord& graph) {
  return RepeatFinder(document, graph).run();
}

RepeatCause cause_of(const Document& document, const session::GraphRecord& graph, const GraphRepeat& repeat) {
  SourcePlace first;
  for (size_t i = repeat.first; i < repeat.first + repeat.period; ++i) {
    const SourcePlace at = document.place(graph.nodes[i].source);
    if (at && (!first || at.line < first.line)) first = at;
  }
  if (!first) return {};
  if (const session::FileRecord* file = document.file(first.file)) {
    const source::Outline outline = source::outline_of(file->text);
    const auto loops = outline.loops_around(first.line);
    if (!loops.empty()) return {q(loops.back()->head), {first.file, loops.back()->line}};
  }
  return {document.line_text(first).trimmed(), first};
}

}  // namespace footlight::app
