// tf.name_scope, tf.device, tf.init_scope: context managers that change the state of this thread.
#include "engine/python/calls/library.h"

#include "engine/base/text.h"
#include "engine/eager/execute.h"
#include "engine/eager/tape.h"
#include "engine/ops/builder.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/variable_object.h"
#include "engine/tensor/gpu.h"
#include "engine/trace/outer_controls.h"

#include <algorithm>
#include <list>
#include <optional>
#include <thread>
#include <vector>

namespace footlight::python {
namespace {

// The implementation of a context manager; one object may be entered several times, also nested.
class ContextAction {
 public:
  virtual ~ContextAction() = default;
  virtual Ref enter() = 0;  // the value for `as`
  virtual void leave() = 0;
  virtual const std::string* name() const { return nullptr; }  // for a name scope
};

struct PyContext {
  PyObject_HEAD
  std::unique_ptr<ContextAction> action;
};
PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

ContextAction& of(PyObject* o) { return *reinterpret_cast<PyContext*>(o)->action; }

PyObject* enter(PyObject* self, PyObject*) { return of(self).enter().release(); }
PyObject* leave(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    of(self).leave();
    Py_RETURN_NONE;
  });
}
PyMethodDef methods[] = {{"__enter__", guard<enter>, METH_NOARGS, nullptr},
                         {"__exit__", leave, METH_VARARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyObject* get_name(PyObject* self, void*) {
  const std::string* name = of(self).name();
  if (!name) fail(ErrorKind::kAttribute, "this context manager has no name");
  return text_object(*name).release();
}
PyGetSetDef members[] = {{"name", guard<get_name>, nullptr, "The name that was given to the scope.", nullptr},
                         {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* context_manager(std::unique_ptr<ContextAction> action) {
  return new_object<PyContext>(type, std::move(action)).release();
}

// The builder at whose time a scope was entered. The scope may be left when the trace is over, or by another thread,
// and then there is nothing to change back.
class SavedBuilder {
 public:
  SavedBuilder() : builder_(trace::GraphBuilder::innermost()), thread_(std::this_thread::get_id()) {
    if (builder_) life_ = builder_->life();
  }
  trace::GraphBuilder* get() const {
    return builder_ && !life_.expired() && here() ? builder_ : nullptr;
  }
  bool was_tracing() const { return builder_ != nullptr; }
  bool here() const { return thread_ == std::this_thread::get_id(); }

 private:
  trace::GraphBuilder* builder_;
  std::weak_ptr<const void> life_;
  std::thread::id thread_;
};

class NameScope final : public ContextAction {
 public:
  explicit NameScope(std::string name) : name_(std::move(name)) {}
  const std::string* name() const override { return &name_; }
  Ref enter() override {
    if (this_thread.builder) {
      before_.push_back({{}, this_thread.builder->enter_scope(name_)});
      if (name_.empty()) this_thread.builder->leave_scope("");  // the root, as in eager
      return text_object(this_thread.builder->scope());
    }
    before_.push_back({{}, eager::name_scope()});
    eager::name_scope() = name_.empty() ? "" : name_.ends_with('/') ? name_ : eager::name_scope() + name_ + "/";
    return text_object(eager::name_scope());
  }
  void leave() override {
    if (before_.empty()) return;
    auto [then, before] = std::move(before_.back());
    before_.pop_back();
    if (!then.was_tracing()) eager::name_scope() = std::move(before);
    else if (trace::GraphBuilder* builder = then.get()) builder->leave_scope(std::move(before));
  }

 private:
  std::string name_;
  std::vector<std::pair<SavedBuilder, std::string>> before_;
};

// The device at an address that stays: scopes may be left in any order, and the thread points at what one asked for.
const Device* lasting(Device device) {
  static auto* all = new std::list<Device>;
  for (const Device& known : *all)
    if (known == device) return &known;
  return &all->emplace_back(device);
}

class DeviceScope final : public ContextAction {
 public:
  // None: no device, wherever ops were placed before.
  DeviceScope(std::optional<Device> device, std::optional<std::string> name)
      : device_(device), name_(std::move(name)) {}
  ~DeviceScope() override {
    while (!before_.empty()) leave();  // entered by hand and never left: the thread must not keep a pointer to this
  }
  Ref enter() override {
    if (device_ && !placed_) placed_ = gpu::soft(*device_);
    auto* graph = trace::GraphBuilder::innermost();
    before_.push_back({this_thread.device, {}, graph ? graph->device : std::string()});
    if (device_ || !name_) this_thread.device = placed_ ? lasting(*placed_) : nullptr;
    if (graph) graph->device = name_ ? merged_device(graph->device, *name_) : "";
    return Ref::borrow(Py_None);
  }
  void leave() override {
    if (before_.empty()) return;
    Before b = std::move(before_.back());
    before_.pop_back();
    this_thread.device = b.wanted;
    if (trace::GraphBuilder* graph = b.then.get()) graph->device = std::move(b.device);
  }

 private:
  struct Before {
    const Device* wanted;
    SavedBuilder then;
    std::string device;
  };
  std::optional<Device> device_, placed_;
  std::optional<std::string> name_;
  std::vector<Before> before_;
};

class InitScope final : public ContextAction {
 public:
  ~InitScope() override {
    while (!before_.empty()) leave();
  }
  Ref enter() override {
    std::string scope = this_thread.builder ? this_thread.builder->scope() : eager::name_scope();  // it stays entered
    before_.push_back({{}, std::move(eager::name_scope()), std::make_unique<PauseTapes>()});
    eager::name_scope() = std::move(scope);
    this_thread.builder = nullptr;
    return Ref::borrow(Py_None);
  }
  void leave() override {
    if (before_.empty()) return;
    if (!before_.back().then.here()) {  // another thread's state was set aside, and stays so
      static_cast<void>(before_.back().tapes.release());
      before_.pop_back();
      return;
    }
    // Inside of another trace that one goes on.
    if (!this_thread.builder) this_thread.builder = before_.back().then.get();
    eager::name_scope() = std::move(before_.back().scope);
    before_.pop_back();
  }

 private:
  struct Before {
    SavedBuilder then;
    std::string scope;
    std::unique_ptr<PauseTapes> tapes;
  };
  std::vector<Before> before_;
};

// The nodes of the graph being built from which these come. Calls of this graph wait for nodes of enclosing graphs;
// values from outside of any graph exist already.
std::vector<NodeId> nodes_in(PyObject* structure, trace::GraphBuilder& builder) {
  const Graph& graph = *builder.graph();
  std::vector<Ref> leaves;
  nest_flatten(structure, leaves, true);
  std::vector<NodeId> nodes;
  for (const Ref& leaf : leaves) {
    NodeId found;
    if (is_operation(leaf.get())) {
      const GraphPtr& own = graph_with(leaf.get());
      if (own.get() == &graph) found = node_of(leaf.get());
      else trace::run_after(builder, own, node_of(leaf.get()));
    } else if (is_tensor(leaf.get())) {
      const Tensor& tensor = tensor_of(leaf.get());
      if (tensor.is_symbolic() && tensor.graph() == &graph) found = tensor.node();
      else if (tensor.is_symbolic()) trace::run_after(builder, tensor.graph()->shared_from_this(), tensor.node());
    } else if (is_variable(leaf.get())) {  // results of assignments, too
      found = builder.last_write(variable_handle(leaf.get()));
      const Ref update = found.valid() ? Ref() : optional_attribute(leaf.get(), "_update");
      if (update && is_operation(update.get()))
        trace::run_after(builder, graph_with(update.get()), node_of(update.get()));
    } else if (leaf.get() != Py_None) {
      fail(ErrorKind::kType, "Control input must be an operation, a tensor or a variable: 'inputs' should be zero or "
           "more (nested) Tensors, not ", Py_TYPE(leaf.get())->tp_name);
    }
    if (found.valid() && std::ranges::find(nodes, found) == nodes.end()) nodes.push_back(found);
  }
  return nodes;
}

class ControlScope final : public ContextAction {
 public:
  explicit ControlScope(PyObject* inputs) : clears_(inputs == Py_None) {
    auto* graph = trace::GraphBuilder::innermost();
    if (graph) nodes_ = nodes_in(inputs, *graph);
  }
  Ref enter() override {
    auto* graph = trace::GraphBuilder::innermost();
    before_.push_back({{}, graph ? graph->control_scope : std::vector<NodeId>()});
    if (!graph) return Ref::borrow(Py_None);
    if (clears_) graph->control_scope.clear();
    for (const NodeId node : nodes_)
      if (std::ranges::find(graph->control_scope, node) == graph->control_scope.end())
        graph->control_scope.push_back(node);
    return Ref::borrow(Py_None);
  }
  void leave() override {
    if (before_.empty()) return;
    auto [then, before] = std::move(before_.back());
    before_.pop_back();
    if (trace::GraphBuilder* graph = then.get()) graph->control_scope = std::move(before);
  }

 private:
  const bool clears_;
  std::vector<NodeId> nodes_;
  std::vector<std::pair<SavedBuilder, std::vector<NodeId>>> before_;
};

// In eager mode everything has happened already; functions among the inputs are called now.
PyObject* control_dependencies(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* inputs;
  parse_keywords(args, keywords, "O:control_dependencies", {"control_inputs"}, &inputs);
  if (!this_thread.builder && inputs != Py_None) {
    if (PyCallable_Check(inputs)) static_cast<void>(checked(PyObject_CallNoArgs(inputs)));
    else
      for (PyObject* one : Items(inputs, "control_dependencies: a list of operations and tensors is wanted"))
        if (PyCallable_Check(one)) static_cast<void>(checked(PyObject_CallNoArgs(one)));
    return context_manager(std::make_unique<ControlScope>(Py_None));
  }
  const Ref list = inputs == Py_None ? Ref::borrow(Py_None) : checked(PySequence_List(inputs));
  return context_manager(std::make_unique<ControlScope>(list.get()));
}

PyObject* group(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* name = keywords ? find_item(keywords, "name") : nullptr;
  if (keywords && PyDict_GET_SIZE(keywords) != (name != nullptr))
    fail(ErrorKind::kValue, "tf.group: the only keyword is `name`");
  auto* builder = trace::GraphBuilder::innermost();
  if (!builder) Py_RETURN_NONE;
  const std::string wanted = name && PyUnicode_Check(name) ? std::string(utf8(name)) : "group_deps";
  const std::vector<NodeId> before = std::exchange(builder->control_scope, nodes_in(args, *builder));
  builder->emit("NoOp"_op.row(), {}, {}, wanted);
  builder->control_scope = before;
  return operation_object(builder->graph(), NodeId(static_cast<uint32_t>(builder->graph()->size() - 1))).release();
}

PyObject* current_name_scope(PyObject*, PyObject*) {
  std::string scope = this_thread.builder ? this_thread.builder->scope() : eager::name_scope();
  if (!scope.empty() && scope.back() == '/') scope.pop_back();
  return text_object(scope).release();
}

// Ops go into a tf.Graph.
class GraphScope final : public ContextAction {
 public:
  explicit GraphScope(Ref graph) : graph_(std::move(graph)) {}
  ~GraphScope() override {
    while (!before_.empty()) leave();
  }
  Ref enter() override {
    before_.push_back({{}, std::make_unique<trace::GraphBuilder>(graph_in_object(graph_.get(), "as_default"))});
    this_thread.builder = before_.back().builder.get();
    return graph_;
  }
  void leave() override {
    if (before_.empty()) return;
    const SavedBuilder& then = before_.back().then;
    if (then.here() && this_thread.builder == before_.back().builder.get()) this_thread.builder = then.get();
    before_.pop_back();
  }

 private:
  struct Before {
    SavedBuilder then;
    std::unique_ptr<trace::GraphBuilder> builder;
  };
  Ref graph_;
  std::vector<Before> before_;
};

PyObject* graph_scope(PyObject*, PyObject* graph) {
  static_cast<void>(graph_in_object(graph, "as_default"));
  return context_manager(std::make_unique<GraphScope>(Ref::borrow(graph)));
}

// The empty graph of a function: unlike a tf.Graph it captures what its ops use of the program around it.
PyObject* function_graph(PyObject*, PyObject* name) {
  if (!PyUnicode_Check(name)) fail(ErrorKind::kType, "FuncGraph: the name must be a str");
  return graph_object(std::make_shared<Graph>(std::string(utf8(name)))).release();
}

// The graph that ops go into, or None.
PyObject* current_graph(PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
    return builder ? graph_object(builder->graph()).release() : Py_NewRef(Py_None);
  });
}

PyObject* name_scope(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"name", "default_name", "values", nullptr};
  PyObject *name, *otherwise = Py_None, *values = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OO:name_scope", const_cast<char**>(names), &name,
                                   &otherwise, &values))
    return nullptr;
  return guarded([&] {
    PyObject* chosen = name == Py_None ? otherwise : name;
    if (!PyUnicode_Check(chosen)) fail(ErrorKind::kValue, "name for name_scope must be a string.");
    return context_manager(std::make_unique<NameScope>(std::string(utf8(chosen))));
  });
}

