// Device activity into the session that is being written.
#pragma once

#include "engine/session/writer.h"

namespace footlight::cupti {

// Starts recording the device into `writer`; true when it is recorded now and was not before. Where that cannot be, the
// session goes on without, and a note in its console says why when the program uses a GPU. Called when the program asks
// for its devices, not earlier: it starts the driver and opens CUPTI.
bool start_into(session::Writer& writer);
// Everything recorded up to now is with the writer. No-op when not started.
void stop_into_session();
// In a forked child.
void forget_session() noexcept;

}  // namespace footlight::cupti
