// A broadcast value is expanded into a tile unless a row of it is contiguous. Inputs of the reductions that end a loop
// are computed when the reductions ask for them.
#include "engine/runtime/fused_loop.h"

#include "engine/base/thread_pool.h"
#include "engine/jit/jit_loop.h"
#include "engine/runtime/fused_reduction.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace footlight::runtime {

using fusion::FusedGroup;
using fusion::Spread;
using jit::JitLoop;
using jit::kPerRowBit;
using jit::ScalarMask;

namespace {

// Limits, in bytes, of all tiles of a thread and of one tile, so that they stay in the fastest cache.
constexpr size_t kTileMemory = 48 << 10, kMaxTile = 4 << 10;
constexpr int64_t kMinStreamedBytes = 32 << 20;  // a result this large does not stay in a cache anyway

// Copies past the caches, so that the memory written need not be read into a cache first.
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

// Writes n elements of a broadcast value, from index `begin` of the loop on.
template <class T>
void expand(const void* from_memory, const Spread& over, int64_t begin, int64_t n, void* to_memory) {
  const T* from = static_cast<const T*>(from_memory);
  T* to = static_cast<T*>(to_memory);
  int64_t at[Spread::kMaxDims];
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

void expand(const void* from, size_t size, const Spread& over, int64_t begin, int64_t n, void* to) {
  switch (size) {
    case 1: return expand<uint8_t>(from, over, begin, n, to);
    case 2: return expand<uint16_t>(from, over, begin, n, to);
    case 4: return expand<uint32_t>(from, over, begin, n, to);
    case 8: return expand<uint64_t>(from, over, begin, n, to);
    default: return expand<Element16>(from, over, begin, n, to);
  }
}

bool is_row(const Spread& over) { return over.rank == 2 && over.stride[0] == 1 && over.stride[1] == 0; }
bool is_column(const Spread& over) { return over.rank == 2 && over.stride[0] == 0 && over.stride[1] == 1; }

// The addresses of a loop's values for the elements of a tile.
struct Addresses {
  void* at[FusedGroup::kMaxValues];
  int stride[FusedGroup::kMaxValues];

  void run_loop(const FusedGroup::Step& step, int64_t n) const {
    const uint16_t a = step.in[0], b = step.in[1], c = step.in[2];
    switch (step.loop.kind) {
      case ElementLoop::Kind::kUnary: step.loop.unary(at[a], at[step.out], n); break;
      case ElementLoop::Kind::kBinary:
        step.loop.binary(at[a], stride[a], at[b], stride[b], at[step.out], n);
        break;
      default: step.loop.select(at[a], stride[a], at[b], stride[b], at[c], stride[c], at[step.out], n); break;
    }
  }
};

class TileLoop final : ElementSource {
 public:
  TileLoop(const FusedGroup& group, std::span<const Tensor> inputs, std::span<const Spread> over, int64_t elements,
       std::span<void* const> results)
      : group_(group), inputs_(inputs), over_(over), elements_(elements), results_(results) {
    for (size_t k = 0; k < results.size(); ++k)
      streams_ |= group.values[group.results[k].value].level == fusion::Level::kWhole && bypasses_cache(k);
    for (const FusedGroup::Step& step : group.last_steps())  // the reduction reads it again
      streams_ &= group.values[step.in[0]].storage != FusedGroup::Storage::kResult;
    size_t repeat = 0;
    ScalarMask scalars = 0;
    for (size_t i = 0; i < group.num_outside; ++i) {
      repeat += over[i].kind == Spread::Kind::kStrided;
      scalars |= ScalarMask{over[i].kind == Spread::Kind::kScalar} << i;
    }
    const size_t tiles = group.num_tiles + (streams_ ? results.size() : 0) + repeat;
    code_ = jit::jit_code_for(group, scalars, elements);
    bytes_ = std::min(kMaxTile, kTileMemory / std::max<size_t>(tiles, 1) / 64 * 64);
    tile_ = static_cast<int64_t>(bytes_ / group.max_element_size);
    // Rows that repeat are written out once, if each tile begins with a row.
    for (size_t i = 0; i < group.num_outside; ++i)
      if (is_row(over[i]) && tile_ % over[i].size[0] && over[i].size[0] < tile_) tile_ -= tile_ % over[i].size[0];
    in_registers_ = code_ && !repeat && !streams_ && code_->is_one_loop(group.plain_steps().size());
  }

  void run() {
    const int64_t count = (elements_ + tile_ - 1) / tile_;
    const int64_t grain = kParallelWork / std::max<int64_t>(group_.weight, 1) / tile_;
    parallel_for(count, std::max<int64_t>(1, grain), [this](int64_t begin, int64_t end) {
      run_tiles(begin * tile_, std::min(end * tile_, elements_), {});
    });
  }

  void reduce(const Shape& shape) {
    int64_t sizes[3] = {1, 1, 1};  // product of the sizes before the reduced dimensions, of these, and after them
    for (int d = 0; d < shape.rank(); ++d)
      sizes[d < group_.dims.first ? 0 : d < group_.dims.last ? 1 : 2] *= shape[d];
    const auto steps = group_.last_steps();
    const bool is_serial = runs_on_one_thread(sizes[0], sizes[1], sizes[2], group_.weight);
    if (is_serial && elements_ * group_.weight > 2 * kParallelWork && steps.size() < group_.steps.size()) compute_all();
    StreamedResult made[fusion::kMaxReductions];
    for (size_t k = 0; k < steps.size(); ++k)
      made[k] = {steps[k].reduction, group_.values[steps[k].in[0]].size, result(steps[k].out)};
    reduce_streamed({made, steps.size()}, sizes[0], sizes[1], sizes[2], *this, group_.weight);
  }

 private:
  // A value that only reductions read, and the memory for it.
  struct ReductionInput {
    uint16_t value = 0;
    std::byte* to = nullptr;
  };

  // The memory of a value that is a result of the group; null if it is not.
  void* result(uint16_t value) const {
    const FusedGroup::Value& v = group_.values[value];
    return v.storage == FusedGroup::Storage::kResult ? results_[v.index] : nullptr;
  }
  // Computes the inputs of reductions on all cores, if the reductions themselves keep only one busy.
  void compute_all() {
    ReductionInput all[fusion::kMaxReductions];
    const size_t count = reduction_inputs(all);
    for (ReductionInput& one : std::span(all, count)) {
      const auto bytes = static_cast<size_t>(elements_) * group_.values[one.value].size;
      computed_.push_back({one.value, allocate_buffer(Device::cpu(), bytes)});
    }
    parallel_for(elements_, std::max<int64_t>(1, kParallelWork / group_.weight), [&](int64_t begin, int64_t end) {
      ReductionInput to[fusion::kMaxReductions];
      for (size_t i = 0; i < count; ++i)
        to[i] = {all[i].value, static_cast<std::byte*>(computed_[i].memory->data()) +
                                   begin * static_cast<int64_t>(group_.values[all[i].value].size)};
      run_tiles(begin, end, {to, count});
    });
    all_computed_ = true;
  }
  // Writes the values that only reductions read to `all`, each once; returns how many there are.
  size_t reduction_inputs(ReductionInput* all) const {
    size_t count = 0;
    for (const FusedGroup::Step& step : group_.last_steps()) {
      const uint16_t v = step.in[0];
      if (v < group_.num_outside || result(v)) continue;
      if (std::none_of(all, all + count, [&](const ReductionInput& r) { return r.value == v; }))
        all[count++] = {v, nullptr};
    }
    return count;
  }
  const void* in_memory(uint16_t value) const {
    for (const Computed& made : computed_)
      if (made.value == value) return made.memory->data();
    return value < group_.num_outside ? inputs_[value].raw() : result(value);
  }

  // Whether a result is written past the caches: it is large, and its memory is not that of an input, which is cached.
  bool bypasses_cache(size_t result) const {
    if (elements_ * group_.values[group_.results[result].value].size < kMinStreamedBytes) return false;
    return std::ranges::none_of(inputs_, [&](const Tensor& t) { return t.raw() == results_[result]; });
  }
  std::byte* address(const FusedGroup::Result& result, int64_t begin) const {
    const FusedGroup::Value& value = group_.values[result.value];
    return static_cast<std::byte*>(results_[value.index]) + begin * static_cast<int64_t>(value.size);
  }

  void compute(int64_t begin, int64_t rows, int64_t stride, int64_t columns, std::byte (*blocks)[kReducedBlock],
               StreamedRows* rows_of) const override {
    const auto steps = group_.last_steps();
    ReductionInput reduced[fusion::kMaxReductions];
    const size_t count = all_computed_ ? 0 : reduction_inputs(reduced);
    for (size_t i = 0; i < count; ++i) reduced[i].to = blocks[i];
    for (size_t k = 0; k < steps.size(); ++k) {
      const uint16_t v = steps[k].in[0];
      if (const void* const memory = in_memory(v)) {
        const int64_t offset = begin * static_cast<int64_t>(group_.values[v].size);
        rows_of[k] = {static_cast<const std::byte*>(memory) + offset, stride};
        continue;
      }
      size_t i = 0;
      while (reduced[i].value != v) ++i;
      rows_of[k] = {blocks[i], columns};
    }
    if (steps.size() == group_.steps.size() || all_computed_) return;
    const bool is_contiguous = columns == stride;
    for (int64_t r = 0; r < (is_contiguous ? 1 : rows); ++r) {
      const int64_t n = is_contiguous ? rows * columns : columns;
      run_tiles(begin + r * stride, begin + r * stride + n, {reduced, count});
      for (ReductionInput& one : std::span(reduced, count))
        one.to += n * static_cast<int64_t>(group_.values[one.value].size);
    }
  }

  // Runs all steps on the elements [first, last).
  void run_tiles(int64_t first, int64_t last, std::span<const ReductionInput> reduced) const {
    alignas(64) std::byte memory[kTileMemory];
    Addresses addresses;
    void** const at = addresses.at;
    for (size_t v = 0; v < group_.values.size(); ++v) {
      addresses.stride[v] = 1;
      if (group_.values[v].storage == FusedGroup::Storage::kTile) at[v] = memory + group_.values[v].index * bytes_;
    }
    const auto steps = group_.plain_steps();
    const int64_t step_size = in_registers_ ? last - first : tile_;
    for (int64_t begin = first; begin < last; begin += step_size) {
      const int64_t n = std::min(step_size, last - begin);
      size_t next = group_.num_tiles;
      for (size_t i = 0; i < group_.num_outside; ++i) {
        const size_t size = group_.values[i].size;
        std::byte* const from = static_cast<std::byte*>(inputs_[i].raw());
        const Spread& over = over_[i];
        if (over.kind == Spread::Kind::kContiguous) {
          at[i] = from + begin * static_cast<int64_t>(size);
        } else if (over.kind == Spread::Kind::kScalar) {
          at[i] = from;
          addresses.stride[i] = 0;
        } else {
          at[i] = memory + next++ * bytes_;
          const bool same = is_row(over) && tile_ % over.size[0] == 0 && begin > first;  // as in the tile before
          if (!same) expand(from, size, over, begin, n, at[i]);
        }
      }
      for (const FusedGroup::Result& result : group_.results)
        if (group_.values[result.value].level == fusion::Level::kWhole)
          at[result.value] = streams_ ? memory + next++ * bytes_ : address(result, begin);
      for (const ReductionInput& r : reduced)
        at[r.value] = r.to + (begin - first) * static_cast<int64_t>(group_.values[r.value].size);
      if (code_)
        for (const JitLoop::Part& part : code_->parts_of(steps.size()))
          part.loop ? part.loop(at, n) : addresses.run_loop(steps[part.step], n);
      else
        for (const FusedGroup::Step& step : steps) addresses.run_loop(step, n);
      if (!streams_) continue;
      for (const FusedGroup::Result& result : group_.results)
        if (group_.values[result.value].level == fusion::Level::kWhole)
          stream(static_cast<std::byte*>(at[result.value]), address(result, begin),
                 static_cast<size_t>(n) * group_.values[result.value].size);
    }
    if (streams_) end_stream();
  }

  const FusedGroup& group_;
  const std::span<const Tensor> inputs_;
  const std::span<const Spread> over_;
  const int64_t elements_;
  const std::span<void* const> results_;
  struct Computed {
    uint16_t value;
    BufferPtr memory;
  };
  std::vector<Computed> computed_;  // inputs of reductions, if compute_all ran
  bool all_computed_ = false;
  bool streams_ = false;  // whether one result, and so all of them, bypass the caches
  const JitLoop* code_ = nullptr;
  bool in_registers_ = false;  // one machine loop runs all steps, so no value needs a tile
  size_t bytes_;
  int64_t tile_;
};

// Runs all steps over a few rows, then over the next.
class RowLoop {
 public:
  RowLoop(const FusedGroup& group, std::span<const Tensor> inputs, std::span<const Spread> over, const Shape& shape,
          std::span<void* const> results)
      : group_(group), inputs_(inputs), over_(over), results_(results) {
    for (int d = 0; d < shape.rank(); ++d) (d < group.dims.first ? rows_ : length_) *= shape[d];
    rows_at_once_ = std::clamp<int64_t>(static_cast<int64_t>(kMaxTile / group.max_element_size) / length_, 1, rows_);
    for (size_t i = 0; i < group.num_outside; ++i)
      (is_whole(i) ? tiles_ : row_tiles_) += over[i].kind == Spread::Kind::kStrided;
    if (group.jit) code_ = jit::jit_code_for(group, scalars(), rows_ * length_);
  }

  void run() const {
    const int64_t grain = kParallelWork / std::max<int64_t>(group_.weight, 1) / length_;
    parallel_for(rows_, std::max<int64_t>(1, grain), [this](int64_t begin, int64_t end) { run_rows(begin, end); });
  }

 private:
  static constexpr size_t kMaxElementSize = 16;  // in bytes, of accumulators and of all dtypes
  static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

  bool is_whole(size_t value) const { return group_.values[value].level == fusion::Level::kWhole; }

  void run_rows(int64_t first, int64_t last) const {
    const size_t tile = aligned(static_cast<size_t>(rows_at_once_ * length_) * group_.max_element_size);
    const size_t row_tile = aligned(static_cast<size_t>(rows_at_once_) * kMaxElementSize);
    const size_t tiles = group_.num_tiles + tiles_, row_tiles = group_.num_row_tiles + row_tiles_;
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(tiles * tile + (row_tiles + 1) * row_tile + 64);
    std::byte* const start = memory.get() + (64 - reinterpret_cast<uintptr_t>(memory.get()) % 64);
    std::byte* const row_tile_memory = start + tiles * tile;
    std::byte* const accumulators = row_tile_memory + row_tiles * row_tile;
    Addresses addresses;
    for (size_t v = 0; v < group_.values.size(); ++v) {
      const FusedGroup::Value& value = group_.values[v];
      addresses.stride[v] = 1;
      if (value.storage == FusedGroup::Storage::kTile)
        addresses.at[v] = is_whole(v) ? start + value.index * tile : row_tile_memory + value.index * row_tile;
    }
    for (int64_t row = first; row < last; row += rows_at_once_) {
      const int64_t count = std::min(rows_at_once_, last - row);
      size_t next = group_.num_tiles, next_row = group_.num_row_tiles;
      for (size_t i = 0; i < group_.num_outside; ++i) {
        const Spread& over = over_[i];
        if (over.kind != Spread::Kind::kStrided) {
          set_outside(addresses, i, row, over.kind == Spread::Kind::kContiguous);
          continue;
        }
        void* const to = is_whole(i) ? start + next++ * tile : row_tile_memory + next_row++ * row_tile;
        if (rows_at_once_ == 1 && is_whole(i) && use_row_in_place(addresses, i, row)) continue;
        const int64_t begin = is_whole(i) ? row * length_ : row, n = is_whole(i) ? count * length_ : count;
        const bool same =
            is_whole(i) && is_row(over) && length_ % over.size[0] == 0 && row > first;  // as in those before
        if (!same) expand(inputs_[i].raw(), group_.values[i].size, over, begin, n, to);
        addresses.at[i] = to;
      }
      for (const FusedGroup::Result& result : group_.results) {
        const FusedGroup::Value& value = group_.values[result.value];
        addresses.at[result.value] = static_cast<std::byte*>(results_[value.index]) +
                                  row * (is_whole(result.value) ? length_ : 1) * static_cast<int64_t>(value.size);
      }
      if (!code_) {
        for (const FusedGroup::Step& step : group_.steps) run_step(step, addresses, count, accumulators);
        continue;
      }
      for (const JitLoop::Part& part : code_->parts()) {
        const FusedGroup::Step& step = group_.steps[part.step];
        if (part.loop) part.loop(addresses.at, is_whole(step.out) ? count * length_ : count);
        else run_step(step, addresses, count, accumulators);
      }
    }
  }

  ScalarMask scalars() const {
    ScalarMask all = rows_at_once_ == 1 ? kPerRowBit : 0;
    for (size_t i = 0; i < group_.num_outside; ++i) {
      const bool column = rows_at_once_ == 1 && is_whole(i) && in_one_row(over_[i]) && is_column(over_[i]);
      all |= ScalarMask{column || over_[i].kind == Spread::Kind::kScalar} << i;
    }
    return all;
  }
  void set_outside(Addresses& addresses, size_t i, int64_t row, bool moves) const {
    const int64_t begin = moves ? row * (is_whole(i) ? length_ : 1) : 0;
    addresses.at[i] = static_cast<std::byte*>(inputs_[i].raw()) + begin * static_cast<int64_t>(group_.values[i].size);
    addresses.stride[i] = moves;
  }
  bool in_one_row(const Spread& over) const {
    return over.kind == Spread::Kind::kStrided && over.size[0] == length_ && (is_row(over) || is_column(over));
  }
  // Uses a single row that is contiguous in memory, or a single element, without a copy. Returns whether it could.
  bool use_row_in_place(Addresses& addresses, size_t i, int64_t row) const {
    const Spread& over = over_[i];
    if (!in_one_row(over)) return false;
    const int64_t begin = is_column(over) ? row : 0;
    addresses.at[i] = static_cast<std::byte*>(inputs_[i].raw()) + begin * static_cast<int64_t>(group_.values[i].size);
    addresses.stride[i] = is_row(over);
    return true;
  }

  void run_step(const FusedGroup::Step& step, Addresses& addresses, int64_t count, std::byte* accumulators) const {
    switch (step.kind) {
      case FusedGroup::Step::Kind::kLoop: return addresses.run_loop(step, is_whole(step.out) ? count * length_ : count);
      case FusedGroup::Step::Kind::kReduce:
        step.reduction->start(accumulators, count);
        step.reduction->rows(addresses.at[step.in[0]], count, length_, accumulators);
        return step.reduction->finish(accumulators, count, length_, addresses.at[step.out]);
      case FusedGroup::Step::Kind::kRepeat: {
        if (rows_at_once_ == 1) {
          addresses.at[step.out] = addresses.at[step.in[0]];
          addresses.stride[step.out] = 0;
          return;
        }
        Spread over{Spread::Kind::kStrided, 2, {length_, count}, {0, 1}};
        return expand(addresses.at[step.in[0]], group_.values[step.out].size, over, 0, count * length_,
                         addresses.at[step.out]);
      }
    }
  }

  const FusedGroup& group_;
  const std::span<const Tensor> inputs_;
  const std::span<const Spread> over_;
  const std::span<void* const> results_;
  int64_t rows_ = 1, length_ = 1, rows_at_once_ = 1;
  size_t tiles_ = 0, row_tiles_ = 0;  // for broadcast values
  const JitLoop* code_ = nullptr;
};

}  // namespace

void run_fused_loop(const FusedGroup& group, std::span<const Tensor> inputs, std::span<const Spread> over,
                    const Shape& shape, std::span<void* const> results) {
  if (group.by_rows) return RowLoop(group, inputs, over, shape, results).run();
  const int64_t elements = shape.elements();
  if (group.num_reductions) TileLoop(group, inputs, over, elements, results).reduce(shape);
  else if (elements > 0) TileLoop(group, inputs, over, elements, results).run();
}

}  // namespace footlight::runtime
