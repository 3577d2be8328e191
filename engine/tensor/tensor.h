// A tensor: a reference-counted handle to a value, or to one output of a graph node while tracing.
#pragma once

#include "engine/base/ids.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/device.h"
#include "engine/tensor/element.h"
#include "engine/tensor/shape.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace footlight {

class Graph;  // engine/graph; a tensor only points at it

// Never reused within a process.
uint64_t next_tensor_id();

// The object behind a resource tensor: a variable, a generator, an iterator.
class Resource {
 public:
  Resource() = default;
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
  virtual ~Resource() = default;
  uint64_t id() const { return id_; }  // same numbering as tensors: what a tape watches
  void ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void unref() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::atomic<uint32_t> refs_{0};
  const uint64_t id_ = next_tensor_id();
};

// The body behind the handle. Created by the factories below only; comes from a free list.
struct TensorBody {
  std::atomic<uint32_t> refs{0};
  DType dtype = DType::kInvalid;
  Device device;
  bool symbolic = false;
  bool python_number = false;  // from a bare Python number: tapes do not watch it, and graphs make it a constant
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
  Resource** reinterpret_resource() { return reinterpret_cast<Resource**>(inline_data); }
  uint64_t id = 0;  // unique for the life of the process; key of capture tables
};

class Tensor {
 public:
  Tensor() = default;  // the empty tensor
  explicit operator bool() const { return body_ != nullptr; }

  // A new value with uninitialised elements (strings are empty).
  static Tensor empty(DType, const Shape&, Device = Device::cpu());
  // Wraps caller-owned memory: `release(context)` is called when the last handle is gone.
  static Tensor borrow(DType, const Shape&, void* data, void (*release)(void*), void* context);
  static Tensor symbolic(DType, const Shape&, Graph*, std::shared_ptr<void> owner, NodeId, uint32_t output);
  static Tensor resource(Resource*);
  template <class T>
  static Tensor scalar(T value);  // dtype of T
  template <class T>
  static Tensor vector(std::span<const T> values);
  static Tensor string(std::string value);
  // Memory of a plan (an arena): `buffer` keeps `data` alive.
  static Tensor within(DType, const Shape&, Device, BufferPtr buffer, void* data);

  DType dtype() const { return body_->dtype; }
  const Shape& shape() const { return body_->shape; }
  Device device() const { return body_->device; }
  bool is_symbolic() const { return body_->symbolic; }
  uint64_t id() const { return body_->id; }
  // The key used by tapes: a resource's own id, so that every handle to a variable is the same to a tape.
  uint64_t tape_id() const;
  int64_t elements() const { return body_->shape.elements(); }
  size_t bytes() const { return static_cast<size_t>(elements()) * size_of(dtype()); }

  template <class T>
  T* data() const { return static_cast<T*>(body_->data); }
  void* raw() const { return body_->data; }
  // The object of a resource tensor; for a symbolic one, the resource it refers to, or null if unknown.
  Resource* resource_object() const;
  // Symbolic resource (a captured or passed variable): the resource it refers to. Not kept alive by it.
  void stands_for(Resource*) const;

  // Symbolic only.
  Graph* graph() const { return body_->graph; }
  NodeId node() const { return body_->node; }
  uint32_t output() const { return body_->output; }

  // The same elements with another shape; no copy.
  Tensor reshaped(const Shape&) const;
  // The same value as a separate tensor for tapes and captures; no copy.
  Tensor alias() const { return reshaped(shape()); }
  // The value, marked as a bare Python number (see TensorBody::python_number): itself if exclusive.
  Tensor as_constant() const;
  // Nobody else sees this body or its buffer: it may be written in place.
  bool exclusive() const;

  TensorBody* body() const { return body_; }

  // handle plumbing: copy = one increment
  Tensor(const Tensor& o) noexcept : body_(o.body_) { if (body_) ref(body_); }
  Tensor(Tensor&& o) noexcept : body_(o.body_) { o.body_ = nullptr; }
  Tensor& operator=(Tensor o) noexcept { std::swap(body_, o.body_); return *this; }
  ~Tensor() { if (body_) unref(body_); }

 private:
  explicit Tensor(TensorBody* fresh) : body_(fresh) {}  // takes over the one reference
  static void ref(TensorBody* b) { b->refs.fetch_add(1, std::memory_order_relaxed); }
  static void unref(TensorBody* b) {
    // Sole owner: nobody can add a reference meanwhile, so the locked instruction is saved.
    if (b->refs.load(std::memory_order_acquire) == 1 || b->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) retire(b);
  }
  static void retire(TensorBody*);
  TensorBody* body_ = nullptr;
};

template <class T>
Tensor Tensor::scalar(T value) {
  Tensor out = empty(dtype_of<T>, Shape());
  *out.data<T>() = value;
  return out;
}

template <class T>
Tensor Tensor::vector(std::span<const T> values) {
  Tensor out = empty(dtype_of<T>, Shape{static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) out.data<T>()[i] = values[i];
  return out;
}

// A few tensors viewed as a span without counting references; the originals must outlive it.
template <size_t N>
class Borrowed {
 public:
  template <class... Tensors>
  explicit Borrowed(const Tensors&... tensors) : bodies_{tensors.body()...} {}
  operator std::span<const Tensor>() const {
    static_assert(sizeof(Tensor) == sizeof(TensorBody*));
    return {reinterpret_cast<const Tensor*>(bodies_), N};
  }

 private:
  TensorBody* bodies_[N];
};
template <class... Tensors>
Borrowed(const Tensors&...) -> Borrowed<sizeof...(Tensors)>;

}  // namespace footlight
