// Device activity into the session that is being written.
#pragma once

#include "engine/session/writer.h"

namespace footlight::cupti {

// Starts recording the device into `writer`. Where that cannot be, the session goes on without, and a note in its
// console says why when the machine has a GPU that was asked for.
void start_into(session::Writer& writer);
// Everything recorded up to now is with the writer. No-op when not started.
void stop_into_session();
// In a forked child.
void forget_session() noexcept;

}  // namespace footlight::cupti
