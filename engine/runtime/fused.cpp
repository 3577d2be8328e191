// A value that repeats is written out into a tile, where it does not lie in one row anyway. What is to be reduced is
// made when the reduction asks for it.
#include "engine/runtime/fused.h"

#include "engine/base/thread_pool.h"

#include <algorithm>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace footlight::runtime {

using compile::FusedGroup;
using compile::Spread;

namespace {

// All tiles of a thread together, in bytes, and the most that one has: they stay in the fastest cache.
constexpr size_t kTileMemory = 48 << 10, kMostTile = 4 << 10;
constexpr int64_t kLarge = 32 << 20;         // bytes of a value that will be read from memory, not from a cache
constexpr int64_t kParallelWork = 1 << 15;  // additions, from which a second thread pays

// Past the caches: memory that is only written need not be read first.
void stream(const std::byte* from, std::byte* to, size_t bytes) {
#if defined(__SSE2__)
  if (reinterpret_cast<uintptr_t>(to) % 16 == 0)
    for (; bytes >= 16; bytes -= 16, from += 16, to += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_load_si128(reinterpret_cast<const __m128i*>(from)));
#endif
  std::memcpy(to, from, bytes);
}
void end_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

struct Element16 {
  uint64_t halves[2];
};

// n elements from index `begin` on, of a value that repeats.
template <class T>
void write_out(const void* from_memory, const Spread& over, int64_t begin, int64_t n, void* to_memory) {
  const T* from = static_cast<const T*>(from_memory);
  T* to = static_cast<T*>(to_memory);
  int64_t at[Spread::kMostDims];
  int64_t rest = begin, offset = 0;
  for (int d = 0; d < over.rank; ++d) {
    at[d] = rest % over.size[d];
    rest /= over.size[d];
    offset += at[d] * over.stride[d];
  }
  while (n > 0) {
    const int64_t here = std::min(n, over.size[0] - at[0]);
    if (over.stride[0]) std::copy_n(from + offset, here, to);
    else std::fill_n(to, here, from[offset]);
    to += here;
    n -= here;
    offset -= at[0] * over.stride[0];
    at[0] = 0;
    for (int d = 1; d < over.rank; ++d) {
      offset += over.stride[d];
      if (++at[d] < over.size[d]) break;
      offset -= over.stride[d] * over.size[d];
      at[d] = 0;
    }
  }
}

void write_out(const void* from, size_t size, const Spread& over, int64_t begin, int64_t n, void* to) {
  switch (size) {
    case 1: return write_out<uint8_t>(from, over, begin, n, to);
    case 2: return write_out<uint16_t>(from, over, begin, n, to);
    case 4: return write_out<uint32_t>(from, over, begin, n, to);
    case 8: return write_out<uint64_t>(from, over, begin, n, to);
    default: return write_out<Element16>(from, over, begin, n, to);
  }
}

class Walk {
 public:
  Walk(const FusedGroup& group, std::span<const Tensor> inputs, std::span<const Spread> over, int64_t elements,
       std::span<void* const> results)
      : group_(group), inputs_(inputs), over_(over), elements_(elements), results_(results) {
    for (size_t k = 0; k < results.size(); ++k) streams_ |= streams(k);
    size_t tiles = group.tiles + (streams_ ? results.size() : 0);
    for (size_t i = 0; i < group.outside; ++i) tiles += over[i].kind == Spread::Kind::kSome;
    bytes_ = std::min(kMostTile, kTileMemory / std::max<size_t>(tiles, 1) / 64 * 64);
    tile_ = static_cast<int64_t>(bytes_ / group.widest);
    // Rows that repeat are written out once, if each tile begins with a row.
    for (size_t i = 0; i < group.outside; ++i)
      if (is_row(over[i]) && tile_ % over[i].size[0] && over[i].size[0] < tile_) tile_ -= tile_ % over[i].size[0];
  }

  void run() {
    const int64_t count = (elements_ + tile_ - 1) / tile_;
    const int64_t grain = kParallelWork / std::max<int64_t>(group_.weight, 1) / tile_;
    parallel_for(count, std::max<int64_t>(1, grain), [this](int64_t begin, int64_t end) {
      tiles(begin * tile_, std::min(end * tile_, elements_), nullptr);
    });
  }

  void reduce(int64_t rows, int64_t length, void* reduced) const {
    const auto make = [](void* walk, int64_t begin, int64_t end, void* to) {
      static_cast<const Walk*>(walk)->tiles(begin, end, static_cast<std::byte*>(to));
    };
    group_.reduction->reduce(rows, length, {const_cast<Walk*>(this), make}, reduced);
  }

