// Follows the functions that run while a trace is made, compares what they name before and after, and records what
// changed.
#include "engine/python/function/observed/state_watch.h"

#include "engine/base/clock.h"
#include "engine/base/error_words.h"
#include "engine/base/recording.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/function/observed/frozen_state.h"
#include "engine/python/function/observed/state_records.h"
#include "engine/python/interpreter/arguments.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/frame_layout.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/thread_context.h"
#include "engine/python/interpreter/weak.h"
#include "engine/python/types/objects.h"
#include "engine/python/types/variable_object.h"
#include "engine/session/writer.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace footlight::python {

using autograph::OutsideAccess;
using session::ObservationKind;
using session::ObservationRecord;

namespace {

using Entry = WatchedEntry;
constexpr size_t kMaxFunctions = 256, kMaxPlaces = 512;  // limits for one trace

Ref weak(PyObject* object) {
  Ref made = Ref::steal(PyWeakref_NewRef(object, nullptr));
  if (!made) clear_only(PyExc_TypeError);
  return made;
}

bool holds_symbolic(const SeenValue& value) { return value.kind == SeenValue::kSymbolic; }

// Whether a tensor belongs to a graph around the one in progress.
bool belongs_to_outer(PyObject* value) {
  if (!value || !is_tensor(value) || !tensor_of(value).is_symbolic()) return false;
  const Graph* graph = tensor_of(value).graph();
  const trace::GraphBuilder* own = trace::GraphBuilder::innermost();
  for (const trace::GraphBuilder* b = own ? own->outer() : nullptr; b; b = b->outer())
    if (b->graph().get() == graph) return true;
  return false;
}

// All functions that ran in a trace.
std::set<SharedBody>& known_bodies() {
  static auto& all = *new std::set<SharedBody>;
  return all;
}

// Traces whose symbolic tensors were kept, by the number of their graph.
struct Leak { FunctionId function; TraceId trace; };
auto& leaks() {
  static auto& all = *new std::unordered_map<const Graph*, std::pair<std::weak_ptr<const Graph>, Leak>>;
  return all;
}

// Whether the function is in a file of an installed package or of Python.
bool is_of_library(PyObject* function) {
  const std::string file = readable(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function))->co_filename);
  return !file.starts_with('<') && !is_own_file(file) && !is_users_file(file);
}

// Whether the function is the program's own.
bool is_users(PyObject* function) {
  const SharedBody body = body_of(function);
  return body && is_users_file(body->file);
}

// on_call(function, frame): the recorder calls it when a function of the program begins.
PyObject* on_call(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count > 0) StateWatch::entered_from_library(args[0]);
  Py_RETURN_NONE;
}

// Turns on or off that the innermost watch hears of the program's functions which a library calls. False: it cannot,
// since the program has a profile function of its own.
bool watch_calls(bool on) {
  static PyMethodDef method{"on_call", as_method(on_call), METH_FASTCALL, nullptr};
  static PyObject* const callback = checked(PyCFunction_New(&method, nullptr)).release();
  static PyObject* const watch =
      checked(PyObject_GetAttrString(checked(PyImport_ImportModule("footlight_recorder._recorder")).get(),
                                     "watch_calls")).release();
  return checked(PyObject_CallOneArg(watch, on ? callback : Py_None)).get() == Py_True;
}

// Whether enough was recorded: a function that is traced again and again has the same findings each time.
bool said_enough(FunctionId function, const std::string& path) {
  constexpr int kMax = 256;
  static auto& said = *new std::map<std::tuple<uint32_t, FunctionId, std::string>, int>;
  if (said.size() > 4096) said.clear();
  return ++said[{recording_number.load(std::memory_order_relaxed), function, path}] > kMax;
}

}  // namespace

struct StateWatch::Impl {
  FunctionId function;
  TraceId trace;
  std::vector<WatchedEntry> entries;
  std::set<std::pair<const void*, const void*>> entered;
  std::vector<SharedBody> bodies;
  std::vector<std::shared_ptr<TraceState>> inner;
  std::vector<TraceState::Frozen> frozen;
  struct Drawn {
    ChanceSource source;
    SeenValue before;
    SharedBody body;
    int line = 0;
    std::string path;
  };
  std::vector<Drawn> drawn;
  std::set<std::string> seeded;          // "random", "numpy.random"
  StateWatch* outer = nullptr;
  bool follow = false;
  bool calls_watched = false;            // a library has run, which may call any function of the program
  struct Taken { bool body = false, other = false; };
  std::map<std::pair<std::string, int>, Taken> decisions;  // of Python, by the line of the `if`

