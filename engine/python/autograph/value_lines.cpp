// Finds a call in the source of its file, and for each argument what gives it its value: assignments and loops of the
// caller, what functions of the user's return, and for the caller's own parameters the call of the caller.
#include "engine/python/autograph/value_lines.h"

#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/source.h"
#include "engine/python/autograph/source_check.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/frame_layout.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace footlight::python {

using namespace autograph;

namespace {

constexpr int kDeepest = 4;           // functions that are followed from one to the next
constexpr size_t kMaxLines = 8;      // lines of one argument
constexpr size_t kMaxFiles = 6;      // files reached from one call
constexpr uint32_t kMaxItems = 16;   // items of a list display

using Places = std::vector<SourceLine>;

bool is_users(PyObject* filename) {
  const std::string file = readable(filename);
  return !file.starts_with('<') && !is_own_file(file) && file.find("-packages/") == file.npos &&
         file.find("/lib/python3.") == file.npos;
}

// The context of an expression: its file, and the present values of its names.
struct Setting {
  PyObject* filename = nullptr;
  std::string file;
  const Definitions* definitions = nullptr;
  const InterpreterFrame* frame = nullptr;  // none: a function that is not running
  PyObject* globals = nullptr;              // a dict, or null
  PyObject* builtins = nullptr;
};

class Finder {
 public:
  // The innermost frame of the user's.
  static const InterpreterFrame* first_frame() { return users(top_frame(thread_state())); }

  std::optional<Setting> setting_of(const InterpreterFrame* frame) {
    auto* code = reinterpret_cast<PyCodeObject*>(frame->code);
    Setting setting = setting_for(code, frame->globals);
    setting.frame = frame;
    setting.builtins = frame->builtins && PyDict_Check(frame->builtins) ? frame->builtins : nullptr;
    if (!setting.definitions) return {};
    // Converted code was compared with its source when it was converted.
    if (!ag_is_converted_code(frame->code)) {
      const Ref lines = lines_of_file(code->co_filename, nullptr);
      if (!lines || !source_is_of(code, frame->globals, lines)) return {};
    }
    return setting;
  }

  // The call that a frame is in. `line`: as events have it.
  static const Node* call_of(const Setting& setting, int& line) {
    int column = 0, end_line = 0, end_column = 0;
    if (!PyCode_Addr2Location(reinterpret_cast<PyCodeObject*>(setting.frame->code),
                              static_cast<int>(offset_of(setting.frame)), &line, &column, &end_line, &end_column) ||
        end_line <= 0 || end_column < 0)
      return nullptr;
    return setting.definitions->call_ending_at(static_cast<uint32_t>(end_line), static_cast<uint32_t>(end_column));
  }

  void lines_of(const Node* expression, const Setting& in, Places& out, int depth = 0) {
    if (out.size() >= kMaxLines || depth > kDeepest) return;
    switch (expression->kind) {
      case Kind::kName:
      case Kind::kAttribute:
      case Kind::kSubscript: {
        const Node* base = expression;
        while (is(base, Kind::kAttribute) || is(base, Kind::kSubscript))
          base = base->node(is(base, Kind::kAttribute) ? +at::Attribute::value : +at::Subscript::value);
        if (!is(base, Kind::kName)) return lines_of(base, in, out, depth);
        for (const Definition& d : in.definitions->of(expression)) lines_of(d, in, out, depth);
        return;
      }
      case Kind::kNamedExpr: return lines_of(expression->node(at::NamedExpr::value), in, out, depth);
      case Kind::kIfExp: {
        const std::optional<int64_t> test = evaluate(expression->node(at::IfExp::test), in);
        if (!test || *test) lines_of(expression->node(at::IfExp::body), in, out, depth);
        if (!test || !*test) lines_of(expression->node(at::IfExp::orelse), in, out, depth);
        return;
      }
      case Kind::kCall: lines_of_call(expression, in, out, depth); break;
      default: break;
    }
    add(in, expression->at.line, out);
  }

