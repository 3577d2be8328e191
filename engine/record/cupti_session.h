// Records device activity into the session that is being written.
#pragma once

#include "engine/session/writer.h"

namespace footlight::cupti {

// Starts recording the device into `writer`; true if this call started it. On failure, the session continues without
// it, and a note in its console says why if the program uses a GPU. Called when the program first asks for its
// devices, not earlier: it starts the driver and opens CUPTI.
bool start_into(session::Writer& writer);
// Passes everything recorded so far to the writer. No-op if not started.
void stop_into_session();
// Called in a forked child.
void forget_session() noexcept;

}  // namespace footlight::cupti
