// Recording on tapes and going back.
#include "engine/eager/tape.h"

#include "engine/ops/functions.h"

#include <algorithm>

namespace footlight {

namespace {

thread_local std::vector<Tape*> tapes;  // those that record, outermost first

void hook(const OpRow& row, const Attrs& attrs, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  // By index: a gradient that runs while a tape looks may start or stop others.
  for (size_t i = 0; i < tapes.size(); ++i) tapes[i]->see(&row, attrs, inputs, outputs, nullptr);
}

bool any_watches(std::span<const Tensor> tensors) {
  return std::any_of(tapes.begin(), tapes.end(), [&](const Tape* tape) { return tape->watches_any(tensors); });
}

void set_hook() {
  tape_hook = tapes.empty() ? nullptr : hook;
  tape_watching = tapes.empty() ? nullptr : any_watches;
}

bool differentiable(DType t) {
  return is_floating(t) || is_complex(t) || t == DType::kResource || t == DType::kVariant;
}

Tensor ones_for(const Tensor& target) { return ops::ones_like(target); }

Tensor zeros_for(const Tensor& source) {
  if (source.dtype() != DType::kResource) return ops::zeros_like(source);
  static const Op read{"ReadVariableOp"};
  static const AttrName kDtype{"dtype"};
  const Variable* v = variable_of(source);
  if (!v) return {};
  return ops::zeros_like(apply(read, {source}, {{kDtype, v->dtype()}}));
}

}  // namespace

Tape::Tape(bool persistent, bool watch_accessed_variables)
    : persistent_(persistent), watch_variables_(watch_accessed_variables) {}

Tape::~Tape() { stop(); }

void Tape::start() {
  if (recording_) return;
  recording_ = true;
  tapes.push_back(this);
  set_hook();
}

void Tape::stop() {
  if (!recording_) return;
  recording_ = false;
  std::erase(tapes, this);
  set_hook();
}

void Tape::watch(const Tensor& t) {
  if (!watched_.insert(t.tape_id()).second) return;
  kept_.push_back(t);
  if (t.dtype() == DType::kResource) variables_.push_back(t);
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
  entries_.clear();
  watched_.clear();
  variables_.clear();
  kept_.clear();
  used_ = false;
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
  entries_.push_back({row, attrs, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}, std::move(custom)});
}

void Tape::run_back(const Entry& e, std::span<const Tensor> output_gradients, std::span<Tensor> input_gradients) {
  if (e.custom) {
    std::vector<Tensor> filled(output_gradients.begin(), output_gradients.end());
    for (size_t i = 0; i < filled.size(); ++i)
      if (!filled[i]) filled[i] = ops::zeros_like(e.outputs[i]);
    std::vector<Tensor> back = e.custom->run(filled);
    for (size_t i = 0; i < input_gradients.size() && i < back.size(); ++i) input_gradients[i] = back[i];
    return;
  }
  if (!e.row->gradient)
    fail(ErrorKind::kLookup, "No gradient defined for operation '", e.row->name, "' (op type: ", e.row->name,
         "): a result depends on a watched tensor only through it. Use tf.stop_gradient, or give it one with "
         "tf.custom_gradient");
  GradientCall call{*e.row, e.attrs, e.inputs, e.outputs, output_gradients, input_gradients};
  e.row->gradient(call);
}

std::vector<Tensor> Tape::gradient(std::span<const Tensor> targets, std::span<const Tensor> sources,
                                   std::span<const Tensor> output_gradients, Unconnected unconnected) {
  if (used_ && !persistent_)
    fail(ErrorKind::kRuntime, "A non-persistent GradientTape can only be used to compute one set of gradients (or "
         "jacobians): make it with persistent=True to ask again");
  if (!persistent_) {
    used_ = true;
    stop();
  }
  // Which entries lie between a source and what comes later.
  std::unordered_set<uint64_t> from_source;
  for (const Tensor& s : sources) from_source.insert(s.tape_id());
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
    if (it->second.size() > 1) it->second = {ops::add_n(it->second)};
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
    // A copy: the tape may grow, and its memory move, while gradient code runs.
    const Entry e = entries_[i];
    std::vector<Tensor> arriving(e.outputs.size());
    bool any = false;
    for (size_t k = 0; k < e.outputs.size(); ++k) {
      arriving[k] = collected(e.outputs[k].tape_id());
      any |= static_cast<bool>(arriving[k]);
    }
    if (!any) continue;
    std::vector<Tensor> back(e.inputs.size());
    run_back(e, arriving, back);
    for (size_t k = 0; k < back.size(); ++k)
      if (back[k] && from_source.contains(e.inputs[k].tape_id())) flowing[e.inputs[k].tape_id()].push_back(back[k]);
  }
  std::vector<Tensor> result;
  for (const Tensor& s : sources) {
    Tensor g = collected(s.tape_id());
    if (!g && unconnected == Unconnected::kZero) g = zeros_for(s);
    result.push_back(g);
  }
  if (!persistent_) reset_after_use();
  return result;
}

void Tape::reset_after_use() {
  entries_.clear();
  kept_.clear();
}

void (*custom_gradient_in_graph)(std::span<const Tensor>, std::span<const Tensor>,
                                 const std::shared_ptr<Backward>&) = nullptr;

void record_custom(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                   std::shared_ptr<Backward> backward) {
  if (current_graph_builder && custom_gradient_in_graph) custom_gradient_in_graph(inputs, outputs, backward);
  for (size_t i = 0; i < tapes.size(); ++i) tapes[i]->see(nullptr, {}, inputs, outputs, backward);
}

bool any_tape_recording() { return !tapes.empty(); }

PauseTapes::PauseTapes() : hidden_(std::move(tapes)) {
  tapes.clear();
  set_hook();
}

PauseTapes::~PauseTapes() {
  std::vector<Tape*> inside = std::move(tapes);
  tapes.clear();
  for (Tape* t : hidden_)
    if (t->recording()) tapes.push_back(t);
  tapes.insert(tapes.end(), inside.begin(), inside.end());
  set_hook();
}

}  // namespace footlight
