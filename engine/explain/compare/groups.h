// What became of each eager op in the graph: ops of a line of the user's program beside the nodes made there, and what
// passes say they did to those.
#pragma once

#include "engine/explain/compare/runs.h"

#include <map>
#include <set>

namespace footlight::explain {

// The last trace of each function that PyTorch compiled as a part of another one: of what follows its graph breaks, and
// of functions that it calls. The last trace is taken to be the one that serves.
std::vector<const session::TraceRecord*> traces_within(const session::Reader& reader, FunctionId outer);

class Groups {
 public:
  // Takes the repetitions with events of one comparison, as far as they count: eager and traced.
  Groups(const session::Reader& reader, const session::ComparisonRecord& record, const std::vector<Run>& eager,
         const std::vector<Run>& traced);

  // In program order. The times of spreads are left to the caller.
  const std::vector<Row>& rows() const { return rows_; }
  // The row that an op of a run belongs to.
  int32_t row_of(const Run& run, size_t op) const;

 private:
  struct LineOp {
    Line at;
    std::string op;
    friend auto operator<=>(const LineOp&, const LineOp&) = default;
  };
  struct Nodes {
    std::vector<session::NodeOrigin> all;
    uint64_t ran = 0, inserted = 0;   // in one repetition; inserted: what passes made of them
    size_t together = 0;              // nodes that ran in one walk with others
    std::map<session::Fate, size_t> fates;  // of those that did not run
    std::map<session::Fate, std::string> passes;
    std::vector<std::string> names;
    size_t first = SIZE_MAX;          // when the first of them ran
  };
  struct Ops {
    uint64_t ran = 0;
    size_t first = SIZE_MAX;
    SourceRef source;
  };

  LineOp place_of(const OpRun& op) const;
  void add_graph(GraphId root, std::set<GraphId>& seen);
  void add_nodes(GraphId id, const session::GraphRecord& graph, std::vector<GraphId>& called);
  void take_changes(const session::ComparisonRecord& record);
  void count(const Run& run);
  void make_rows();
  void decide(Row& row, const Ops* ops, const Nodes* nodes) const;

  const session::Reader& reader_;
  std::map<std::pair<GraphId, NodeId>, const session::PassChange*> changes_;
  std::map<LineOp, Nodes> nodes_;
  std::set<Line> lines_of_nodes_;
  std::map<LineOp, Ops> ops_;
  std::map<LineOp, int32_t> row_at_;
  std::map<std::pair<GraphId, NodeId>, uint64_t> ran_;
  std::vector<Row> rows_;
  bool one_executable_ = false;  // another engine ran the trace as a whole
};

}  // namespace footlight::explain
