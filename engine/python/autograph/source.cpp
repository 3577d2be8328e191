// The lines of a function are cut out of its file and parsed alone; lambdas, and functions that cannot be cut out,
// are looked up in the tree of the whole file.
#include "engine/python/autograph/source.h"
#include "engine/base/text.h"
#include "engine/python/autograph/source_check.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/disable_tracing.h"
#include "engine/source/lexer.h"

#include <sys/stat.h>

namespace footlight::python {

using namespace autograph;

namespace {

// linecache would wait for a FIFO and read all of a device. Where there is no such file it asks the loader.
bool may_be_read(PyObject* filename) {
  constexpr off_t kMax = off_t{64} << 20;
  const Ref bytes = Ref::steal(PyUnicode_EncodeFSDefault(filename));
  if (!bytes) return false;
  const std::string name = PyBytes_AS_STRING(bytes.get());
  const auto harmless = [](const struct stat& there) { return S_ISREG(there.st_mode) && there.st_size <= kMax; };
  struct stat s;
  if (stat(name.c_str(), &s) == 0) return harmless(s);
  if (name.starts_with('/')) return true;
  PyObject* const folders = PySys_GetObject("path");  // linecache searches it in this order
  for (Py_ssize_t i = 0; folders && PyList_Check(folders) && i < PyList_GET_SIZE(folders); ++i) {
    PyObject* const folder = PyList_GET_ITEM(folders, i);
    if (!PyUnicode_Check(folder)) continue;
    const Ref path = Ref::steal(PyUnicode_EncodeFSDefault(folder));
    if (!path) return false;
    const std::string whole = str(PyBytes_AS_STRING(path.get()), "/", name);
    if (stat(whole.c_str(), &s) == 0) return harmless(s);
  }
  return true;
}

// Whether all lines can be parsed: a notebook cell may contain lone surrogates.
bool is_utf8(PyObject* lines) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(lines); ++i) {
    PyObject* line = PyList_GET_ITEM(lines, i);
    if (!PyUnicode_Check(line)) return false;
    if (PyUnicode_IS_COMPACT_ASCII(line)) continue;
    const Ref bytes = Ref::steal(PyUnicode_AsUTF8String(line));
    if (bytes) continue;
    clear_only(PyExc_UnicodeEncodeError);
    return false;
  }
  return true;
}

Ref parse(const std::string& text, PyObject* filename, int code_flags) {
  PyCompilerFlags flags{};
  flags.cf_flags = PyCF_ONLY_AST | PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE | (code_flags & PyCF_MASK);
  flags.cf_feature_version = PY_MINOR_VERSION;
  const NoWarnings quiet;
  return Ref::steal(Py_CompileStringObject(text.c_str(), filename, Py_file_input, &flags, -1));
}

// The text of the def that begins (with its decorators) on line `first`, from 0; empty if it could not be cut out.
std::string cut_out(PyObject* lines, Py_ssize_t first, bool& indented) {
  std::string text;
  source::StatementLines statements;
  bool statement_start = true, in_body = false;
  size_t margin = 0;
  for (Py_ssize_t i = first; i < PyList_GET_SIZE(lines); ++i) {
    const std::string_view line = utf8(PyList_GET_ITEM(lines, i));
    if (statement_start) {
      const size_t indent = source::indent_of(line).columns;
      const bool blank = source::is_blank_or_comment(line);
      if (blank && text.empty()) return {};
      if (!blank) {
        if (text.empty()) {
          margin = indent;
          indented = margin > 0;
          if (indented) text = "if 1:\n";
        } else if (in_body && indent <= margin) {
          break;
        } else if (!in_body && indent != margin) {
          return {};
        }
        if (!in_body && source::leading_word(line) == "def") in_body = true;
        else if (!in_body && !source::unindented(line).starts_with('@')) return {};
      }
    }
    text += line;
    statement_start = statements.feed(line);
  }
  return in_body ? text : std::string();
}

// The class to which private names (__x) in the function belong, from its qualified name.
std::string private_class(PyCodeObject* code) {
  const std::string qualname = readable(code->co_qualname);
  std::vector<std::string> parts;
  for (size_t from = 0; from <= qualname.size();) {
    const size_t dot = std::min(qualname.find('.', from), qualname.size());
    parts.push_back(qualname.substr(from, dot - from));
    from = dot + 1;
  }
  for (size_t i = parts.size(); i-- > 1;)
    if (parts[i] != "<locals>" && parts[i - 1] != "<locals>") return parts[i - 1];
  return {};
}

// The first statement of `module`, or of the `if 1:` that was put around it.
PyObject* first_statement(PyObject* module, bool indented) {
  Ref body = optional_attribute(module, "body");
  if (!body || !PyList_Check(body.get()) || PyList_GET_SIZE(body.get()) == 0) return nullptr;
  PyObject* statement = PyList_GET_ITEM(body.get(), 0);
  if (!indented) return statement;
  body = optional_attribute(statement, "body");
  if (!body || !PyList_Check(body.get()) || PyList_GET_SIZE(body.get()) == 0) return nullptr;
  return PyList_GET_ITEM(body.get(), 0);
}

