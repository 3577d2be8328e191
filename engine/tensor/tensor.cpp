// Tensor bodies: construction, reuse through the thread's free list, release.
#include "engine/tensor/tensor.h"

#include "engine/base/thread_pool.h"
#include "engine/tensor/borrowed.h"
#include "engine/tensor/free_list.h"
#include "engine/tensor/size.h"
#include "engine/tensor/size_class.h"

#include <cstring>
#include <memory>
#include <new>
#include <typeinfo>

namespace footlight {

namespace {

constexpr uint32_t kBodiesKept = 1024;
constexpr uint32_t kBodiesWithMemoryKept = 64;  // for each size
constexpr uint64_t kIdBlock = 1 << 16;

struct BodyCache {
  FreeList list;
  FreeList with_memory[kSmallClasses];  // bodies that kept their small buffer for the next tensor of about that size
  uint64_t next_id;
  uint64_t last_id;
  bool watched;
  bool closed;
};
// A cache: bodies that this thread has freed, and ids that are its own.
thread_local constinit BodyCache thread_bodies{};

// The address is computed by a function call, and a compiler that knows what it is of would repeat that at each use.
inline BodyCache& body_cache() {
  BodyCache* cache = &thread_bodies;
  asm("" : "+r"(cache));
  return *cache;
}

// The caches hold constructed bodies whose first words are overwritten by the list; refs, dtype and the flags are
// stored there and are set again.
static_assert(sizeof(void*) <= offsetof(TensorBody, shape));

void destroy(TensorBody* body) {
  body->~TensorBody();
  ::operator delete(body, std::align_val_t{alignof(TensorBody)});
}

struct BodyCleaner {
  ~BodyCleaner() {
    BodyCache& cache = body_cache();
    cache.closed = true;
    while (void* block = cache.list.pop()) destroy(static_cast<TensorBody*>(block));
    for (size_t c = 0; c < kSmallClasses; ++c)
      while (void* block = cache.with_memory[c].pop()) {
        count_small_use(static_cast<int64_t>(class_size(c) + class_size(0)));
        destroy(static_cast<TensorBody*>(block));
      }
  }
};

void watch_thread() {
  static thread_local BodyCleaner cleaner;
  (void)cleaner;
  body_cache().watched = true;
}

std::atomic<uint64_t> next_block{1};

[[gnu::noinline]] void take_ids(BodyCache& cache) {
  cache.next_id = next_block.fetch_add(kIdBlock, std::memory_order_relaxed);
  cache.last_id = cache.next_id + kIdBlock;
}

uint64_t next_id(BodyCache& cache) {
  if (cache.next_id == cache.last_id) take_ids(cache);
  return cache.next_id++;
}

TensorBody* make_body(DType dtype, Device device, TensorBody* body = nullptr) {
  BodyCache& cache = body_cache();
  if (!body) body = static_cast<TensorBody*>(cache.list.pop());
  if (!body) body = new (::operator new(sizeof(TensorBody), std::align_val_t{alignof(TensorBody)})) TensorBody;
  body->refs.store(1, std::memory_order_relaxed);
  body->dtype = dtype;
  body->device = device;
  body->symbolic = false;
  body->python_number = false;
  body->id = next_id(cache);
  return body;
}

bool holds_resources(DType d) { return d == DType::kResource || d == DType::kVariant; }

// Strings or resource pointers, destroyed with the buffer.
class ObjectBuffer final : public Buffer {
 public:
  ObjectBuffer(DType dtype, int64_t count) : dtype_(dtype), count_(count) {
    bytes_ = static_cast<size_t>(count) * size_of(dtype);
    data_ = host_allocator().allocate(bytes_);
    if (dtype == DType::kString) {
      try {
        parallel_for(count, kStringsAtOnce, [this](int64_t begin, int64_t end) {
          std::uninitialized_default_construct(strings() + begin, strings() + end);
        });
      } catch (...) {  // cancelled
        host_allocator().release(data_, bytes_);
        throw;
      }
    } else {
      std::memset(data_, 0, bytes_);
    }
  }
  ~ObjectBuffer() override {
    if (dtype_ == DType::kString) {
      auto free_range = [this](int64_t begin, int64_t end) {
        for (std::string* s = strings() + begin; s != strings() + end; ++s)
          if (s->capacity() > kInside) std::string().swap(*s);
      };
      try {
        parallel_for(count_, kStringsAtOnce, free_range);
      } catch (...) {  // cancelled: freed strings are already empty
        free_range(0, count_);
      }
    } else {
      for (int64_t i = 0; i < count_; ++i)
        if (Resource* r = static_cast<Resource**>(data_)[i]) r->unref();
    }
    host_allocator().release(data_, bytes_);
  }

