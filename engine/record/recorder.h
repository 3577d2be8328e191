// The host recorder: starts and stops recording of this process into a session file, and empties the rings.
#pragma once

#include "engine/session/writer.h"

#include <string>

namespace footlight::record {

// Creates the session and starts recording into it. Throws Error if the file cannot be written or recording is on.
void start_recording(const std::string& path, const session::RunRecord& run, RecordingLevel level,
                     const session::WriterOptions& options = {});
// Records into a session that another process created: this one adds its records and the other one ends the session.
void attach_recording(const std::string& path, RecordingLevel level, const session::WriterOptions& options = {});

void set_level(RecordingLevel level);  // at any time, from any thread
bool recording();

// Writes everything recorded so far. After start_recording(), ends the session, as a single file; after
// attach_recording(), only closes the file, and `end` is unused. Does nothing if not recording. Running threads record
// nothing more.
session::Writer::Finished stop_recording(const session::EndRecord& end);

// Called by an interpreter's last exit handler: the program has ended, its process has not. Recording stops, and so
// does the devices' recorder while CUDA and CUPTI still work; C's exit handlers would be too late. A session of
// attach_recording() is closed. One of start_recording() is ended by exit(), with the status of the process; that of a
// child or a rank is completed at once, and exit() adds the status.
void program_ended();

// `contribute` adds what every session needs from an engine (such as the names of its ops): called when a recording
// starts, and at once if one is in progress. It must not call functions of this header.
void on_recording_started(void (*contribute)(session::Writer& writer));
// The same when a recording stops, and when the program ends before that: `contribute` adds what is new since.
void on_recording_stopping(void (*contribute)(session::Writer& writer));

// If a process calls exit() without stop_recording(), its session is ended with the exit status; after _exit() and
// signals the log lacks at most the last 50 ms. A forked child records nothing and leaves the file alone.

}  // namespace footlight::record
