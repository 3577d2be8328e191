// The code of FX is a small part of Python: a statement in a line, with what is deleted behind it.
#include "engine/foreign/fx_statement.h"

#include "engine/base/text.h"
#include "engine/foreign/scan.h"

#include <algorithm>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxArguments = 200;

bool is_name(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && std::ranges::all_of(text, is_word);
}
bool is_path(std::string_view text) {
  const auto is_of_path = [](char c) { return is_word(c) || c == '.'; };
  return !text.empty() && !is_digit(text[0]) && std::ranges::all_of(text, is_of_path);
}

struct Operator { std::string_view written, name; };
// The longer ones first.
constexpr Operator kOperators[] = {
    {" is not ", "is_not"}, {" not in ", "contains"}, {" == ", "eq"},      {" != ", "ne"},      {" <= ", "le"},
    {" >= ", "ge"},         {" // ", "floordiv"},     {" ** ", "pow"},     {" << ", "lshift"},  {" >> ", "rshift"},
    {" < ", "lt"},          {" > ", "gt"},            {" + ", "add"},      {" - ", "sub"},      {" * ", "mul"},
    {" / ", "truediv"},     {" % ", "mod"},           {" @ ", "matmul"},   {" & ", "and_"},     {" | ", "or_"},
    {" ^ ", "xor"},         {" is ", "is_"}};
constexpr Operator kInPlace[] = {
    {" += ", "iadd"},   {" -= ", "isub"},  {" *= ", "imul"},    {" /= ", "itruediv"}, {" //= ", "ifloordiv"},
    {" %= ", "imod"},   {" @= ", "imatmul"}, {" **= ", "ipow"}, {" &= ", "iand"},     {" |= ", "ior"},
    {" ^= ", "ixor"},   {" <<= ", "ilshift"}, {" >>= ", "irshift"}};

// "torch.ops.aten.add.Tensor": "add.Tensor"; "torch.nn.functional.relu": "relu".
std::string op_of_path(std::string_view path) {
  size_t dot = path.rfind('.');
  if (path.starts_with("torch.ops.") && std::ranges::count(path, '.') >= 4) {
    if (path.ends_with(".default")) path = path.substr(0, dot), dot = path.rfind('.');
    else dot = path.rfind('.', dot - 1);
  }
  return std::string(dot == path.npos ? path : path.substr(dot + 1));
}

// "getattr(self.layers, "0")" -> "self.layers.0", with what stands behind it in `rest`.
std::string attribute_path(std::string_view text, std::string_view& rest) {
  if (text.starts_with("getattr(")) {
    const size_t close = closing(text, 7);
    if (close == text.npos) return {};
    rest = text.substr(close + 1);
    const auto parts = split_list(text.substr(8, close - 8));
    if (parts.size() != 2 || parts[1].size() < 2) return {};
    std::string_view inner_rest;
    std::string path = attribute_path(parts[0], inner_rest) + ".";
    path += parts[1].substr(1, parts[1].size() - 2);
    while (rest.starts_with('.')) {
      const size_t end = std::min(std::ranges::find_if_not(rest.substr(1), is_word) - rest.begin(),
                                  static_cast<std::ptrdiff_t>(rest.size()));
      path += rest.substr(0, static_cast<size_t>(end));
      rest.remove_prefix(static_cast<size_t>(end));
    }
    return path;
  }
  size_t end = 0;
  while (end < text.size() && (is_word(text[end]) || text[end] == '.')) ++end;
  rest = text.substr(end);
  return std::string(text.substr(0, end));
}

void take_arguments(std::string_view list, FxStatement& s) {
  size_t place = 0;
  for (const std::string_view one : split_list(list)) {
    if (s.arguments.size() >= kMaxArguments) break;
    const size_t equals = find_outside(one, "=");
    const bool is_named = equals != one.npos && is_name(trimmed(one.substr(0, equals))) &&
                          (equals + 1 >= one.size() || one[equals + 1] != '=');
    if (is_named) s.arguments.emplace_back(trimmed(one.substr(0, equals)), trimmed(one.substr(equals + 1)));
    else s.arguments.emplace_back(str("argument ", place), one);
    ++place;
  }
}

