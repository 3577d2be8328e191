// Reduces elements in the order of the kernels (kernels/cpu/reduction.cpp), and computes them block by block.
#include "engine/runtime/fused_reduction.h"

#include "engine/base/errors.h"
#include "engine/base/thread_pool.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace footlight::runtime {
namespace {

using namespace reduction_order;
using fusion::kMaxReductions;

int64_t grain_of(int64_t weight) { return std::max<int64_t>(1, kParallelWork / std::max<int64_t>(1, weight)); }
// The number of strips of columns that threads reduce separately: 1 if there is too little work.
int64_t strips_of(int64_t total, int64_t inner, int64_t grain) {
  return std::clamp<int64_t>(std::min(inner / 256, total / grain), 1, 16);
}
int64_t pieces_of_columns(int64_t outer, int64_t total, int64_t reduced, int64_t inner) {
  return outer == 1 && inner <= kMaxPieceAccumulators ? pieces_of(reduced, total) : 1;
}

struct Blocks {
  alignas(64) std::byte memory[kMaxReductions][kReducedBlock];
};
using Accumulators = std::array<std::byte*, kMaxReductions>;

class FusedReduction {
 public:
  FusedReduction(std::span<const StreamedResult> all, int64_t outer, int64_t reduced, int64_t inner,
                 const ElementSource& source, int64_t weight)
      : all_(all), outer_(outer), reduced_(reduced), inner_(inner), source_(source),
        grain_(grain_of(weight)) {
    size_t widest = 1;
    for (const StreamedResult& one : all) widest = std::max<size_t>(widest, one.element_size);
    block_ = static_cast<int64_t>(kReducedBlock / widest);
  }

  void run() {
    const int64_t kept = outer_ * inner_;
    AccumulatorMemory memory(*this, kept);
    if (kept > 0 && reduced_ > 0) {
      if (inner_ > 1) reduce_columns(memory.at);
      else if (reduced_ > block_) reduce_long_rows(memory.at);
      else reduce_rows(memory.at);
    }
    for (size_t k = 0; k < all_.size(); ++k) all_[k].reduction->finish(memory.at[k], kept, reduced_, all_[k].out);
  }

 private:
  // Initialized accumulators for n elements of each reduction.
  struct AccumulatorMemory {
    std::unique_ptr<std::byte[]> bytes;
    Accumulators at{};
    AccumulatorMemory(const FusedReduction& of, int64_t n) {
      size_t size = 0;
      for (const StreamedResult& one : of.all_) size += bytes_for(one, n);
      bytes = std::make_unique_for_overwrite<std::byte[]>(size);
      std::byte* next = bytes.get();
      for (size_t k = 0; k < of.all_.size(); ++k) {
        at[k] = next;
        next += bytes_for(of.all_[k], n);
        of.all_[k].reduction->start(at[k], n);
      }
    }
    static size_t bytes_for(const StreamedResult& one, int64_t n) {
      return (static_cast<size_t>(n) * one.reduction->accumulator_size + 63) / 64 * 64;
    }
  };
  // The accumulators from element `i` on.
  Accumulators advanced(const Accumulators& to, int64_t i) const {
    Accumulators moved{};
    for (size_t k = 0; k < all_.size(); ++k) moved[k] = to[k] + i * all_[k].reduction->accumulator_size;
    return moved;
  }

  // Reduces several rows that fit in one block.
  void reduce_rows(const Accumulators& to) const {
    parallel_for(outer_, std::max<int64_t>(1, grain_ / reduced_), [&](int64_t begin, int64_t end) {
      Blocks blocks;
      StreamedRows rows_of[kMaxReductions];
      for (const int64_t fit = block_ / reduced_; begin < end; begin += fit) {
        const int64_t here = std::min(fit, end - begin);
        source_.compute(begin * reduced_, 1, here * reduced_, here * reduced_, blocks.memory, rows_of);
        const Accumulators at = advanced(to, begin);
        for (size_t k = 0; k < all_.size(); ++k) all_[k].reduction->rows(rows_of[k].at, here, reduced_, at[k]);
      }
    });
  }

