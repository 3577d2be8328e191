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
  // Starts over with this dataset.
  void make(const StagePtr& stage);
  // Says where it is, or goes to where another iterator over the same dataset was.
  std::string save();
  void restore(std::string state);
  // False: the elements have ended. Throws if it was never made.
  bool next(Element& out);
  // Cancels what it is doing; next() throws from then on.
  void cancel();
  const uint64_t number = next_tensor_id();  // its own

 private:
  void begin(const StagePtr& stage, class State* state);
  void drop();
  std::mutex mutex_;  // of next() and make()
  std::mutex run_mutex_;
  RunPtr run_;
  CursorPtr cursor_;
  StagePtr stage_;
  std::unique_ptr<SpanRecorder> recorder_;  // the program's part of a recording
};

// Handles of one iterator: the one that it was made with, and those found by its name.
class IteratorHandle final : public Resource {
 public:
  explicit IteratorHandle(std::shared_ptr<Iterator> iterator) : iterator(std::move(iterator)) {}
  const std::shared_ptr<Iterator> iterator;
};

// Throws if the tensor refers to something else.
Iterator& iterator_of(const Tensor& handle);

}  // namespace footlight::data