PyObject* device(PyObject*, PyObject* wanted) {
  std::optional<Device> d;
  std::optional<std::string> asked;
  if (wanted != Py_None) {
    Ref spec = PyUnicode_Check(wanted) ? Ref::borrow(wanted)
                                       : Ref::steal(PyObject_CallMethod(wanted, "to_string", nullptr));
    if (!spec) clear_only(PyExc_AttributeError);
    if (!spec && PyCallable_Check(wanted)) fail(ErrorKind::kRuntime, "tf.device does not support functions.");
    if (!spec || !PyUnicode_Check(spec.get()))
      fail(ErrorKind::kValue, "tf.device: expected a name like '/gpu:0', got ", Py_TYPE(wanted)->tp_name);
    asked = utf8(spec.get());
    if (!asked->empty()) d = parse_device(*asked);
  }
  return context_manager(std::make_unique<DeviceScope>(d, std::move(asked)));
}

PyObject* init_scope(PyObject*, PyObject*) { return context_manager(std::make_unique<InitScope>()); }

PyMethodDef functions[] = {
    {"name_scope", as_method(name_scope), METH_VARARGS | METH_KEYWORDS,
     "name_scope(name)\n--\n\nPrefixes the names of ops created inside."},
    {"control_dependencies", as_method(guard<control_dependencies>), METH_VARARGS | METH_KEYWORDS,
     "control_dependencies(control_inputs)\n--\n\nOps made inside run after these; None: after none of those around."},
    {"group", as_method(guard<group>), METH_VARARGS | METH_KEYWORDS,
     "group(*inputs, **kwargs)\n--\n\nAn operation that is done when all inputs are; in eager they are."},
    {"get_current_name_scope", guard<current_name_scope>, METH_NOARGS,
     "get_current_name_scope()\n--\n\nThe name scope that is entered, \"outer/inner\"."},
    {"device", guard<device>, METH_O, "device(device_name)\n--\n\nOps inside run there, where they can."},
    {"init_scope", guard<init_scope>, METH_NOARGS,
     "init_scope()\n--\n\nRuns ops outside of all functions that are being traced."}};

PyMethodDef graph_functions[] = {
    {"graph_scope", guard<graph_scope>, METH_O, "graph_scope(graph)\n--\n\nOps inside go into the graph."},
    {"function_graph", guard<function_graph>, METH_O, "function_graph(name)\n--\n\nAn empty graph of a function."},
    {"current_graph", current_graph, METH_NOARGS, "The graph that ops go into, or None."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_scopes(PyObject* module) {
  if (PyModule_AddFunctions(module, graph_functions) < 0) throw PythonErrorSet();
  define_type<PyContext>(type, "footlight.context", {.properties = members, .methods = methods});
  for (PyMethodDef& f : functions) publish_function(f.ml_name, &f);
}

}  // namespace footlight::python
