// "| +- TENSOR_MATCH: check_tensor(L['x'], Tensor, ..., torch.float32, ..., size=[4, 8])  # y = relu(x)  # a.py:4 in f"
#include "engine/foreign/torch_guards.h"

#include "engine/foreign/scan.h"

#include <algorithm>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxGuards = 10'000, kMaxCode = 2000, kMaxPath = 500;

// The items of "size=[4, None]" as "4,None".
std::string sizes_of(std::string_view arguments) {
  const size_t at = find_outside(arguments, "size=[");
  if (at == arguments.npos) return {};
  const size_t close = closing(arguments, at + 5);
  if (close == arguments.npos) return {};
  std::string sizes;
  for (const std::string_view size : split_list(arguments.substr(at + 6, close - at - 6)))
    sizes += (sizes.empty() ? "" : ",") + std::string(size);
  return sizes;
}

session::KeyLeaf leaf_of(std::string_view kind, std::string_view code) {
  session::KeyLeaf leaf;
  leaf.path = torch_source(code);
  leaf.parameter = leaf.path.substr(0, leaf.path.find_first_of(".["));
  leaf.role = leaf.path.empty() ? session::KeyRole::kContext : session::KeyRole::kGuard;
  leaf.kind = leaf.path.empty() ? "context" : "object";
  leaf.code = cut(code, kMaxCode);
  if (kind == "TENSOR_MATCH") {
    leaf.kind = "tensor";
    const size_t open = code.find('(');
    if (open == code.npos) return leaf;
    const std::string_view arguments = code.substr(open + 1, std::min(closing(code, open), code.size()) - open - 1);
    for (const std::string_view one : split_list(arguments))
      if (one.starts_with("torch.") && leaf.type.empty()) leaf.type = one.substr(6);
    leaf.shape = sizes_of(arguments);
  } else if (const size_t equals = code.find(" == "); equals != code.npos && !leaf.path.empty()) {
    leaf.kind = kind == "EQUALS_MATCH" || kind == "CONSTANT_MATCH" ? "literal" : "object";
    leaf.value = cut(trimmed(code.substr(equals + 4)), kMaxCode);
  }
  return leaf;
}

}  // namespace

std::string torch_source(std::string_view expression) {
  size_t at = std::min(expression.find("L['"), expression.find("G['"));
  if (at == expression.npos) return {};
  const bool is_global = expression[at] == 'G';
  const size_t end = expression.find("']", at + 3);
  if (end == expression.npos) return {};
  std::string path = (is_global ? "global " : "") + std::string(expression.substr(at + 3, end - at - 3));
  for (at = end + 2; at < expression.size() && path.size() < kMaxPath;) {
    size_t next = at;
    if (expression[at] == '.') {
      for (++next; next < expression.size() && is_word(expression[next]);) ++next;
      if (next < expression.size() && expression[next] == '(') break;  // a method: ".size()"
    } else if (expression[at] == '[') {
      next = closing(expression, at);
      if (next == expression.npos) break;
      ++next;
    } else {
      break;
    }
    path += expression.substr(at, next - at);
    at = next;
  }
  return std::string(cut(path, kMaxPath));
}

std::vector<session::KeyLeaf> torch_guards(std::string_view tree) {
  std::vector<session::KeyLeaf> leaves;
  for (Lines lines(tree); lines.next() && leaves.size() < kMaxGuards;) {
    std::string_view line = lines.line();
    const size_t begin = line.find("+- ");
    if (begin == line.npos) continue;
    line = line.substr(begin + 3);
    const size_t colon = line.find(": ");
    if (colon == line.npos) continue;
    const std::string_view kind = line.substr(0, colon);
    // "GuardManager: ..." is a place in the tree.
    if (kind.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != kind.npos) continue;
    line = line.substr(colon + 2);
    leaves.push_back(leaf_of(kind, trimmed(line.substr(0, line.find("  # ")))));
  }
  return leaves;
}

}  // namespace footlight::foreign
