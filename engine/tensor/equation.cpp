// Parsing and printing einsum equations.
#include "engine/tensor/equation.h"

#include "engine/base/text.h"

namespace footlight {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string labels_of(std::string_view text, std::string_view whole) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ellipsis = text.substr(i, 3) == "...";
    if (!is_letter(text[i]) && (!ellipsis || out.find('.') != std::string::npos))
      invalid("the einsum equation '", whole, "' has '", text.substr(i, 1),
              "' among its labels: letters are wanted, and at most one ellipsis for each operand");
    out += text[i];
    if (ellipsis) i += 2;
  }
  return out;
}

}  // namespace

Equation parse_equation(std::string_view text) {
  const size_t arrow = text.find("->");
  if (arrow == text.npos) invalid("the einsum equation '", text, "' has no '->'");
  Equation e;
  for (std::string_view rest = text.substr(0, arrow);;) {
    const size_t comma = rest.find(',');
    e.inputs.push_back(labels_of(rest.substr(0, comma), text));
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  e.output = labels_of(text.substr(arrow + 2), text);
  return e;
}

std::string to_string(const Equation& e) {
  std::string out;
  const auto put = [&](const std::string& labels) {
    for (char c : labels) out += c == '.' ? std::string("...") : std::string(1, c);
  };
  for (size_t i = 0; i < e.inputs.size(); ++i) {
    if (i) out += ',';
    put(e.inputs[i]);
  }
  out += "->";
  put(e.output);
  return out;
}

}  // namespace footlight