  // The call that the function of a parameter is in, if its frame is the innermost one.
  struct Caller {
    Setting in;
    const Node* call = nullptr;
    bool bound = false;                    // a bound method: the first parameter is the object before the dot
    std::vector<const Name*> positional;   // parameters of the function
  };
  std::optional<Caller> caller_with(const Definition& d, const Setting& in, int depth) {
    const InterpreterFrame* frame = in.frame;
    while (frame && ag_is_block_code(frame->code)) frame = users(frame->previous);
    if (!frame || depth >= kDeepest) return {};
    const auto* code = reinterpret_cast<PyCodeObject*>(frame->code);
    // A generator's frame is entered by whoever takes the next item; other functions around have returned.
    if (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) return {};
    const bool lambda = is(d.function, Kind::kLambda);
    if (readable(code->co_name) != (lambda ? "<lambda>" : d.function->name(at::FunctionDef::name)->text)) return {};
    const InterpreterFrame* outer = caller_of(frame);
    const std::optional<Setting> there = outer ? setting_of(outer) : std::nullopt;
    int line = 0;
    Caller found{there.value_or(Setting()), there ? call_of(*there, line) : nullptr, false, {}};
    if (!found.call) return {};
    const Node* function = found.call->node(at::Call::func);
    const Ref object = object_of(function, found.in);
    if (object && (PyCFunction_Check(object.get()) || PyType_Check(object.get()))) return {};  // it calls in turn
    const Node* arguments = arguments_of(d);
    for (const int slot : {+at::arguments::posonlyargs, +at::arguments::args})
      for (const Node* arg : arguments->list(slot)) found.positional.push_back(arg->name(at::arg::arg));
    const bool method = !found.positional.empty() && found.positional[0]->text == "self";
    found.bound = method && is(function, Kind::kAttribute) && !(object && PyType_Check(object.get()));
    return found;
  }

  // If a wrapper passes on `*args` or `**kwargs` as a whole: the call that has filled it.
  std::optional<Caller> passed_on(const Node* expression, int slot, const Setting& in, int depth) {
    if (!is(expression, Kind::kName)) return {};
    const std::vector<Definition> made = in.definitions->of(expression);
    if (made.size() != 1 || made[0].kind != Definition::Kind::kParameter) return {};
    const Node* variadic = arguments_of(made[0])->node(slot);
    if (!variadic || variadic->name(at::arg::arg) != made[0].name) return {};
    return caller_with(made[0], in, depth);
  }

  // The object of a name, of an attribute of a module or class, or of an item of a display; runs no user's code.
  Ref object_of(const Node* expression, const Setting& in) {
    switch (expression->kind) {
      case Kind::kName: return variable(expression->name(at::Name::id), in);
      case Kind::kAttribute: {
        const Ref of = object_of(expression->node(at::Attribute::value), in);
        if (!of) return {};
        const Ref name = python::text_object(expression->name(at::Attribute::attr)->text);
        if (!name) throw PythonErrorSet();
        if (PyModule_CheckExact(of.get())) return Ref::borrow(find_item(PyModule_GetDict(of.get()), name.get()));
        auto* type = PyType_Check(of.get()) ? reinterpret_cast<PyTypeObject*>(of.get()) : Py_TYPE(of.get());
        return Ref::borrow(_PyType_Lookup(type, name.get()));
      }
      case Kind::kSubscript: {
        const Node* item = item_of(expression, in);
        return item ? object_of(item, in) : Ref();
      }
      case Kind::kIfExp: {
        const std::optional<int64_t> test = evaluate(expression->node(at::IfExp::test), in);
        if (!test) return {};
        return object_of(expression->node(*test ? +at::IfExp::body : +at::IfExp::orelse), in);
      }
      default: return {};
    }
  }

 private:
  static const InterpreterFrame* users(const InterpreterFrame* frame) {
    for (; frame; frame = frame->previous) {
      if (!has_code(frame)) continue;
      if (!is_own_file(readable(reinterpret_cast<PyCodeObject*>(frame->code)->co_filename))) return frame;
    }
    return nullptr;
  }

