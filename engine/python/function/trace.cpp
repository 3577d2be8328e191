// A miss: the function is run once with symbolic arguments, and what it did becomes a concrete function.
#include "engine/python/function/function_object.h"

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/eager/tape.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/gil.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/session/writer.h"
#include "engine/trace/function_scope.h"
#include "engine/trace/key_spec.h"

#include <algorithm>

namespace footlight::python {

namespace {

// Names of the placeholders: the parameter's; below a mapping the key's.
void leaf_names(PyObject* value, const std::string& name, std::vector<std::string>& names) {
  if (is_tensor(value) || is_variable(value)) return names.push_back(name);
  if (is_spec(value)) return names.push_back(spec_of(value).name.empty() ? name : spec_of(value).name);
  const bool list = PyList_Check(value);
  if (list || PyTuple_Check(value)) {
    for (Py_ssize_t i = 0; i < Py_SIZE(value); ++i)
      leaf_names(list ? PyList_GET_ITEM(value, i) : PyTuple_GET_ITEM(value, i), name, names);
    return;
  }
  if (is_mapping(value)) {
    Ref keys = sorted_keys(value);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.get()); ++i) {
      PyObject* key = PyList_GET_ITEM(keys.get(), i);
      Ref item = checked(PyObject_GetItem(value, key));
      Ref text = checked(PyObject_Str(key));
      leaf_names(item.get(), PyUnicode_AsUTF8(text.get()), names);
    }
    return;
  }
  Rebuilder([&](PyObject* leaf) {
    names.push_back(name);
    return Ref::borrow(leaf);
  }).rebuild(value);
}

// A name that GraphDef accepts: "x", "args_0".
std::string node_name(const std::string& name) {
  std::string out;
  for (char c : name)
    out +=
        std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '/' || c == '-' ? c : '_';
  if (out.empty() || !std::isalnum(static_cast<unsigned char>(out[0]))) out = "input_" + out;
  return out;
}

struct LeafType {
  bool variable;
  DType dtype;
  Shape shape;
};

// The tensors and variables of a key, in order.
std::vector<LeafType> leaf_types(std::span<const uint64_t> words) {
  std::vector<LeafType> types;
  for (size_t at = 0; at < words.size();) {
    const explain::Item item = explain::read(words, at);
    if (item.token == explain::Token::kTensor) types.push_back({false, trace::dtype_of(item), trace::shape_of(item)});
    if (item.token == explain::Token::kVariable) types.push_back({true, trace::dtype_of(item), trace::shape_of(item)});
  }
  return types;
}

// A printed type and a kind per flat parameter: *args and **kwargs come apart.
void describe_parameters(const FunctionCore& core, std::span<const Ref> symbolic, TraceEntry& entry) {
  const FunctionSignature& signature = core.signature;
  size_t leaf = 0;
  auto count_leaves = [&](PyObject* value) {
    std::vector<size_t> leaves;
    Rebuilder([&](PyObject* o) {
      leaves.push_back(leaf++);
      return Ref::borrow(o);
    }).rebuild(value);
    return leaves;
  };
  auto add = [&](const std::string& name, FunctionParameter::Kind kind, PyObject* value) {
    entry.input_names.push_back(name);
    entry.input_kinds.push_back(kind);
    entry.input_types.push_back(type_text(value));
    entry.leaves_of.push_back(count_leaves(value));
  };
  const bool has_extra = signature.var_args >= 0;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const FunctionParameter& p = signature.parameters[i];
    PyObject* value = symbolic[i].get();
    if (p.kind == FunctionParameter::kVarArgs) {
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(value); ++k)
        add(str(p.name, "_", k), FunctionParameter::kPositionalOnly, PyTuple_GET_ITEM(value, k));
    } else if (p.kind == FunctionParameter::kVarKeywords) {
      Ref keys = sorted_keys(value);
      for (Py_ssize_t k = 0; k < PyList_GET_SIZE(keys.get()); ++k) {
        PyObject* key = PyList_GET_ITEM(keys.get(), k);
        add(PyUnicode_AsUTF8(key), FunctionParameter::kKeywordOnly, PyDict_GetItem(value, key));
      }
    } else {
      const bool hidden = has_extra && p.kind == FunctionParameter::kPositionalOrKeyword;
      add(p.name, hidden ? FunctionParameter::kPositionalOnly : p.kind, value);
    }
  }
}

