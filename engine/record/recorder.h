// The host recorder: starts and stops recording of this process into a session file, and empties the rings.
#pragma once

#include "engine/session/writer.h"

#include <string>

namespace footlight::record {

// Creates the session and records into it from now on. Throws Error when the file cannot be written or recording is on.
void start_recording(const std::string& path, const session::RunRecord& run, RecordingLevel level,
                     const session::WriterOptions& options = {});
// The same into a session that another process created: this one adds its records and leaves ending to the other.
void attach_recording(const std::string& path, RecordingLevel level, const session::WriterOptions& options = {});

void set_level(RecordingLevel level);  // at any time, from any thread
bool recording();

// What came up to now is written. After start_recording: the session is ended, one file. After
// attach_recording: the file is closed and `end` unused. No-op when not recording. Threads that still run
// record nothing more.
session::Writer::Finished stop_recording(const session::EndRecord& end);

// The program has ended, its process not yet: for an interpreter's last exit handler. Nothing more is recorded, and the
// devices' recorder stops while CUDA and CUPTI are whole; C's exit handlers would come too late for that. A session of
// attach_recording() is closed. One of start_recording() is ended by exit(), with the status of the process.
void program_ended();

// `contribute` adds what every session needs to know of an engine (the names of its ops, say): called when a recording
// starts, and at once when one is under way. It must not call this header's functions.
void on_recording_started(void (*contribute)(session::Writer& writer));
// The same when a recording stops, and before that when the program has ended: `contribute` adds what is new since.
void on_recording_stopping(void (*contribute)(session::Writer& writer));

// A process that ends through exit() without stop_recording() is ended with its exit status; _exit() and signals leave
// the log up to the last 50 ms. A forked child records nothing and leaves the file alone.

}  // namespace footlight::record