  static const Node* arguments_of(const Definition& d) {
    return d.function->node(is(d.function, Kind::kLambda) ? +at::Lambda::args : +at::FunctionDef::args);
  }

  // The frame that called this one, skipping parts of converted functions.
  static const InterpreterFrame* caller_of(const InterpreterFrame* frame) {
    while (frame && ag_is_block_code(frame->code)) frame = users(frame->previous);
    return frame ? users(frame->previous) : nullptr;
  }

  Setting setting_for(PyCodeObject* code, PyObject* globals) {
    Setting setting;
    setting.filename = code->co_filename;
    setting.file = readable(code->co_filename);
    setting.globals = globals && PyDict_Check(globals) ? globals : nullptr;
    if (!is_users(code->co_filename)) return setting;
    if (files_.size() >= kMaxFiles && !files_.contains(setting.file)) return setting;
    std::shared_ptr<const ParsedFile>& parsed = files_[setting.file];
    if (!parsed) parsed = parsed_file(code->co_filename);
    setting.definitions = parsed ? &*parsed->definitions : nullptr;
    return setting;
  }

  static void add(const Setting& in, uint32_t line, Places& out) {
    SourceLine place{in.file, static_cast<int>(line)};
    if (out.size() < kMaxLines && std::ranges::find(out, place) == out.end()) out.push_back(std::move(place));
  }

  static Ref variable(const Name* name, const Setting& in) {
    const Ref text = python::text_object(name->text);
    if (!text) throw PythonErrorSet();
    if (in.frame) {
      if (PyObject* value = local_of(in.frame, text.get())) return Ref::borrow(value);
      PyObject* locals = in.frame->locals;
      if (locals && PyDict_CheckExact(locals))
        if (PyObject* value = find_item(locals, text.get())) return Ref::borrow(value);
    }
    for (PyObject* dict : {in.globals, in.builtins})
      if (dict)
        if (PyObject* value = find_item(dict, text.get())) return Ref::borrow(value);
    return {};
  }

  // The value of an expression of small integers, as it is at this moment.
  static std::optional<int64_t> evaluate(const Node* e, const Setting& in) {
    switch (e->kind) {
      case Kind::kConstant: {
        const Constant& c = e->constant(at::Constant::value);
        if (c.kind == ConstantKind::kTrue) return 1;
        if (c.kind == ConstantKind::kFalse || c.kind == ConstantKind::kNone) return 0;
        if (c.kind == ConstantKind::kNumber && c.text.empty()) return c.integer;
        return {};
      }
      case Kind::kName: {
        const Ref value = variable(e->name(at::Name::id), in);
        if (!value || (!PyLong_CheckExact(value.get()) && !PyBool_Check(value.get()))) return {};
        int overflow = 0;
        const long n = PyLong_AsLongAndOverflow(value.get(), &overflow);
        if (overflow) return {};
        return n;
      }
      case Kind::kUnaryOp: {
        const auto n = evaluate(e->node(at::UnaryOp::operand), in);
        const Op op = e->op(at::UnaryOp::op);
        if (!n || (op != Op::kNot && (op != Op::kUSub || *n == INT64_MIN))) return {};
        return op == Op::kNot ? !*n : -*n;
      }
      case Kind::kBinOp: {
        const auto a = evaluate(e->node(at::BinOp::left), in), b = evaluate(e->node(at::BinOp::right), in);
        if (!a || !b) return {};
        int64_t out = 0;
        switch (e->op(at::BinOp::op)) {
          case Op::kAdd: return __builtin_add_overflow(*a, *b, &out) ? std::optional<int64_t>() : out;
          case Op::kSub: return __builtin_sub_overflow(*a, *b, &out) ? std::optional<int64_t>() : out;
          case Op::kMult: return __builtin_mul_overflow(*a, *b, &out) ? std::optional<int64_t>() : out;
          case Op::kMod: return *b > 0 ? std::optional(((*a % *b) + *b) % *b) : std::nullopt;
          case Op::kFloorDiv: return *a >= 0 && *b > 0 ? std::optional(*a / *b) : std::nullopt;
          default: return {};
        }
      }
      case Kind::kCompare: {
        const List& others = e->list(at::Compare::comparators);
        if (others.size != 1) return {};
        const auto a = evaluate(e->node(at::Compare::left), in), b = evaluate(others[0], in);
        if (!a || !b) return {};
        switch (e->ops(at::Compare::ops)[0]) {
          case Op::kEq: return *a == *b;
          case Op::kNotEq: return *a != *b;
          case Op::kLt: return *a < *b;
          case Op::kLtE: return *a <= *b;
          case Op::kGt: return *a > *b;
          case Op::kGtE: return *a >= *b;
          default: return {};
        }
      }
      default: return {};
    }
  }

