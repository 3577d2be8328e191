// The first of fused locations counts. A name without a file names an operation, or the function around it.
#include "engine/foreign/mlir_places.h"

#include "engine/foreign/scan.h"

#include <algorithm>

namespace footlight::foreign {
namespace {

constexpr int kMaxDepth = 100, kMaxSteps = 10'000;  // a damaged table may name itself many times
constexpr size_t kMaxFrames = 200;

}  // namespace

void MlirPlaces::take(std::string_view line) {
  const size_t equals = line.find(" = loc(");
  if (equals == line.npos || !line.starts_with('#')) return;
  named_.insert_or_assign(std::string(line.substr(0, equals)), line.substr(equals + 7));
}

LocationNumber MlirPlaces::find(std::string_view text) {
  const std::string_view name = text.starts_with('#') ? text.substr(0, text.find_first_of(" ,)]")) : std::string_view();
  if (!name.empty())
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
  std::vector<Frame> frames;  // the innermost first
  steps_ = 0;
  read(text, {}, frames, 0);
  LocationNumber location = kNoLocation;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    location = locations_.called(location, locations_.frame(frame->file, frame->line, frame->function));
  if (!name.empty()) known_.emplace(std::string(name), location);
  return location;
}

void MlirPlaces::read(std::string_view& text, std::string_view function, std::vector<Frame>& frames, int depth) {
  if (depth > kMaxDepth || ++steps_ > kMaxSteps || frames.size() > kMaxFrames) {
    text = {};
    return;
  }
  text = trimmed(text);
  if (skip_word(text, "callsite(")) {
    read(text, {}, frames, depth + 1);
    if (skip_word(text, "at ")) read(text, {}, frames, depth + 1);
    skip_word(text, ")");
  } else if (skip_word(text, "fused")) {
    if (text.starts_with('<')) {
      const size_t end = std::min(closing(text, 0, Angles::kBrackets), text.size() - 1);
      text = trimmed(text.substr(end + 1));
    }
    if (!text.starts_with('[')) return;
    const size_t close = std::min(closing(text, 0), text.size());
    std::string_view first = text.substr(1, close - 1);
    text.remove_prefix(std::min(close + 1, text.size()));
    read(first, function, frames, depth + 1);
  } else if (text.starts_with('#')) {
    const size_t end = std::min(text.find_first_of(" ,)]"), text.size());
    const auto named = named_.find(text.substr(0, end));
    text.remove_prefix(end);
    if (named == named_.end()) return;
    std::string_view inner = named->second;
    read(inner, function, frames, depth + 1);
  } else if (text.starts_with('"')) {
    const size_t end = behind_string(text, 0);
    const std::string_view name = without_quotes(text.substr(0, end));
    text.remove_prefix(end);
    if (text.starts_with(':')) {
      text.remove_prefix(1);
      const uint64_t line = leading_number(text);
      if (line > 0 && line <= INT32_MAX) frames.push_back({name, function, static_cast<int>(line)});
      text.remove_prefix(std::min(text.find_first_not_of("0123456789: to"), text.size()));
    } else if (text.starts_with('(')) {
      text.remove_prefix(1);
      read(text, name, frames, depth + 1);
      skip_word(text, ")");
    }
  }
}

}  // namespace footlight::foreign
