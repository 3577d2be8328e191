// An operation's types follow the last " : " outside of brackets; the types of its results follow an arrow there.
#include "engine/foreign/mlir_operation.h"

#include "engine/foreign/scan.h"

#include <algorithm>

namespace footlight::foreign {
namespace {

constexpr uint32_t kMaxValues = 4096;  // of one operation

}  // namespace

uint32_t MlirOperation::values() const {
  uint32_t sum = 0;
  for (const auto& [name, count] : results) sum += count;
  return sum;
}

std::string_view take_location(std::string_view& line) {
  const std::string_view whole = trimmed(line);
  const size_t at = whole.rfind(" loc(");
  const bool is_all = whole.starts_with("loc(");
  if (!whole.ends_with(')') || (at == whole.npos && !is_all)) return {};
  // A location may hold others that begin the same way, so the first one whose bracket ends the line counts.
  for (size_t begin = is_all ? 0 : whole.find(" loc("); begin != whole.npos; begin = whole.find(" loc(", begin + 1)) {
    const size_t open = whole.find('(', begin);
    if (closing(whole, open) != whole.size() - 1) continue;
    line = trimmed(whole.substr(0, begin));
    return whole.substr(open + 1, whole.size() - open - 2);
  }
  return {};
}

MlirOperation mlir_operation(std::string_view line) {
  MlirOperation op;
  line = trimmed(line);
  if (line.ends_with('{')) {
    op.opens_region = true;
    line.remove_suffix(1);
    line = trimmed(line);
    if (line.ends_with('(')) line = trimmed(line.substr(0, line.size() - 1));
  }
  op.location = take_location(line);
  if (line.starts_with('%')) {
    const size_t equals = line.find(" = ");
    if (equals == line.npos) return op;
    for (const std::string_view result : split_list(line.substr(0, equals))) {
      const size_t colon = result.find(':');
      const uint64_t count = colon == result.npos ? 1 : leading_number(result.substr(colon + 1));
      if (result.starts_with('%') && op.values() < kMaxValues)
        op.results.emplace_back(result.substr(1, std::min(colon, result.size()) - 1),
                                static_cast<uint32_t>(std::clamp<uint64_t>(count, 1, kMaxValues)));
    }
    line = trimmed(line.substr(equals + 3));
  }
  if (line.starts_with('"')) {
    const size_t end = behind_string(line, 0);
    op.name = without_quotes(line.substr(0, end));
    line = line.substr(end);
  } else {
    const size_t end = std::min(line.find_first_not_of(kMlirNameLetters), line.size());
    op.name = line.substr(0, end);
    line = line.substr(end);
  }
  op.body = line;
  for (size_t at = find_outside(line, " : ", Angles::kBrackets); at != line.npos;
       at = find_outside(line, " : ", Angles::kBrackets, at + 1)) {
    op.body = line.substr(0, at);
    op.types = trimmed(line.substr(at + 3));
  }
  return op;
}

std::vector<std::string> result_types(std::string_view types, uint32_t values) {
  std::vector<std::string> found;
  const size_t arrow = find_outside(types, "->", Angles::kBrackets);
  std::string_view list = trimmed(arrow == types.npos ? types : types.substr(arrow + 2));
  if (list.starts_with('(') && closing(list, 0, Angles::kBrackets) == list.size() - 1)
    list = list.substr(1, list.size() - 2);
  const std::vector<std::string_view> all = split_list(list, Angles::kBrackets);
  // A short form such as "select %p, %a, %b : tensor<i1>, tensor<f32>" ends with the type of its result.
  for (uint32_t i = 0; i < values && !all.empty(); ++i)
    found.push_back(mlir_type_text(all.size() == values ? all[i] : all.back()));
  return found;
}

std::string mlir_type_text(std::string_view type) {
  type = trimmed(type);
  constexpr std::string_view kTensor = "tensor<";
  if (const size_t attributes = type.find(" {"); attributes != type.npos) type = type.substr(0, attributes);
  if (!type.starts_with(kTensor) || !type.ends_with('>')) return std::string(cut(type, 200));
  std::string_view inner = type.substr(kTensor.size(), type.size() - kTensor.size() - 1);
  if (const size_t encoding = find_outside(inner, ",", Angles::kBrackets); encoding != inner.npos)
    inner = trimmed(inner.substr(0, encoding));
  std::string sizes;
  while (!inner.empty() && (is_digit(inner[0]) || inner[0] == '?' || inner[0] == '*')) {
    const size_t x = inner.find('x');
    if (x == inner.npos) break;
    sizes += (sizes.empty() ? "" : ", ") + std::string(inner.substr(0, x));
    inner.remove_prefix(x + 1);
  }
  return element_type(inner) + " (" + sizes + ")";
}

std::vector<std::pair<std::string_view, std::string>> mlir_arguments(std::string_view list) {
  std::vector<std::pair<std::string_view, std::string>> found;
  for (std::string_view one : split_list(list, Angles::kBrackets)) {
    if (!one.starts_with('%')) continue;
    take_location(one);
    const size_t colon = one.find(':');
    const std::string_view name = trimmed(one.substr(1, std::min(colon, one.size()) - 1));
    found.emplace_back(name, colon == one.npos ? std::string() : mlir_type_text(one.substr(colon + 1)));
  }
  return found;
}

}  // namespace footlight::foreign