// What structured_input_signature shows: specs for tensors, literals as they are; other objects are not kept.
void keep_structure(const FunctionCore& core, std::span<const Ref> values, std::span<const std::string> names,
                    std::span<const LeafType> types, TraceEntry& entry) {
  size_t next = 0;
  Rebuilder specs([&](PyObject*) {
    const size_t at = next++;
    return checked(spec_object({types[at].dtype, types[at].shape, names[at]}));
  });
  auto plain = [](Ref value) {
    PyObject* o = value.get();
    const bool keep = o == Py_None || PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o) ||
                      PyBytes_Check(o) || is_spec(o) || PyList_Check(o) || PyTuple_Check(o) ||
                      PyDict_Check(o);
    return keep ? value : Ref::borrow(Py_None);
  };
  std::vector<Ref> positional;
  Ref keywords = checked(PyDict_New());
  for (size_t i = 0; i < core.signature.parameters.size(); ++i) {
    const FunctionParameter& p = core.signature.parameters[i];
    Ref value = plain(specs.rebuild(values[i].get()));
    if (p.kind == FunctionParameter::kVarArgs) {
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(value.get()); ++k)
        positional.push_back(Ref::borrow(PyTuple_GET_ITEM(value.get(), k)));
    } else if (p.kind == FunctionParameter::kVarKeywords) {
      if (PyDict_Update(keywords.get(), value.get()) < 0) throw PythonErrorSet();
    } else if (p.kind == FunctionParameter::kKeywordOnly) {
      if (PyDict_SetItem(keywords.get(), p.name_object.get(), value.get()) < 0) throw PythonErrorSet();
    } else {
      positional.push_back(value);
    }
  }
  entry.structured_args = checked(PyTuple_New(static_cast<Py_ssize_t>(positional.size())));
  for (size_t i = 0; i < positional.size(); ++i)
    PyTuple_SET_ITEM(entry.structured_args.get(), static_cast<Py_ssize_t>(i), positional[i].release());
  entry.structured_kwargs = keywords;
}

Ref call_body(PyObject* body, const FunctionSignature& signature, std::span<const Ref> values) {
  std::vector<PyObject*> positional;
  Ref keywords = checked(PyDict_New());
  bool by_name = false;  // a parameter after *args' place
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const FunctionParameter& p = signature.parameters[i];
    PyObject* value = values[i].get();
    if (p.kind == FunctionParameter::kVarArgs) {
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(value); ++k) positional.push_back(PyTuple_GET_ITEM(value, k));
      by_name = true;
    } else if (p.kind == FunctionParameter::kVarKeywords) {
      if (PyDict_Update(keywords.get(), value) < 0) throw PythonErrorSet();
    } else if (p.kind == FunctionParameter::kKeywordOnly || by_name) {
      if (PyDict_SetItem(keywords.get(), p.name_object.get(), value) < 0) throw PythonErrorSet();
    } else {
      positional.push_back(value);
    }
  }
  return checked(PyObject_VectorcallDict(body, positional.data(), positional.size(),
                                         PyDict_GET_SIZE(keywords.get()) ? keywords.get() : nullptr));
}

