// Looks the names of a line up in the functions around it, then in the module.
#include "engine/explain/captured_name.h"

#include "engine/source/line.h"

namespace footlight::explain {
namespace {

class Lookup {
 public:
  Lookup(const Evidence& evidence, Outlines& outlines, const Line& line)
      : evidence_(evidence), outline_(outlines.of(line.file)), line_(line) {
    for (const source::Function* f = outline_.innermost(line.line); f; f = outline_.around(*f)) around_.push_back(f);
  }

  CapturedName find(const std::string& name) const {
    const std::string root = name.substr(0, name.find('.'));
    if (root == "self" || root == "cls") {
      if (name == root) return {};
      const std::string whole = name.substr(0, name.find('.', root.size() + 1));
      return {"self." + whole.substr(root.size() + 1), attribute(whole)};
    }
    for (size_t i = 0; i < around_.size(); ++i) {
      const source::Function& f = *around_[i];
      const Line at = assignment(root, f.line + 1, f.last_line, f.line);
      if (!at && !is_parameter(f, root)) continue;
      return i ? CapturedName{"closure " + root, at} : CapturedName();
    }
    const Line at = assignment(root, 1, evidence_.line_count(line_.file), 0);
    return at ? CapturedName{"global " + root, at} : imported(root, name);
  }

 private:
  bool is_parameter(const source::Function& f, std::string_view name) const {
    for (int line = f.line; line <= f.last_line; ++line) {
      const std::string_view text = evidence_.text({line_.file, line});
      if (source::has_name(text, name)) return true;
      if (text.find_last_not_of(" \t\r") != text.npos && text[text.find_last_not_of(" \t\r")] == ':') return false;
    }
    return false;
  }

  // The first one in that function itself; 0: in the module.
  Line assignment(std::string_view name, int first, int last, int function) const {
    for (Line at{line_.file, first}; at.line <= last; ++at.line)
      if (source::assigns(evidence_.text(at), name) && outline_.function_around(at.line) == function) return at;
    return {};
  }

  Line attribute(const std::string& whole) const {
    const int last = evidence_.line_count(line_.file);
    for (Line at{line_.file, 1}; at.line <= last; ++at.line)
      if (source::unindented(evidence_.text(at)).starts_with(whole + " = ")) return at;
    return {};
  }

  // `from data import TABLE`, or data.TABLE: made in another file of the user's.
  CapturedName imported(const std::string& root, const std::string& name) const {
    bool known = false, itself = false;
    const int last = evidence_.line_count(line_.file);
    for (int line = 1; line <= last && !known; ++line) {
      const std::string_view text = source::unindented(evidence_.text({line_.file, line}));
      known = (text.starts_with("from ") || text.starts_with("import ")) && source::has_name(text, root);
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
  const source::Outline& outline_;
  Line line_;
  std::vector<const source::Function*> around_;  // the innermost first
};

}  // namespace

CapturedName captured_name(const Evidence& evidence, Outlines& outlines, const Line& line) {
  const Lookup lookup(evidence, outlines, line);
  CapturedName best;
  for (const std::string& name : source::names_in(evidence.text(line))) {
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
