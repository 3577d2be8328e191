// A pipeline is a tree of stages, which never change; iterating it is a tree of cursors, each of which pulls from those
// below it. A dataset is a scalar of dtype variant that holds its last stage.
#pragma once

#include "engine/base/recording.h"
#include "engine/data/run.h"
#include "engine/ops/attrs.h"
#include "engine/tensor/tensor.h"

#include <memory>
#include <vector>

namespace footlight::data {

using Element = std::vector<Tensor>;

inline constexpr int64_t kInfinite = -1, kUnknown = -2;

class State;

// One iteration over a stage. One thread at a time pulls from it.
class Cursor {
 public:
  virtual ~Cursor() = default;
  // Replaces the contents of `out` by the next element; false at the end, now and later. After an exception the next
  // call may give the element that follows.
  virtual bool next(Element& out) = 0;
  // Skips up to `count` elements; returns fewer if they have ended.
  virtual int64_t skip(int64_t count);
  // Saves its position, or restores it (engine/data/state.h) before the first element.
  virtual void state(State&) = 0;
};
using CursorPtr = std::unique_ptr<Cursor>;

struct Start {
  RunPtr run;
  RunOptions options;
  // The track of the stage that consumes the elements and, in open(), of the stage itself; null: nothing is recorded.
  std::shared_ptr<StageTrack> track = {};
};

class Stage;
// Calls open() with a track of the recording.
CursorPtr open_watched(Stage&, const Start&);

class Stage : public Resource {
 public:
  CursorPtr start(const Start& start) {
    return recording_structure() && op && shown() ? open_watched(*this, start) : open(start);
  }
  virtual CursorPtr open(const Start&) = 0;
  virtual bool shown() const { return true; }  // whether it is a part of the pipeline for users
  // The number of elements, or kInfinite, or kUnknown.
  virtual int64_t cardinality() const { return kUnknown; }
  // Whether a batch directly above takes one element per row, failing ones included.
  virtual bool batches_keep_places() const { return false; }
  // The elements, if all are in memory.
  virtual std::optional<std::vector<Element>> held() const { return std::nullopt; }
  // The stage whose elements are in the windows in this component of the elements; null if unknown.
  virtual const Stage* windowed(size_t /*component*/) const { return nullptr; }

  std::vector<DType> types;   // dtypes of an element's tensors
  std::vector<Shape> shapes;
  const char* op = nullptr;   // the op that created it; null: it is a part of another stage
  SourceRef source;           // the user's line
  // The inputs of the op; the fingerprint follows from them (engine/data/fingerprint.cpp).
  std::vector<Tensor> inputs;
  Attrs attrs;
};

// A counted reference.
class StagePtr {
 public:
  StagePtr() = default;
  explicit StagePtr(Stage* stage) : stage_(stage) { if (stage_) stage_->ref(); }
  StagePtr(const StagePtr& o) : StagePtr(o.stage_) {}
  StagePtr(StagePtr&& o) noexcept : stage_(std::exchange(o.stage_, nullptr)) {}
  StagePtr& operator=(StagePtr o) noexcept {
    std::swap(stage_, o.stage_);
    return *this;
  }
  ~StagePtr() { if (stage_) stage_->unref(); }
  Stage* operator->() const { return stage_; }
  Stage& operator*() const { return *stage_; }
  Stage* get() const { return stage_; }
  explicit operator bool() const { return stage_ != nullptr; }

 private:
  Stage* stage_ = nullptr;
};

// Makes the dataset whose last stage this is; takes ownership of the stage.
Tensor dataset_tensor(Stage*);
// The last stage of a dataset; throws kInvalidArgument if the tensor is no dataset.
StagePtr stage_of(const Tensor& dataset);

// Whether an element has these dtypes and compatible shapes.
bool fits(const Element&, const std::vector<DType>& types, const std::vector<Shape>& shapes);

// Sums and products that stop at the special values.
int64_t add_cardinalities(int64_t a, int64_t b);
int64_t smaller_cardinality(int64_t a, int64_t b);

}  // namespace footlight::data