  // (load_binary, load_text)[number % 2]
  static const Node* item_of(const Node* subscript, const Setting& in) {
    const Node* display = subscript->node(at::Subscript::value);
    if (!is(display, Kind::kTuple) && !is(display, Kind::kList)) return nullptr;
    const List& items = display->list(at::Tuple::elts);
    const auto index = evaluate(subscript->node(at::Subscript::slice), in);
    if (!index || *index < -int64_t{items.size} || *index >= int64_t{items.size}) return nullptr;
    return items[static_cast<uint32_t>(*index < 0 ? *index + items.size : *index)];
  }

  // The lines at which a function of the user's returns or yields.
  void results_of(const Node* function, const Setting& in, Places& out, int depth) {
    if (is(function, Kind::kSubscript) && !item_of(function, in)) {
      const Node* display = function->node(at::Subscript::value);
      if (is(display, Kind::kTuple) || is(display, Kind::kList))
        for (const Node* item : display->list(at::Tuple::elts)) results_of(item, in, out, depth + 1);
      return;
    }
    Ref object = object_of(function, in);
    if (object && PyMethod_Check(object.get())) object = Ref::borrow(PyMethod_GET_FUNCTION(object.get()));
    if (object && (Py_TYPE(object.get()) == &PyStaticMethod_Type || Py_TYPE(object.get()) == &PyClassMethod_Type))
      object = optional_attribute(object.get(), "__func__");
    if (!object || !PyFunction_Check(object.get()) || depth >= kDeepest) return;
    auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(object.get()));
    const Setting there = setting_for(code, PyFunction_GET_GLOBALS(object.get()));
    if (!there.definitions) return;
    const Node* definition =
        there.definitions->function_at(static_cast<uint32_t>(code->co_firstlineno), readable(code->co_name));
    if (!definition) return;
    for (const Node* result : Definitions::results_of(definition)) {
      if (is(result, Kind::kCall)) results_of(result->node(at::Call::func), there, out, depth + 1);
      add(there, result->at.line, out);
      if (is(result, Kind::kName)) lines_of(result, there, out, depth + 1);
    }
  }

  // Handles a call of a user's function, or one that makes a tensor of another expression: `tf.constant(load())`.
  void lines_of_call(const Node* call, const Setting& in, Places& out, int depth) {
    const size_t before = out.size();
    results_of(call->node(at::Call::func), in, out, depth);
    const List& args = call->list(at::Call::args);
    if (out.size() != before || depth >= kDeepest || args.empty()) return;
    if (is(args[0], Kind::kCall)) lines_of_call(args[0], in, out, depth + 1);
    else if (is(args[0], Kind::kName) && is(call->node(at::Call::func), Kind::kAttribute))
      lines_of(args[0], in, out, depth + 1);
  }

  static bool is_name(const Node* node, std::initializer_list<std::string_view> names) {
    if (!is(node, Kind::kName)) return false;
    return std::ranges::find(names, node->name(at::Name::id)->text) != names.end();
  }