  // Leaves out what stands in branches that the body did not take: nothing read or changed it.
  void drop_unreached() {
    std::erase_if(entries, [&](const Entry& entry) {
      return std::ranges::any_of(entry.made().under, [&](const autograph::BranchTaken& branch) {
        const auto taken = decisions.find({entry.body->file, branch.line});
        return taken != decisions.end() && !(branch.body ? taken->second.body : taken->second.other);
      });
    });
  }

  void watch_library() {
    if (!calls_watched) calls_watched = watch_calls(true);
  }

  // `values`: of its parameters, as far as they are known; `owned` while tracing.
  void enter(PyObject* made, std::span<PyObject* const> values, int depth = 0) {
    if (bodies.size() >= kMaxFunctions || depth > 8) return;
    const bool object = !values.empty() && values[0] && !is_tensor(values[0]);
    const void* self = object ? static_cast<const void*>(values[0]) : PyFunction_GET_CLOSURE(made);
    if (!entered.insert({PyFunction_GET_CODE(made), self}).second) return;
    const SharedBody body = body_of(made);
    if (!body) return;
    bodies.push_back(body);
    if (known_bodies().size() < 4096) known_bodies().insert(body);
    const size_t count = body->outside.accesses.size();
    for (size_t i = 0; i < count && entries.size() < kMaxPlaces; ++i) {
      const OutsideAccess& access = body->outside.accesses[i];
      Entry entry{Ref::borrow(made), {}, body, i, access.path.steps.size(), false, bodies.size() == 1, nullptr};
      if (access.path.parameter >= 0) {
        const auto index = static_cast<size_t>(access.path.parameter);
        if (index >= values.size() || !values[index]) continue;
        entry.parameter = true;
        // Weak: an object that the body drops dies when it would.
        entry.start = weak(values[index]);
        if (!entry.start) entry.start = Ref::borrow(values[index]);
      }
      if (access.kind == OutsideAccess::kCall) {
        if (follow) follow_call(entry, depth);
        if (!call(entry)) continue;
      }
      const Spot spot = entry.now();
      if (spot.property) {
        PyObject* object = spot.object.get();
        enter(spot.property.get(), {&object, 1}, depth + 1);
        continue;
      }
      entry.holder = spot.holder;
      entry.before = see(spot.value.get());
      if (entry.before.kind == SeenValue::kCode && access.kind <= OutsideAccess::kCall) continue;
      if (entry.before.known()) {
        entry.contents = contents_of(spot.value.get());
        entry.text = text_of(spot.value.get());
        entry.identity = identity_of(spot.value.get());
      }
      entries.push_back(std::move(entry));
    }
  }

