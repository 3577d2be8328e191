// What is known of a graph before any box is made, whatever is open in it: positions, variables, groups. It takes most
// of the time of a plan, and is kept for the next one.
#pragma once

#include "app/models/graph_groups.h"
#include "app/models/graph_plan.h"

#include <map>
#include <memory>
#include <tuple>

namespace footlight::app {

struct AreaFacts {
  QHash<quint32, int> row;           // positions by id
  QHash<quint32, QString> captures;  // what is captured, by its placeholder: "w1:0 float32 (8, 16) variable"
  std::vector<QString> variable;     // by position: what the node is a handle or a read of
  std::string common;                // what all names begin with
  GraphGroups groups;
  std::vector<size_t> forward;       // forward_ops(), with chips
};

class PlanMemo {
 public:
  using Key = std::tuple<uint32_t, QString, GraphGrouping, bool, bool, bool, bool>;
  std::map<Key, std::shared_ptr<const AreaFacts>> areas;
};

// From where an area is reached: what its keys begin with, and by input the names of variables passed in.
struct AreaWay {
  QString prefix;
  std::vector<QString> parameters;   // may be shorter
};

bool is_constant(const session::NodeRecord& node);
bool is_identity(const session::NodeRecord& node);
bool is_hidden(const session::NodeRecord& node, const GraphOptions& options);
std::shared_ptr<const AreaFacts> area_facts(const Document& document, const session::GraphRecord& graph,
                                            const GraphOptions& options, const AreaWay& way,
                                            const std::function<void()>& go_on, PlanMemo* memo);

}  // namespace footlight::app