  void lines_of(const Definition& d, const Setting& in, Places& out, int depth) {
    switch (d.kind) {
      case Definition::Kind::kValue: {
        const Node* value = d.value;
        for (const uint32_t at : d.element) {
          const bool display = is(value, Kind::kTuple) || is(value, Kind::kList);
          if (!display || at >= value->list(at::Tuple::elts).size) break;
          value = value->list(at::Tuple::elts)[at];
        }
        if (is(value, Kind::kIfExp)) {
          if (const auto test = evaluate(value->node(at::IfExp::test), in))
            value = value->node(*test ? +at::IfExp::body : +at::IfExp::orelse);
        }
        if (is(value, Kind::kCall)) lines_of_call(value, in, out, depth);
        add(in, d.at.line, out);
        if (is(value, Kind::kName)) lines_of(value, in, out, depth + 1);
        return;
      }
      case Definition::Kind::kLoop: {
        add(in, d.at.line, out);
        const Node* over = d.value;
        size_t at = 0;
        while (is(over, Kind::kCall) && !over->list(at::Call::args).empty()) {
          const Node* function = over->node(at::Call::func);
          const List& args = over->list(at::Call::args);
          if (is_name(function, {"enumerate"}) && at < d.element.size() && d.element[at] == 1) {
            over = args[0], ++at;
          } else if (is_name(function, {"zip"}) && at < d.element.size() && d.element[at] < args.size) {
            over = args[d.element[at]], ++at;
          } else if (is_name(function, {"list", "tuple", "sorted", "reversed", "iter", "tqdm"})) {
            over = args[0];
          } else {
            break;
          }
        }
        if (!over) return;
        if (is(over, Kind::kCall)) results_of(over->node(at::Call::func), in, out, depth);
        else if (is(over, Kind::kName) || is(over, Kind::kAttribute)) lines_of(over, in, out, depth + 1);
        return;
      }
      case Definition::Kind::kParameter: return lines_of_parameter(d, in, out, depth);
      case Definition::Kind::kOther: return add(in, d.at.line, out);
    }
  }

  // Finds the argument that the caller of this frame passed for a parameter.
  void lines_of_parameter(const Definition& d, const Setting& in, Places& out, int depth) {
    const std::optional<Caller> caller = caller_with(d, in, depth);
    if (!caller) return;
    uint32_t wanted = UINT32_MAX;
    for (uint32_t i = 0; i < caller->positional.size(); ++i)
      if (caller->positional[i] == d.name) wanted = i;
    if (caller->bound && wanted == 0) {
      const Node* function = caller->call->node(at::Call::func);
      return lines_of(function->node(at::Attribute::value), caller->in, out, depth + 1);
    }
    if (caller->bound && wanted != UINT32_MAX) --wanted;
    const Node* passed = nullptr;
    uint32_t position = 0;
    for (const Node* arg : caller->call->list(at::Call::args)) {
      if (is(arg, Kind::kStarred)) return;
      if (position++ == wanted) passed = arg;
    }
    for (const Node* keyword : caller->call->list(at::Call::keywords)) {
      const Name* name = keyword->name(at::keyword::arg);
      if (!name) return;
      if (name->text == d.name->text) passed = keyword->node(at::keyword::value);
    }
    if (passed) lines_of(passed, caller->in, out, depth + 1);
    else if (d.value) add(in, d.value->at.line, out);
  }

  std::map<std::string, std::shared_ptr<const ParsedFile>> files_;
};

// How many arguments a functools.partial puts before those of its call.
uint32_t put_before(PyObject* object) {
  if (!object || std::string_view(Py_TYPE(object)->tp_name) != "functools.partial") return 0;
  const Ref args = optional_attribute(object, "args");
  return args && PyTuple_Check(args.get()) ? static_cast<uint32_t>(PyTuple_GET_SIZE(args.get())) : 0;
}

class Arguments {
 public:
  Arguments(const CalleeParameters& callee, CallLines& to) : callee_(callee), to_(to) {}

