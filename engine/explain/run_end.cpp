// Compares the recorded reason with the printed traceback; where they differ, the reason alone is read:
// "ValueError: ... at layers.py:5".
#include "engine/explain/run_end.h"

#include <charconv>

namespace footlight::explain {
namespace {

// The words before " at layers.py:5", and that place; nothing if the text does not end with a place.
ErrorWords words_of_reason(std::string_view reason) {
  constexpr std::string_view kAt = " at ";
  const size_t at = reason.rfind(kAt), colon = reason.rfind(':');
  if (at == reason.npos || colon == reason.npos || colon < at + kAt.size()) return {};
  ErrorWords words;
  const char* const end = reason.data() + reason.size();
  const auto [read_to, error] = std::from_chars(reason.data() + colon + 1, end, words.line);
  if (error != std::errc() || read_to != end || words.line <= 0) return {};
  words.message = reason.substr(0, at);
  words.file = reason.substr(at + kAt.size(), colon - at - kAt.size());
  return words;
}

}  // namespace

ErrorWords error_of_run(const session::EndRecord& end, std::string_view printed) {
  if (end.exit_code == 0 || end.signal != 0) return {};
  if (!printed.empty()) {
    ErrorWords words = error_words(printed);
    if (!words.message.empty() && end.reason.starts_with(words.message)) return words;
  }
  return words_of_reason(end.reason);
}

}  // namespace footlight::explain
