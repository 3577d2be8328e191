// The stages of a graph: as traced, after each pass of the engine, as it runs; and what the passes change, as marks.
#pragma once

#include "app/models/graph_find.h"
#include "app/models/graph_plan.h"

#include <memory>

namespace footlight::app {

struct GraphStage {
  size_t passes = 0;   // number of passes that have run over the graphs shown
  bool marks = false;  // whether what the next pass changes is marked, and what the last one made
  friend bool operator==(const GraphStage&, const GraphStage&) = default;
};

struct StageChoice {
  GraphStage stage;
  QString name;    // "after prune"
  QString detail;  // "3 nodes changed"
};
// The first is the graph as traced, without marks. Empty: what passes did was not recorded.
std::vector<StageChoice> stage_choices(const session::GraphRecord& graph);

// The same records with all graphs as they are at that stage.
std::shared_ptr<const Document> part_at(const std::shared_ptr<const Document>& traced, GraphStage stage);

// A sentence about the last pass and one about the next; empty at the ends. `part`: as traced.
struct StageSentences {
  QString last, next;
};
StageSentences stage_sentences(const Document& part, GraphId root, GraphStage stage);

// The nodes that the next pass changes; after the last one, those that it made. `part`: as traced.
std::vector<FoundNode> changed_at(const Document& part, GraphStage stage);

// Marks the boxes of a plan made at that stage. `part`: as traced.
void mark_stage(GraphPlan& plan, const Document& part, GraphStage stage);

}  // namespace footlight::app
