// Texts that many events share, and the places of a program that they name.
#pragma once

#include "engine/session/writer.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace footlight::foreign {

// Numbers for texts, as long as there is room for them.
class Texts {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // kNone: the texts so far take the memory that is allowed; the caller keeps this one itself.
  uint32_t number(std::string_view text);
  std::string_view text(uint32_t number) const { return number < all_.size() ? std::string_view(all_[number]) : ""; }

 private:
  static constexpr size_t kMaxBytes = 16 << 20;
  std::deque<std::string> all_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
  size_t bytes_ = 0;
};

using LocationNumber = uint32_t;
constexpr LocationNumber kNoLocation = UINT32_MAX;

// Frames, and stacks of them as a tree of prefixes.
class Locations {
 public:
  using Frame = uint32_t;
  static constexpr Frame kNoFrame = UINT32_MAX;

  // A frame from its words, "model.py(57): forward" or "$model.py:57 forward"; kNoFrame: they name no line.
  Frame frame(std::string_view words);
  Frame frame(std::string_view file, int line, std::string_view function);
  // The place of a frame that was called from `caller`.
  LocationNumber called(LocationNumber caller, Frame frame);
  // The number of a file in the recording; with the text that the Source view shows, if the importer has it.
  uint32_t file(std::string_view path, std::string_view text = {});
  // Finds the innermost place of a stack that is in the user's own code; without one, the innermost of all.
  LocationNumber users(LocationNumber location) const;
  bool is_full() const { return all_.size() >= kMaxLocations; }
  void write(session::Writer& writer) const;

 private:
  static constexpr size_t kMaxLocations = 1 << 20, kMaxFrames = 1 << 18;
  struct FrameFacts { uint32_t file = 0; int line = 0; std::string function; };
  struct Location { LocationNumber caller, users; Frame frame; };
  std::vector<std::string> files_;
  std::map<uint32_t, std::string> texts_;  // of files
  std::vector<bool> is_users_;
  std::vector<FrameFacts> frames_;
  std::vector<Location> all_;
  std::unordered_map<std::string, uint32_t> file_of_;
  std::unordered_map<std::string, Frame> frame_of_;
  std::unordered_map<uint64_t, LocationNumber> location_of_;
};

}  // namespace footlight::foreign
