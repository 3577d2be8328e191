// Facts about a graph that do not depend on what is open in it: positions, variables, groups. Computing them takes most
// of the time of a plan, so they are kept for the next one.
#pragma once

#include "app/models/graph_groups.h"
#include "app/models/graph_plan.h"

#include <map>
#include <memory>
#include <tuple>

namespace footlight::app {

struct AreaFacts {
  QHash<quint32, int> row;           // positions by id
  QHash<quint32, QString> captures;  // descriptions of captures, by placeholder: "w1:0 float32 (8, 16) variable"
  std::vector<QString> variable;     // for each node, the variable that it is a handle or a read of
  std::string common;                // prefix of all names
  GraphGroups groups;
  std::vector<size_t> forward;       // forward_ops(), with chips
};

class PlanMemo {
 public:
  using Key = std::tuple<uint32_t, QString, GraphGrouping, bool, bool, bool, bool>;
  std::map<Key, std::shared_ptr<const AreaFacts>> areas;
};

// The way to an area: the prefix of its keys and, for each input, the names of variables passed in.
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
