// Goes through everything that has a name and scores what contains every word.
#include "app/models/search.h"

#include "app/models/text.h"

#include <algorithm>

namespace footlight::app {
namespace {

class Matcher {
 public:
  explicit Matcher(const QString& query)
      : words_(query.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {}

  // 0: no match; higher is better.
  int score(const QString& name, const QString& rest = {}) const {
    const QString low = name.toLower(), low_rest = rest.toLower();
    int sum = 1;
    for (const QString& word : words_) {
      const qsizetype at = low.indexOf(word);
      if (at == 0) {
        sum += low.size() == word.size() ? 100 : 60;
      } else if (at > 0) {
        sum += low[at - 1].isLetterOrNumber() ? 25 : 40;
      } else if (low_rest.contains(word)) {
        sum += 8;
      } else {
        return 0;
      }
    }
    return sum;
  }
  bool empty() const { return words_.isEmpty(); }

 private:
  QStringList words_;
};

}  // namespace

std::vector<SearchHit> search(const Document* document, const QStringList& commands, GraphId graph,
                              const QString& query, size_t limit) {
  std::vector<SearchHit> hits;
  const bool only_commands = query.startsWith(QLatin1Char('>'));
  const Matcher match(only_commands ? query.mid(1) : query);
  const auto add = [&](SearchHit::Kind kind, int score, int weight, const QString& text, const QString& detail,
                       const char* view, const Selection& target) {
    SearchHit hit;
    hit.kind = kind;
    hit.text = text;
    hit.detail = detail;
    hit.view = QLatin1String(view);
    hit.target = target;
    hit.score = score + weight;
    hits.push_back(std::move(hit));
  };
  for (int i = 0; i < commands.size(); ++i) {
    if (const int s = match.score(commands[i])) {
      add(SearchHit::Kind::kCommand, s, only_commands || match.empty() ? 40 : 5, commands[i], {}, "", {});
      hits.back().command = i;
    }
  }
  if (document && !only_commands) {
    for (const session::FunctionRecord& f : document->functions) {
      const auto traces = document->traces_of(f.id);
      if (const int s = match.score(q(f.name))) {
        add(SearchHit::Kind::kFunction, s, 50, q(f.name), counted(traces.size(), "trace", "traces"), "retraces",
            Selection::of_function(*document, f.id));
      }
      if (match.empty()) continue;
      for (const session::TraceRecord* t : traces) {
        const QString text = QStringLiteral("#%1  %2").arg(t->number).arg(q(t->signature));
        if (const int s = match.score(text, q(f.name))) {
          add(SearchHit::Kind::kTrace, s, 20, text, q(f.name), "retraces", Selection::of_trace(*document, t->id));
        }
      }
    }
    if (!match.empty()) {
      for (const session::GraphRecord& g : document->graphs) {
        const session::TraceRecord* trace = document->trace_of_graph(g.id);
        // All traces of a function have much the same nodes: search the graph in view, else that of the first trace.
        const bool in_view = g.id == graph;
        if (!in_view && trace && trace->number != 1) continue;
        for (const session::NodeRecord& n : g.nodes) {
          const QString outputs = n.outputs.empty() ? QString() : short_type(q(n.outputs.front()));
          if (const int s = match.score(
                  q(n.name), q(n.op) + QLatin1Char(' ') + outputs + QLatin1Char(' ') + q(n.attributes))) {
            add(SearchHit::Kind::kNode, s, in_view ? 25 : 10, q(n.name), q(n.op) + QStringLiteral("  ") + outputs,
                "graph", Selection::of_node(*document, g.id, n.id));
          }
        }
      }
      for (const session::FileRecord& f : document->files) {
        const auto& lines = document->lines(f.id);
        for (size_t i = 0; i < lines.size(); ++i) {
          const QString text = q(lines[i]).trimmed();
          if (const int s = match.score(text)) {
            const Place place{f.id, static_cast<int>(i) + 1};
            add(SearchHit::Kind::kSource, s, 0, text, document->place_text(place), "source",
                Selection::of_line(*document, place));
          }
        }
      }
      for (const session::ConsoleRecord& c : document->console) {
        const QString text = q(c.text).trimmed();
        if (const int s = match.score(text)) {
          add(SearchHit::Kind::kConsole, s, -10, text.left(200), QStringLiteral("console"), "console", {});
        }
      }
    }
  }
  std::stable_sort(hits.begin(), hits.end(), [](const SearchHit& a, const SearchHit& b) { return a.score > b.score; });
  if (hits.size() > limit) hits.resize(limit);
  return hits;
}

}  // namespace footlight::app