  // Enters what a library's function calls of the program: functions in its closure, and methods of objects there that
  // its code names.
  void enter_called_by_library(PyObject* function) {
    PyObject* const closure = PyFunction_GET_CLOSURE(function);
    if (!closure || is_users(function)) return;
    PyObject* const names = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function))->co_names;
    const bool followed = std::exchange(follow, true);  // nobody converts what the library calls
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(closure); ++i) {
      const Ref held = Ref::borrow(PyCell_GET(PyTuple_GET_ITEM(closure, i)));
      if (!held) continue;
      if (PyFunction_Check(held.get()) && is_users(held.get())) enter(held.get(), {});
      if (PyMethod_Check(held.get()) && is_users(PyMethod_GET_FUNCTION(held.get()))) {
        PyObject* self = PyMethod_GET_SELF(held.get());
        enter(PyMethod_GET_FUNCTION(held.get()), {&self, 1});
      }
      for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(names); ++n) {
        const Ref method = Ref::borrow(_PyType_Lookup(Py_TYPE(held.get()), PyTuple_GET_ITEM(names, n)));
        PyObject* self = held.get();
        if (method && PyFunction_Check(method.get()) && is_users(method.get())) enter(method.get(), {&self, 1});
      }
    }
    follow = followed;
  }

  void follow_call(const Entry& entry, int depth) {
    const CalledFunction called = function_called(entry);
    PyObject* self = called.self.get();
    if (called.function) enter(called.function.get(), {&self, self ? size_t{1} : size_t{0}}, depth + 1);
  }

  // False: the call reads no state. It may be a draw of a number.
  bool call(Entry& entry) {
    const Spot called = entry.now();
    if (!entry.steps) {
      const ChanceSource source = chance_of(called.value.get(), nullptr, entry.last());
      if (source.kind != Chance::kNone) draw(entry, source);
      return called.value && !draws(source);
    }
    Entry owner = entry;
    --owner.steps;
    const Spot object = owner.now();
    if (entry.last() == "seed" && (!object.value || PyModule_Check(object.value.get()))) {
      seeded.insert(object.value && object.value.get() == loaded_module("random") ? "random" : "numpy.random");
      return false;
    }
    // NumPy loads its generators at their first use.
    const auto& path = entry.made().path;
    if (entry.steps == 2 && path.steps[0].key == "random" && !object.value && std::islower(path.steps[1].key[0]) &&
        path.steps[1].key != "default_rng" && object.holder && object.holder == loaded_module("numpy")) {
      draw(entry, {Chance::kRandomState, {}, "numpy.random"});
      return false;
    }
    const ChanceSource source = chance_of(called.value.get(), object.value.get(), entry.last());
    if (source.kind != Chance::kNone) {
      draw(entry, source);
      return false;
    }
    const SeenValue seen = see(object.value.get());
    if (seen.kind == SeenValue::kData) {
      entry.steps = owner.steps;         // a method of a container reads the container
      return true;
    }
    return called.value && see(called.value.get()).kind != SeenValue::kCode;
  }
  static bool draws(const ChanceSource& source) { return source.kind != Chance::kNone; }

  void draw(const Entry& entry, const ChanceSource& source) {
    const std::string last = entry.last();
    if (last == "seed") seeded.insert(source.name);  // from there on the numbers are the same each time
    if (last == "seed" || last.ends_with("state")) return;
    std::string path = source.name;
    if (path.empty()) {
      Entry owner = entry;
      if (owner.steps) --owner.steps;
      path = owner.path();
    }
    const SeenValue before = source.object ? see_chance(source) : SeenValue();
    drawn.push_back({source, before, entry.body, entry.made().line, std::move(path)});
  }

  std::vector<const WatchedBody*> involved() const {
    std::vector<const WatchedBody*> all;
    for (const Impl* one = this; one; one = one->outer ? one->outer->impl_.get() : nullptr)
      for (const SharedBody& body : one->bodies) all.push_back(body.get());
    return all;
  }

  // What other traces have run so far, too: there the tensor may be another one, of that trace.
  static std::vector<const WatchedBody*> traced() {
    std::vector<const WatchedBody*> all;
    for (const SharedBody& body : known_bodies()) all.push_back(body.get());
    return all;
  }

  void write_drawn(session::Writer& writer) {
    std::set<std::pair<std::string, int>> done;
    for (const Drawn& d : drawn) {
      if (seeded.contains(d.source.name)) continue;
      if (d.source.kind == Chance::kRandomState && !d.source.object) {
        if (!loaded_module("numpy.random.mtrand")) continue;
      } else if (d.source.kind != Chance::kClock) {
        const SeenValue after = see_chance(d.source);
        if (after.kind == SeenValue::kUnknown || after.same(d.before)) continue;
      }
      if (!done.insert({d.body->file, d.line}).second || said_enough(function, d.path)) continue;
      ObservationRecord record =
          observation(writer, ObservationKind::kRandomRead, function, trace, now_ns(), *d.body, d.line, d.path);
      record.note = d.source.kind == Chance::kClock ? "clock" : "";
      writer.add(std::move(record));
    }
  }

  void write_changes(session::Writer& writer, const Graph* graph) {
    std::set<std::string> done;
    // What the last store leaves there.
    std::map<std::string, const OutsideAccess*> last;
    for (const Entry& e : entries)
      if (e.made().kind == OutsideAccess::kStore) last[e.path()] = &e.made();
    for (const Entry& e : entries) {
      const OutsideAccess& access = e.made();
      if (access.kind < OutsideAccess::kStore) continue;
      // An item that is stored belongs to its container.
      const Spot spot = e.now();
      const SeenValue after = see(spot.value.get());
      bool leaked = holds_symbolic(after) && !after.same(e.before) && !belongs_to_outer(spot.value.get());
      if (!leaked && (access.memo || after.same(e.before) || after.kind != SeenValue::kData)) continue;
      if (!leaked && e.body->outside.makes_once && access.kind == OutsideAccess::kStore) continue;
      const Elsewhere where = elsewhere(e);
      // A counter of traces counts what it should.
      if (!leaked && autograph::is_about_traces(where.name.name + where.name.item.key)) continue;
      if (!done.insert(where.text).second) continue;
      auto uses = uses_of(*e.body, where.name, leaked ? traced() : involved());
      if (where.name.kind == autograph::StateName::kAttribute) drop_other_classes(uses, e);
      if (!leaked) std::erase_if(uses, [](const FoundUse& f) { return f.use.of_traces; });
      const auto reads = [](const FoundUse& f) { return !f.use.store; };
      // A list of which only the length is read.
      if (leaked && access.kind == OutsideAccess::kMutation && std::ranges::any_of(uses, reads) &&
          std::ranges::all_of(uses, [](const FoundUse& f) { return f.use.store || f.use.size; }))
        leaked = false;
      const bool reset = std::ranges::any_of(uses, [](const FoundUse& f) { return f.use.store && !f.use.initial; });
      const auto stored = last.find(where.text);
      if (!leaked && stored != last.end() && stored->second->literal && !reset) continue;
      ObservationRecord record =
          observation(writer, leaked ? ObservationKind::kTensorLeak : ObservationKind::kSideEffect, function, trace,
                      now_ns(), *e.body, access.line, where.text);
      record.note = access.kind == OutsideAccess::kMutation ? "mutation" : "";
      if (leaked) note_frozen(writer, e, after, record);
      record.values.push_back(text_of(spot.value.get()));
      add_lines(writer, record, uses, false, leaked ? "use" : "read");
      if (record.lines.empty() && !leaked && access.kind != OutsideAccess::kStore) {
        for (const Entry& read : entries)
          if (read.made().kind == OutsideAccess::kRead && read.holder == e.holder && read.last() == e.last())
            record.lines.push_back({"read", writer.file(read.body->file), read.made().line});
      }
      if (leaked && graph) {
        auto& all = leaks();
        if (all.size() > 1024) all.clear();
        all[graph] = {graph->weak_from_this(), {function, trace}};
      } else if (record.lines.empty()) {
        continue;
      }
      if (!said_enough(function, where.text)) writer.add(std::move(record));
    }
  }

  // What the trace read before it left a symbolic tensor there: later calls are compared with it.
  void note_frozen(session::Writer& writer, const Entry& stored, const SeenValue& after, ObservationRecord& record) {
    const FrozenState found = frozen_state(stored, entries);
    if (!found.read) return;
    record.line = found.stored_line;
    record.values.push_back(found.read->text);
    for (const Entry* read : found.reads) {
      const session::ObservedLine line{"read", writer.file(read->body->file), read->made().line};
      const auto same = [&](const session::ObservedLine& l) { return l.file == line.file && l.line == line.line; };
      if (std::ranges::none_of(record.lines, same)) record.lines.push_back(line);
    }
    std::optional<TraceState::StateRead> place = place_of_entry(stored);
    if (!place) return;
    place->value = after;
    frozen.push_back({std::move(*place), found.read->contents});
  }

  // Nothing: what the path begins at can have no weak reference.
  static std::optional<TraceState::StateRead> place_of_entry(const Entry& e) {
    TraceState::StateRead place;
    place.function = weak(e.function.get());
    if (e.parameter && PyWeakref_Check(e.start.get())) place.object = e.start;
    if (!place.function || (e.parameter && !place.object)) return {};
    place.body = e.body;
    place.access = e.access;
    place.steps = e.steps;
    place.path = e.path();
    return place;
  }

  std::shared_ptr<TraceState> keep() {
    auto state = std::make_shared<TraceState>();
    state->function = function;
    state->trace = trace;
    state->recording = recording_number.load(std::memory_order_relaxed);
    state->inner = std::move(inner);
    state->frozen = std::move(frozen);
    state->made_ns = now_ns();
    std::set<std::string> done;
    for (const Entry& e : entries) {
      const OutsideAccess& access = e.made();
      if (access.kind > OutsideAccess::kCall || !e.before.known()) continue;
      if (e.before.kind == SeenValue::kSymbolic) continue;
      const bool written = std::ranges::any_of(entries, [&](const Entry& w) {
        if (w.made().kind < OutsideAccess::kStore) return false;
        if (w.holder == e.holder && w.last() == e.last()) return true;
        // self.x = ... before self.x.y is read, or self.items.append() before self.items[0] is
        const auto &wrote = w.made().path, &read = e.made().path;
        return w.start.get() == e.start.get() && wrote.root == read.root && w.steps <= e.steps &&
               std::equal(wrote.steps.begin(), wrote.steps.begin() + static_cast<std::ptrdiff_t>(w.steps),
                          read.steps.begin());
      });
      if (written) continue;
      const Spot spot = e.now();
      const SeenValue now = see(spot.value.get());
      if (!now.same(e.before) || now.kind == SeenValue::kAbsent) continue;
      if (!done.insert(e.path()).second) continue;
      std::optional<TraceState::StateRead> place = place_of_entry(e);
      if (!place) continue;
      place->read = place->value = now;
      place->text = text_of(spot.value.get());
      state->places.push_back(std::move(*place));
    }
    if (state->places.empty() && state->frozen.empty() && state->inner.empty()) return nullptr;
    return state;
  }
};

