// Reads each text by the form that its engine gives it. What is not understood has no origin.
#include "app/models/generated_origins.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace footlight::app {
namespace {

using Lines = std::vector<std::string_view>;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Returns the number at the beginning and the text after it; 0 where the text begins with no number.
int take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return 0;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find(after));
}

// ---- jaxpr: "c:f32[8] = sub a b  # train.py:14:55 (step)" ---------------------------------------------------------

LineOrigin origin_in_comment(std::string_view line) {
  const size_t at = line.rfind(" # ");
  if (at == std::string_view::npos) return {};
  std::string_view place = trimmed(line.substr(at + 3));
  const size_t function = place.rfind(" (");
  if (function == std::string_view::npos || !place.ends_with(')')) return {};
  place = place.substr(0, function);
  std::vector<int> numbers;  // column, then line
  while (numbers.size() < 2) {
    const size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) break;
    std::string_view last = place.substr(colon + 1);
    const bool zero = last == "0";
    const int number = take_number(last);
    if ((!number && !zero) || !last.empty()) break;
    numbers.push_back(number);
    place = place.substr(0, colon);
  }
  if (numbers.empty() || place.empty() || numbers.back() <= 0) return {};
  return {{std::string(place), numbers.back()}};
}

// Lines inside an equation's brackets belong to it, unless they have an equation of their own.
std::vector<LineOrigin> jaxpr_origins(const Lines& lines) {
  std::vector<LineOrigin> found(lines.size());
  std::vector<std::pair<size_t, LineOrigin>> open;  // equations by their indentation
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t indent = indent_of(lines[i]);
    const bool closes = trimmed(lines[i]).starts_with(']');
    while (!open.empty() && (open.back().first > indent || (open.back().first == indent && !closes))) open.pop_back();
    found[i] = origin_in_comment(lines[i]);
    if (!found[i].empty())
      open.emplace_back(indent, found[i]);
    else if (!open.empty())
      found[i] = open.back().second;
    if (closes && !open.empty() && open.back().first == indent) open.pop_back();
  }
  return found;
}

// ---- StableHLO: "... loc(#loc7)" and "#loc7 = loc(callsite(#loc3 at #loc5))" ---------------------------------------

class Locations {
 public:
  explicit Locations(const Lines& lines) {
    for (const std::string_view line : lines)
      if (const size_t equals = line.find(" = loc("); line.starts_with('#') && equals != std::string_view::npos)
        named_.emplace(line.substr(0, equals), line.substr(equals + 3));
  }

  // Reads a text that begins with "loc(".
  LineOrigin read(std::string_view text) {
    LineOrigin found;
    text.remove_prefix(4);
    take(text, found, 0);
    return found;
  }

 private:
  static constexpr int kMaxDepth = 200;

  static bool skip(std::string_view& text, std::string_view word) {
    text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  }

  static void skip_to(std::string_view& text, const char* any_of) {
    text.remove_prefix(std::min(text.find_first_of(any_of), text.size()));
  }

  void take(std::string_view& text, LineOrigin& found, int depth) {
    if (depth > kMaxDepth) return;
    if (skip(text, "callsite(")) {
      take(text, found, depth + 1);
      if (skip(text, "at ")) take(text, found, depth + 1);
      skip(text, ")");
    } else if (skip(text, "fused")) {
      skip_to(text, "[");
      if (skip(text, "[")) take(text, found, depth + 1);  // the first of them
      skip_to(text, "]");
      skip(text, "]");
    } else if (text.starts_with('#')) {
      const std::string_view whole = text;
      skip_to(text, " ,)]");
      const auto known = named_.find(whole.substr(0, whole.size() - text.size()));
      if (known == named_.end()) return;
      std::string_view inner = known->second.substr(4);
      take(inner, found, depth + 1);
    } else if (text.starts_with('"')) {
      const size_t end = text.find('"', 1);
      if (end == std::string_view::npos) return;
      const std::string_view name = text.substr(1, end - 1);
      text.remove_prefix(end + 1);
      if (skip(text, ":")) {
        if (const int line = take_number(text)) found.push_back({std::string(name), line});
        skip_to(text, " ,)]");  // the column
        if (skip(text, "to ")) skip_to(text, " ,)]");
      } else if (skip(text, "(")) {  // a name, and the location that it names
        take(text, found, depth + 1);
        skip(text, ")");
      }
    }
  }

  std::map<std::string_view, std::string_view> named_;
};

std::vector<LineOrigin> stablehlo_origins(const Lines& lines) {
  Locations locations(lines);
  std::vector<LineOrigin> found(lines.size());
  for (size_t i = 0; i < lines.size(); ++i)
    if (const size_t at = lines[i].rfind(" loc("); at != std::string_view::npos)
      found[i] = locations.read(lines[i].substr(at + 1));
  return found;
}

