// Looks the names of a line up in the functions around it, then in the module.
#include "engine/explain/captured_name.h"

#include "engine/explain/enclosing.h"

#include <algorithm>

namespace footlight::explain {
namespace {

bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); }
bool is_word(char c) { return starts_word(c) || (c >= '0' && c <= '9'); }

// "self.index", "TABLE": names with attributes, without what is called, keywords and texts.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') break;
    if (c == '"' || c == '\'') {
      at = text.find(c, at + 1);
      if (at == text.npos) break;
      ++at;
    } else if (starts_word(c)) {
      const size_t from = at;
      while (at < text.size() && (is_word(text[at]) || text[at] == '.')) ++at;
      std::string name(text.substr(from, at - from));
      const bool keyword = text.substr(at).starts_with('=') && !text.substr(at).starts_with("==");
      if (text.substr(at).starts_with('(')) name.resize(name.find('.') == name.npos ? 0 : name.rfind('.'));
      if (!keyword && !name.empty()) names.push_back(std::move(name));
    } else {
      at += at + 1 < text.size() && c >= '0' && c <= '9' && starts_word(text[at + 1]) ? 2 : 1;  // not the e of 1e9
    }
  }
  return names;
}

bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || (!is_word(text[at - 1]) && text[at - 1] != '.');
    if (begins && (at + word.size() == text.size() || !is_word(text[at + word.size()]))) return true;
  }
  return false;
}

// `name = ...`, `a, name = ...`, `for name in ...`
bool assigns(std::string_view text, std::string_view name) {
  text = unindented(text);
  if (text.starts_with("for ")) return has_word(text.substr(0, text.find(" in ")), name);
  const size_t equals = text.find(" = ");
  if (equals == text.npos) return false;
  const std::string_view target = text.substr(0, equals);
  return target.find_first_of("([{") == target.npos && has_word(target, name) && !target.ends_with('.');
}

class Lookup {
 public:
  Lookup(const Evidence& evidence, Outlines& outlines, const Line& line)
      : evidence_(evidence), outline_(outlines.of(line.file)), line_(line) {
    for (const SourceFunction& f : outline_.functions)
      if (f.line <= line.line && line.line <= f.last_line) around_.push_back(f);
    std::ranges::sort(around_, std::greater(), &SourceFunction::line);
  }

  CapturedName find(const std::string& name) const {
    const std::string root = name.substr(0, name.find('.'));
    if (root == "self" || root == "cls") {
      if (name == root) return {};
      const std::string whole = name.substr(0, name.find('.', root.size() + 1));
      return {"self." + whole.substr(root.size() + 1), attribute(whole)};
    }
    for (size_t i = 0; i < around_.size(); ++i) {
      const SourceFunction& f = around_[i];
      const Line at = assignment(root, f.line + 1, f.last_line, f.line);
      if (!at && !is_parameter(f, root)) continue;
      return i ? CapturedName{"closure " + root, at} : CapturedName();
    }
    const Line at = assignment(root, 1, evidence_.line_count(line_.file), 0);
    return at ? CapturedName{"global " + root, at} : imported(root, name);
  }

 private:
  bool is_parameter(const SourceFunction& f, std::string_view name) const {
    for (int line = f.line; line <= f.last_line; ++line) {
      const std::string_view text = evidence_.text({line_.file, line});
      if (has_word(text, name)) return true;
      if (text.find_last_not_of(" \t\r") != text.npos && text[text.find_last_not_of(" \t\r")] == ':') return false;
    }
    return false;
  }

  // The first one in that function itself; 0: in the module.
  Line assignment(std::string_view name, int first, int last, int function) const {
    for (Line at{line_.file, first}; at.line <= last; ++at.line)
      if (assigns(evidence_.text(at), name) && outline_.function_around(at.line) == function) return at;
    return {};
  }

  Line attribute(const std::string& whole) const {
    const int last = evidence_.line_count(line_.file);
    for (Line at{line_.file, 1}; at.line <= last; ++at.line)
      if (unindented(evidence_.text(at)).starts_with(whole + " = ")) return at;
    return {};
  }

  // `from data import TABLE`, or data.TABLE: made in another file of the user's.
  CapturedName imported(const std::string& root, const std::string& name) const {
    bool known = false, itself = false;
    const int last = evidence_.line_count(line_.file);
    for (int line = 1; line <= last && !known; ++line) {
      const std::string_view text = unindented(evidence_.text({line_.file, line}));
      known = (text.starts_with("from ") || text.starts_with("import ")) && has_word(text, root);
      itself = known && name == root && text.starts_with("from ") && !text.starts_with("from tensorflow");
    }
    const std::string item = name == root ? root : name.substr(name.rfind('.') + 1);
    for (const session::FileRecord& file : evidence_.records().files) {
      const int lines = file.id == line_.file || !known ? 0 : evidence_.line_count(file.id);
      for (Line at{file.id, 1}; at.line <= lines; ++at.line)
        if (evidence_.text(at).starts_with(item + " = ")) return {"global " + name, at};
    }
    return itself ? CapturedName{"global " + name, {}} : CapturedName();  // its file may not be in the session
  }

  const Evidence& evidence_;
  const SourceOutline& outline_;
  Line line_;
  std::vector<SourceFunction> around_;  // the innermost first
};

}  // namespace

CapturedName captured_name(const Evidence& evidence, Outlines& outlines, const Line& line) {
  const Lookup lookup(evidence, outlines, line);
  CapturedName best;
  for (const std::string& name : names_in(evidence.text(line))) {
    CapturedName found = lookup.find(name);
    if (found.path.empty()) continue;
    const std::string_view made = evidence.text(found.made);
    const bool array = made.find("np.") != made.npos || made.find("numpy") != made.npos;
    if (best.path.empty() || array) best = std::move(found);
    if (array) break;
  }
  return best;
}

}  // namespace footlight::explain