StateWatch::StateWatch(PyObject* body, std::span<PyObject* const> values, FunctionId function, TraceId trace,
                       bool follow) {
  if (!recording_structure() || !session::active_writer()) return;
  impl_ = std::make_unique<Impl>();
  impl_->function = function;
  impl_->trace = trace;
  impl_->follow = follow;
  impl_->outer = std::exchange(python_thread.state_watch, this);
  quietly([&] {
    std::vector<PyObject*> all;
    const Ref runs = optional_attribute(body, "_footlight_runs");  // a dataset's function is wrapped
    const Ref made = function_behind(runs ? runs.get() : body, all);
    all.insert(all.end(), values.begin(), values.end());
    if (!made) return;
    impl_->enter(made.get(), all);
    impl_->enter_called_by_library(made.get());
    // An inner trace has calls of its own.
    const bool around = impl_->outer && impl_->outer->impl_ && impl_->outer->impl_->calls_watched;
    if (around || is_of_library(made.get())) impl_->watch_library();
  });
}

StateWatch::~StateWatch() {
  if (!impl_) return;
  if (impl_->calls_watched) quietly([] { watch_calls(false); });
  python_thread.state_watch = impl_->outer;
}

std::shared_ptr<TraceState> StateWatch::finish(const Graph* graph) {
  std::shared_ptr<TraceState> state;
  session::Writer* writer = impl_ ? session::active_writer() : nullptr;
  if (!writer) return state;
  quietly([&] {
    impl_->drop_unreached();
    impl_->write_drawn(*writer);
    impl_->write_changes(*writer, graph);
    state = impl_->keep();
  });
  return state;
}

