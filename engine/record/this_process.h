// What a recording says of this process. Several parts know something of it: the launcher its rank, the parent who
// started it, an adapter its engine.
#pragma once

#include "engine/session/records.h"

#include <functional>
#include <optional>

namespace footlight::record {

// What the launcher of a distributed run (torchrun, MPI, Slurm) says of this process in the environment; none: there is
// one process.
struct Rank { int rank = 0, world = 1, local_rank = 0; };
std::optional<Rank> rank_from_launcher();

session::ProcessRecord this_process();

// Changes what is known, and adds it to the recording that is in progress, if there is one. Without a recording, the
// next one has it.
void change_this_process(const std::function<void(session::ProcessRecord&)>& change);

// Reads the clock: once when a recording of this process begins, and again when it ends.
void process_begins();
void process_ends();

// In a forked child: it is another process, whose parent is the one that was described.
void process_forked();

}  // namespace footlight::record
