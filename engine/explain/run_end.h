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
  // Filled from its end. It is read again only when it has doubled: a program may print letter by letter.
  std::string buffer(2 * kMaxLookedAt, '\0');
  size_t begin = buffer.size(), size_read = 0;
  const auto last = [&] { return last_traceback(std::string_view(buffer).substr(begin)); };
  for (size_t i = console.size(); i-- > 0 && buffer.size() - begin < kMaxLookedAt;) {
    const auto& piece = console[i];
    if (piece.stream != session::ConsoleStream::kStderr) continue;
    std::string_view said = piece.text;
    if (said.size() > kMaxLookedAt) said.remove_prefix(said.size() - kMaxLookedAt);
    begin -= said.size();
    said.copy(buffer.data() + begin, said.size());
    if (buffer.size() - begin < 2 * size_read) continue;
    size_read = buffer.size() - begin;
    if (const std::string_view found = last(); !found.empty()) return std::string(found);
  }
  return std::string(last());
}

}  // namespace footlight::explain