  void find() {
    const InterpreterFrame* frame = Finder::first_frame();
    const std::optional<Setting> setting = frame ? finder_.setting_of(frame) : std::nullopt;
    const Node* call = setting ? Finder::call_of(*setting, to_.at.line) : nullptr;
    if (!call) return;
    to_.at.file = setting->file;
    const Node* function = call->node(at::Call::func);
    const Ref object = finder_.object_of(function, *setting);
    if (object && (PyCFunction_Check(object.get()) || PyType_Check(object.get()))) return;  // map(f, ...)
    if (callee_.method) {
      // model.step(x) or model(x)
      const bool named = is(function, Kind::kAttribute) &&
                         (callee_.name != "__call__" || function->name(at::Attribute::attr)->text == "__call__");
      add(0, {}, named ? function->node(at::Attribute::value) : function, {*setting});
    }
    positional_of(call, 0, put_before(object.get()), {*setting});
    keywords_of(call, {*setting});
  }

 private:
  // A call in its setting; `depth`: through how many wrappers it passes its arguments on.
  struct From {
    const Setting& in;
    int depth = 0;
    int line = 0;                        // line of the call, if it is not the innermost one
    std::vector<const Name*> others = {};  // names that a wrapper keeps
  };

  void positional_of(const Node* call, size_t skip, size_t at, const From& from) {
    for (const Node* arg : call->list(at::Call::args)) {
      if (at >= callee_.positional) return;
      if (is(arg, Kind::kStarred)) {
        const Node* all = arg->node(at::Starred::value);
        const auto caller = finder_.passed_on(all, at::arguments::vararg, from.in, from.depth);
        if (!caller) return;
        const size_t own = caller->positional.size() - caller->bound;
        return positional_of(caller->call, own, at, from_caller(*caller, from));
      }
      if (skip) --skip;
      else add_argument(at++, arg, from);
    }
  }

  void keywords_of(const Node* call, const From& from) {
    for (const Node* keyword : call->list(at::Call::keywords)) {
      const Node* value = keyword->node(at::keyword::value);
      const Name* name = keyword->name(at::keyword::arg);
      if (!name) {
        if (const auto caller = finder_.passed_on(value, at::arguments::kwarg, from.in, from.depth))
          keywords_of(caller->call, from_caller(*caller, from));
        continue;
      }
      const auto kept = [&](const Name* other) { return other->text == name->text; };
      const auto found = std::ranges::find(callee_.names, name->text);
      if (found == callee_.names.end() || std::ranges::any_of(from.others, kept)) continue;
      add_argument(static_cast<size_t>(found - callee_.names.begin()), value, from);
    }
  }

  static From from_caller(const Finder::Caller& caller, const From& from) {
    return {caller.in, from.depth + 1, static_cast<int>(caller.call->at.line), caller.positional};
  }

  void add_argument(size_t index, const Node* argument, const From& from) {
    index += callee_.method;
    if (is(argument, Kind::kList) || is(argument, Kind::kTuple)) {
      const List& items = argument->list(at::Tuple::elts);
      for (uint32_t i = 0; i < items.size && i < kMaxItems && !is(items[i], Kind::kStarred); ++i)
        add(index, i, items[i], from);
    }
    add(index, {}, argument, from);
  }

  void add(size_t index, std::optional<uint32_t> item, const Node* argument, const From& from) {
    Places places;
    finder_.lines_of(argument, from.in, places);
    std::erase(places, to_.at);
    std::optional<SourceLine> passed;
    if (from.line) {
      passed = SourceLine{from.in.file, from.line};
      std::erase(places, *passed);
    }
    if (!places.empty() || passed) to_.arguments.push_back({index, item, std::move(places), std::move(passed)});
  }

  const CalleeParameters& callee_;
  CallLines& to_;
  Finder finder_;
};

}  // namespace

CallLines ag_value_lines(const CalleeParameters& callee) {
  CallLines found;
  Arguments(callee, found).find();
  return found;
}

}  // namespace footlight::python
