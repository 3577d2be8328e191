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

// Pulled by one thread at a time.
class Cursor {
 public:
  virtual ~Cursor() = default;
  // The next element, in place of what `out` holds; false: there is none, now and later. After an exception it may be
  // asked for the one that follows.
  virtual bool next(Element& out) = 0;
  // Passes over up to `count` elements; fewer: they have ended.
  virtual int64_t skip(int64_t count);
  // Says or takes where it is (engine/data/state.h); takes it before the first element.
  virtual void state(State&) = 0;
};
using CursorPtr = std::unique_ptr<Cursor>;

struct Start {
  RunPtr run;
  RunOptions options;
  // Where a recording shows the stage that takes the elements, and in open() the stage itself; null: none runs.
  std::shared_ptr<StageTrack> track = {};
};

class Stage;
// open(), with a track of the recording.
CursorPtr open_watched(Stage&, const Start&);

class Stage : public Resource {
 public:
  CursorPtr start(const Start& start) {
    return recording_structure() && op && shown() ? open_watched(*this, start) : open(start);
  }
  virtual CursorPtr open(const Start&) = 0;
  virtual bool shown() const { return true; }  // as a part of the pipeline
  // How many elements there are; kInfinite, kUnknown.
  virtual int64_t cardinality() const { return kUnknown; }
  // Whether a batch right above takes as many of its elements as it has rows, those that fail included.
  virtual bool batches_keep_places() const { return false; }
  // Its elements, if all are in memory.
  virtual std::optional<std::vector<Element>> held() const { return std::nullopt; }
  // Whose elements are in the windows that this component of the elements consists of; null: it is not known.
  virtual const Stage* windowed(size_t /*component*/) const { return nullptr; }

  std::vector<DType> types;   // of the tensors of an element
  std::vector<Shape> shapes;
  const char* op = nullptr;   // that made it; null: it is a part of another one
  SourceRef source;           // the user's line
  // What it was made from: its fingerprint follows from that (engine/data/fingerprint.cpp).
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

// The dataset that consists of the stage and those below it; takes the stage over.
Tensor dataset_tensor(Stage*);
// The stage of a dataset; throws kInvalidArgument if it is none.
StagePtr stage_of(const Tensor& dataset);

// Whether an element has these types, and shapes like these.
bool fits(const Element&, const std::vector<DType>& types, const std::vector<Shape>& shapes);

// Sums and products that stop at the special values.
int64_t add_cardinalities(int64_t a, int64_t b);
int64_t smaller_cardinality(int64_t a, int64_t b);

}  // namespace footlight::data
