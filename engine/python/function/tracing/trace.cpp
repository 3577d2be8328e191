// A cache miss: the function is run once with symbolic arguments, and the trace becomes a concrete function.
#include "engine/python/function/tracing/trace.h"

#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/python/autograph/comprehension_turns.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/strict.h"
#include "engine/python/function/call/binding.h"
#include "engine/python/function/call/captures.h"
#include "engine/python/function/call/concrete_arguments.h"
#include "engine/python/function/call/key.h"
#include "engine/python/function/call/object_ids.h"
#include "engine/python/function/call/output.h"
#include "engine/python/function/call/rebuild.h"
#include "engine/python/function/function_object.h"
#include "engine/python/function/observed/state_watch.h"
#include "engine/python/function/observed/value_lines.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/gil.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/tensor/variable.h"
#include "engine/trace/key_spec.h"

#include <algorithm>
#include <frameobject.h>

namespace footlight::python {

struct LeafType {
  bool variable;
  DType dtype;
  Shape shape;
  bool trainable = false;
  uint32_t alias = 0;
};
// Names of a leaf of the arguments: that of its spec, else the parameter's, and in specs the way to it.
struct LeafNames {
  std::string parameter, path;
};

namespace {

void leaf_names(PyObject* value, const LeafNames& at, std::vector<LeafNames>& names) {
  const Level level("the arguments of a traced function");
  if (is_tensor(value) || is_variable(value)) return names.push_back(at);
  if (is_spec(value)) {
    const std::string& own = spec_of(value).name;
    return names.push_back(own.empty() ? at : LeafNames{own, own});
  }
  size_t i = 0;
  if (flattens_itself(value)) {
    for (const Ref& part : flattened(value).components)
      leaf_names(part.get(), {at.parameter, str(at.path, "_", i++)}, names);
    return;
  }
  if (is_namedtuple(value)) {
    const Items fields(checked(PyObject_GetAttrString(value, "_fields")).get());
    for (PyObject* item : Items::stored(value)) {
      const auto k = static_cast<Py_ssize_t>(i++);
      leaf_names(
          item,
          {at.parameter, k < fields.size() ? at.path + "_" + readable(fields[k]) : str(at.path, "_", k)},
          names);
    }
    return;
  }
  if (PyList_Check(value) || PyTuple_Check(value)) {
    for (PyObject* item : Items::stored(value)) leaf_names(item, {at.parameter, str(at.path, "_", i++)}, names);
    return;
  }
  if (is_mapping(value)) {
    for (PyObject* key : Items(sorted_keys(value).get())) {
      Ref item = checked(PyObject_GetItem(value, key));
      leaf_names(item.get(), {at.parameter, at.path + "_" + readable(checked(PyObject_Str(key)).get())}, names);
    }
    return;
  }
  Rebuilder([&](PyObject* leaf) {
    names.push_back(at);
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

// The tensors and variables of a key, in order.
std::vector<LeafType> leaf_types(std::span<const uint64_t> words) {
  std::vector<LeafType> types;
  for (size_t at = 0; at < words.size();) {
    const keys::Item item = keys::read(words, at);
    if (item.token == keys::Token::kTensor) types.push_back({false, trace::dtype_of(item), trace::shape_of(item)});
    if (item.token == keys::Token::kVariable)
      types.push_back({true, trace::dtype_of(item), trace::shape_of(item), item.trainable(), item.alias()});
  }
  return types;
}

// A printed type and a kind per flat parameter: *args and **kwargs are flattened.
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
        add(readable(key), FunctionParameter::kKeywordOnly, find_item(value, key));
      }
    } else {
      const bool hidden = has_extra && p.kind == FunctionParameter::kPositionalOrKeyword;
      add(p.name, hidden ? FunctionParameter::kPositionalOnly : p.kind, value);
    }
  }
}

// None in place of anything but literals, specs and structures of these: a trace keeps no object of its key alive.
Ref without_objects(Ref value) {
  const Level level("the arguments of a traced function");
  PyObject* o = value.get();
  if (o == Py_None || PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) ||
      is_spec(o) || is_typed_composite(o) ||
      (!PyType_Check(o) && class_has_attribute(o, "_component_specs")) ||
      (!PyType_Check(o) && has_custom_type(o)))
    return value;
  const bool list = PyList_Check(o);
  if (!list && flattens_itself(o)) {
    Flattened parts = flattened(o);
    for (Ref& part : parts.components) part = without_objects(part);
    return unflattened(reinterpret_cast<PyObject*>(Py_TYPE(o)), parts.metadata.get(), parts.components);
  }
  if (list || PyTuple_Check(o)) {
    const Items stored = Items::stored(o);
    const Py_ssize_t count = stored.size();
    Ref items = checked(PyList_New(count));
    bool changed = false;
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = stored[i];
      Ref kept = without_objects(Ref::borrow(item));
      changed |= kept.get() != item;
      PyList_SET_ITEM(items.get(), i, kept.release());
    }
    if (!changed) return value;
    if (list) return items;
    if (is_namedtuple(o))
      return checked(PyObject_CallMethod(reinterpret_cast<PyObject*>(Py_TYPE(o)), "_make", "(O)", items.get()));
    return checked(PyList_AsTuple(items.get()));
  }
  if (!PyDict_Check(o)) return Ref::borrow(Py_None);
  Ref kept = checked(PyDict_New());
  bool changed = false;
  for (PyObject* pair : Items(checked(PyDict_Items(o)).get())) {
    PyObject *key = PyTuple_GET_ITEM(pair, 0), *item = PyTuple_GET_ITEM(pair, 1);
    const Ref inner = without_objects(Ref::borrow(item));
    changed |= inner.get() != item;
    if (PyDict_SetItem(kept.get(), key, inner.get()) < 0) throw PythonErrorSet();
  }
  return changed ? kept : value;
}