std::vector<std::string_view> parameter_names(const Node* arguments) {
  std::vector<std::string_view> names;
  auto add = [&](const Node* arg) { if (arg) names.push_back(arg->name(at::arg::arg)->text); };
  for (const int slot : {+at::arguments::posonlyargs, +at::arguments::args, +at::arguments::kwonlyargs})
    for (const Node* arg : arguments->list(slot)) add(arg);
  add(arguments->node(at::arguments::vararg));
  add(arguments->node(at::arguments::kwarg));
  return names;
}

bool same_parameters(const Node* arguments, PyCodeObject* code) {
  const std::vector<std::string_view> names = parameter_names(arguments);
  const int count = code->co_argcount + code->co_kwonlyargcount + !!(code->co_flags & CO_VARARGS) +
                    !!(code->co_flags & CO_VARKEYWORDS);
  if (static_cast<int>(names.size()) != count) return false;
  const Ref variables = checked(PyCode_GetVarnames(code));
  for (int i = 0; i < count; ++i) {
    const std::string known = readable(PyTuple_GET_ITEM(variables.get(), i));
    if (known == names[static_cast<size_t>(i)]) continue;
    // Private names are mangled in the code.
    if (!names[static_cast<size_t>(i)].starts_with("__") || !known.ends_with(names[static_cast<size_t>(i)]))
      return false;
  }
  return true;
}

// The smallest source range that covers the code's instructions: for a lambda, its body.
Position extent(PyCodeObject* code) {
  Position at{UINT32_MAX, 0, 0, 0};
  const Ref bytes = checked(PyCode_GetCode(code));
  for (Py_ssize_t offset = 0; offset < PyBytes_GET_SIZE(bytes.get()); offset += 2) {
    int line, column, end_line, end_column;
    if (!PyCode_Addr2Location(code, static_cast<int>(offset), &line, &column, &end_line, &end_column)) continue;
    if (line <= 0 || column < 0 || end_line <= 0 || end_column < 0 ||
        (line == end_line && column == end_column))
      continue;
    const auto l = static_cast<uint32_t>(line), c = static_cast<uint32_t>(column), el = static_cast<uint32_t>(end_line),
               ec = static_cast<uint32_t>(end_column);
    if (l < at.line || (l == at.line && c < at.column)) at.line = l, at.column = c;
    if (el > at.end_line || (el == at.end_line && ec > at.end_column)) at.end_line = el, at.end_column = ec;
  }
  return at;
}

bool covers(const Position& outer, const Position& inner) {
  const bool begins = outer.line < inner.line || (outer.line == inner.line && outer.column <= inner.column);
  const bool ends = outer.end_line > inner.end_line ||
                    (outer.end_line == inner.end_line && outer.end_column >= inner.end_column);
  return begins && ends;
}

// The last few files that were parsed as a whole.
struct WholeFile {
  std::string name;
  Ref lines;
  std::shared_ptr<ParsedFile> parsed;
  std::vector<std::pair<Node*, PyObject*>> functions;
};

WholeFile* whole_file(const std::string& name, const Ref& lines, PyObject* filename, int flags, std::string& reason) {
  static std::vector<WholeFile>& files = *new std::vector<WholeFile>;
  for (WholeFile& file : files)
    if (file.name == name && file.lines.get() == lines.get()) return &file;
  std::string text;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(lines.get()); ++i) {
    text += utf8(PyList_GET_ITEM(lines.get(), i));
  }
  WholeFile file{name, lines, std::make_shared<ParsedFile>(), {}};
  ParsedFile& parsed = *file.parsed;
  parsed.module = parse(text, filename, flags);
  if (!parsed.module) {
    reason = "its file cannot be parsed: " + take_message();
    return nullptr;
  }
  ReadOptions options;
  options.functions = &file.functions;
  parsed.root = read_ast(parsed.module.get(), parsed.tree, options);
  if (!parsed.root) {
    reason = take_message();
    return nullptr;
  }
  if (files.size() == 8) files.erase(files.begin());
  files.push_back(std::move(file));
  return &files.back();
}

PyObject* find_in_file(const WholeFile& file, PyCodeObject* code) {
  const std::string name = readable(code->co_name);
  const bool lambda = name == "<lambda>";
  const Position wanted = lambda ? extent(code) : Position{};
  const Node* best = nullptr;
  PyObject* found = nullptr;
  for (const auto& [node, object] : file.functions) {
    if (lambda) {
      if (node->kind != Kind::kLambda || static_cast<int>(node->at.line) != code->co_firstlineno) continue;
      if (!same_parameters(node->node(at::Lambda::args), code)) continue;
      const Position& body = node->node(at::Lambda::body)->at;
      if (wanted.line != UINT32_MAX && !covers(body, wanted)) continue;
      if (best && covers(body, best->node(at::Lambda::body)->at)) continue;
    } else {
      if (node->kind == Kind::kLambda || node->name(at::FunctionDef::name)->text != name) continue;
      const List& decorators = node->list(at::FunctionDef::decorator_list);
      const uint32_t line = decorators.empty() ? node->at.line : decorators[0]->at.line;
      if (static_cast<int>(line) != code->co_firstlineno ||
          !same_parameters(node->node(at::FunctionDef::args), code))
        continue;
    }
    best = node;
    found = object;
  }
  return found;
}

}  // namespace