  // Splits a row that is longer than a block in halves, as the kernel does, until each part fits.
  struct Part {
    int64_t begin, n;
  };
  void split(int64_t begin, int64_t n, std::vector<Part>& parts) const {
    if (n <= block_) return parts.push_back({begin, n});
    const int64_t half = all_[0].reduction->halving.first_half_of(n);
    FL_CHECK(half > 0);
    split(begin, half, parts);
    split(begin + half, n - half, parts);
  }
  // Joins the accumulators of the parts of n elements into the first of them; returns the accumulator after the last.
  std::byte* join(int64_t n, std::byte* parts, const StreamedReduction& by) const {
    if (n <= block_) return parts + by.accumulator_size;
    const int64_t half = by.halving.first_half_of(n);
    std::byte* const second = join(half, parts, by);
    std::byte* const next = join(n - half, second, by);
    by.join(parts, second, 1, 1);
    return next;
  }
  void reduce_long_rows(const Accumulators& to) const {
    const int64_t pieces = outer_ == 1 ? pieces_of(reduced_, reduced_) : 1;
    const auto start_of = [&](int64_t piece) { return reduced_ * piece / pieces; };
    std::vector<Part> parts;
    for (int64_t p = 0; p < pieces; ++p) split(start_of(p), start_of(p + 1) - start_of(p), parts);
    const auto count = static_cast<int64_t>(parts.size());
    const AccumulatorMemory results(*this, outer_ * count);
    parallel_for(outer_ * count, 1, [&](int64_t begin, int64_t end) {
      Blocks blocks;
      StreamedRows rows_of[kMaxReductions];
      for (int64_t i = begin; i < end; ++i) {
        const Part& part = parts[static_cast<size_t>(i % count)];
        source_.compute(i / count * reduced_ + part.begin, 1, part.n, part.n, blocks.memory, rows_of);
        const Accumulators at = advanced(results.at, i);
        for (size_t k = 0; k < all_.size(); ++k) all_[k].reduction->row(rows_of[k].at, part.n, at[k]);
      }
    });
    for (size_t k = 0; k < all_.size(); ++k) {
      const StreamedReduction& by = *all_[k].reduction;
      std::byte* next = results.at[k];
      std::vector<std::byte*> firsts;
      for (int64_t i = 0; i < outer_ * pieces; ++i) {
        firsts.push_back(next);
        const int64_t p = i % pieces;
        next = join(start_of(p + 1) - start_of(p), next, by);
      }
      if (pieces == 1) {
        for (int64_t r = 0; r < outer_; ++r)
          by.join(to[k] + r * by.accumulator_size, firsts[static_cast<size_t>(r)], 1, 1);
        continue;
      }
      const AccumulatorMemory joined(*this, pieces);
      for (int64_t p = 0; p < pieces; ++p) {
        by.join(joined.at[k] + p * by.accumulator_size, firsts[static_cast<size_t>(p)], 1, 1);
        firsts[static_cast<size_t>(p)] = joined.at[k] + p * by.accumulator_size;
      }
      joreduce_in_pieces(firsts, 1, by, to[k]);
    }
  }
  static void joreduce_in_pieces(const std::vector<std::byte*>& parts, int64_t n, const StreamedReduction& by,
                                 std::byte* to) {
    for (size_t step = 1; step < parts.size(); step *= 2)
      for (size_t p = 0; p + step < parts.size(); p += 2 * step) by.join(parts[p], parts[p + step], 1, n);
    by.join(to, parts[0], 1, n);
  }

