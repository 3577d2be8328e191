// Goes through everything that has a name and scores what contains every word.
#include "app/models/search.h"

#include "app/models/text.h"
#include "app/models/trace_counts.h"
#include "engine/base/error_words.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <queue>
#include <string_view>

namespace footlight::app {
namespace {

constexpr size_t kMaxConsoleHit = 200;
// Lines of the program rank above lines of libraries that have the same name.
constexpr int kOwnLine = 45, kLibraryLine = -20;

// Words in UTF-8 without regard to the case of ASCII letters: looks at a graph of 50,000 nodes at every key.
class Matcher {
 public:
  explicit Matcher(const QString& query) {
    for (const QString& word : query.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts))
      words_.push_back(word.toStdString());
  }

  // 0: no match; higher is better. `rest`: what else may contain a word.
  int score(std::string_view name, std::initializer_list<std::string_view> rest = {}) const {
    int sum = 1;
    for (const std::string& word : words_) {
      const size_t at = find(name, word);
      if (at == 0) {
        sum += name.size() == word.size() ? 100 : 60;
      } else if (at != name.npos) {
        sum += std::isalnum(static_cast<unsigned char>(name[at - 1])) ? 25 : 40;
      } else if (std::any_of(rest.begin(), rest.end(), [&](auto part) { return find(part, word) != part.npos; })) {
        sum += 8;
      } else {
        return 0;
      }
    }
    return sum;
  }
  bool empty() const { return words_.empty(); }
  // Only then is it worth to write a type as "f32[32,8]".
  bool may_be_type() const {
    return std::any_of(words_.begin(), words_.end(), [](const std::string& word) {
      return word.find_first_of("0123456789[],") != word.npos || word.size() <= 4;
    });
  }

 private:
  static char low(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
  static size_t find(std::string_view text, std::string_view word) {
    for (size_t at = 0; at + word.size() <= text.size(); ++at) {
      if (low(text[at]) != word[0]) continue;
      size_t i = 1;
      while (i < word.size() && low(text[at + i]) == word[i]) ++i;
      if (i == word.size()) return at;
    }
    return text.npos;
  }

  std::vector<std::string> words_;
};

}  // namespace

std::vector<SearchHit> search(const Document* document, const QStringList& commands, GraphId graph,
                              const QString& query, size_t limit) {
  std::vector<SearchHit> hits;
  const bool only_commands = query.startsWith(QLatin1Char('>'));
  const Matcher match(only_commands ? query.mid(1) : query);
  // The best `limit` scores so far, the worst first: results that are no better need not be built.
  std::priority_queue<int, std::vector<int>, std::greater<>> best;
  const auto is_wanted = [&](int score) {
    if (best.size() >= limit && score <= best.top()) return false;
    best.push(score);
    if (best.size() > limit) best.pop();
    return true;
  };
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
    const int weight = only_commands || match.empty() ? 40 : 5;
    if (const int s = match.score(commands[i].toStdString()); s && is_wanted(s + weight)) {
      add(SearchHit::Kind::kCommand, s, weight, commands[i], {}, "", {});
      hits.back().command = i;
    }
  }
  if (document && !only_commands) {
    for (const session::FunctionRecord& f : document->functions) {
      const auto traces = document->traces_of(f.id);
      if (const int s = match.score(f.name); s && is_wanted(s + 50)) {
        add(SearchHit::Kind::kFunction, s, 50, q(f.name), counted_traces(counts_of(traces)), "retraces",
            Selection::of_function(*document, f.id));
      }
      if (match.empty()) continue;
      for (const session::TraceRecord* t : traces) {
        const std::string text = '#' + std::to_string(t->number) + "  " + t->signature;
        if (const int s = match.score(text, {f.name}); s && is_wanted(s + 20)) {
          add(SearchHit::Kind::kTrace, s, 20, q(text), q(f.name), "retraces", Selection::of_trace(*document, t->id));
        }
      }
    }
    if (!match.empty()) {
      const bool types = match.may_be_type();
      for (const session::GraphRecord& g : document->graphs) {
        const session::TraceRecord* trace = document->trace_of_graph(g.id);
        // All traces of a function have much the same nodes: search the graph in view, else that of the first trace.
        const bool in_view = g.id == graph;
        if (!in_view && trace && trace->number != 1) continue;
        for (const session::NodeRecord& n : g.nodes) {
          const std::string type =
              types && !n.outputs.empty() ? short_type(q(n.outputs.front())).toStdString() : std::string();
          const std::string_view output = n.outputs.empty() ? std::string_view() : n.outputs.front();
          const int s = match.score(n.name, {n.op, output, type, n.attributes});
          if (!s || !is_wanted(s + (in_view ? 25 : 10))) continue;
          const QString outputs = output.empty() ? QString() : short_type(q(n.outputs.front()));
          add(SearchHit::Kind::kNode, s, in_view ? 25 : 10, q(n.name), q(n.op) + QStringLiteral("  ") + outputs,
              "graph", Selection::of_node(*document, g.id, n.id));
        }
      }
      for (const session::FileRecord& f : document->files) {
        const auto& lines = document->lines(f.id);
        const int weight = is_users_file(f.path) ? kOwnLine : kLibraryLine;
        for (size_t i = 0; i < lines.size(); ++i) {
          std::string_view bare = lines[i];
          bare.remove_prefix(std::min(bare.find_first_not_of(" \t"), bare.size()));
          if (const int s = match.score(bare); s && is_wanted(s + weight)) {
            const QString text = q(lines[i]).trimmed();
            const SourcePlace place{f.id, static_cast<int>(i) + 1};
            add(SearchHit::Kind::kSource, s, weight, text, document->place_text(place), "source",
                Selection::of_line(*document, place));
          }
        }
      }
      for (const ConsolePiece c : document->console) {
        if (!match.score(c.text)) continue;  // a record has many lines, most records none that is looked for
        for (size_t at = 0; at < c.text.size();) {
          const size_t end = std::min(c.text.find('\n', at), c.text.size());
          const std::string_view line = c.text.substr(at, end - at);
          at = end + 1;
          if (const int s = match.score(line); s && is_wanted(s - 10))
            add(SearchHit::Kind::kConsole, s, -10, q(line.substr(0, kMaxConsoleHit)).trimmed(),
                QStringLiteral("console"), "console", {});
        }
      }
    }
  }
  std::stable_sort(hits.begin(), hits.end(), [](const SearchHit& a, const SearchHit& b) { return a.score > b.score; });
  if (hits.size() > limit) hits.resize(limit);
  return hits;
}

}  // namespace footlight::app