Ref variable_spec(const LeafType& type) {
  const Ref module = checked(PyImport_ImportModule("footlight._types.specs"));
  return checked(PyObject_CallMethod(module.get(), "VariableSpec", "OOOI",
                                     checked(shape_object(type.shape)).get(), dtype_object(type.dtype),
                                     type.trainable ? Py_True : Py_False, type.alias));
}

// structured_input_signature: specs for tensors, literals unchanged; other objects are not kept.
void keep_structure(const FunctionCore& core, std::span<const Ref> values, std::span<const LeafNames> names,
                    std::span<const LeafType> types, TraceEntry& entry) {
  size_t next = 0;
  Rebuilder specs([&](PyObject*) {
    const size_t at = next++;
    if (at >= types.size()) changed_meanwhile();
    if (types[at].variable) return variable_spec(types[at]);
    return checked(spec_object({types[at].dtype, types[at].shape, names[at].path}));
  });
  std::vector<Ref> positional;
  Ref keywords = checked(PyDict_New());
  for (size_t i = 0; i < core.signature.parameters.size(); ++i) {
    const FunctionParameter& p = core.signature.parameters[i];
    Ref value = without_objects(specs.rebuild(values[i].get()));
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
  entry.structured_args = tuple_of(positional);
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

// Loops, and work on many elements: worth releasing the GIL.
bool takes_long(const Graph& graph) {
  static const AttrName kBody("body");  // of a loop
  auto heavy = [](const Graph& g) {
    int64_t elements = 0;
    for (uint32_t i = 0; i < g.size(); ++i) {
      const Node& node = g.node(NodeId(i));
      if (node.attrs.find(kBody)) return true;
      for (const Shape& shape : node.shapes) {
        const int64_t here = shape.fully_known() ? shape.elements() : 256;
        if (here > kLongWork - elements) return true;
        elements += here;
      }
    }
    return false;
  };
  if (heavy(graph)) return true;
  return std::ranges::any_of(library_of(graph), [&](const GraphPtr& callee) { return heavy(*callee); });
}

}  // namespace

// The arguments of a trace with placeholders for tensors, and the return value of its body.
struct TracedValues {
  std::vector<LeafType> types;
  std::vector<LeafNames> names;
  std::vector<Ref> symbolic;

  TracedValues(const FunctionCore& core, std::span<PyObject* const> values, trace::TraceRun& run)
      : types(leaf_types(run.key)) {
    name_leaves(core, values, run);
    size_t at = 0;
    for (const auto& specs : core.signature_leaves)
      for (const Ref& spec : specs) {
        const std::string& own = spec_of(spec.get()).name;
        if (at < names.size() && !own.empty()) names[at] = {own, own};
        ++at;
      }
    if (types.size() != names.size()) changed_meanwhile();
    size_t next = 0;
    Rebuilder placeholders([&](PyObject* value) { return placeholder(run.builder, value, next++); }, true,
                           types_in(run.key));
    for (PyObject* value : values) symbolic.push_back(placeholders.rebuild(value));
  }

 private:
  void name_leaves(const FunctionCore& core, std::span<PyObject* const> values, const trace::TraceRun& run) {
    const trace::Building outside(run.builder.outer());  // the arguments are values of what is around the trace
    for (size_t i = 0; i < values.size(); ++i) {
      const FunctionParameter& p = core.signature.parameters[i];
      if (p.kind == FunctionParameter::kVarArgs) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(values[i]); ++k) {
          const std::string name = str(p.name, "_", k);
          leaf_names(PyTuple_GET_ITEM(values[i], k), {name, name}, names);
        }
      } else if (p.kind == FunctionParameter::kVarKeywords) {
        for (PyObject* key : Items(sorted_keys(values[i]).get()))
          leaf_names(find_item(values[i], key), {readable(key), readable(key)}, names);
      } else {
        leaf_names(values[i], {p.name, p.name}, names);
      }
    }
  }

  Ref placeholder(trace::GraphBuilder& builder, PyObject* value, size_t at) {
    if (at >= types.size() || (types[at].variable && !is_variable(value))) changed_meanwhile();
    const LeafType& type = types[at];
    const std::string name = node_name(names[at].parameter);
    if (type.variable) {
      Resource* resource = variable_handle(value).resource_object();
      const Tensor handle = builder.parameter(DType::kResource, Shape(), name, names[at].parameter, resource);
      return checked(variable_with_handle(value, handle));
    }
    return checked(wrap(builder.parameter(type.dtype, type.shape, name, names[at].parameter)));
  }
};

