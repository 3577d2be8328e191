// Iterators, the ops on them, and the ops that consume a whole dataset.
#include "engine/data/iterator.h"

#include "engine/base/activity.h"
#include "engine/base/call_stack.h"
#include "engine/base/end_of_sequence.h"
#include "engine/data/stage_registry.h"
#include "engine/runtime/optional.h"

#include <algorithm>
#include <map>

namespace footlight::data {

constexpr const char* kStateFormat = "footlight iterator 1";

Iterator::~Iterator() { drop(); }

void Iterator::drop() {
  ahead_.clear();
  if (!run_) return;
  run_->cancel();
  // The run's threads, and the locks that they held, stayed in the parent process.
  if (run_->left_behind()) {
    [[maybe_unused]] auto* cursor = cursor_.release();
    new RunPtr(std::move(run_));
    new StagePtr(std::move(stage_));
    [[maybe_unused]] auto* recorder = recorder_.release();
    return;
  }
  cursor_.reset();
  recorder_.reset();
  run_.reset();
}

void Iterator::make(const StagePtr& stage) {
  const auto lock = lock_outside(mutex_);
  begin(stage, nullptr);
}

// If a state is given, the old cursor stays until the state has been read.
void Iterator::begin(const StagePtr& stage, State* state) {
  if (!state) drop();
  auto run = std::make_shared<Run>();
  Start start{run, {}};
  std::unique_ptr<SpanRecorder> recorder;
  if (recording_structure()) {
    const SourceRef source = caller_source();  // a library may iterate for the program
    start.track = start.run->track("", [&] { return std::make_shared<StageTrack>("next", source, nullptr, true); });
    recorder = std::make_unique<SpanRecorder>(start.track);
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
  recorder_ = std::move(recorder);
}

std::string Iterator::save() {
  const auto lock = lock_outside(mutex_);
  if (!run_) throw Error(ErrorKind::kFailedPrecondition, "an iterator that has not been initialized cannot be saved");
  if (!ahead_.empty())
    fail(ErrorKind::kFailedPrecondition, "an iterator cannot be saved while ", ahead_.size(),
         " elements are left that the repetitions of a compared call took from its pipeline: save it later, or run "
         "without a comparison");
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
  const TakingInput taking(this_thread.activity);
  const auto lock = lock_outside(mutex_);
  if (!run_)
    throw Error(ErrorKind::kFailedPrecondition,
                "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                "initializer operation for this iterator before getting the next element.");
  runtime::RepeatedElements* const repeated = runtime::RepeatedElements::of(number);
  if (!repeated) [[likely]] return take(out);
  if (repeated->is_given()) {
    take_ahead(*repeated);
    return repeated->give(number, out);
  }
  const bool any = take(out);
  if (any) repeated->keep(number, out);
  else repeated->keep_end(number);
  return any;
}

bool Iterator::take(Element& out) {
  if (ahead_.empty()) [[likely]] return produce(out);
  Ahead next = std::move(ahead_.front());
  ahead_.pop_front();
  if (next.error) std::rethrow_exception(next.error);
  out = std::move(next.element);
  return next.any;
}

// A repetition waits for its input as the call did. The program gets that element when its turn comes.
void Iterator::take_ahead(runtime::RepeatedElements& repeated) {
  const bool is_over = !ahead_.empty() && (!ahead_.back().any || ahead_.back().error);
  if (is_over || !repeated.may_take_ahead()) return;
  Ahead next;
  try {
    next.any = produce(next.element);
  } catch (...) {
    next.error = std::current_exception();
  }
  if (next.any) repeated.add_ahead(next.element);
  ahead_.push_back(std::move(next));
}

bool Iterator::produce(Element& out) {
  if (!cursor_) return false;
  run_->check();
  {
    WorkScope work(recorder_.get());
    const bool any = cursor_->next(out);
    work.made(any);
    if (any) return true;
  }
  recorder_.reset();
  cursor_.reset();  // inputs of the elements are not needed any more
  return false;
}

void Iterator::cancel() {
  const std::lock_guard setting(run_mutex_);
  if (run_) run_->cancel();
}

namespace {

const std::shared_ptr<Iterator>& shared_iterator(const Tensor& handle) {
  auto* found = handle.dtype() == DType::kResource ? dynamic_cast<IteratorHandle*>(handle.resource_object()) : nullptr;
  if (!found) invalid("the input is no iterator over a dataset");
  return found->iterator;
}

}  // namespace

Iterator& iterator_of(const Tensor& handle) { return *shared_iterator(handle); }

namespace {

[[noreturn]] void end_of_sequence() { throw Error(ErrorKind::kOutOfRange, std::string(kEndOfSequence)); }

// Gives each element that leaves the pipeline an identity of its own, for tapes.
void give(Element& element, const Attrs& attrs, std::span<Tensor> outputs, const char* op) {
  const auto* types = std::get_if<std::vector<DType>>(attrs.find("output_types"_attr));
  const auto* shapes = std::get_if<std::vector<Shape>>(attrs.find("output_shapes"_attr));
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

void new_iterator(KernelContext& context) {
  context.outputs[0] = Tensor::resource(new IteratorHandle(std::make_shared<Iterator>()));
}
void make_iterator(KernelContext& context) { iterator_of(context.inputs[1]).make(stage_of(context.inputs[0])); }

void get_next(KernelContext& context) {
  Element element;
  if (!iterator_of(context.inputs[0]).next(element)) end_of_sequence();
  give(element, context.attrs, context.outputs, context.row.name);
}

void get_next_as_optional(KernelContext& context) {
  Element element;
  const bool any = iterator_of(context.inputs[0]).next(element);
  context.outputs[0] = any ? runtime::optional_of(std::move(element)) : runtime::empty_optional();
}

void cardinality(KernelContext& context) {
  context.outputs[0] = Tensor::scalar(stage_of(context.inputs[0])->cardinality());
}

void reduce(KernelContext& context) {
  const StagePtr stage = stage_of(context.inputs[0]);
  const size_t states = context.attrs.get<std::vector<DType>>("Tstate"_attr).size();
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

// Skips the elements before this one without computing them, where stages can.
void element_at(KernelContext& context) {
  if (context.inputs[1].elements() != 1) invalid("index must be a scalar [Op:GetElementAtIndex]");
  const int64_t index = *context.in<int64_t>(1);
  const auto run = std::make_shared<Run>();
  const StagePtr stage = stage_of(context.inputs[0]);
  const int64_t count = stage->cardinality();
  const CursorPtr cursor = stage->start({run, {}});
  Element element;
  constexpr int64_t kSome = 4096;
  int64_t left = index;
  while (left > 0) {
    const int64_t some = std::min(left, kSome), passed = cursor->skip(some);
    left -= passed;
    run->check();
    if (passed < some) break;
  }
  if (left != 0 || !cursor->next(element))
    fail(ErrorKind::kOutOfRange, "Index out of range [0, ", count >= 0 ? count : std::max<int64_t>(0, index - left),
         "):", index, " [Op:GetElementAtIndex]");
  give(element, context.attrs, context.outputs, context.row.name);
}

// --- iterators by name, which programs of TensorFlow 1 pass to a graph ---
constexpr std::string_view kNameOfIterator = "footlight iterator ";

struct Named {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Iterator>> by_name;
};
Named& named() {
  static auto* all = new Named;
  return *all;
}

void name_of_iterator(KernelContext& context) {
  const std::shared_ptr<Iterator>& iterator = shared_iterator(context.inputs[0]);
  std::string name = str(kNameOfIterator, iterator->number);
  const std::lock_guard lock(named().mutex);
  std::erase_if(named().by_name, [](const auto& one) { return one.second.expired(); });
  named().by_name[name] = iterator;
  context.outputs[0] = Tensor::string(std::move(name));
}

void iterator_of_name(KernelContext& context) {
  if (context.inputs[0].elements() != 1) invalid("string_handle must be a scalar [Op:IteratorFromStringHandleV2]");
  const std::string& name = *context.in<std::string>(0);
  std::shared_ptr<Iterator> found;
  {
    const std::lock_guard lock(named().mutex);
    const auto at = named().by_name.find(name);
    if (at != named().by_name.end()) found = at->second.lock();
  }
  if (!found)
    invalid("no iterator has this name: give what string_handle() of an iterator gave that this process still has "
            "[Op:IteratorFromStringHandleV2]");
  context.outputs[0] = Tensor::resource(new IteratorHandle(std::move(found)));
}

const KernelRegistration kNew("AnonymousIteratorV3", new_iterator), kMake("MakeIterator", make_iterator),
    kNext("IteratorGetNext", get_next), kOptional("IteratorGetNextAsOptional", get_next_as_optional),
    kCardinality("DatasetCardinality", cardinality), kReduce("ReduceDataset", reduce),
    kSingle("DatasetToSingleElement", single_element), kAt("GetElementAtIndex", element_at),
    kName("IteratorToStringHandle", name_of_iterator), kByName("IteratorFromStringHandleV2", iterator_of_name);

}  // namespace
}  // namespace footlight::data
