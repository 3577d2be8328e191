// Where tf.print's text goes: to the descriptor itself, or to the recorder of the console.
#pragma once

#include <string_view>

namespace footlight {

using PrintSink = void (*)(int descriptor, std::string_view text);
extern PrintSink print_sink;  // null: write directly

// Writes all of `text` to `descriptor` (1 or 2), or hands it to the sink.
void print_text(int descriptor, std::string_view text);

}  // namespace footlight