// What the graph says of a trace whose outputs are known.
static void describe_graph(TraceEntry& entry) {
  const Graph& graph = *entry.concrete->graph();
  entry.long_work = takes_long(graph);
  entry.output_type = output_text(entry.outputs, graph);
  for (const Tensor& capture : entry.concrete->captures()) {
    const bool variable = capture.dtype() == DType::kResource && !capture.is_symbolic() && variable_of(capture);
    entry.captured_variables.push_back(variable ? Ref::steal(variable_object(capture)) : Ref());
  }
}

// Lists and dicts among arguments, with what was in them.
class ContainersAsTheyAre {
 public:
  explicit ContainersAsTheyAre(std::span<const Ref> values) {
    for (const Ref& value : values) look(value.get());
  }
  bool changed() const {
    return std::ranges::any_of(seen_,
                               [](const auto& one) { return !(items_of(one.first.get()) == one.second); });
  }

 private:
  // Held, so that no other object gets the address of one.
  struct Contents {
    std::vector<Ref> items;
    bool operator==(const Contents& o) const {
      return std::ranges::equal(
          items, o.items, {}, [](const Ref& r) { return r.get(); }, [](const Ref& r) { return r.get(); });
    }
  };
  static Contents items_of(PyObject* o) {
    Contents contents;
    if (PyDict_Check(o)) {
      PyObject *key, *value;
      for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
        contents.items.push_back(Ref::borrow(key));
        contents.items.push_back(Ref::borrow(value));
      }
    } else {
      for (PyObject* item : Items::stored(o)) contents.items.push_back(Ref::borrow(item));
    }
    return contents;
  }
  void look(PyObject* o) {
    const bool tuple = PyTuple_Check(o);
    if (!tuple && !PyList_Check(o) && !PyDict_Check(o)) return;
    const Level level("the arguments of a traced function");
    Contents contents = items_of(o);
    for (const Ref& item : contents.items) look(item.get());
    if (!tuple) seen_.emplace_back(Ref::borrow(o), std::move(contents));
  }
  std::vector<std::pair<Ref, Contents>> seen_;
};

[[noreturn]] static void depends_on_more(const FunctionCore& core, const trace::GraphBuilder& builder) {
  const Ref text = text_object(str("Function ", core.name,
                                   " has an \"_implements\" attribute and thus can not depend on any "
                                   "tensors outside of its signature or modify variables; it captures ",
                                   builder.captures().size(),
                                   ". Note: variables are always captured; to pass the value of "
                                   "one, use variable.read_value()."));
  PyErr_SetObject(PyExc_AssertionError, text.get());
  throw PythonErrorSet();
}

std::string FunctionCore::graph_name() const { return "__inference_" + name; }

