// Iterators, the ops on them, and the ops that run through a whole dataset.
#include "engine/data/iterator.h"

#include "engine/data/make.h"
#include "engine/runtime/optional.h"

namespace footlight::data {

constexpr const char* kStateFormat = "footlight iterator 1";

Iterator::~Iterator() { drop(); }

void Iterator::drop() {
  if (!run_) return;
  run_->cancel();
  // Its threads, and whatever lock they held, stayed in the parent.
  if (run_->left_behind()) {
    [[maybe_unused]] auto* cursor = cursor_.release();
    new RunPtr(std::move(run_));
    new StagePtr(std::move(stage_));
    [[maybe_unused]] auto* doer = doer_.release();
    return;
  }
  cursor_.reset();
  doer_.reset();
  run_.reset();
}

void Iterator::make(const StagePtr& stage) {
  const auto lock = lock_outside(mutex_);
  begin(stage, nullptr);
}

// With a state, what was there stays until that has been read.
void Iterator::begin(const StagePtr& stage, State* state) {
  if (!state) drop();
  auto run = std::make_shared<Run>();
  Start start{run, {}};
  std::unique_ptr<Doer> doer;
  if (recording_structure()) {
    const SourceRef source = current_source();
    start.track = start.run->track("", [&] { return std::make_shared<StageTrack>("next", source, nullptr, true); });
    doer = std::make_unique<Doer>(start.track);
  }
  CursorPtr cursor = stage->start(start);
  if (state) {
    state->input(cursor);
    state->end();
  }
  drop();
  {
    const std::lock_guard setting(run_mutex_);
    run_ = std::move(run);
  }
  stage_ = stage;
  cursor_ = std::move(cursor);
  doer_ = std::move(doer);
}

std::string Iterator::save() {
  const auto lock = lock_outside(mutex_);
  if (!run_) throw Error(ErrorKind::kFailedPrecondition, "an iterator that has not been initialized cannot be saved");
  State state;
  state.any_function = run_->any_state();
  state.of(kStateFormat);
  state.input(cursor_);
  return state.bytes();
}

void Iterator::restore(std::string bytes) {
  const auto lock = lock_outside(mutex_);
  if (!stage_)
    throw Error(ErrorKind::kFailedPrecondition, "an iterator that has not been initialized cannot be restored");
  State state(std::move(bytes));
  state.of(kStateFormat);
  begin(StagePtr(stage_), &state);
}

bool Iterator::next(Element& out) {
  const auto lock = lock_outside(mutex_);
  if (!run_)
    throw Error(ErrorKind::kFailedPrecondition,
                "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                "initializer operation for this iterator before getting the next element.");
  if (!cursor_) return false;
  run_->check();
  {
    AtWork at_work(doer_.get());
    const bool any = cursor_->next(out);
    at_work.made(any);
    if (any) return true;
  }
  doer_.reset();
  cursor_.reset();  // what the elements were made of is not needed any more
  return false;
}

void Iterator::cancel() {
  const std::lock_guard setting(run_mutex_);
  if (run_) run_->cancel();
}

Iterator& iterator_of(const Tensor& handle) {
  auto* iterator = handle.dtype() == DType::kResource ? dynamic_cast<Iterator*>(handle.resource_object()) : nullptr;
  if (!iterator) invalid("the input is no iterator over a dataset");
  return *iterator;
}

namespace {

[[noreturn]] void end_of_sequence() { throw Error(ErrorKind::kOutOfRange, "End of sequence"); }

// Elements that leave the pipeline are values of their own for tapes.
void give(Element& element, const Attrs& attrs, std::span<Tensor> outputs, const char* op) {
  static const AttrName kTypes("output_types"), kShapes("output_shapes");
  const auto* types = std::get_if<std::vector<DType>>(attrs.find(kTypes));
  const auto* shapes = std::get_if<std::vector<Shape>>(attrs.find(kShapes));
  if (element.size() != outputs.size())
    invalid("expected elements of ", outputs.size(), " tensors, they have ", element.size(), " [Op:", op, "]");
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (element[k].dtype() != (*types)[k])
      invalid("Expected type ", name_of((*types)[k]), " but got ", name_of(element[k].dtype()), " in component ", k,
              " [Op:", op, "]");
    if (k < shapes->size() && !is_subshape(element[k].shape(), (*shapes)[k]))
      invalid("Expected shape ", (*shapes)[k].to_string(), " but got ", element[k].shape().to_string(),
              " in component ", k, " [Op:", op, "]");
    const DType dtype = element[k].dtype();
    if (dtype != DType::kResource && dtype != DType::kVariant &&
        element[k].body()->refs.load(std::memory_order_relaxed) > 1)
      element[k] = element[k].alias();
    outputs[k] = std::move(element[k]);
  }
}

void new_iterator(KernelContext& context) { context.outputs[0] = Tensor::resource(new Iterator); }
void make_iterator(KernelContext& context) { iterator_of(context.inputs[1]).make(stage_of(context.inputs[0])); }

void get_next(KernelContext& context) {
  Element element;
  if (!iterator_of(context.inputs[0]).next(element)) end_of_sequence();
  give(element, context.attrs, context.outputs, context.row.name);
}

void get_next_as_optional(KernelContext& context) {
  Element element;
  const bool any = iterator_of(context.inputs[0]).next(element);
  context.outputs[0] = any ? runtime::optional_of(std::move(element)) : runtime::no_optional();
}

void cardinality(KernelContext& context) {
  context.outputs[0] = Tensor::scalar(stage_of(context.inputs[0])->cardinality());
}

void reduce(KernelContext& context) {
  static const AttrName kState("Tstate");
  const StagePtr stage = stage_of(context.inputs[0]);
  const size_t states = context.attrs.get<std::vector<DType>>(kState).size();
  const auto run = std::make_shared<Run>();
  const Function function = Function(context.attrs, "f", context.inputs.subspan(1 + states)).in(*run);
  const CursorPtr cursor = stage->start({run, {}});
  Element state(context.inputs.begin() + 1, context.inputs.begin() + 1 + static_cast<ptrdiff_t>(states));
  Element element, arguments;
  while (cursor->next(element)) {
    run->check();
    arguments = std::move(state);
    arguments.insert(arguments.end(), element.begin(), element.end());
    function.call(arguments, state);
  }
  give(state, context.attrs, context.outputs, context.row.name);
}

void single_element(KernelContext& context) {
  const auto run = std::make_shared<Run>();
  const CursorPtr cursor = stage_of(context.inputs[0])->start({run, {}});
  Element element, another;
  if (!cursor->next(element)) invalid("Dataset was empty. [Op:DatasetToSingleElement]");
  if (cursor->next(another)) invalid("Dataset had more than one element. [Op:DatasetToSingleElement]");
  give(element, context.attrs, context.outputs, context.row.name);
}

const KernelOf kNew("AnonymousIteratorV3", new_iterator), kMake("MakeIterator", make_iterator),
    kNext("IteratorGetNext", get_next), kOptional("IteratorGetNextAsOptional", get_next_as_optional),
    kCardinality("DatasetCardinality", cardinality), kReduce("ReduceDataset", reduce),
    kSingle("DatasetToSingleElement", single_element);

}  // namespace
}  // namespace footlight::data