// ---- HLO: metadata with a file and a line, or with a frame of the module's tables -----------------------------------

class Frames {
 public:
  explicit Frames(const Lines& lines) {
    std::string_view table;
    for (const std::string_view line : lines) {
      if (line == "FileNames" || line == "FunctionNames" || line == "FileLocations" || line == "StackFrames")
        table = line;
      std::string_view rest = line;
      const int number = take_number(rest);
      if (!number || table.empty()) continue;
      if (table == "FileNames") files_[number] = between(rest, "\"", "\"");
      if (table == "FileLocations") places_[number] = {field(rest, "file_name_id="), field(rest, "line=")};
      // Parents are numbered from 2; 1 is no frame.
      if (table == "StackFrames")
        frames_[number] = {field(rest, "file_location_id="), field(rest, "parent_frame_id=") - 1};
    }
  }

  LineOrigin at(int frame) const {
    LineOrigin found;
    constexpr int kMaxFrames = 1000;  // a damaged text may hold a circle
    for (int steps = 0; frame > 0 && steps < kMaxFrames; ++steps) {
      const auto held = frames_.find(frame);
      if (held == frames_.end()) break;
      if (const auto place = places_.find(held->second.first); place != places_.end())
        if (const auto file = files_.find(place->second.first); file != files_.end())
          found.push_back({std::string(file->second), place->second.second});
      frame = held->second.second;
    }
    return found;
  }

  // The number behind a name: 3 of "{file_name_id=3 line=14}".
  static int field(std::string_view text, std::string_view name) {
    size_t at = text.find(name);
    while (at != std::string_view::npos && at && text[at - 1] != ' ' && text[at - 1] != '{')
      at = text.find(name, at + 1);
    if (at == std::string_view::npos) return 0;
    text.remove_prefix(at + name.size());
    return take_number(text);
  }

 private:
  std::map<int, std::string_view> files_;
  std::map<int, std::pair<int, int>> places_, frames_;
};

std::vector<LineOrigin> hlo_origins(const Lines& lines) {
  const Frames frames(lines);
  std::vector<LineOrigin> found(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t at = lines[i].find("metadata={");
    if (at == std::string_view::npos) continue;
    const std::string_view metadata = lines[i].substr(at);
    if (const int frame = Frames::field(metadata, "stack_frame_id=")) found[i] = frames.at(frame);
    const std::string_view file = between(metadata, "source_file=\"", "\"");
    const int line = Frames::field(metadata, "source_line=");
    if (found[i].empty() && !file.empty() && line) found[i] = {{std::string(file), line}};
  }
  return found;
}

// ---- FX: "# File: train.py:12 in forward, code: ..." above the nodes of a line --------------------------------------

LineOrigin origin_in_file_comment(std::string_view comment) {
  std::string_view place = between(comment, "File: ", ", code: ");
  if (place.empty()) return {};
  if (const size_t in = place.rfind(" in "); in != std::string_view::npos) place = place.substr(0, in);
  const size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::string_view number = place.substr(colon + 1);
  const int line = take_number(number);
  if (line <= 0) return {};
  return {{std::string(place.substr(0, colon)), line}};
}

std::vector<LineOrigin> fx_origins(const Lines& lines) {
  std::vector<LineOrigin> found(lines.size());
  LineOrigin above;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (line.starts_with('#')) {
      above = origin_in_file_comment(line);
      found[i] = above;
    } else if (line.empty() || line.starts_with("return") || line.starts_with("def ") || line.starts_with("class ")) {
      above.clear();
    } else {
      found[i] = above;
    }
  }
  return found;
}

// ---- bytecode, as Python prints it: line, offset, instruction -----------------------------------------------------

// The numbers before the name of the instruction: line and offset, or one of them.
std::vector<int> numbers_before_name(std::string_view line) {
  std::vector<int> found;
  while (true) {
    line = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with(">>") || line.starts_with("--")) {
      line.remove_prefix(std::min(line.find_first_not_of("->"), line.size()));
    } else if (const size_t end = line.find(':'); line.starts_with('L') && end < 8) {
      line.remove_prefix(end + 1);  // a label
    } else if (!line.empty() && line.front() >= '0' && line.front() <= '9') {
      found.push_back(take_number(line));
    } else {
      const bool is_name = !line.empty() && line.front() >= 'A' && line.front() <= 'Z';
      return is_name ? found : std::vector<int>{};
    }
  }
}

