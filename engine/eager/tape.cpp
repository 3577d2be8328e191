// Records ops on tapes, and runs the backward pass.
#include "engine/eager/tape.h"

#include "engine/eager/forward.h"
#include "engine/eager/hooks.h"
#include "engine/eager/tape_threads.h"
#include "engine/ops/functions.h"
#include "engine/ops/indexed_slices.h"
#include "engine/ops/wanted.h"

#include <algorithm>
#include <optional>

namespace footlight {

constinit eager::Hooks eager::hooks;

// Vectors have a destructor, so ThreadContext only points to them.
Recorders& own_recorders() {
  // Ops that run while the thread ends find no list that is gone.
  struct Owner {
    Recorders recorders;
    ~Owner() { this_thread.recorders = nullptr; }
  };
  static thread_local Owner owner;
  return owner.recorders;
}

namespace {

void tell_tapes(Recorders& recorders, const OpRow* row, const Attrs& attrs, std::span<const Tensor> inputs,
                std::span<const Tensor> outputs, const std::shared_ptr<Backward>& custom) {
  // Iterates by index: a gradient that runs while a tape records may start or stop others.
  for (size_t i = 0; i < recorders.tapes.size(); ++i)
    if (Tape* tape = recorders.tapes[i]; tape->records_on(recorders)) tape->see(row, attrs, inputs, outputs, custom);
}

// Notifies tapes first: what accumulators compute uses the op's outputs.
void tell(const OpRow* row, const Attrs& attrs, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
          const std::shared_ptr<Backward>& custom) {
  Recorders& recorders = own_recorders();
  tell_tapes(recorders, row, attrs, inputs, outputs, custom);
  const size_t before = recorders.looking;
  try {
    for (size_t i = 0; i < std::min(before, recorders.accumulators.size()); ++i) {
      ForwardAccumulator* const accumulator = recorders.accumulators[i];
      if (!accumulator->records_on(recorders)) continue;
      recorders.looking = i;
      accumulator->see(row, attrs, inputs, outputs, custom);
    }
  } catch (...) {
    recorders.looking = before;
    throw;
  }
  recorders.looking = before;
}

bool tape_watches(const Recorders& recorders, const Tape* tape, std::span<const Tensor> tensors) {
  return tape->records_on(recorders) && tape->watches_any(tensors);
}
bool accumulator_watches(const Recorders& recorders, const ForwardAccumulator* accumulator,
                         std::span<const Tensor> tensors) {
  return accumulator->records_on(recorders) &&
         std::ranges::any_of(tensors,
                             [&](const Tensor& t) { return static_cast<bool>(accumulator->tangent_of(t)); });
}

bool differentiable(DType t) {
  return is_floating(t) || is_complex(t) || t == DType::kResource || t == DType::kVariant;
}

Tensor ones_for(const Tensor& target) { return ops::ones_like(ops::value_of(target)); }

Tensor zeros_for(const Tensor& source) {
  const Tensor value = ops::value_of(source);
  return value.dtype() == DType::kResource ? Tensor() : ops::zeros_like(value);
}

}  // namespace

void set_recorders() {
  Recorders& recorders = own_recorders();
  const bool any = !recorders.tapes.empty() || !recorders.accumulators.empty();
  this_thread.recorders = any ? &recorders : nullptr;
}

void record_applied(const OpRow& row, const Attrs& attrs, std::span<const Tensor> inputs,
                    std::span<const Tensor> outputs) {
  tell(&row, attrs, inputs, outputs, nullptr);
}

bool recorders_watch(std::span<const Tensor> tensors) {
  const Recorders& recorders = own_recorders();
  return std::ranges::any_of(recorders.tapes, [&](const Tape* t) { return tape_watches(recorders, t, tensors); }) ||
         std::ranges::any_of(recorders.accumulators, [&](const ForwardAccumulator* a) {
           return accumulator_watches(recorders, a, tensors);
         });
}

size_t recorders_watching(std::span<const Tensor> tensors) {
  const Recorders& recorders = own_recorders();
  const std::span all(recorders.accumulators);
  const auto shown = all.first(std::min(recorders.looking, all.size()));
  return static_cast<size_t>(
      std::ranges::count_if(recorders.tapes, [&](const Tape* t) { return tape_watches(recorders, t, tensors); }) +
      std::ranges::count_if(
          shown, [&](const ForwardAccumulator* a) { return accumulator_watches(recorders, a, tensors); }));
}

Tape::Tape(bool persistent, bool watch_accessed_variables)
    : persistent_(persistent), watch_variables_(watch_accessed_variables) {}

Tape::~Tape() { stop(); }

bool Recorder::begin() {
  if (recording_) return false;
  list_ = &own_recorders();
  return recording_ = true;
}

bool Recorder::end() {
  if (!recording_) return false;
  left_behind_ |= list_ != &own_recorders();
  recording_ = false;
  return true;
}

void Tape::start() {
  if (!begin()) return;
  forget(this);  // another thread may have stopped it
  own_recorders().tapes.push_back(this);
  set_recorders();
}

void Tape::stop() {
  if (!end()) return;
  forget(this);
  set_recorders();
}

void Tape::watch(const Tensor& t) {
  if (!watched_.insert(t.tape_id()).second) return;
  kept_.push_back(t);
  if (t.dtype() == DType::kResource) variables_.push_back(t);
}

std::vector<Tensor> Tape::variables_in_order() const {
  std::vector<Tensor> all = variables_;
  std::sort(all.begin(), all.end(), [](const Tensor& a, const Tensor& b) { return a.tape_id() < b.tape_id(); });
  return all;
}

bool Tape::watches_any(std::span<const Tensor> tensors) const {
  return std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& t) {
    if (watched_.contains(t.tape_id())) return true;
    if (!watch_variables_ || t.dtype() != DType::kResource) return false;
    const Variable* v = variable_of(t);
    return v && v->trainable();
  });
}

