// How tf.print's output leaves the process.
#include "engine/base/print_sink.h"

#include <unistd.h>

#include <cerrno>

namespace footlight {

PrintSink print_sink = nullptr;

void print_text(int descriptor, std::string_view text) {
  if (print_sink) return print_sink(descriptor, text);
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the descriptor is closed: there is nowhere to report it
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace footlight
