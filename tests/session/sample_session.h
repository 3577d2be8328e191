// A session as a real run would leave it, made by hand: train_step retraces 12 times over lr and batch shape.
#pragma once

#include "engine/session/writer.h"

#include <string>

namespace footlight::sample {

// Writes everything except the end into `writer`; returns the time of the last event.
int64_t write_session(session::Writer& writer);
session::RunRecord run_record();

}  // namespace footlight::sample