std::vector<LineOrigin> bytecode_origins(const Lines& lines, const std::string& file) {
  std::vector<std::vector<int>> numbers;
  for (const std::string_view line : lines) numbers.push_back(numbers_before_name(line));
  const bool has_offsets = std::ranges::any_of(numbers, [](const auto& n) { return n.size() > 1; });
  std::vector<LineOrigin> found(lines.size());
  int now = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (trimmed(lines[i]).empty()) continue;
    if (numbers[i].size() > 1 || (numbers[i].size() == 1 && !has_offsets)) now = numbers[i].front();
    if (now > 0) found[i] = {{file, now}};
  }
  return found;
}

// ---- guards: "... # hidden = torch.relu(x)  # model/net.py:12 in forward" -------------------------------------------

std::vector<LineOrigin> guards_origins(const Lines& lines) {
  std::vector<LineOrigin> found(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t at = lines[i].rfind("  # ");
    if (at == std::string_view::npos) continue;
    std::string_view place = trimmed(lines[i].substr(at + 4));
    const size_t in = place.rfind(" in "), colon = place.substr(0, in).rfind(':');
    if (in == std::string_view::npos || colon == std::string_view::npos) continue;
    std::string_view number = place.substr(colon + 1, in - colon - 1);
    if (const int line = take_number(number); line > 0) found[i] = {{std::string(place.substr(0, colon)), line}};
  }
  return found;
}

// ---- Inductor -------------------------------------------------------------------------------------------------------

// The names of "# Topologically Sorted Source Nodes: [relu, mm], Original ATen: [...]".
std::vector<std::string_view> named_nodes(std::string_view comment) {
  std::vector<std::string_view> names;
  std::string_view held = between(comment, "Source Nodes: [", "]");
  while (!held.empty()) {
    const size_t comma = std::min(held.find(','), held.size());
    if (const std::string_view name = trimmed(held.substr(0, comma)); !name.empty()) names.push_back(name);
    held.remove_prefix(std::min(comma + 1, held.size()));
  }
  return names;
}

// The kernel's name, which stands before " = async_compile."; empty on other lines.
std::string_view kernel_of(std::string_view line) {
  const size_t at = line.find(" = async_compile.");
  return at == std::string_view::npos || line.starts_with(' ') ? std::string_view() : line.substr(0, at);
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<LineOrigin> origins_of_lines(std::string_view kind, const std::vector<std::string_view>& lines,
                                         const std::string& file) {
  if (kind == "jaxpr") return jaxpr_origins(lines);
  if (kind == "stablehlo") return stablehlo_origins(lines);
  if (kind == "hlo") return hlo_origins(lines);
  if (kind == "fx") return fx_origins(lines);
  if (kind == "bytecode") return bytecode_origins(lines, file);
  if (kind == "guards") return guards_origins(lines);
  return std::vector<LineOrigin>(lines.size());
}

OriginsOfNodes origins_of_nodes(const std::vector<std::string_view>& lines) {
  OriginsOfNodes found;
  const std::vector<LineOrigin> origins = fx_origins(lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    const size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const bool assigns = line.find(" = ") != std::string_view::npos;
    if (origins[i].empty() || !end || end == std::string_view::npos || !assigns) continue;
    found.try_emplace(std::string(line.substr(0, end)), origins[i]);
  }
  return found;
}

std::vector<std::vector<LineOrigin>> inductor_origins(const std::vector<std::string_view>& lines,
                                                      const std::vector<OriginsOfNodes>& graphs) {
  std::vector<std::vector<LineOrigin>> found(lines.size());
  const auto origins_of = [&](std::string_view comment) {
    std::set<LineOrigin> all;
    for (const std::string_view name : named_nodes(comment))
      for (const OriginsOfNodes& graph : graphs)
        if (const auto at = graph.find(name); at != graph.end()) {
          all.insert(at->second);
          break;
        }
    return std::vector<LineOrigin>(all.begin(), all.end());
  };
  std::map<std::string_view, std::vector<LineOrigin>> kernels;
  std::vector<LineOrigin> above;  // origins from the comment above
  bool in_kernel = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (!in_kernel && line.starts_with('#')) {
      if (line.find("Source Nodes: [") != std::string_view::npos) above = origins_of(line);
      found[i] = above;
      continue;
    }
    if (const std::string_view kernel = kernel_of(lines[i]); !in_kernel && !kernel.empty()) {
      kernels[kernel] = above;
      in_kernel = true;
    }
    if (in_kernel) {
      found[i] = above;
      in_kernel = !lines[i].starts_with("'''");
      if (!in_kernel) above.clear();
      continue;
    }
    found[i] = std::exchange(above, {});
    if (!found[i].empty()) continue;
    const size_t end = line.find_first_of(".(");
    if (const auto known = kernels.find(line.substr(0, end)); known != kernels.end()) found[i] = known->second;
  }
  return found;
}

}  // namespace footlight::app
