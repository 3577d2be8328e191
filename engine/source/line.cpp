// Reads the tokens of a line, or its characters where the words inside of f-strings count too.
#include "engine/source/line.h"

#include <algorithm>

namespace footlight::source {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == text.npos ? std::string_view() : text.substr(first, last + 1 - first);
}

std::string_view without_comment(std::string_view line) {
  Lexer lexer(line);
  while (lexer.next())
    if (lexer.token.kind == TokenKind::kComment) return line.substr(0, lexer.token.begin);
  return line;
}

std::string_view defined_function(std::string_view line) {
  Lexer lexer(line);
  while (lexer.next() && lexer.text() == "async") continue;
  return lexer.text() == "def" && lexer.next() && lexer.token.kind == TokenKind::kName ? lexer.text() : "";
}

bool is_definition(std::string_view line) {
  line = trimmed(line);
  return line.empty() || line.starts_with('@') || line.starts_with("class ") || !defined_function(line).empty() ||
         line.find("lambda") != line.npos;
}

std::string_view line_at(std::string_view text, int number) {
  for (int at = 1; !text.empty(); ++at) {
    const size_t end = text.find('\n');
    if (at == number) return text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return {};
}

bool has_name(std::string_view line, std::string_view name) {
  Lexer lexer(line);
  while (lexer.next()) {
    const size_t from = lexer.token.begin;
    if (lexer.text() == name && (from == 0 || line[from - 1] != '.')) return true;
  }
  return false;
}

std::vector<std::string> names_in(std::string_view line) {
  std::vector<std::string> names;
  Lexer lexer(line);
  while (lexer.next()) {
    if (lexer.token.kind != TokenKind::kName) continue;
    lexer.take_attributes();
    std::string name(lexer.text());
    const std::string_view rest = line.substr(lexer.token.end);
    if (rest.starts_with('"') || rest.starts_with('\'')) continue;  // the prefix of a string
    const bool is_keyword = rest.starts_with('=') && !rest.starts_with("==");
    if (rest.starts_with('(')) name.resize(name.find('.') == name.npos ? 0 : name.rfind('.'));
    if (!is_keyword && !name.empty()) names.push_back(std::move(name));
  }
  return names;
}

bool assigns(std::string_view line, std::string_view name) {
  line = unindented(line);
  if (line.starts_with("for ")) return has_name(line.substr(0, line.find(" in ")), name);
  const size_t equals = line.find(" = ");
  if (equals == line.npos) return false;
  const std::string_view target = line.substr(0, equals);
  return target.find_first_of("([{") == target.npos && has_name(target, name) && !target.ends_with('.');
}

int brackets_opened(std::string_view line) {
  int opened = 0;
  Lexer lexer(line);
  while (lexer.next()) opened += (lexer.token.kind == TokenKind::kOpen) - (lexer.token.kind == TokenKind::kClose);
  return opened;
}

size_t find_call(std::string_view line, std::string_view callee, size_t at) {
  for (at = line.find(callee, at); at != line.npos; at = line.find(callee, at + 1)) {
    const size_t end = at + callee.size();
    const bool is_whole = at == 0 || !in_name(line[at - 1]);
    if (is_whole && end < line.size() && line[end] == '(' && !line.substr(0, at).ends_with("def ")) return end + 1;
  }
  return line.npos;
}

std::optional<std::vector<std::string_view>> arguments_from(std::string_view text, size_t at) {
  std::vector<std::string_view> found;
  size_t begin = at;
  int depth = 0;
  Lexer lexer(text.substr(at));
  while (lexer.next()) {
    const size_t here = at + lexer.token.begin;
    if (lexer.token.kind == TokenKind::kComment) return std::nullopt;
    if (lexer.token.kind == TokenKind::kOpen) {
      ++depth;
    } else if (depth == 0 && (lexer.is(',') || lexer.is(')'))) {
      found.push_back(text.substr(begin, here - begin));
      begin = here + 1;
      if (lexer.is(')')) return found;
    } else if (lexer.token.kind == TokenKind::kClose) {
      --depth;
    }
  }
  return std::nullopt;
}

std::string_view keyword_of(std::string_view argument) {
  const size_t end = argument.find('=');
  if (end == argument.npos || (end + 1 < argument.size() && argument[end + 1] == '=')) return {};
  const std::string_view keyword = trimmed(argument.substr(0, end));
  return std::ranges::all_of(keyword, [](char c) { return in_name(c); }) ? keyword : std::string_view();
}

std::string iterating_call(std::string_view line, size_t* arguments) {
  struct Known {
    std::string_view name, module;  // of the standard library; no module: a built-in function
  };
  static constexpr Known kKnown[] = {{"reduce", "functools"}, {"accumulate", "itertools"}, {"starmap", "itertools"},
                                     {"sum", ""},             {"map", ""},                 {"prod", "math"}};
  for (size_t at = line.find('('); at != line.npos; at = line.find('(', at + 1)) {
    size_t from = at;
    while (from > 0 && (in_name(line[from - 1]) || line[from - 1] == '.')) --from;
    const std::string_view called = line.substr(from, at - from);
    for (const Known& known : kKnown) {
      const bool with_module = !known.module.empty() && called.size() == known.module.size() + 1 + known.name.size() &&
                               called.starts_with(known.module) && called.ends_with(known.name) &&
                               called[known.module.size()] == '.';
      if (called != known.name && !with_module) continue;
      if (arguments) *arguments = at + 1;
      return std::string(called);
    }
  }
  return {};
}

std::string_view lambda_text(std::string_view line) {
  constexpr std::string_view kLambda = "lambda";
  const size_t from = line.find(kLambda);
  if (from == line.npos || line.find(kLambda, from + 1) != line.npos) return {};
  line.remove_prefix(from);
  int depth = 0;
  bool in_body = false;
  Lexer lexer(line);
  while (lexer.next()) {
    const TokenKind kind = lexer.token.kind;
    const bool ends = kind == TokenKind::kClose || kind == TokenKind::kComment || (in_body && lexer.is(','));
    if (depth == 0 && ends) return trimmed(line.substr(0, lexer.token.begin));
    in_body |= depth == 0 && lexer.is(':');
    depth += (kind == TokenKind::kOpen) - (kind == TokenKind::kClose);
  }
  return depth == 0 && in_body ? trimmed(line) : std::string_view();
}

}  // namespace footlight::source
