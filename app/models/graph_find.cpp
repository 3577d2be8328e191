// Copies the records of a graph, and searches the words of its nodes.
#include "app/models/graph_find.h"

#include "app/models/text.h"

#include "engine/explain/stages.h"

#include <algorithm>
#include <map>
#include <set>

namespace footlight::app {
namespace {

// The places in which the nodes were made, and those that called them.
void add_calls(Document& part, const Document& document, const session::GraphRecord& g) {
  for (const session::NodeRecord& n : g.nodes) {
    for (session::LocationId id = n.location; id.valid() && !part.location(id);) {
      const session::LocationRecord* l = document.location(id);
      if (!l) break;
      part.add(*l);
      id = l->caller;
    }
  }
}

void add_lower(std::string& words, std::string_view text) {
  words += ' ';
  for (const char c : text) words += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

}  // namespace

std::shared_ptr<const Document> graph_part(const Document& document, GraphId root) {
  auto part = std::make_shared<Document>();
  std::set<GraphId> graphs;
  std::set<session::FileId> files;
  for (const GraphId id : document.graphs_below({root})) {
    const session::GraphRecord* g = document.graph(id);
    if (!g || !graphs.insert(id).second) continue;
    add_calls(*part, document, *g);
    part->add(*g);
  }
  explain::leave_out_idle_passes(part->graphs);
  for (const session::CodeRecord& code : document.codes) {
    part->add(code);
    files.insert(code.file);
  }
  for (const session::FileRecord& file : document.files)
    if (files.count(file.id)) part->add(file);
  for (const session::FunctionRecord& function : document.functions) part->add(function);
  for (const session::TraceRecord& trace : document.traces)
    if (graphs.count(trace.graph())) part->add(trace);
  return part;
}

std::shared_ptr<const GraphSearch> GraphSearch::make(const Document& part, GraphId root) {
  auto made = std::make_shared<GraphSearch>();
  std::map<std::string, std::string> types;  // "float32 (32, 16)" in all forms
  for (const GraphId id : part.graphs_below({root})) {
    const session::GraphRecord* g = part.graph(id);
    for (size_t i = 0; g && i < g->nodes.size(); ++i) {
      const session::NodeRecord& n = g->nodes[i];
      std::string words;
      for (const std::string* text : {&n.name, &n.op, &n.attributes, &n.constant}) add_lower(words, *text);
      for (const std::string& output : n.outputs) {
        const auto [known, added] = types.try_emplace(output);
        if (added) {
          const QString type = q(output);
          add_lower(known->second, output);
          add_lower(known->second, short_type(type).toStdString());
          add_lower(known->second, shape_only(type).toStdString());
        }
        words += known->second;
      }
      made->nodes_.push_back({id, n.id});
      made->words_.push_back(std::move(words));
    }
  }
  return made;
}

std::vector<FoundNode> GraphSearch::find(const QString& words) const {
  std::vector<std::string> wanted;
  for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    std::string lower;
    add_lower(lower, word.toStdString());
    wanted.push_back(lower.substr(1));
  }
  std::vector<FoundNode> found;
  if (wanted.empty()) return found;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const bool all = std::ranges::all_of(
        wanted, [&](const std::string& word) { return words_[i].find(word) != std::string::npos; });
    if (all) found.push_back(nodes_[i]);
  }
  return found;
}

}  // namespace footlight::app
