// Which node of one graph corresponds to which of another, by structure: ops, attributes and edges; never by names, ids
// or the order of nodes. Near-linear in the size of the graphs.
#pragma once

#include "engine/explain/fingerprint.h"

#include <functional>
#include <vector>

namespace footlight::explain {

constexpr uint32_t kNoNode = UINT32_MAX;

struct MatchSide {
  const GraphIndex& index;
  Fingerprints& prints;
  // Equal for nodes of one source line, 0: unknown. May be empty.
  std::function<uint64_t(const session::NodeRecord&)> line;
};

// By position, the node of the other graph or kNoNode.
struct NodeMatch {
  std::vector<uint32_t> right_of, left_of;
};

// Called now and then; throws to cancel.
using GoOn = std::function<void()>;

NodeMatch match_nodes(const MatchSide& left, const MatchSide& right, const GoOn& go_on = {});

}  // namespace footlight::explain