// One run of the function under a builder.
class Tracing {
 public:
  Tracing(FunctionCore& core, std::span<PyObject* const> values, std::span<const uint64_t> words,
          bool may_create, TraceId id)
      : core_(core),
        builder(numbered("__inference_" + node_name(core.name) + '_')),
        scope(builder, core.qualified_name, id, may_create) {
    SourcePlace place = place_of(core.made_at);
    builder.graph()->made_by = str("function '", core.qualified_name, "'",
                                   place.file.empty() ? "" : str(" (", place.file, ":", place.line, ")"));
    std::vector<Ref> arguments;
    types_ = leaf_types(words);
    for (size_t i = 0; i < values.size(); ++i) {
      const FunctionParameter& p = core.signature.parameters[i];
      if (p.kind == FunctionParameter::kVarArgs) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(values[i]); ++k)
          leaf_names(PyTuple_GET_ITEM(values[i], k), str(p.name, "_", k), names_);
      } else {
        leaf_names(values[i], p.name, names_);
      }
    }
    if (!core.signature_leaves.empty()) {
      size_t at = 0;
      for (const auto& specs : core.signature_leaves)
        for (const Ref& spec : specs) {
          if (at < names_.size() && !spec_of(spec.get()).name.empty()) names_[at] = spec_of(spec.get()).name;
          ++at;
        }
    }
    FL_CHECK(types_.size() == names_.size());
    size_t next = 0;
    Rebuilder placeholders([&](PyObject* value) { return placeholder(value, next++); });
    for (PyObject* value : values) symbolic.push_back(placeholders.rebuild(value));
  }

  void run(PyObject* body) {
    const HideTapes hidden;
    const trace::Building building(&builder);
    Ref result = call_body(body, core_.signature, symbolic);
    outputs = take_outputs(result.get(), tensors_);
    builder.finish(tensors_);
  }

  // Loops, and work on many elements: other threads run meanwhile.
  static bool takes_long(const Graph& graph) {
    auto heavy = [](const Graph& g) {
      int64_t elements = 0;
      for (uint32_t i = 0; i < g.size(); ++i) {
        const Node& node = g.node(NodeId(i));
        const std::string_view op = node.op->name;
        if (op == "While" || op == "StatelessWhile") return true;
        for (const Shape& shape : node.shapes) elements += shape.fully_known() ? shape.elements() : 256;
      }
      return elements > kLongWork;
    };
    if (heavy(graph)) return true;
    return std::ranges::any_of(library_of(graph), [&](const GraphPtr& callee) { return heavy(*callee); });
  }

  void describe(TraceEntry& entry) {
    entry.long_work = takes_long(*builder.graph());
    describe_parameters(core_, symbolic, entry);
    keep_structure(core_, symbolic, names_, types_, entry);
    entry.outputs = std::move(outputs);
    entry.single_tensor = entry.outputs.kind == OutputTemplate::kTensor;
    entry.output_type = output_text(entry.outputs, *builder.graph());
    for (const Tensor& capture : builder.captures()) {
      Ref variable;
      if (capture.dtype() == DType::kResource && !capture.is_symbolic() && capture.resource_object()) {
        variable = Ref::steal(variable_object(capture));
      }
      entry.captured_variables.push_back(variable);
    }
  }

 private:
  Ref placeholder(PyObject* value, size_t at) {
    const LeafType& type = types_[at];
    const std::string name = node_name(names_[at]);
    if (type.variable) {
      Resource* resource = variable_handle(value).resource_object();
      const Tensor handle = builder.parameter(DType::kResource, Shape(), name, names_[at], resource);
      return checked(variable_with_handle(value, handle));
    }
    return checked(wrap(builder.parameter(type.dtype, type.shape, name, names_[at])));
  }

  FunctionCore& core_;
  std::vector<LeafType> types_;
  std::vector<std::string> names_;
  std::vector<Tensor> tensors_;

 public:
  trace::GraphBuilder builder;
  trace::FunctionScope scope;
  std::vector<Ref> symbolic;
  OutputTemplate outputs;
};

PyObject* body_of(FunctionCore& core) {
  if (!core.converted) {
    const int64_t start = now_ns();
    core.converted =
        core.options.autograph ? checked(ag_convert(core.python_function.get(), true)) : core.python_function;
    core.conversion_ns = now_ns() - start;
  }
  return core.converted.get();
}

std::string current_error_text() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  std::string text = type ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "error";
  if (Ref message = Ref::steal(value ? PyObject_Str(value) : nullptr)) {
    const char* utf8 = PyUnicode_AsUTF8(message.get());
    text += str(": ", utf8 ? utf8 : "");
  }
  PyErr_Clear();
  PyErr_Restore(type, value, traceback);
  return text;
}

class Depth {
 public:
  explicit Depth(FunctionCore& core) : core_(core) {
    ++core_.depth;
    ++all_;
    if (all_ > kDeepest) {
      --core_.depth;
      --all_;
      fail(ErrorKind::kRecursion, "traced function '", core.qualified_name,
           "' calls itself with ever new arguments: maximum recursion depth exceeded while tracing");
    }
  }
  ~Depth() {
    --core_.depth;
    --all_;
  }

 private:
  static constexpr int kDeepest = 300;  // each level takes about as much of the C stack as a dozen Python calls
  static inline thread_local int all_ = 0;
  FunctionCore& core_;
};

}  // namespace