void Tape::reset() {
  watched_.clear();
  used_ = false;
  const std::vector<Tensor> variables = std::exchange(variables_, {});
  reset_after_use();
}

void Tape::see(const OpRow* row, const Attrs& attrs, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
               std::shared_ptr<Backward> custom) {
  if (outputs.empty()) return;
  bool tracked = false;
  for (const Tensor& t : inputs) {
    if (!differentiable(t.dtype())) continue;
    if (watch_variables_ && t.dtype() == DType::kResource && !watched_.contains(t.tape_id())) {
      const Variable* v = variable_of(t);
      if (v && v->trainable()) watch(t);
    }
    tracked |= watched_.contains(t.tape_id());
  }
  if (!tracked) return;
  if (row && row->zero_gradient) return;
  bool any = false;
  for (const Tensor& t : outputs)
    if (differentiable(t.dtype())) {
      watched_.insert(t.tape_id());
      any = true;
    }
  if (!any) return;
  if (custom && custom->is_users()) users_gradients_.push_back(custom);
  entries_.push_back({row, attrs, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}, std::move(custom)});
}

void Tape::run_back(const OpRow* row, const Attrs& attrs, std::span<const Tensor> inputs,
                    std::span<const Tensor> outputs, const std::shared_ptr<Backward>& custom,
                    std::span<const Tensor> output_gradients, std::span<Tensor> input_gradients) {
  if (custom) {
    std::vector<Tensor> filled(output_gradients.begin(), output_gradients.end());
    for (size_t i = 0; i < filled.size() && custom->wants_zeros(); ++i)
      if (!filled[i]) filled[i] = ops::zeros_like(outputs[i]);
    std::vector<Tensor> back = custom->run(filled);
    for (size_t i = 0; i < input_gradients.size() && i < back.size(); ++i) input_gradients[i] = back[i];
    return;
  }
  if (!row->gradient)
    fail(ErrorKind::kLookup, "No gradient defined for operation '", row->name, "' (op type: ", row->name,
         "): a result depends on a watched tensor only through it. Use tf.stop_gradient, or give it one with "
         "tf.custom_gradient");
  std::vector<Tensor> whole;
  if (!row->takes_slices && std::any_of(output_gradients.begin(), output_gradients.end(), ops::slices_of)) {
    for (const Tensor& g : output_gradients) whole.push_back(ops::dense(g));
    output_gradients = whole;
  }
  GradientCall call{*row, attrs, inputs, outputs, output_gradients, input_gradients};
  row->gradient(call);
}

