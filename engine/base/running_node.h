// The line of the node of a graph that a thread runs: what a kernel makes was made there, wherever the program stands.
#pragma once

#include "engine/base/recording.h"

#include <utility>

namespace footlight {

// Of the innermost node that makes a dataset, while a recording sees single ops; else none.
extern constinit thread_local SourceRef running_node_source;

class RunningNode {
 public:
  explicit RunningNode(SourceRef source) : before_(std::exchange(running_node_source, source)) {}
  ~RunningNode() { running_node_source = before_; }
  RunningNode(const RunningNode&) = delete;
  RunningNode& operator=(const RunningNode&) = delete;

 private:
  const SourceRef before_;
};

}  // namespace footlight