std::shared_ptr<TraceEntry> make_trace(FunctionCore& core, std::span<PyObject* const> values, CallKey& call,
                                       std::span<const uint64_t> words, session::TraceReason reason) {
  if (Py_EnterRecursiveCall(" while tracing a function")) throw PythonErrorSet();
  struct Leave {
    ~Leave() { Py_LeaveRecursiveCall(); }
  } leave;
  const Depth depth(core);
  const int64_t start = now_ns();
  const ConversionsOf conversions(record_function(core));
  auto entry = std::make_shared<TraceEntry>();
  entry->id = session::new_trace_id();
  std::vector<std::string> parameters;
  if (core.self_number) parameters.push_back("self");
  for (const FunctionParameter& p : core.signature.parameters) parameters.push_back(p.name);
  entry->key = explain::Key(words, parameters, names_for(words));
  const bool first = core.state == FunctionCore::State::kNew;
  Tracing tracing(core, values, words, first, entry->id);
  try {
    tracing.run(body_of(core));
  } catch (...) {
    set_python_error();  // a C++ error becomes a Python one, a Python one stays
    if (!tracing.scope.created().empty()) core.state = FunctionCore::State::kMadeVariables;
    if (core.options.autograph) ag_explain_error();
    entry->autograph_ns = conversions.nanoseconds();
    if (recording_structure()) {
      entry->graph_id = session::new_graph_id();
      record_trace(core, *entry, reason, start, now_ns() - start, current_error_text());
    }
    throw PythonErrorSet();
  }
  const int64_t python_ns = now_ns() - start;
  entry->autograph_ns = conversions.nanoseconds();
  ++core.tracing_count;
  if (first && !tracing.scope.created().empty()) {
    core.state = FunctionCore::State::kMadeVariables;
    for (TensorBody* body : call.flat)
      if (!body) {
        for (const trace::NewVariable& made : tracing.scope.created())
          if (made.initial)
            fail(ErrorKind::kValue, "function '", core.qualified_name,
                 "' makes a variable whose initial value depends on its arguments: call it with tensors first");
      }
    if (!current_graph_builder)
      trace::initialise(tracing.scope, *tracing.builder.graph(), call.tensors(), tracing.builder.captures());
    entry->graph_id = session::new_graph_id();
    tracing.builder.graph()->id = entry->graph_id;
    entry->concrete = std::make_shared<trace::Concrete>(tracing.builder);
    tracing.describe(*entry);
    record_trace(core, *entry, session::TraceReason::kVariableCreation, start, python_ns, {});
    return make_trace(core, values, call, words, reason);  // once creating, once not
  }
  if (first) core.state = FunctionCore::State::kPlain;
  entry->graph_id = session::new_graph_id();
  tracing.builder.graph()->id = entry->graph_id;
  entry->concrete = std::make_shared<trace::Concrete>(tracing.builder);
  tracing.describe(*entry);
  record_trace(core, *entry, reason, start, python_ns, {});
  return entry;
}

// The call's key with the shapes that the input_signature declares.
static std::vector<uint64_t> declared_words(const FunctionCore& core, std::span<const uint64_t> words) {
  explain::KeyWriter out;
  std::vector<const SpecValue*> specs;
  for (const auto& leaves : core.signature_leaves)
    for (const Ref& spec : leaves) specs.push_back(is_spec(spec.get()) ? &spec_of(spec.get()) : nullptr);
  size_t leaf = 0;
  for (size_t at = 0; at < words.size();) {
    const explain::Item item = explain::read(words, at);
    const bool counts = item.token == explain::Token::kTensor || item.token == explain::Token::kVariable;
    const SpecValue* spec = counts && leaf < specs.size() ? specs[leaf] : nullptr;
    leaf += counts;
    if (spec && item.token == explain::Token::kTensor) out.tensor(trace::key_spec(spec->dtype, spec->shape));
    else
      for (uint64_t word : item.words) out.words.push_back(word);
  }
  return {out.words.begin(), out.words.end()};
}

std::shared_ptr<TraceEntry> find_or_trace(FunctionCore& core, std::span<PyObject* const> values, CallKey& call,
                                          session::TraceReason reason, bool& traced) {
  traced = false;
  const std::span<const uint64_t> words(call.key.words.data(), call.key.words.size());
  if (const int hit = core.table.find(words); hit != explain::DispatchTable::kMiss)
    return core.entries[static_cast<size_t>(hit)];
  if (!core.tracing.try_lock()) {  // another thread traces: it may need the GIL
    Py_BEGIN_ALLOW_THREADS
    core.tracing.lock();
    Py_END_ALLOW_THREADS
  }
  const std::lock_guard<std::recursive_mutex> lock(core.tracing, std::adopt_lock);
  if (const int hit = core.table.find(words); hit != explain::DispatchTable::kMiss)
    return core.entries[static_cast<size_t>(hit)];
  traced = true;
  std::vector<uint64_t> wanted(words.begin(), words.end());
  if (core.options.reduce_retracing && !core.options.input_signature) {
    wanted = core.table.relaxed(words);
    if (!std::ranges::equal(wanted, words)) reason = session::TraceReason::kRelaxed;
  }
  if (core.options.input_signature) wanted = declared_words(core, words);
  std::shared_ptr<TraceEntry> entry = make_trace(core, values, call, wanted, reason);
  // The body may have called this very function: another trace may serve by now, ours is added all the same.
  core.table.add(entry->key);
  core.entries.push_back(entry);
  return entry;
}

}  // namespace footlight::python
