// The context of each thread.
#include "engine/base/thread_context.h"

#include "engine/base/running_node.h"

namespace footlight {

constinit thread_local ThreadContext this_thread;
constinit thread_local SourceRef running_node_source;

}  // namespace footlight