StateWatch::Impl* StateWatch::innermost() {
  StateWatch* const watch = python_thread.state_watch;
  return watch ? watch->impl_.get() : nullptr;
}

void StateWatch::contains(const std::shared_ptr<TraceState>& inner) {
  Impl* const around = innermost();
  if (inner && around && std::ranges::find(around->inner, inner) == around->inner.end()) around->inner.push_back(inner);
}

void StateWatch::entering(PyObject* callable, PyObject* const* args, Py_ssize_t count) {
  Impl* const around = innermost();
  if (!around || around->bodies.size() >= kMaxFunctions) return;
  quietly([&] {
    std::vector<PyObject*> all;
    const Ref made = function_behind(callable, all);
    all.insert(all.end(), args, args + count);
    if (!made) return;
    around->enter(made.get(), all);
    if (is_of_library(made.get())) around->watch_library();
  });
}

void StateWatch::decided(const std::string& file, int line, bool body) {
  Impl* const around = innermost();
  if (!around || around->decisions.size() >= kMaxPlaces) return;
  Impl::Taken& taken = around->decisions[{file, line}];
  (body ? taken.body : taken.other) = true;
}

void StateWatch::entering_unconverted(PyObject* function) {
  Impl* const around = innermost();
  if (!around || around->bodies.size() >= kMaxFunctions || !PyFunction_Check(function)) return;
  quietly([&] {
    around->enter_called_by_library(function);
    around->watch_library();
  });
}

