// The iterator over a dataset, and the resource that a tensor of dtype tf.resource refers to.
#pragma once

#include "engine/data/stage.h"
#include "engine/data/watch.h"
#include "engine/runtime/repeated_elements.h"

#include <deque>
#include <exception>

namespace footlight::data {

class Iterator {
 public:
  Iterator() = default;
  Iterator(const Iterator&) = delete;
  ~Iterator();
  // Restarts with this dataset.
  void make(const StagePtr& stage);
  // Saves its position; restore() moves to the position of another iterator over the same dataset.
  std::string save();
  void restore(std::string state);
  // Returns false at the end. Throws if make() was never called.
  bool next(Element& out);
  // Cancels running work; next() throws from then on.
  void cancel();
  const uint64_t number = next_tensor_id();  // identifies the iterator

 private:
  // What repetitions of a call took from the pipeline, and the program has not had yet.
  struct Ahead {
    Element element;
    bool any = false;                // else it is the end
    std::exception_ptr error = {};   // or what was raised in its place
  };
  void begin(const StagePtr& stage, class State* state);
  void drop();
  bool take(Element& out);     // from what was taken ahead, then from the pipeline
  bool produce(Element& out);  // from the pipeline
  void take_ahead(runtime::RepeatedElements& repeated);
  std::mutex mutex_;  // held by next() and make()
  std::mutex run_mutex_;
  RunPtr run_;
  CursorPtr cursor_;
  StagePtr stage_;
  std::unique_ptr<SpanRecorder> recorder_;  // records what the program does with it
  std::deque<Ahead> ahead_;
};

// Handles of one iterator: the original one, and those found by its name.
class IteratorHandle final : public Resource {
 public:
  explicit IteratorHandle(std::shared_ptr<Iterator> iterator) : iterator(std::move(iterator)) {}
  const std::shared_ptr<Iterator> iterator;
};

// Throws if the tensor refers to something else.
Iterator& iterator_of(const Tensor& handle);

}  // namespace footlight::data