 private:
  // A large result, unless its memory is an input's and has just been read.
  bool streams(size_t result) const {
    if (elements_ * group_.values[group_.results[result].value].size < kLarge) return false;
    return std::ranges::none_of(inputs_, [&](const Tensor& t) { return t.raw() == results_[result]; });
  }
  std::byte* place(const FusedGroup::Result& result, int64_t begin) const {
    const FusedGroup::Value& value = group_.values[result.value];
    return static_cast<std::byte*>(results_[value.index]) + begin * static_cast<int64_t>(value.size);
  }

  static bool is_row(const Spread& over) { return over.rank == 2 && over.stride[0] == 1 && over.stride[1] == 0; }

  // Elements [first, last); `to`: those that are reduced.
  void tiles(int64_t first, int64_t last, std::byte* to) const {
    alignas(64) std::byte memory[kTileMemory];
    void* at[FusedGroup::kMostValues];
    int stride[FusedGroup::kMostValues];
    bool written[compile::kMostOutside] = {};
    for (size_t v = 0; v < group_.values.size(); ++v) {
      stride[v] = 1;
      if (group_.values[v].place == FusedGroup::Place::kTile) at[v] = memory + group_.values[v].index * bytes_;
    }
    for (int64_t begin = first; begin < last; begin += tile_) {
      const int64_t n = std::min(tile_, last - begin);
      size_t next = group_.tiles;
      for (size_t i = 0; i < group_.outside; ++i) {
        const size_t size = group_.values[i].size;
        std::byte* const from = static_cast<std::byte*>(inputs_[i].raw());
        const Spread& over = over_[i];
        if (over.kind == Spread::Kind::kAll) {
          at[i] = from + begin * static_cast<int64_t>(size);
        } else if (over.kind == Spread::Kind::kOne) {
          at[i] = from;
          stride[i] = 0;
        } else {
          at[i] = memory + next++ * bytes_;
          const bool same = is_row(over) && tile_ % over.size[0] == 0;  // as in the tile before
          if (!same || !written[i]) write_out(from, size, over, begin, same ? std::min(tile_, last - first) : n, at[i]);
          written[i] = true;
        }
      }
      for (const FusedGroup::Result& result : group_.results)
        at[result.value] = streams_ ? memory + next++ * bytes_ : place(result, begin);
      if (const auto& reduction = group_.reduction)
        at[reduction->value] = to + (begin - first) * static_cast<int64_t>(group_.values[reduction->value].size);
      for (const FusedGroup::Step& step : group_.steps) run_step(step, at, stride, n);
      if (!streams_) continue;
      for (const FusedGroup::Result& result : group_.results)
        stream(static_cast<std::byte*>(at[result.value]), place(result, begin),
               static_cast<size_t>(n) * group_.values[result.value].size);
    }
    if (streams_) end_stream();
  }

  static void run_step(const FusedGroup::Step& step, void* const* at, const int* stride, int64_t n) {
    const uint16_t a = step.in[0], b = step.in[1], c = step.in[2];
    switch (step.loop.kind) {
      case ElementLoop::Kind::kUnary: step.loop.unary(at[a], at[step.out], n); break;
      case ElementLoop::Kind::kBinary:
        step.loop.binary(at[a], stride[a], at[b], stride[b], at[step.out], n);
        break;
      default: step.loop.select(at[a], stride[a], at[b], stride[b], at[c], stride[c], at[step.out], n); break;
    }
  }

  const FusedGroup& group_;
  const std::span<const Tensor> inputs_;
  const std::span<const Spread> over_;
  const int64_t elements_;
  const std::span<void* const> results_;
  bool streams_ = false;  // all results, if one does
  size_t bytes_;
  int64_t tile_;
};

}  // namespace

void run_tiles(const FusedGroup& group, std::span<const Tensor> inputs, std::span<const Spread> over,
               const Shape& shape, std::span<void* const> results, void* reduced) {
  const int64_t elements = shape.elements();
  if (!group.reduction) {
    if (elements > 0) Walk(group, inputs, over, elements, results).run();
    return;
  }
  int64_t rows = 1, length = 1;
  for (int d = 0; d < shape.rank(); ++d) (d < group.reduction->kept ? rows : length) *= shape[d];
  if (elements > 0) Walk(group, inputs, over, elements, results).reduce(rows, length, reduced);
  else group.reduction->reduce(rows, length, {}, reduced);  // makes none
}

}  // namespace footlight::runtime