std::vector<Tensor> Tape::gradient(std::span<const Tensor> targets, std::span<const Tensor> sources,
                                   std::span<const Tensor> output_gradients, Unconnected unconnected, After after) {
  const bool last = !persistent_ && after == After::kForget;
  if (used_ && !persistent_)
    fail(ErrorKind::kRuntime, "A non-persistent GradientTape can only be used to compute one set of gradients (or "
         "jacobians): make it with persistent=True to ask again");
  if (!persistent_) {
    used_ = last;
    stop();
  }
  // Marks the entries that lie on a path from a source.
  std::unordered_set<uint64_t> from_source;
  for (const Tensor& s : sources)
    if (watched_.contains(s.tape_id())) from_source.insert(s.tape_id());  // the rest has no gradient
  const size_t count = entries_.size();  // a persistent tape may record what follows
  std::vector<bool> between(count);
  for (size_t i = 0; i < count; ++i) {
    const Entry& e = entries_[i];
    between[i] = std::any_of(e.inputs.begin(), e.inputs.end(),
                             [&](const Tensor& t) { return from_source.contains(t.tape_id()); });
    if (between[i])
      for (const Tensor& t : e.outputs) from_source.insert(t.tape_id());
  }
  std::unordered_map<uint64_t, std::vector<Tensor>> flowing;
  auto collected = [&](uint64_t id) -> Tensor {
    auto it = flowing.find(id);
    if (it == flowing.end()) return {};
    if (it->second.size() > 1) it->second = {ops::accumulate(it->second)};
    return it->second[0];
  };
  for (size_t i = 0; i < targets.size(); ++i) {
    const Tensor& t = targets[i];
    if (!from_source.contains(t.tape_id())) continue;
    const bool given = i < output_gradients.size() && output_gradients[i];
    flowing[t.tape_id()].push_back(given ? output_gradients[i] : ones_for(t));
  }
  for (size_t i = count; i-- > 0;) {
    if (!between[i]) continue;
    // Copies the entry: the tape may grow, and its memory move, while gradient code runs.
    if (i >= entries_.size()) fail(ErrorKind::kRuntime, "a tape was reset while it computed a gradient");
    const Entry e = entries_[i];
    std::vector<Tensor> arriving(e.outputs.size());
    bool any = false;
    for (size_t k = 0; k < e.outputs.size(); ++k) {
      arriving[k] = collected(e.outputs[k].tape_id());
      any |= static_cast<bool>(arriving[k]);
    }
    if (!any) continue;
    std::vector<Tensor> back(e.inputs.size());
    // Products and convolutions may skip gradients that nobody reads; none of their gradients runs another op's.
    std::optional<GradientWanted> wanted;
    if (e.row && e.row->family == OpFamily::kProduct && !e.custom) {
      std::vector<bool> which;
      for (const Tensor& t : e.inputs) which.push_back(from_source.contains(t.tape_id()));
      wanted.emplace(std::move(which));
    }
    run_back(e.row, e.attrs, e.inputs, e.outputs, e.custom, arriving, back);
    for (size_t k = 0; k < back.size(); ++k)
      if (back[k] && from_source.contains(e.inputs[k].tape_id())) flowing[e.inputs[k].tape_id()].push_back(back[k]);
  }
  std::vector<Tensor> result;
  for (const Tensor& s : sources) {
    Tensor g = collected(s.tape_id());
    if (!g && unconnected == Unconnected::kZero) g = zeros_for(s);
    result.push_back(g);
  }
  if (last) reset_after_use();
  return result;
}

// Freeing entries may run the user's code, which must find the tape in a valid state.
void Tape::reset_after_use() {
  users_gradients_.clear();
  const std::vector<Entry> entries = std::exchange(entries_, {});
  const std::vector<Tensor> kept = std::exchange(kept_, {});
}

void record_custom(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                   std::shared_ptr<Backward> backward) {
  if (this_thread.builder && eager::hooks.custom_gradient_in_graph)
    eager::hooks.custom_gradient_in_graph(inputs, outputs, backward);
  if (this_thread.recorders) tell(nullptr, {}, inputs, outputs, backward);
}

void record_backward(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                     std::shared_ptr<Backward> backward) {
  if (this_thread.recorders) tell(nullptr, {}, inputs, outputs, backward);
}

bool any_tape_recording() { return this_thread.recorders != nullptr; }

namespace {
// Lists that are put aside. A vector has a destructor, so it cannot be part of ThreadContext.
thread_local std::vector<Recorders*> paused;
}  // namespace

void forget(Tape* tape) {
  std::erase(own_recorders().tapes, tape);
  for (Recorders* hidden : paused) std::erase(hidden->tapes, tape);
}
void forget(ForwardAccumulator* accumulator) {
  std::erase(own_recorders().accumulators, accumulator);
  for (Recorders* hidden : paused) std::erase(hidden->accumulators, accumulator);
}

PauseTapes::PauseTapes(Pause which) : hidden_(std::make_unique<Recorders>()) {
  paused.push_back(hidden_.get());
  Recorders& recorders = own_recorders();
  hidden_->tapes = std::exchange(recorders.tapes, {});
  hidden_->looking = recorders.looking;
  if (which == Pause::kAll) {
    hidden_->accumulators = std::exchange(recorders.accumulators, {});
    recorders.looking = SIZE_MAX;
  }
  set_recorders();
}

PauseTapes::~PauseTapes() {
  std::erase(paused, hidden_.get());
  Recorders& recorders = own_recorders();
  const Recorders inside = std::exchange(recorders, {});
  for (Tape* t : hidden_->tapes)
    if (t->records_on(recorders)) recorders.tapes.push_back(t);
  for (ForwardAccumulator* a : hidden_->accumulators)
    if (a->records_on(recorders)) recorders.accumulators.push_back(a);
  recorders.looking = hidden_->looking;
  recorders.tapes.insert(recorders.tapes.end(), inside.tapes.begin(), inside.tapes.end());
  recorders.accumulators.insert(recorders.accumulators.end(), inside.accumulators.begin(), inside.accumulators.end());
  set_recorders();
}

}  // namespace footlight
