// Texts and locations are hash tables with a limit: a file may hold any number of names.
#include "engine/foreign/texts.h"

#include "engine/base/error_words.h"
#include "engine/base/text.h"

#include <charconv>

namespace footlight::foreign {

uint32_t Texts::number(std::string_view text) {
  if (const auto at = numbers_.find(text); at != numbers_.end()) return at->second;
  if (bytes_ + text.size() + 96 > kMaxBytes) return kNone;
  bytes_ += text.size() + 96;
  all_.emplace_back(text);
  const auto number = static_cast<uint32_t>(all_.size() - 1);
  numbers_.emplace(all_.back(), number);
  return number;
}

namespace {
// The number, from 1, that the whole text is; 0 for any other text.
int line_number(std::string_view text) {
  int line = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  return error == std::errc() && stop == text.data() + text.size() && line > 0 ? line : 0;
}
}  // namespace

Locations::Frame Locations::frame(std::string_view words) {
  if (words.starts_with('$')) {
    const size_t space = words.rfind(' ');
    const size_t before = space == words.npos ? space : words.rfind(':', space);
    if (before == words.npos || before <= 1) return kNoFrame;
    const int line = line_number(words.substr(before + 1, space - before - 1));
    return line ? frame(words.substr(1, before - 1), line, words.substr(space + 1)) : kNoFrame;
  }
  const size_t colon = words.find("): ");
  const size_t open = colon == words.npos ? colon : words.rfind('(', colon);
  if (open == words.npos || open == 0) return kNoFrame;
  const int line = line_number(words.substr(open + 1, colon - open - 1));
  return line ? frame(words.substr(0, open), line, words.substr(colon + 3)) : kNoFrame;
}

Locations::Frame Locations::frame(std::string_view file, int line, std::string_view function) {
  const std::string key = str(file, '\n', line, '\n', function);
  if (const auto at = frame_of_.find(key); at != frame_of_.end()) return at->second;
  if (frames_.size() >= kMaxFrames) return kNoFrame;
  frames_.push_back({this->file(file), line, std::string(function)});
  frame_of_.emplace(key, static_cast<Frame>(frames_.size() - 1));
  return static_cast<Frame>(frames_.size() - 1);
}

uint32_t Locations::file(std::string_view path, std::string_view text) {
  const auto [at, added] = file_of_.try_emplace(std::string(path), static_cast<uint32_t>(files_.size()));
  if (added) {
    files_.emplace_back(path);
    // PyTorch shortens paths by the folder that Python found them in.
    is_users_.push_back(is_users_file(path) && !path.starts_with("torch/") && !path.starts_with('<'));
  }
  if (!text.empty()) texts_[at->second] = text;
  return at->second;
}

LocationNumber Locations::called(LocationNumber caller, Frame frame) {
  if (frame == kNoFrame) return caller;
  const auto [at, added] =
      location_of_.try_emplace(uint64_t{caller} << 32 | frame, static_cast<LocationNumber>(all_.size()));
  if (!added) return at->second;
  if (is_full()) {
    location_of_.erase(at);
    return caller;
  }
  const LocationNumber outer = caller == kNoLocation ? kNoLocation : all_[caller].users;
  const auto number = static_cast<LocationNumber>(all_.size());
  all_.push_back({caller, is_users_[frames_[frame].file] ? number : outer, frame});
  return number;
}

LocationNumber Locations::users(LocationNumber location) const {
  if (location == kNoLocation) return location;
  const LocationNumber own = all_[location].users;
  return own == kNoLocation ? location : own;
}

void Locations::write(session::Writer& writer) const {
  // A file of that name on this machine need not be what ran, so its text is not taken.
  for (uint32_t i = 0; i < files_.size(); ++i) {
    const auto text = texts_.find(i);
    writer.add(session::FileRecord{session::FileId(i), files_[i], text == texts_.end() ? std::string() : text->second});
  }
  for (uint32_t i = 0; i < all_.size(); ++i) {
    const FrameFacts& frame = frames_[all_[i].frame];
    session::LocationRecord record;
    record.id = session::LocationId(i);
    if (all_[i].caller != kNoLocation) record.caller = session::LocationId(all_[i].caller);
    record.file = session::FileId(frame.file);
    record.line = frame.line;
    record.qualname = frame.function;
    writer.add(std::move(record));
    if (i % 4096 == 4095) writer.flush();
  }
  writer.flush();
}

}  // namespace footlight::foreign
