// Parses the mini-language of PublicFunction::parameters, once per function, at its first call.
#include "engine/base/text.h"
#include "engine/python/calls/binder.h"
#include "engine/python/interpreter/module.h"

#include <cstdlib>

namespace footlight::python {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Removes everything up to `stop` (outside of quotes and brackets) from the front of `s`, and returns it.
std::string_view take(std::string_view& s, char stop) {
  int depth = 0;
  bool quoted = false;
  size_t i = 0;
  for (; i < s.size(); ++i) {
    const char c = s[i];
    if (c == '\'') quoted = !quoted;
    if (quoted) continue;
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (c == stop && depth == 0) break;
  }
  const std::string_view front = s.substr(0, i);
  s.remove_prefix(std::min(i + 1, s.size()));
  return trimmed(front);
}

ParameterType type_of(std::string_view word) {
  static constexpr std::pair<std::string_view, ParameterType> kWords[] = {
      {"tensor", ParameterType::kTensor},
      {"tensors", ParameterType::kTensors},
      {"tensor*", ParameterType::kTensorOrTensors},
      {"int", ParameterType::kInt},
      {"ints", ParameterType::kInts},
      {"bool", ParameterType::kBool},
      {"float", ParameterType::kFloat},
      {"str", ParameterType::kStr},
      {"dtype", ParameterType::kDType},
      {"shape", ParameterType::kShape},
      {"any", ParameterType::kAny}};
  for (const auto& [text, type] : kWords)
    if (text == word) return type;
  fail(ErrorKind::kInternal, "unknown type of a parameter: ", word);
}

Arg default_of(std::string_view text, ParameterType type) {
  if (text == "None") return {};
  if (text == "True" || text == "False") return {text == "True"};
  if (text.front() == '\'' || text.front() == '"') return {std::string(text.substr(1, text.size() - 2))};
  if (type == ParameterType::kDType) return {dtype_from_name(text)};
  if (text.front() == '[' || text.front() == '(') {
    ArgList list;
    for (std::string_view rest = text.substr(1, text.size() - 2); !trimmed(rest).empty();)
      list.push_back(default_of(take(rest, ','), ParameterType::kAny));
    return {list};
  }
  const std::string number(text);
  char* end;
  const long long i = std::strtoll(number.c_str(), &end, 0);
  if (!*end && type != ParameterType::kFloat) return {int64_t{i}};
  const double d = std::strtod(number.c_str(), &end);
  if (!*end) return {d};
  if (const DType dtype = dtype_from_name(text); dtype != DType::kInvalid) return {dtype};
  fail(ErrorKind::kInternal, "unknown default of a parameter: ", text);
}

}  // namespace

Ref parse_result(std::string_view text) {
  const size_t arrow = text.rfind("->");
  if (arrow == text.npos) return {};
  std::string_view rest = trimmed(text.substr(arrow + 2));
  if (rest == "tuple") return Ref::borrow(reinterpret_cast<PyObject*>(&PyTuple_Type));
  const size_t open = rest.find('(');
  FL_CHECK(open != rest.npos && rest.ends_with(')'));
  const std::string name(rest.substr(0, open));
  rest.remove_prefix(open + 1);
  Ref fields = checked(PyList_New(0));
  for (rest.remove_suffix(1); !rest.empty();) {
    Ref field = checked(PyUnicode_FromString(std::string(take(rest, ',')).c_str()));
    if (PyList_Append(fields.get(), field.get()) < 0) throw PythonErrorSet();
  }
  Ref collections = checked(PyImport_ImportModule("collections"));
  Ref make = checked(PyObject_GetAttrString(collections.get(), "namedtuple"));
  Ref type = checked(PyObject_CallFunction(make.get(), "sO", name.c_str(), fields.get()));
  Ref module = checked(PyUnicode_FromString("footlight"));
  if (PyObject_SetAttrString(type.get(), "__module__", module.get()) < 0) throw PythonErrorSet();
  return type;
}

std::vector<Parameter> parse_parameters(std::string_view text) {
  if (const size_t arrow = text.rfind("->"); arrow != text.npos) text = text.substr(0, arrow);
  std::vector<Parameter> all;
  std::vector<std::pair<size_t, std::string_view>> likes;  // resolved at the end: the other parameter may come later
  while (!trimmed(text).empty()) {
    std::string_view one = take(text, ',');
    Parameter p;
    p.name = take(one, ':');
    if (p.name.starts_with('*')) {
      p.variadic = true;
      p.name.erase(0, 1);
    }
    p.key = PyUnicode_InternFromString(p.name.c_str());
    if (!p.key) throw PythonErrorSet();
    std::string_view type = take(one, '=');
    std::string_view word = take(type, ' ');
    if (word.ends_with('?')) {
      p.optional = true;
      word.remove_suffix(1);
    }
    p.type = type_of(word);
    while (!type.empty()) {
      const std::string_view what = take(type, ' '), whose = take(type, ' ');
      if (what == "of" && whose == "any") {
        p.any_dtypes = true;
      } else if (what == "of" && whose == "all") {
        p.one_dtype = true;
      } else if (what == "of" || what == "fits") {
        p.must_fit |= what == "fits";
        p.preferred = dtype_from_name(whose);
        FL_CHECK(p.preferred != DType::kInvalid);
      } else if (what == "or") {
        FL_CHECK(whose == "variable" || whose == "None" || whose == "slices");
        (whose == "None" ? p.none_in_list : whose == "slices" ? p.slices : p.handle) = true;
      } else {
        FL_CHECK(what == "like" || what == "as" || what == "after" || what == "follows");
        p.one_way = what == "after" || what == "follows";
        p.never_refused = what == "follows";
        p.must_fit |= what == "as" || what == "after";
        likes.emplace_back(all.size(), whose);
      }
    }
    if (!trimmed(one).empty()) {
      p.has_default = true;
      p.default_value = default_of(trimmed(one), p.type);
    }
    p.is_name = p.name == "name";
    all.push_back(std::move(p));
  }
  for (const auto& [which, whose] : likes) {
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].name == whose) all[which].like = static_cast<int>(i);
    FL_CHECK(all[which].like >= 0);
  }
  return all;
}

}  // namespace footlight::python
