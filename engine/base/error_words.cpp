// Reads an error's text line by line: first the frames, then the first line that is a message.
#include "engine/base/error_words.h"

#include "engine/base/place.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <vector>

namespace footlight {
namespace {

constexpr size_t kMaxMessage = 2000;
constexpr std::string_view kTraceback = "Traceback (most recent call last)";

std::string without_control_sequences(std::string_view text) {
  std::string made;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      for (i += 2; i < text.size() && !(text[i] >= '@' && text[i] <= '~');) ++i;
    } else if (text[i] != '\r') {
      made += text[i];
    }
  }
  return made;
}

std::string_view trimmed(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t");
  return first == line.npos ? std::string_view() : line.substr(first, last - first + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Reads `File "x.py", line 12`, whatever follows.
bool read_place(std::string_view line, std::string& file, int& number) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  const std::string_view text = trimmed(line);
  if (!text.starts_with(kFile)) return false;
  const size_t end = text.find(kLine);
  if (end == text.npos) return false;
  int value = 0;
  const char* const digits = text.data() + end + kLine.size();
  if (std::from_chars(digits, text.data() + text.size(), value).ec != std::errc() || value <= 0) return false;
  file = text.substr(kFile.size(), end - kFile.size());
  number = value;
  return true;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::ranges::any_of(all, [&](std::string_view one) { return text.starts_with(one); });
}

// "footlight.errors.InvalidArgumentError: ..." as "InvalidArgumentError: ...": {class, message}.
std::pair<std::string_view, std::string_view> split_class(std::string_view line) {
  size_t end = 0, dot = 0;
  while (end < line.size() &&
         (isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_' || line[end] == '.')) {
    if (line[end] == '.') dot = end + 1;
    ++end;
  }
  const bool is_class = end > dot && (end == line.size() || line.substr(end).starts_with(": ")) &&
                        isalpha(static_cast<unsigned char>(line[dot]));
  if (!is_class) return {{}, line};
  return {line.substr(dot, end - dot), end == line.size() ? std::string_view() : line.substr(end + 2)};
}

// Such a line reports that an error was passed on, not what the error is.
bool is_frame_words(std::string_view message) {
  return starts_with_any(message, {"in user code:", "Exception encountered when calling ", "Graph execution error:",
                                   "Detected at node ", "[Previous line repeated "}) ||
         message.ends_with("Error encountered:");
}

bool names_an_error(std::string_view name) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"Error", "Exception", "Warning"},
                             [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

bool is_users_file(std::string_view path) {
  if (path.empty() || path.starts_with('<')) return false;
  for (const std::string_view part :
       {"-packages/", "/lib/python2.", "/lib/python3.", "/python/footlight/", "/python/footlight_recorder/"})
    if (path.find(part) != path.npos) return false;
  return true;
}

std::string ErrorWords::place() const {
  return line ? place_text(file, line) : std::string();
}

std::string ErrorWords::text() const { return line ? message + " at " + place() : message; }

namespace {

// The error of a traceback, with what its message says of its causes; no message if it ends without one.
ErrorWords words_of(std::string_view text) {
  ErrorWords words;
  std::string_view name;
  bool found = false, in_place = false, has_traceback = false;
  for (const std::string_view line : lines_of(text)) {
    std::string file;
    int number = 0;
    if (read_place(line, file, number)) {
      if (is_users_file(file)) words.file = file, words.line = number;
      in_place = true;
      continue;
    }
    const std::string_view said = trimmed(line);
    // An op that called Python: its message holds the traceback of that call, and the op's own place follows.
    if (said.starts_with("[[{{node ") && has_traceback) break;
    if (found && said.starts_with(kTraceback)) {
      has_traceback = true;
      if (const auto [class_name, rest] = split_class(words.message); names_an_error(split_class(rest).first))
        words.message = rest;
    }
    const bool is_code = in_place && line.starts_with("    ");  // the source line of that place
    if (said.empty()) in_place = false;
    if (found || said.empty() || is_code || said.starts_with(kTraceback)) continue;
    in_place = false;
    auto [class_name, rest] = split_class(said);
    if (!name.empty() && class_name != name && !names_an_error(class_name)) class_name = {}, rest = said;
    if (!class_name.empty()) name = class_name;
    if (is_frame_words(rest) || said.starts_with("[[{{node ")) continue;
    found = true;
    words.message = name;
    if (!name.empty() && !rest.empty()) words.message += ": ";
    words.message += rest;
  }
  return words;
}

}  // namespace

std::string_view last_traceback(std::string_view text) {
  constexpr int kMaxNested = 8;
  std::string_view last;
  for (size_t at = text.size(), i = 0; at > 0 && i < kMaxNested; ++i) {
    at = text.rfind(kTraceback, at - 1);
    if (at == text.npos) break;
    last = text.substr(at);
    // A traceback without a message is a part of the message before it.
    if (!words_of(last).message.empty()) break;
  }
  return last;
}

ErrorWords error_words(std::string_view raw) {
  const std::string plain = without_control_sequences(raw);
  // The error that was raised last counts.
  const std::string_view last = last_traceback(plain);
  ErrorWords words = words_of(last.empty() ? std::string_view(plain) : last);
  if (words.message.empty()) words.message = trimmed(plain.substr(0, plain.find('\n')));
  if (words.message.size() > kMaxMessage) words.message = shortened_error(words.message, kMaxMessage);
  return words;
}

std::string shortened_error(std::string_view text, size_t most) {
  constexpr std::string_view kDots = "…";
  if (text.size() <= most) return std::string(text);
  std::string_view end;
  if (const size_t at = text.rfind(" at "); at != text.npos && text.size() - at < most / 2) end = text.substr(at);
  const size_t room = most > end.size() + kDots.size() + 1 ? most - end.size() - kDots.size() - 1 : 0;
  size_t cut = room;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // cut at the start of a character
  std::string made(trimmed(text.substr(0, cut)));
  made += " " + std::string(kDots) + std::string(end);
  return made;
}

}  // namespace footlight
