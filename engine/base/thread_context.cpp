// The context of each thread.
#include "engine/base/thread_context.h"

namespace footlight {

constinit thread_local ThreadContext this_thread;

}  // namespace footlight
