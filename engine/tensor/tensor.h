// A tensor: a reference-counted handle on a value, or on one output of a graph node while tracing.
#pragma once

#include "engine/base/ids.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/device.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace footlight {

class Graph;  // engine/graph; a tensor only points at it

// What a resource tensor refers to: a variable, a generator, an iterator.
class Resource {
 public:
  virtual ~Resource() = default;
  void ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void unref() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::atomic<uint32_t> refs_{0};
};

// The body behind the handle. Made by the factories below only; comes from a free list.
struct TensorBody {
  std::atomic<uint32_t> refs{0};
  DType dtype = DType::kInvalid;
  Device device;
  bool symbolic = false;
  bool python_number = false;  // made from a bare Python number: no tape watches it, a graph makes it a constant
  Shape shape;
  // Eager: `data` points into `buffer`, or at `inline_data` when buffer is null (up to 16 bytes on the host).
  BufferPtr buffer;
  void* data = nullptr;
  alignas(16) std::byte inline_data[16];
  // Symbolic: output `output` of node `node` of `graph`; `graph` is kept alive by `graph_owner`.
  Graph* graph = nullptr;
  NodeId node;
  uint32_t output = 0;
  std::shared_ptr<void> graph_owner;
  // Symbolic resource (a captured or passed variable): the resource it stands for, when known.
  uint64_t id = 0;  // unique for the life of the process; what tapes and capture tables are keyed by
};

class Tensor {
 public:
  Tensor() = default;  // no tensor
  explicit operator bool() const { return body_ != nullptr; }

  // A fresh value with uninitialised elements (strings are empty).
  static Tensor empty(DType, const Shape&, Device = Device::cpu());
  // Takes memory that somebody else owns: `release(context)` is called when the last handle goes.
  static Tensor borrow(DType, const Shape&, void* data, void (*release)(void*), void* context);
  static Tensor symbolic(DType, const Shape&, Graph*, std::shared_ptr<void> owner, NodeId, uint32_t output);
  static Tensor resource(Resource*);
  template <class T>
  static Tensor scalar(T value);  // dtype of T
  static Tensor string(std::string value);

  DType dtype() const { return body_->dtype; }
  const Shape& shape() const { return body_->shape; }
  Device device() const { return body_->device; }
  bool is_symbolic() const { return body_->symbolic; }
  uint64_t id() const { return body_->id; }
  int64_t elements() const { return body_->shape.elements(); }
  size_t bytes() const { return static_cast<size_t>(elements()) * size_of(dtype()); }

  template <class T>
  T* data() const { return static_cast<T*>(body_->data); }
  void* raw() const { return body_->data; }
  Resource* resource_object() const;

  // Symbolic only.
  Graph* graph() const { return body_->graph; }
  NodeId node() const { return body_->node; }
  uint32_t output() const { return body_->output; }

  // The same elements under another shape; no copy.
  Tensor reshaped(const Shape&) const;
  // Nobody else sees this body nor its buffer: it may be written in place.
  bool exclusive() const;

  TensorBody* body() const { return body_; }

  // handle plumbing: copy = one increment
  Tensor(const Tensor& o) noexcept : body_(o.body_) { if (body_) ref(body_); }
  Tensor(Tensor&& o) noexcept : body_(o.body_) { o.body_ = nullptr; }
  Tensor& operator=(Tensor o) noexcept { std::swap(body_, o.body_); return *this; }
  ~Tensor() { if (body_) unref(body_); }

 private:
  explicit Tensor(TensorBody* body) : body_(body) { ref(body); }
  static void ref(TensorBody* b) { b->refs.fetch_add(1, std::memory_order_relaxed); }
  static void unref(TensorBody*);
  TensorBody* body_ = nullptr;
};

}  // namespace footlight
