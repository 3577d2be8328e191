// The iterator over a dataset, and the resource that a tensor of dtype tf.resource refers to.
#pragma once

#include "engine/data/stage.h"
#include "engine/data/watch.h"

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
  void begin(const StagePtr& stage, class State* state);
  void drop();
  std::mutex mutex_;  // held by next() and make()
  std::mutex run_mutex_;
  RunPtr run_;
  CursorPtr cursor_;
  StagePtr stage_;
  std::unique_ptr<SpanRecorder> recorder_;  // records what the program does with it
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
