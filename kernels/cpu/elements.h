// Shared by kernels that move elements: copies of any dtype, integers of index and shape inputs, sizes of dimensions.
#pragma once

#include "engine/base/thread_pool.h"
#include "kernels/cpu/register.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace footlight::FL_ISA {

inline int64_t int_at(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kInt64: return t.data<int64_t>()[i];
    case DType::kInt32: return t.data<int32_t>()[i];
    case DType::kInt16: return t.data<int16_t>()[i];
    case DType::kUInt16: return t.data<uint16_t>()[i];
    case DType::kInt8: return t.data<int8_t>()[i];
    default: return t.data<uint8_t>()[i];
  }
}

inline std::vector<int64_t> ints_of(const Tensor& t) {
  std::vector<int64_t> out(static_cast<size_t>(t.elements()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = int_at(t, static_cast<int64_t>(i));
  return out;
}

// The product of dimensions [begin, end).
inline int64_t product(const Shape& s, int begin, int end) {
  int64_t n = 1;
  for (int d = begin; d < end; ++d) n *= s[d];
  return n;
}

inline int64_t from_end(int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

// Copies n elements of a dtype; strings are assigned, handles are counted, everything else is copied as bytes.
inline void copy(DType dtype, const void* from, int64_t from_index, void* to, int64_t to_index, int64_t n) {
  if (dtype == DType::kString) {
    const std::string* in = static_cast<const std::string*>(from) + from_index;
    std::copy(in, in + n, static_cast<std::string*>(to) + to_index);
    return;
  }
  if (!is_plain(dtype)) {
    auto* in = static_cast<Resource* const*>(from) + from_index;
    auto* out = static_cast<Resource**>(to) + to_index;
    for (int64_t i = 0; i < n; ++i) {
      if (in[i]) in[i]->ref();
      if (Resource* const before = std::exchange(out[i], in[i])) before->unref();
    }
    return;
  }
  const auto size = static_cast<int64_t>(size_of(dtype));
  // A single element of a common size needs no call.
  if (n == 1 && size == 4) {
    std::memcpy(static_cast<char*>(to) + to_index * 4, static_cast<const char*>(from) + from_index * 4, 4);
    return;
  }
  if (n == 1 && size == 8) {
    std::memcpy(static_cast<char*>(to) + to_index * 8, static_cast<const char*>(from) + from_index * 8, 8);
    return;
  }
  std::memcpy(static_cast<char*>(to) + to_index * size, static_cast<const char*>(from) + from_index * size,
              static_cast<size_t>(n * size));
}

// Copies `count` runs of `size` elements, whose starts are `from_step` and `to_step` apart; on all cores if
// large.
inline void copy_runs(DType dtype, const void* from, int64_t from_at, int64_t from_step, void* to, int64_t to_at,
                      int64_t to_step, int64_t size, int64_t count) {
  if (!is_plain(dtype)) {
    for (int64_t i = 0; i < count; ++i) copy(dtype, from, from_at + i * from_step, to, to_at + i * to_step, size);
    return;
  }
  const auto bytes = static_cast<int64_t>(size_of(dtype));
  const char* in = static_cast<const char*>(from) + from_at * bytes;
  char* out = static_cast<char*>(to) + to_at * bytes;
  const auto run = static_cast<size_t>(size * bytes);
  constexpr int64_t kMinParallelBytes = 1 << 18;
  if (count == 1) {  // a single long run is split
    parallel_for(static_cast<int64_t>(run), kMinParallelBytes, [&](int64_t begin, int64_t end) {
      std::memcpy(out + begin, in + begin, static_cast<size_t>(end - begin));
    });
    return;
  }
  const auto runs = [&](auto fixed, int64_t begin, int64_t end) {
    constexpr size_t kFixed = decltype(fixed)::value;
    for (int64_t i = begin; i < end; ++i)
      std::memcpy(out + i * to_step * bytes, in + i * from_step * bytes, kFixed ? kFixed : run);
  };
  parallel_for(count, std::max<int64_t>(1, kMinParallelBytes / std::max<int64_t>(8, static_cast<int64_t>(run))),
               [&](int64_t begin, int64_t end) {
                 switch (run) {
                   case 4: runs(std::integral_constant<size_t, 4>(), begin, end); break;
                   case 8: runs(std::integral_constant<size_t, 8>(), begin, end); break;
                   case 16: runs(std::integral_constant<size_t, 16>(), begin, end); break;
                   default: runs(std::integral_constant<size_t, 0>(), begin, end); break;
                 }
               });
}

// Fills a tensor with zeros or empty strings.
inline void clear(Tensor& t) {
  if (!is_plain(t.dtype())) return;
  parallel_for(static_cast<int64_t>(t.bytes()), 1 << 18, [&](int64_t begin, int64_t end) {
    std::memset(static_cast<char*>(t.raw()) + begin, 0, static_cast<size_t>(end - begin));
  });
}

// The position of an element as text, "1,2", for messages.
inline std::string place_in(const Shape& shape, int64_t flat) {
  std::string at;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    at = str(flat % shape[d], at.empty() ? "" : ",", at);
    flat /= shape[d];
  }
  return at;
}

}  // namespace footlight::FL_ISA
