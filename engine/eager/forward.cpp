// Computes tangents of an op's outputs from its gradient function alone: that is linear in the incoming gradients u, so
// the gradient of its results with respect to u, weighted by the inputs' tangents, is the outputs' tangent.
#include "engine/eager/forward.h"

#include "engine/eager/tape_threads.h"
#include "engine/ops/functions.h"
#include "engine/ops/indexed_slices.h"

#include <algorithm>

namespace footlight {

namespace {

bool moves(DType t) { return is_floating(t) || is_complex(t); }

}  // namespace

ForwardAccumulator::~ForwardAccumulator() { stop(); }

void ForwardAccumulator::start() {
  if (!begin()) return;
  forget(this);  // another thread may have stopped it
  own_recorders().accumulators.push_back(this);
  set_recorders();
}

void ForwardAccumulator::stop() {
  if (!end()) return;
  forget(this);
  set_recorders();
}

void ForwardAccumulator::watch(const Tensor& primal, const Tensor& tangent) {
  kept_.push_back(primal);
  tangents_[primal.tape_id()] = tangent;
}

Tensor ForwardAccumulator::tangent_of(const Tensor& value) const {
  const auto at = tangents_.find(value.tape_id());
  return at == tangents_.end() ? Tensor() : at->second;
}

void ForwardAccumulator::see(const OpRow* row, const Attrs& attrs, std::span<const Tensor> inputs,
                             std::span<const Tensor> outputs, const std::shared_ptr<Backward>& custom) {
  std::vector<Tensor> tangents;
  bool any = false;
  for (const Tensor& t : inputs) {
    tangents.push_back(tangent_of(t));
    any |= static_cast<bool>(tangents.back());
  }
  if (!any || (row && row->zero_gradient)) return;
  if (std::none_of(outputs.begin(), outputs.end(), [](const Tensor& t) { return moves(t.dtype()); })) return;
  // If a custom gradient's function consists of ops, its results have tangents from these ops already.
  const auto is_known = [&](const Tensor& t) { return static_cast<bool>(tangent_of(t)); };
  if (custom && std::ranges::all_of(outputs, is_known)) return;

  // A call may have results that nobody differentiates, kept only for gradients of the others.
  const AttrValue* const limit = attrs.find("_differentiated"_attr);
  const size_t moving = limit ? static_cast<size_t>(std::get<int64_t>(*limit)) : outputs.size();
  Tape linear(false, false);
  std::vector<Tensor> arriving(outputs.size()), leaving(inputs.size());
  for (size_t k = 0; k < moving; ++k)
    if (moves(outputs[k].dtype())) {
      arriving[k] = ops::zeros_like(outputs[k]);
      linear.watch(arriving[k]);
    }
  linear.start();
  Tape::run_back(row, attrs, inputs, outputs, custom, arriving, leaving);
  std::vector<Tensor> targets, weights, sources;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (tangents[i] && leaving[i]) {
      targets.push_back(ops::dense(leaving[i]));
      weights.push_back(tangents[i]);
    }
  linear.stop();
  std::vector<size_t> of;
  for (size_t k = 0; k < outputs.size(); ++k)
    if (arriving[k]) {
      sources.push_back(arriving[k]);
      of.push_back(k);
    }
  const std::vector<Tensor> found = linear.gradient(targets, sources, weights);
  for (size_t i = 0; i < found.size(); ++i)
    if (const Tensor& output = outputs[of[i]]; found[i] && !(custom && is_known(output)))
      tangents_[output.tape_id()] = ops::dense(found[i]);
}

void ForwardAccumulator::copy_tangent(const Tensor& from, const Tensor& to) {
  if (const Tensor tangent = tangent_of(from)) tangents_[to.tape_id()] = tangent;
}

bool any_accumulator_recording() { return !own_recorders().accumulators.empty(); }

void copy_tangents(const Tensor& from, const Tensor& to) {
  const Recorders& recorders = own_recorders();
  for (ForwardAccumulator* accumulator : recorders.accumulators)
    if (accumulator->records_on(recorders)) accumulator->copy_tangent(from, to);
}

}  // namespace footlight