// Another trace reads the state anew: what has changed since the earlier ones read it is recorded first.
static void compare_state_of(const std::vector<std::shared_ptr<trace::Trace>>& earlier) {
  constexpr size_t kMaxTraces = 64;
  for (size_t i = 0; i < std::min(earlier.size(), kMaxTraces); ++i)
    if (const auto& state = static_cast<const TraceEntry&>(*earlier[i]).state) state->compare(now_ns());
}

std::vector<Tensor> FunctionCore::run_body(trace::TraceRun& run) {
  if (Py_EnterRecursiveCall(" while tracing a function")) throw PythonErrorSet();
  struct Leave {
    ~Leave() { Py_LeaveRecursiveCall(); }
  } leave;
  const auto& arguments = static_cast<const CallArguments&>(run.arguments);
  auto& entry = static_cast<TraceEntry&>(run.trace);
  const ConversionsOf conversions(function.id(), entry.conversions);
  entry.traced = std::make_shared<TracedValues>(*this, arguments.values, run);
  if (!options.autograph) converted = python_function;
  else if (!converted || ag::strict_is_asked()) converted = checked(ag_convert(python_function.get(), true, true));
  if (recording_structure()) compare_state_of(function.traces());
  StateWatch watch(python_function.get(), arguments.values, function.id(), entry.id, !options.autograph);
  struct Prints {
    explicit Prints(bool staged) : before(std::exchange(python_thread.prints_are_staged, staged)) {}
    ~Prints() { python_thread.prints_are_staged = before; }
    bool before;
  } prints(options.stages_prints);
  CapturesAtCall captures(run.builder);
  const ContainersAsTheyAre containers(entry.traced->symbolic);
  run.builder.graph()->attrs = options.attributes;
  std::optional<ag::ComprehensionTurns> turns;
  if (recording_structure()) turns.emplace();
  const Ref result = ag_body([&] { return call_body(converted.get(), signature, entry.traced->symbolic); });
  if (containers.changed())
    fail(ErrorKind::kValue, name,
         "() should not modify its Python input arguments. Check if it modifies any lists or "
         "dicts passed as arguments. Modifying a copy is allowed.");
  std::vector<Tensor> tensors;
  entry.outputs = take_outputs(result.get(), tensors);
  if (options.pure && !run.builder.captures().empty()) depends_on_more(*this, run.builder);
  captures.finish(entry);
  run_exit_callbacks(run.builder.graph());
  entry.state = watch.finish(run.builder.graph().get());
  return tensors;
}

void FunctionCore::finish(trace::TraceRun& run) {
  auto& entry = static_cast<TraceEntry&>(run.trace);
  const std::shared_ptr<TracedValues> traced = std::exchange(entry.traced, nullptr);
  describe_parameters(*this, traced->symbolic, entry);
  keep_structure(*this, traced->symbolic, traced->names, traced->types, entry);
  for (const LeafNames& leaf : traced->names) entry.tensor_names.push_back(leaf.parameter);
  entry.single_tensor = entry.outputs.kind == OutputTemplate::kTensor;
  describe_graph(entry);
  if (recording_structure()) record_value_lines(*this, entry.id);
  drop_unused_numbers();
}

std::shared_ptr<trace::Trace> FunctionCore::with_graph(const trace::Trace& like,
                                                       std::shared_ptr<trace::Concrete> concrete) {
  const auto& from = static_cast<const TraceEntry&>(like);
  auto entry = std::make_shared<TraceEntry>();
  entry->concrete = std::move(concrete);
  entry->outputs = from.outputs;
  entry->single_tensor = from.single_tensor;
  entry->input_types = from.input_types;
  entry->input_names = from.input_names;
  entry->input_kinds = from.input_kinds;
  entry->leaves_of = from.leaves_of;
  entry->structured_args = from.structured_args;
  entry->structured_kwargs = from.structured_kwargs;
  entry->state = from.state;
  entry->tensor_names = from.tensor_names;
  describe_graph(*entry);
  return entry;
}

