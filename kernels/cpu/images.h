// Images as kernels need them: channels last, in the type of the computation; and per-thread scratch memory.
#pragma once

#include "engine/base/thread_pool.h"
#include "engine/ops/window.h"
#include "kernels/cpu/register.h"
#include "kernels/functors/common.h"

#include <algorithm>
#include <cstring>

namespace footlight::FL_ISA {

using functors::Compute;

// Scratch memory of one thread that grows and is kept: for what a task needs besides its outputs.
template <class T>
T* scratch(int which, int64_t elements) {
  static thread_local BufferPtr memory[4];
  static thread_local size_t sizes[4] = {};
  const size_t bytes = static_cast<size_t>(elements) * sizeof(T) + 64;
  if (sizes[which] < bytes) {
    memory[which] = allocate_buffer(Device::cpu(), bytes);
    sizes[which] = bytes;
  }
  return static_cast<T*>(memory[which]->data());
}

// The outputs [begin, end) along one dimension for which a tap of the filter is inside of the images, and the input
// that the first of them reads.
struct TapRange {
  int64_t begin, end, input;
};
inline TapRange outputs_of_tap(const Window& w, int64_t tap) {
  const int64_t shift = tap * w.dilation - w.before;
  const int64_t begin = shift >= 0 ? 0 : (-shift + w.stride - 1) / w.stride;
  const int64_t end = w.in - 1 - shift < 0 ? 0 : std::min(w.out, (w.in - 1 - shift) / w.stride + 1);
  return {begin, std::max(begin, end), begin * w.stride + shift};
}

// Batch and channels of a shape, and everything in between as `pixels`.
struct ImageShape {
  int64_t batch, pixels, channels;
};
inline ImageShape image_shape(const Shape& s, bool channels_first) {
  const int channel_axis = channels_first ? 1 : s.rank() - 1;
  int64_t pixels = 1;
  for (int d = 1; d < s.rank(); ++d)
    if (d != channel_axis) pixels *= s[d];
  return {s[0], pixels, s[channel_axis]};
}

// Transpose: [rows, columns] -> [columns, rows], in tiles that stay in the cache.
template <class From, class To>
void transpose(const From* from, To* to, int64_t rows, int64_t columns) {
  constexpr int64_t kTile = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += kTile)
    for (int64_t j0 = 0; j0 < columns; j0 += kTile)
      for (int64_t i = i0; i < std::min(rows, i0 + kTile); ++i)
        for (int64_t j = j0; j < std::min(columns, j0 + kTile); ++j)
          to[j * rows + i] = static_cast<To>(static_cast<Compute<From>>(from[i * columns + j]));
}

// A tensor read as channels-last images; the tensor itself if it has that layout already.
template <class T>
class ImagesIn {
 public:
  using C = Compute<T>;
  ImagesIn(const Tensor& t, bool channels_first) {
    const ImageShape s = image_shape(t.shape(), channels_first);
    if constexpr (std::is_same_v<C, T>) {
      if (!channels_first || s.pixels == 1 || s.channels == 1) {
        data_ = t.data<T>();
        return;
      }
    }
    const int64_t one = s.pixels * s.channels;
    buffer_ = allocate_buffer(Device::cpu(), static_cast<size_t>(s.batch * one) * sizeof(C) + 64);
    C* to = static_cast<C*>(buffer_->data());
    const T* from = t.data<T>();
    parallel_for(s.batch, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, one)), [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        if (channels_first)
          transpose(from + n * one, to + n * one, s.channels, s.pixels);
        else
          for (int64_t i = n * one; i < (n + 1) * one; ++i) to[i] = static_cast<C>(from[i]);
      }
    });
    data_ = to;
  }
  const C* data() const { return data_; }

 private:
  const C* data_ = nullptr;
  BufferPtr buffer_;
};

// A tensor to be written as channels-last images; finish() copies them to their destination.
template <class T>
class ImagesOut {
 public:
  using C = Compute<T>;
  ImagesOut(const Tensor& t, bool channels_first)
      : tensor_(t), shape_(image_shape(t.shape(), channels_first)), channels_first_(channels_first) {
    if constexpr (std::is_same_v<C, T>) {
      if (!channels_first || shape_.pixels == 1 || shape_.channels == 1) {
        data_ = t.data<T>();
        return;
      }
    }
    buffer_ = allocate_buffer(Device::cpu(), static_cast<size_t>(t.elements()) * sizeof(C) + 64);
    data_ = static_cast<C*>(buffer_->data());
  }
  C* data() { return data_; }
  void finish() {
    if (!buffer_) return;
    const int64_t one = shape_.pixels * shape_.channels;
    T* to = tensor_.data<T>();
    parallel_for(shape_.batch, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, one)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t n = begin; n < end; ++n) {
                     if (channels_first_)
                       transpose(data_ + n * one, to + n * one, shape_.pixels, shape_.channels);
                     else
                       for (int64_t i = n * one; i < (n + 1) * one; ++i) to[i] = static_cast<T>(data_[i]);
                   }
                 });
  }

 private:
  Tensor tensor_;
  ImageShape shape_;
  bool channels_first_;
  C* data_ = nullptr;
  BufferPtr buffer_;
};

}  // namespace footlight::FL_ISA