  // Reduces columns, on several threads: by pieces, by outer index or by columns. None of these changes the
  // order in which the elements of a column are joined.
  void reduce_columns(const Accumulators& to) const {
    const int64_t total = reduced_ * inner_;
    const int64_t pieces = pieces_of_columns(outer_, total, reduced_, inner_);
    if (pieces > 1) return reduce_in_pieces(pieces, to);
    const int64_t strips = strips_of(total, inner_, grain_);
    const auto start_of = [&](int64_t strip) {  // where a vector begins
      return strip == strips ? inner_ : inner_ * strip / strips / 64 * 64;
    };
    parallel_for(outer_ * strips, std::max<int64_t>(1, grain_ / (total / strips + 1)), [&](int64_t begin, int64_t end) {
      Blocks blocks;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t o = i / strips, s = i % strips;
        const int64_t first = start_of(s);
        reduce_block({o * total + first, reduced_, inner_, start_of(s + 1) - first, inner_},
                     advanced(to, o * inner_ + first), blocks);
      }
    });
  }
  void reduce_in_pieces(int64_t pieces, const Accumulators& to) const {
    const AccumulatorMemory results(*this, pieces * inner_);
    parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
      Blocks blocks;
      for (int64_t p = begin; p < end; ++p) {
        const int64_t first = reduced_ * p / pieces, rows = reduced_ * (p + 1) / pieces - first;
        reduce_block({first * inner_, rows, inner_, inner_, inner_}, advanced(results.at, p * inner_), blocks);
      }
    });
    for (size_t k = 0; k < all_.size(); ++k) {
      std::vector<std::byte*> parts;
      for (int64_t p = 0; p < pieces; ++p)
        parts.push_back(results.at[k] + p * inner_ * all_[k].reduction->accumulator_size);
      joreduce_in_pieces(parts, inner_, *all_[k].reduction, to[k]);
    }
  }

  struct Rows {
    int64_t begin, rows, stride, columns;
    int64_t all_columns;  // of the loop, of which these may be some; the order depends on all
  };
  // Reduces a block of rows down the columns into `to`, in the order of the kernel.
  void reduce_block(const Rows& block, const Accumulators& to, Blocks& blocks) const {
    if (folds_rows(block.rows, block.all_columns)) {
      const int64_t times = kWide / block.columns, wide_rows = block.rows / times, wide = times * block.columns;
      const AccumulatorMemory joined(*this, kWide);
      reduce_block({block.begin, wide_rows, wide, wide, wide}, joined.at, blocks);
      for (size_t k = 0; k < all_.size(); ++k) all_[k].reduction->join(to[k], joined.at[k], times, block.columns);
      return accumulate(
          {block.begin + wide_rows * wide, block.rows % times, block.stride, block.columns, block.columns}, to, blocks);
    }
    if (!splits_rows(block.rows, block.all_columns)) return accumulate(block, to, blocks);
    const int64_t half = block.rows / 2;
    const AccumulatorMemory part(*this, block.columns);
    reduce_block({block.begin, half, block.stride, block.columns, block.all_columns}, part.at, blocks);
    reduce_block({block.begin + half * block.stride, block.rows - half, block.stride, block.columns, block.all_columns},
                 to, blocks);
    for (size_t k = 0; k < all_.size(); ++k) all_[k].reduction->join(to[k], part.at[k], 1, block.columns);
  }
  // Adds rows one after the other.
  void accumulate(const Rows& block, const Accumulators& to, Blocks& blocks) const {
    StreamedRows rows_of[kMaxReductions];
    const int64_t most = block_ / 4 / 64 * 64;
    for (int64_t c = 0; c < block.columns; c += most) {
      const int64_t columns = std::min(most, block.columns - c), fit = block_ / columns / 4 * 4;
      const Accumulators at = advanced(to, c);
      for (int64_t r = 0; r < block.rows; r += fit) {
        const int64_t here = std::min(fit, block.rows - r);
        source_.compute(block.begin + r * block.stride + c, here, block.stride, columns, blocks.memory, rows_of);
        for (size_t k = 0; k < all_.size(); ++k)
          all_[k].reduction->columns(rows_of[k].at, rows_of[k].stride, here, columns, at[k]);
      }
    }
  }

  const std::span<const StreamedResult> all_;
  const int64_t outer_, reduced_, inner_;
  const ElementSource& source_;
  const int64_t grain_;
  int64_t block_;
};

}  // namespace

void reduce_streamed(std::span<const StreamedResult> all, int64_t outer, int64_t reduced, int64_t inner,
                     const ElementSource& source, int64_t weight) {
  FusedReduction(all, outer, reduced, inner, source, weight).run();
}

bool runs_on_one_thread(int64_t outer, int64_t reduced, int64_t inner, int64_t weight) {
  return inner > 1 && outer == 1 && pieces_of_columns(outer, reduced * inner, reduced, inner) == 1 &&
         strips_of(reduced * inner, inner, grain_of(weight)) == 1;
}

}  // namespace footlight::runtime
