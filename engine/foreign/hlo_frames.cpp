// Reads the tables FileNames, FunctionNames, FileLocations and StackFrames. Each row begins with its number.
#include "engine/foreign/hlo_frames.h"

#include "engine/foreign/scan.h"

#include <vector>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxFramesOfStack = 200;  // a damaged table may hold a circle

// Returns the text behind "name=" without its quotes, and an empty text if the line has no such name.
std::string_view field(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const size_t value = at + name.size();
    if (value >= text.size() || text[value] != '=' || (at > 0 && is_word(text[at - 1]))) continue;
    std::string_view rest = text.substr(value + 1);
    if (!rest.starts_with('"')) return rest.substr(0, rest.find_first_of(" ,}"));
    return without_quotes(rest.substr(0, behind_string(rest, 0)));
  }
  return {};
}

}  // namespace

void HloFrames::take(std::string_view line) {
  line = trimmed(line);
  if (line == "FileNames" || line == "FunctionNames" || line == "FileLocations" || line == "StackFrames") {
    table_ = line;
    return;
  }
  const uint64_t number = leading_number(line);
  const size_t blank = line.find(' ');
  if (number == 0 || blank == line.npos) return;
  std::string_view row = trimmed(line.substr(blank));
  if (row.starts_with('"')) row = without_quotes(row.substr(0, behind_string(row, 0)));
  const auto value = [row](const char* name) { return leading_number(field(row, name)); };
  if (table_ == "FileNames") files_[number] = row;
  else if (table_ == "FunctionNames") functions_[number] = row;
  else if (table_ == "FileLocations")
    places_[number] = {value("file_name_id"), value("function_name_id"), value("line")};
  else if (table_ == "StackFrames") frames_[number] = {value("file_location_id"), value("parent_frame_id")};
}

LocationNumber HloFrames::of_metadata(std::string_view metadata) {
  if (const uint64_t frame = leading_number(field(metadata, "stack_frame_id")))
    if (const LocationNumber found = of_frame(frame); found != kNoLocation) return found;
  const std::string_view file = field(metadata, "source_file");
  const uint64_t line = leading_number(field(metadata, "source_line"));
  if (file.empty() || line == 0 || line > INT32_MAX) return kNoLocation;
  return locations_.called(kNoLocation, locations_.frame(file, static_cast<int>(line), ""));
}

LocationNumber HloFrames::of_frame(uint64_t number) {
  if (const auto known = known_.find(number); known != known_.end()) return known->second;
  std::vector<Place> stack;
  uint64_t at = number;
  for (size_t steps = 0; at > 0 && steps < kMaxFramesOfStack; ++steps) {  // frames may go around in a circle
    const auto frame = frames_.find(at);
    if (frame == frames_.end()) break;
    if (const auto place = places_.find(frame->second.place); place != places_.end()) stack.push_back(place->second);
    at = frame->second.parent ? frame->second.parent - 1 : 0;  // parents are numbered from 2; 1 is no frame
  }
  LocationNumber location = kNoLocation;
  for (auto place = stack.rbegin(); place != stack.rend(); ++place) {
    const auto file = files_.find(place->file);
    if (file == files_.end() || place->line == 0 || place->line > INT32_MAX) continue;
    const auto function = functions_.find(place->function);
    location = locations_.called(location, locations_.frame(file->second, static_cast<int>(place->line),
                                                            function == functions_.end() ? "" : function->second));
  }
  return known_[number] = location;
}

}  // namespace footlight::foreign
