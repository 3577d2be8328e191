// Shortens values and strings them together.
#include "engine/explain/words.h"

#include <charconv>

namespace footlight::explain {

std::string short_value(std::string_view value) {
  constexpr size_t kLongest = 24;
  double number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  if (read.ptr == value.data() + value.size() && value.find('.') != std::string_view::npos && value.size() > 6) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::general, 4);
    return {text, end.ptr};
  }
  if (value.size() <= kLongest) return std::string(value);
  size_t cut = kLongest - 1;
  while (cut && (static_cast<unsigned char>(value[cut]) & 0xc0) == 0x80) --cut;  // not inside a character
  return std::string(value.substr(0, cut)) + "…";
}

std::string progression(const std::vector<std::string>& values, bool shapes) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool left_out = values.size() > 4 && i > 1 && i + 1 < values.size();
    if (left_out && i > 2) continue;
    if (i) text += " → ";
    if (left_out) text += "…";
    else text += shapes ? '[' + values[i] + ']' : short_value(values[i]);
  }
  return text;
}

std::string argument_name(std::string_view path, std::string_view parameter) {
  const size_t end = path.find(']');
  if (parameter.empty() || !path.starts_with("args[") || end == path.npos) return std::string(path);
  return std::string(parameter) + std::string(path.substr(end + 1));
}

std::string how_often(uint64_t count) { return count == 1 ? "once" : with_commas(count) + " times"; }

std::string_view last_name(std::string_view qualname) { return qualname.substr(qualname.rfind('.') + 1); }

std::string with_period(std::string text) {
  if (!text.empty() && std::string_view(".!?").find(text.back()) == std::string_view::npos) text += '.';
  return text;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string listed(std::vector<std::string> parts) {
  if (parts.size() < 2) return joined(parts, {});
  const std::string last = std::move(parts.back());
  parts.pop_back();
  return joined(parts, ", ") + " and " + last;
}

std::string with_commas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string with_it(const std::vector<std::string>& also_paths) {
  return also_paths.empty() ? "" : "; also changes: " + joined(also_paths, ", ");
}

std::vector<std::string> sizes_of(std::string_view shape) {
  std::vector<std::string> sizes;
  while (!shape.empty()) {
    const std::string_view one = shape.substr(0, shape.find(','));
    sizes.emplace_back(one);
    shape.remove_prefix(std::min(shape.size(), one.size() + 1));
  }
  return sizes;
}

std::string name_in(const std::string& path) {
  for (const std::string_view kind : {"global ", "closure "})
    if (path.starts_with(kind)) return path.substr(kind.size());
  return path;
}

}  // namespace footlight::explain