 private:
  static constexpr int64_t kStringsAtOnce = 1 << 14;
  static inline const size_t kInside = std::string().capacity();  // a string's inline capacity
  std::string* strings() const { return static_cast<std::string*>(data_); }
  DType dtype_;
  int64_t count_;
};

// Small memory of the host, of the size of its class.
class SmallBuffer final : public Buffer {
 public:
  explicit SmallBuffer(size_t size_class) {
    bytes_ = class_size(size_class);
    data_ = host_allocator().allocate(bytes_);
  }
  ~SmallBuffer() override { host_allocator().release(data_, bytes_); }
};

// Its control block, a block of the same lists, is destroyed and recreated with it.
constexpr size_t kControlBlock = class_size(0);
template <class T>
struct SmallAllocator {
  using value_type = T;
  SmallAllocator() = default;
  template <class U>
  SmallAllocator(const SmallAllocator<U>&) {}
  T* allocate(size_t n) {
    static_assert(sizeof(T) <= kControlBlock);
    return static_cast<T*>(host_allocator().allocate(n * sizeof(T)));
  }
  void deallocate(T* p, size_t n) { host_allocator().release(p, n * sizeof(T)); }
  friend bool operator==(const SmallAllocator&, const SmallAllocator&) { return true; }
};

class BorrowedBuffer final : public Buffer {
 public:
  BorrowedBuffer(void* data, size_t bytes, void (*release)(void*), void* context)
      : release_(release), context_(context) {
    data_ = data;
    bytes_ = bytes;
  }
  ~BorrowedBuffer() override {
    if (release_) release_(context_);
  }

