// The script's side of a recorded console: tf.print output is sent to the supervisor in separate frames, in order with
// what the script writes to descriptors 1 and 2.
#pragma once

#include <cstdint>
#include <string_view>

namespace footlight::record {

// A frame on the print pipe: this header, then `size` bytes of text.
struct PrintFrame {
  enum Kind : uint32_t { kToStdout = 1, kToStderr = 2, kReason = 3 };
  uint32_t kind;
  uint32_t size;
};

// From now on tf.print goes through `print_pipe`. The supervisor reads the pipes one after the other; to keep the
// order, a frame is sent once the other pipes are empty, and the printing thread waits until it has been read.
void record_prints(int print_pipe, int stdout_pipe, int stderr_pipe);

// Sends the supervisor a description of how the script ended, for the end record.
void send_reason(std::string_view words);

// Reads lines such as "level ops" from `pipe` on a thread that never needs the GIL.
void listen_to_supervisor(int pipe);

}  // namespace footlight::record