Ref lines_of_file(PyObject* filename, PyObject* globals) {
  const DisableTracing disable_tracing;
  static PyObject *get_lines = nullptr, *check = nullptr, *cache = nullptr;
  if (!get_lines) {
    const Ref module = Ref::steal(PyImport_ImportModule("linecache"));
    if (!module) return {};
    check = PyObject_GetAttrString(module.get(), "checkcache");
    cache = PyObject_GetAttrString(module.get(), "cache");
    get_lines = PyObject_GetAttrString(module.get(), "getlines");
    if (!check || !cache || !get_lines) return {};
  }
  const Ref done = Ref::steal(PyObject_CallOneArg(check, filename));
  if (!done) return {};
  PyObject* const known = PyDict_Check(cache) ? find_item(cache, filename) : nullptr;
  const bool read_already = known && PyTuple_Check(known) && PyTuple_GET_SIZE(known) > 1;
  if (!read_already && !may_be_read(filename)) return {};
  return Ref::steal(PyObject_CallFunctionObjArgs(get_lines, filename, globals, nullptr));
}

const Node* tree_of_file(PyObject* filename, PyObject* globals) {
  const Ref lines = lines_of_file(filename, globals);
  std::string reason;
  if (lines && PyList_Check(lines.get()) && PyList_GET_SIZE(lines.get()) && is_utf8(lines.get()) && init_ast_bridge())
    if (const WholeFile* file = whole_file(readable(filename), lines, filename, 0, reason)) return file->parsed->root;
  clear_only(PyExc_Exception);
  return nullptr;
}

Ref parse_function(const std::string& text, bool indented, PyObject* filename, int code_flags, PyObject** node) {
  Ref module = parse(text, filename, code_flags);
  *node = module ? first_statement(module.get(), indented) : nullptr;
  return module;
}

FoundSource find_source(PyCodeObject* code, PyObject* globals) {
  FoundSource found;
  found.file = readable(code->co_filename);
  found.options.private_class = private_class(code);
  const std::string name = readable(code->co_name);
  const Ref lines = lines_of_file(code->co_filename, globals);
  if (!lines || !PyList_Check(lines.get()) || PyList_GET_SIZE(lines.get()) == 0) {
    clear_only(PyExc_Exception);
    found.reason = "its source is not available (code from a prompt or exec?)";
    return found;
  }
  found.lines = lines;
  if (!is_utf8(lines.get())) {
    found.reason = "its file is not a text file";
    return found;
  }
  if (!init_ast_bridge()) {
    found.reason = take_message();
    return found;
  }
  const Py_ssize_t first = code->co_firstlineno - 1;
  if (first < 0 || first >= PyList_GET_SIZE(lines.get())) {
    found.reason = kChangedFile;
    return found;
  }
  if (name != "<lambda>") {
    bool indented = false;
    std::string text = cut_out(lines.get(), first, indented);
    PyObject* statement = nullptr;
    if (Ref module =
            text.empty() ? Ref() : parse_function(text, indented, code->co_filename, code->co_flags, &statement)) {
      const Ref found_name = statement ? optional_attribute(statement, "name") : Ref();
      if (found_name && readable(found_name.get()) == name) {
        found.owner = module;
        found.node = statement;
        found.text = std::move(text);
        found.indented = indented;
        found.options.line_offset = static_cast<int>(first) - (indented ? 1 : 0);
        return found;
      }
    }
    take_message();  // the text does not parse alone
  }
  WholeFile* file = whole_file(found.file, lines, code->co_filename, code->co_flags, found.reason);
  if (!file) return found;
  found.node = find_in_file(*file, code);
  if (found.node) found.owner = file->parsed->module;
  else found.reason = kChangedFile;
  return found;
}

std::shared_ptr<const ParsedFile> parsed_file(PyObject* filename) {
  constexpr Py_ssize_t kMaxLines = 20'000;
  const Ref lines = lines_of_file(filename, nullptr);
  if (!lines || !PyList_Check(lines.get()) || PyList_GET_SIZE(lines.get()) == 0 ||
      PyList_GET_SIZE(lines.get()) > kMaxLines || !is_utf8(lines.get()) || !init_ast_bridge()) {
    clear_only(PyExc_Exception);
    return nullptr;
  }
  std::string reason;
  WholeFile* file = whole_file(readable(filename), lines, filename, 0, reason);
  if (!file) return nullptr;
  ParsedFile& parsed = *file->parsed;
  if (!parsed.definitions) parsed.definitions.emplace(parsed.tree, parsed.root);
  return file->parsed;
}

}  // namespace footlight::python
