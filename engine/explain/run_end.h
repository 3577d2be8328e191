// The error that ended a run. A traceback that the script printed and survived is not one: what the recorder was told
// of the end decides, and the printed traceback adds the full path of the line.
#pragma once

#include "engine/base/error_words.h"
#include "engine/session/records/process.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace footlight::explain {

// `printed`: the last traceback of the console, or empty. No message: the run ended without an error of the script's.
ErrorWords error_of_run(const session::EndRecord& end, std::string_view printed);

// The last traceback that was printed to standard error. `console`: anything with size() and [], whose elements have
// a stream and a text.
template <class Console>
std::string last_printed_traceback(const Console& console) {
  constexpr size_t kMaxLookedAt = 64 << 10;  // a longer traceback says nothing new
  std::string text;
  for (size_t i = console.size(); i-- > 0 && text.size() < kMaxLookedAt;) {
    const auto& piece = console[i];
    if (piece.stream != session::ConsoleStream::kStderr) continue;
    const std::string_view said = piece.text;
    text.insert(0, said.substr(said.size() - std::min(said.size(), kMaxLookedAt)));
    if (const std::string_view last = last_traceback(text); !last.empty()) return std::string(last);
  }
  return {};
}

}  // namespace footlight::explain