 private:
  void (*release_)(void*);
  void* context_;
};

constexpr int64_t kMaxBytes = int64_t{1} << 46;

[[noreturn]] void too_large(DType dtype, const Shape& shape) {
  fail(ErrorKind::kResourceExhausted, "a tensor of shape ", shape.to_string(), " and dtype ", name_of(dtype),
       " is larger than any memory");
}

// The bytes of a tensor of that shape, which exist.
int64_t bytes_of(DType dtype, const Shape& shape, int64_t count) {
  int64_t bytes;
  if (__builtin_mul_overflow(count, static_cast<int64_t>(size_of(dtype)), &bytes) || bytes > kMaxBytes)
    too_large(dtype, shape);
  return bytes;
}

}  // namespace

void check_memory(DType dtype, const Shape& shape) {
  check_shape(shape);
  bytes_of(dtype, shape, shape.elements());
}

bool is_borrowed(const Tensor& t) {
  const Buffer* const buffer = t.body()->buffer.get();
  return buffer && typeid(*buffer) == typeid(BorrowedBuffer);
}

uint64_t next_tensor_id() { return next_id(body_cache()); }

Tensor Tensor::empty(DType dtype, const Shape& shape, Device device) {
  int64_t count = 1;
  bool unusual = false;
  for (int64_t d : shape.dims()) unusual |= __builtin_mul_overflow(count, d, &count) | (d <= 0);
  if (unusual) [[unlikely]] {
    check_shape(shape);
    FL_CHECK(shape.fully_known());
    count = shape.elements();
  }
  FL_CHECK(shape.has_rank());
  const int64_t bytes = bytes_of(dtype, shape, count);
  if (bytes > 16 && static_cast<size_t>(bytes) <= kSmallLimit && device == Device::cpu() && is_plain(dtype)) {
    const size_t c = class_of(static_cast<size_t>(bytes));
    auto* const kept = static_cast<TensorBody*>(body_cache().with_memory[c].pop());
    Tensor out(make_body(dtype, device, kept));
    out.body_->shape = shape;
    if (kept) count_small_use(static_cast<int64_t>(class_size(c) + kControlBlock));
    else out.body_->buffer = std::allocate_shared<SmallBuffer>(SmallAllocator<SmallBuffer>(), c);
    out.body_->data = out.body_->buffer->data();
    return out;
  }
  Tensor out(make_body(dtype, device));
  TensorBody* body = out.body_;
  body->shape = shape;
  if (dtype == DType::kString) {
    body->buffer = std::make_shared<ObjectBuffer>(dtype, count);
    body->data = body->buffer->data();
  } else if (bytes <= 16 && device.type == DeviceType::kCpu && (count == 1 || !holds_resources(dtype))) {
    body->data = body->inline_data;
    if (holds_resources(dtype)) std::memset(body->inline_data, 0, sizeof(void*));
  } else if (holds_resources(dtype)) {
    body->buffer = std::make_shared<ObjectBuffer>(dtype, count);
    body->data = body->buffer->data();
  } else {
    body->buffer = allocate_buffer(device, static_cast<size_t>(bytes));
    body->data = body->buffer->data();
  }
  return out;
}

Tensor Tensor::borrow(DType dtype, const Shape& shape, void* data, void (*release)(void*), void* context) {
  FL_CHECK(is_plain(dtype));
  Tensor out(make_body(dtype, Device::cpu()));
  out.body_->shape = shape;
  out.body_->buffer = std::make_shared<BorrowedBuffer>(data, out.bytes(), release, context);
  out.body_->data = data;
  return out;
}

Tensor Tensor::within(DType dtype, const Shape& shape, Device device, BufferPtr buffer, void* data) {
  Tensor out(make_body(dtype, device));
  out.body_->shape = shape;
  out.body_->buffer = std::move(buffer);
  out.body_->data = data;
  return out;
}

Tensor Tensor::symbolic(DType dtype, const Shape& shape, Graph* graph, std::shared_ptr<void> owner, NodeId node,
                        uint32_t output) {
  Tensor out(make_body(dtype, Device::cpu()));
  TensorBody* body = out.body_;
  body->symbolic = true;
  body->shape = shape;
  body->graph = graph;
  body->graph_owner = std::move(owner);
  body->node = node;
  body->output = output;
  std::memset(body->inline_data, 0, sizeof(void*));
  return out;
}

Tensor Tensor::resource(Resource* resource) {
  Tensor out = empty(DType::kResource, Shape());
  resource->ref();
  *out.data<Resource*>() = resource;
  return out;
}

Tensor Tensor::string(std::string value) {
  Tensor out = empty(DType::kString, Shape());
  *out.data<std::string>() = std::move(value);
  return out;
}

Resource* Tensor::resource_object() const {
  if (!holds_resources(dtype())) return nullptr;
  if (body_->symbolic) return *reinterpret_cast<Resource**>(body_->inline_data);
  return elements() ? *data<Resource*>() : nullptr;
}

void Tensor::stands_for(Resource* resource) const {
  FL_CHECK(body_->symbolic);
  *reinterpret_cast<Resource**>(body_->inline_data) = resource;
}

// A symbolic tensor is known by its place in the graph: `op.inputs[0]` makes another object for the same one. Places
// are mixed into 64 bits, of which the highest sets them apart from the numbers of other tensors.
uint64_t Tensor::tape_id() const {
  if (dtype() == DType::kResource) {
    if (Resource* r = resource_object()) return r->id();
    return id();
  }
  if (!body_->symbolic) return id();
  const auto mixed = [](uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  const uint64_t place = uint64_t{body_->node.value} << 32 | body_->output;
  return mixed(mixed(reinterpret_cast<uintptr_t>(body_->graph)) ^ place) | uint64_t{1} << 63;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  FL_CHECK(!body_->symbolic);
  Tensor out(make_body(dtype(), device()));
  TensorBody* body = out.body_;
  body->shape = shape;
  body->buffer = body_->buffer;
  if (body_->data == body_->inline_data) {
    std::memcpy(body->inline_data, body_->inline_data, sizeof body->inline_data);
    body->data = body->inline_data;
    if (holds_resources(dtype()) && elements() == 1)
      if (Resource* r = *body->reinterpret_resource()) r->ref();
  } else {
    body->data = body_->data;
  }
  return out;
}

Tensor Tensor::as_constant() const {
  if (body_->python_number) return *this;
  Tensor out = body_->refs.load(std::memory_order_acquire) == 1 ? *this : alias();
  out.body_->python_number = true;
  return out;
}

bool Tensor::exclusive() const {
  if (body_->symbolic || body_->refs.load(std::memory_order_acquire) != 1) return false;
  return !body_->buffer || (body_->buffer.use_count() == 1 && !is_borrowed(*this));
}

void Tensor::retire(TensorBody* body) {
  BodyCache& cache = body_cache();
  if (FL_CACHE_MEMORY && !body->symbolic && body->buffer.use_count() == 1) {
    const Buffer& buffer = *body->buffer;
    if (typeid(buffer) == typeid(SmallBuffer) && cache.watched && !cache.closed) {
      const size_t c = class_of(buffer.bytes());
      if (cache.with_memory[c].count < kBodiesWithMemoryKept) {
        count_small_use(-static_cast<int64_t>(buffer.bytes() + kControlBlock));
        cache.with_memory[c].push(body);
        return;
      }
    }
  }
  if (body->symbolic) {
    body->graph_owner.reset();
    body->graph = nullptr;
  } else {
    if (holds_resources(body->dtype) && body->data == body->inline_data && body->shape.elements() == 1)
      if (Resource* r = *body->reinterpret_resource()) r->unref();
    if (body->buffer) body->buffer.reset();
  }
  if (FL_CACHE_MEMORY && cache.list.count < kBodiesKept && !cache.closed) {
    if (!cache.watched) watch_thread();
    cache.list.push(body);
  } else {
    destroy(body);
  }
}

}  // namespace footlight
