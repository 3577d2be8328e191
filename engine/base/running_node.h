// The line of the node of a graph that a thread runs: what a kernel makes was made there, wherever the program stands.
#pragma once

#include "engine/base/thread_context.h"

#include <utility>

namespace footlight {

class RunningNode {
 public:
  explicit RunningNode(SourceRef source) : before_(std::exchange(this_thread.node_source, source)) {}
  ~RunningNode() { this_thread.node_source = before_; }
  RunningNode(const RunningNode&) = delete;
  RunningNode& operator=(const RunningNode&) = delete;

 private:
  const SourceRef before_;
};

}  // namespace footlight