std::shared_ptr<TraceEntry> with_names(FunctionCore& core, const std::shared_ptr<TraceEntry>& entry,
                                       std::span<PyObject* const> values) {
  std::vector<std::string> names;  // those that the user gives here; empty: none
  Rebuilder look([&](PyObject* leaf) {
    names.push_back(is_spec(leaf) ? spec_of(leaf).name : std::string());
    return Ref::borrow(leaf);
  });
  for (PyObject* value : values) look.rebuild(value);
  if (names.size() != entry->tensor_names.size()) return entry;
  bool same = true;
  for (size_t i = 0; i < names.size(); ++i) {
    same = same && (names[i].empty() || names[i] == entry->tensor_names[i]);
    if (names[i].empty()) names[i] = entry->tensor_names[i];
  }
  if (same) return entry;
  for (const auto& known : entry->renamed)
    if (known->tensor_names == names) return known;
  const auto made = std::static_pointer_cast<TraceEntry>(core.with_graph(*entry, entry->concrete));
  made->id = entry->id;
  made->key = entry->key;
  made->number = entry->number;
  made->replaced = entry->replaced;
  const auto rename = [&](PyObject* value, const std::vector<size_t>& leaves) {
    size_t next = 0;
    return Rebuilder([&](PyObject* leaf) {
             const size_t at = next < leaves.size() ? leaves[next++] : names.size();
             if (!is_spec(leaf) || at >= names.size() || names[at] == entry->tensor_names[at])
               return Ref::borrow(leaf);
             return checked(spec_object({spec_of(leaf).dtype, spec_of(leaf).shape, names[at]}));
           })
        .rebuild(value);
  };
  std::vector<Ref> positional;
  const Ref keywords = checked(PyDict_Copy(entry->structured_kwargs.get()));
  for (size_t i = 0, place = 0; i < entry->input_names.size(); ++i) {
    const Ref fresh = rename(declared(*entry, i, place).get(), entry->leaves_of[i]);
    if (entry->input_kinds[i] != FunctionParameter::kKeywordOnly)
      positional.push_back(fresh);
    else if (PyDict_SetItemString(keywords.get(), entry->input_names[i].c_str(), fresh.get()) < 0)
      throw PythonErrorSet();
  }
  made->structured_args = tuple_of(positional);
  made->structured_kwargs = keywords;
  made->tensor_names = std::move(names);
  entry->renamed.push_back(made);
  return made;
}

std::exception_ptr FunctionCore::failure() {
  set_python_error();  // converts a C++ error to a Python one
  if (options.autograph) ag_explain_error();
  return std::make_exception_ptr(PythonErrorSet());
}

// The innermost frame of the user's, as AutoGraph writes it into messages; empty if there is none.
static std::string user_frame(PyObject* exception) {
  const Ref traceback = Ref::steal(PyException_GetTraceback(exception));
  std::string text;
  for (auto* tb = reinterpret_cast<PyTracebackObject*>(traceback.get()); tb; tb = tb->tb_next) {
    const Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(tb->tb_frame)));
    const auto* made = reinterpret_cast<PyCodeObject*>(code.get());
    const std::string file = readable(made->co_filename);
    const int line = tb->tb_lineno > 0 ? tb->tb_lineno : PyFrame_GetLineNumber(tb->tb_frame);
    if (!is_own_file(file.c_str()))
      text = str("\n\n    File \"", file, "\", line ", line, ", in ", readable(made->co_name), "\n");
  }
  return text;
}

std::string FunctionCore::describe(const std::exception_ptr&) const {
  const Ref exception = take_exception();
  if (!exception) return "an error";
  std::string text = str(Py_TYPE(exception.get())->tp_name, ": ", str_of(exception.get()));
  if (!options.autograph) text += user_frame(exception.get());
  raise_again(exception);
  return text;
}

void FunctionCore::wait(std::recursive_mutex& tracing) {
  const GilReleased released;
  tracing.lock();
}

// The call's key with the shapes that the input_signature declares.
std::vector<uint64_t> FunctionCore::declared(std::span<const uint64_t> words) const {
  if (!options.input_signature) return {};
  keys::KeyWriter out;
  std::vector<const SpecValue*> specs;
  for (const auto& leaves : signature_leaves)
    for (const Ref& spec : leaves) specs.push_back(is_spec(spec.get()) ? &spec_of(spec.get()) : nullptr);
  size_t leaf = 0;
  for (size_t at = 0; at < words.size();) {
    const keys::Item item = keys::read(words, at);
    const bool counts = item.token == keys::Token::kTensor || item.token == keys::Token::kVariable;
    const SpecValue* spec = counts && leaf < specs.size() ? specs[leaf] : nullptr;
    leaf += counts;
    if (spec && item.token == keys::Token::kTensor) out.tensor(trace::key_spec(spec->dtype, spec->shape));
    else
      for (uint64_t word : item.words) out.words.push_back(word);
  }
  return {out.words.begin(), out.words.end()};
}

}  // namespace footlight::python
