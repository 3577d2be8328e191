// A vector with inline storage for its first N elements; with more, the storage holds a pointer to the heap. Elements
// must be trivially copyable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace footlight {

template <class T, uint32_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  template <class It>
  SmallVector(It first, It last) {
    reserve(static_cast<uint32_t>(last - first));
    for (; first != last; ++first) data()[size_++] = *first;
  }
  SmallVector(const SmallVector& o) : SmallVector(o.begin(), o.end()) {}
  SmallVector(SmallVector&& o) noexcept { steal(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) {
      size_ = 0;
      reserve(o.size_);
      size_ = o.size_;
      std::memcpy(data(), o.data(), size_ * sizeof(T));
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) {
      if (on_heap()) delete[] data();
      capacity_ = N;
      steal(o);
    }
    return *this;
  }
  ~SmallVector() {
    if (on_heap()) delete[] data();
  }

  T* data() { return const_cast<T*>(std::as_const(*this).data()); }
  const T* data() const {
    return on_heap() ? *reinterpret_cast<T* const*>(room_) : reinterpret_cast<const T*>(room_);
  }
  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& back() { return data()[size_ - 1]; }
  [[gnu::always_inline]] void push_back(T value) {
    if (size_ == capacity_) reserve(capacity_ * 2);
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(uint32_t size, T value = T{}) {
    reserve(size);
    for (uint32_t i = size_; i < size; ++i) data()[i] = value;
    size_ = size;
  }
  void reserve(uint32_t capacity) {
    if (capacity <= capacity_) return;
    T* grown = new T[capacity];
    std::memcpy(grown, data(), size_ * sizeof(T));
    if (on_heap()) delete[] data();
    *reinterpret_cast<T**>(room_) = grown;
    capacity_ = capacity;
  }
  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    for (uint32_t i = 0; i < a.size_; ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }

 private:
  bool on_heap() const { return capacity_ > N; }
  void steal(SmallVector& o) {
    size_ = std::exchange(o.size_, 0);
    capacity_ = std::exchange(o.capacity_, N);
    std::memcpy(room_, o.room_, sizeof(room_));
  }
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  alignas(T) alignas(T*) std::byte room_[sizeof(T) * N < sizeof(T*) ? sizeof(T*) : sizeof(T) * N];
};

}  // namespace footlight