void take_expression(std::string_view text, FxStatement& s) {
  s.value = text;
  s.kind = FxKind::kCall;
  if (is_name(text) && text != "None" && text != "True" && text != "False") {
    s.kind = FxKind::kAlias;
    return;
  }
  for (const Operator& one : kOperators) {
    const size_t at = find_outside(text, one.written);
    if (at == text.npos || at == 0) continue;
    s.op = one.name;
    s.arguments = {{"argument 0", trimmed(text.substr(0, at))},
                   {"argument 1", trimmed(text.substr(at + one.written.size()))}};
    return;
  }
  if (text.starts_with('-') || text.starts_with('+') || text.starts_with('~')) {
    s.op = text[0] == '-' ? "neg" : text[0] == '+' ? "pos" : "invert";
    s.arguments = {{"argument 0", trimmed(text.substr(1))}};
    return;
  }
  std::string_view rest;
  const std::string path = attribute_path(text, rest);
  const bool is_of_self = path.starts_with("self.");
  if (rest.empty() && is_of_self) {
    s.kind = FxKind::kAttribute;
    s.op = path.substr(5);
  } else if (rest.empty() && path.find('.') != path.npos && is_path(path)) {
    s.op = "getattr";
    s.arguments = {{"argument 1", text.substr(text.rfind('.') + 1)}};
  } else if (path.empty() || rest.empty()) {
    s.op = "constant";
  } else if (const size_t close = closing(rest, 0); rest[0] == '(' && close == rest.size() - 1) {
    s.op = is_of_self ? path.substr(5) : op_of_path(path);
    take_arguments(rest.substr(1, close - 1), s);
  } else if (rest.ends_with(']')) {
    s.op = "getitem";
    const size_t open = rest.rfind('[');
    s.arguments = {{"argument 1", rest.substr(open + 1, rest.size() - open - 2)}};
  } else if (rest.ends_with(')')) {
    // "a.shape[0].view(...)": the last call.
    const size_t open = text.rfind('(');
    const std::string_view callee = text.substr(0, open);
    s.op = callee.substr(callee.rfind('.') + 1);
    take_arguments(text.substr(open + 1, text.size() - open - 2), s);
  } else {
    s.op = "getattr";
    s.arguments = {{"argument 1", rest.substr(rest.rfind('.') + 1)}};
  }
}

}  // namespace

FxStatement fx_statement(std::string_view line) {
  FxStatement s;
  line = trimmed(line);
  if (line == "return" || line.starts_with("return ") || line.starts_with("return(")) {
    s.kind = FxKind::kReturn;
    s.value = line.substr(6);
    return s;
  }
  if (const size_t comment = find_outside(line, "  # "); comment != line.npos) line = trimmed(line.substr(0, comment));
  const size_t end = find_outside(line, ";");
  const std::string_view first = trimmed(line.substr(0, end));
  const std::string_view behind = end == line.npos ? std::string_view() : trimmed(line.substr(end + 1));
  size_t equals = find_outside(first, " = ");
  // "x[0] = 1;  setitem = x" and "x += 1;  y = x" name the node in the second statement.
  const bool is_subscript = equals != first.npos && first.substr(0, equals).ends_with(']') &&
                            first.find(':') > first.find('[');
  const Operator* in_place = nullptr;
  for (const Operator& one : kInPlace)
    if (equals == first.npos && find_outside(first, one.written) != first.npos) in_place = &one;
  if (is_subscript || in_place) {
    const size_t second = find_outside(behind, " = ");
    if (second == behind.npos) return s;
    const std::string_view made = trimmed(behind.substr(0, second));
    const size_t colon = made.find(':');
    if (!is_name(trimmed(made.substr(0, colon)))) return s;
    s.kind = FxKind::kCall;
    s.op = is_subscript ? "setitem" : std::string(in_place->name);
    s.name = trimmed(made.substr(0, colon));
    if (colon != made.npos) s.type = fx_type_text(made.substr(colon + 1));
    s.value = first;
    return s;
  }
  if (equals == first.npos) return s;
  std::string_view target = trimmed(first.substr(0, equals));
  if (const size_t colon = target.find(':'); colon != target.npos) {
    s.type = fx_type_text(target.substr(colon + 1));
    target = trimmed(target.substr(0, colon));
  }
  const std::string_view expression = trimmed(first.substr(equals + 3));
  if (!is_name(target) || expression == "None" || expression.empty()) return s;
  s.name = target;
  take_expression(expression, s);
  return s;
}