void StateWatch::entered_from_library(PyObject* function) {
  Impl* const around = innermost();
  const InterpreterFrame* const frame = top_frame(own_thread_state());
  if (!around || around->bodies.size() >= kMaxFunctions || frame->code != PyFunction_GET_CODE(function)) return;
  quietly([&] {
    if (ag_is_converted_code(frame->code) || !is_users(function)) return;
    std::vector<PyObject*> values;
    const int count = reinterpret_cast<PyCodeObject*>(frame->code)->co_argcount;
    for (int i = 0; i < count; ++i) values.push_back(local_at(frame, i));
    around->enter(function, values);
  });
}

namespace {

// Reads the changes of a function, and of the program's functions that it calls, from their sources.
class OutsideChanges {
 public:
  // `self`: what its first parameter is; null: not known.
  void read(PyObject* function, PyObject* self, int depth = 0) {
    const SharedBody body = body_of(function);
    if (!body || depth > kMaxDepth || entered_.size() >= kMaxFunctions) return;
    const void* const object = self ? self : PyFunction_GET_CLOSURE(function);
    if (!entered_.insert({PyFunction_GET_CODE(function), object}).second) return;
    if (!first_) first_ = body;
    for (size_t i = 0; i < body->outside.accesses.size(); ++i) {
      const OutsideAccess& access = body->outside.accesses[i];
      Entry entry{Ref::borrow(function), {}, body, i, access.path.steps.size(), false, depth == 0, nullptr};
      if (access.path.parameter == 0 && self) {
        entry.parameter = true;
        entry.start = Ref::borrow(self);
      } else if (access.path.parameter >= 0 && depth) {
        continue;                        // what a helper is given may be the caller's own
      }
      const bool opens = access.kind == OutsideAccess::kCall && access.path.text() == "open";
      const bool is_known = entry.parameter || access.path.parameter < 0;
      if (access.kind == OutsideAccess::kCall && !opens && is_known) {
        const CalledFunction called = function_called(entry);
        PyObject* const helper = called.function.get();
        if (helper && is_users(helper)) read(helper, called.self.get(), depth + 1);
      }
      if (access.kind < OutsideAccess::kStore && !opens) continue;
      const Ref value = is_known ? entry.now().value : Ref();
      if (value && is_variable(value.get())) continue;
      add(function, *body, access, opens);
    }
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  static constexpr int kMaxDepth = 8;

  void add(PyObject* function, const WatchedBody& body, const OutsideAccess& access, bool opens) {
    std::string where = "line " + std::to_string(access.line);
    if (&body != first_.get()) {
      const auto* const code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
      where += " of " + readable(code->co_name);
      if (body.file != first_->file) where += " in " + body.file.substr(body.file.rfind('/') + 1);
    }
    std::string text = (opens ? "a file" : access.path.text()) + " (" + where + ")";
    if (std::ranges::find(found_, text) == found_.end()) found_.push_back(std::move(text));
  }

  SharedBody first_;                     // of the traced function itself
  std::set<std::pair<const void*, const void*>> entered_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> outside_changes(PyObject* callable) {
  OutsideChanges changes;
  quietly([&] {
    std::vector<PyObject*> first;
    const Ref made = function_behind(callable, first);
    if (made) changes.read(made.get(), first.empty() ? nullptr : first.front());
  });
  return changes.take();
}

void note_leaked_use(const Graph& graph) {
  session::Writer* writer = recording_structure() ? session::active_writer() : nullptr;
  const auto found = writer ? leaks().find(&graph) : leaks().end();
  if (!writer || found == leaks().end() || found->second.first.lock().get() != &graph) return;
  quietly([&] {
    const SourcePlace place = place_of(current_source());
    if (place.file.empty()) return;
    const Leak& leak = found->second.second;
    ObservationRecord record = observation(ObservationKind::kTensorLeak, leak.function, leak.trace, now_ns());
    record.lines.push_back({"use", writer->file(place.file), place.line});
    writer->add(std::move(record));
  });
}

}  // namespace footlight::python
