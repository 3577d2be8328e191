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

// The script's ends of the pipes. They have no numbers in the script's table, so nothing that it closes affects them.
struct ConsolePipes {
  int print = -1;     // frames are written to it
  int out = -1, err = -1;  // where its descriptors 1 and 2 write to
  int control = -1;   // lines such as "level ops" are read from it
};

// Takes the descriptors. From now on tf.print writes to `print`, as long as the stream it prints to is still the
// supervisor's. The supervisor reads the pipes one after another; to keep the order, a frame is sent once the other
// pipes are empty, and the printing thread waits until it has been read. A thread that never needs the GIL reads
// commands.
void talk_to_supervisor(const ConsolePipes& pipes);

// Sends the supervisor a description of how the script ended, for the end record.
void send_reason(std::string_view words);

}  // namespace footlight::record