FxStatement fx_listed(std::string_view line) {
  FxStatement s;
  line = trimmed(line);
  if (line.starts_with("return")) {
    s.kind = FxKind::kReturn;
    s.value = line.substr(6);
    return s;
  }
  const size_t equals = find_outside(line, " = ");
  if (!line.starts_with('%') || equals == line.npos) return s;
  s.name = line.substr(1, line.find_first_of(" :") - 1);
  std::string_view rest = trimmed(line.substr(equals + 3));
  const size_t open = rest.find("[target=");
  if (open == rest.npos || !is_name(s.name)) return s;
  const std::string_view opcode = rest.substr(0, open);
  const size_t close = closing(rest, open);
  if (close == rest.npos) return s;
  const std::string_view target = rest.substr(open + 8, close - open - 8);
  rest = rest.substr(close + 1);
  s.value = rest;
  s.kind = opcode == "placeholder" ? FxKind::kInput : opcode == "get_attr" ? FxKind::kAttribute : FxKind::kCall;
  s.op = opcode == "call_function" ? op_of_path(target) : std::string(target);
  constexpr std::string_view kPlain = "args = (", kNamed = "kwargs = {";
  if (s.kind != FxKind::kCall) return s;
  if (const size_t at = rest.find(kPlain); at != rest.npos) {
    const size_t begin = at + kPlain.size();
    const size_t until = std::min(closing(rest, begin - 1), rest.size());
    take_arguments(rest.substr(begin, until - begin), s);
  }
  if (const size_t at = rest.rfind(kNamed); at != rest.npos) {
    const size_t begin = at + kNamed.size();
    const size_t until = std::min(closing(rest, begin - 1), rest.size());
    for (const std::string_view one : split_list(rest.substr(begin, until - begin)))
      if (const size_t colon = one.find(':'); colon != one.npos && s.arguments.size() < kMaxArguments)
        s.arguments.emplace_back(trimmed(one.substr(0, colon)), trimmed(one.substr(colon + 1)));
  }
  return s;
}

std::string fx_type_text(std::string_view annotation) {
  annotation = trimmed(annotation);
  if (annotation.size() >= 2 && (annotation[0] == '"' || annotation[0] == '\''))
    annotation = without_quotes(annotation);
  const size_t open = annotation.find('[');
  const size_t close = open == annotation.npos ? open : closing(annotation, open);
  if (close == annotation.npos || annotation.find('.') < open) return std::string(cut(annotation, 200));
  return array_type(annotation.substr(0, open), annotation.substr(open + 1, close - open - 1));
}

std::vector<std::string_view> fx_names(std::string_view expression) {
  std::vector<std::string_view> found;
  for (size_t i = 0; i < expression.size();) {
    const char c = expression[i];
    if (c == '"' || c == '\'') {
      i = behind_string(expression, i);
      continue;
    }
    if (!is_word(c)) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < expression.size() && is_word(expression[end])) ++end;
    const bool is_part = i > 0 && expression[i - 1] == '.';
    size_t behind = end;
    while (behind < expression.size() && expression[behind] == ' ') ++behind;
    const std::string_view next = expression.substr(behind);
    const bool is_keyword = next.starts_with('=') && !next.starts_with("==") && end > i;
    if (!is_digit(c) && !is_part && !is_keyword) found.push_back(expression.substr(i, end - i));
    i = end;
  }
  return found;
}

}  // namespace footlight::foreign
