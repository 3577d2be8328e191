// Makes the streams of random kernels, from the op's own state, a pair of seeds, a key with a counter, or a generator's
// variable. Also finds the offsets of broadcast parameters.
#pragma once

#include "kernels/functors/random_draw.h"
#include "kernels/table.h"

#include "engine/base/text.h"
#include "engine/tensor/gpu.h"
#include "engine/tensor/random_state.h"
#include "engine/tensor/variable.h"

#include <vector>

namespace footlight {

// The stream of an op that keeps its own position in it, with `blocks` blocks reserved.
inline Philox next_stream(KernelContext& c, uint64_t blocks) {
  RandomState::Stream stream;
  if (const AttrValue* state = c.attrs.find("_state"_attr)) {
    stream = static_cast<RandomState*>(std::get<Tensor>(*state).resource_object())->reserve(blocks);
  } else {
    stream = RandomState(static_cast<uint64_t>(c.attrs.get_or("seed"_attr, int64_t{0})),
                         static_cast<uint64_t>(c.attrs.get_or("seed2"_attr, int64_t{0})))
                 .reserve(blocks);
  }
  Philox philox(stream.seed, stream.seed2);
  philox.skip(stream.skipped);
  return philox;
}

inline Philox seeded_stream(const Tensor& seed) {
  if (seed.shape() != Shape{2}) invalid("seed must have shape [2], not ", seed.shape().brackets());
  const auto one = [&](int k) {
    return static_cast<uint64_t>(seed.dtype() == DType::kInt64 ? seed.data<int64_t>()[k] : seed.data<int32_t>()[k]);
  };
  return mixed(one(0), one(1));
}

// The inputs key, counter and alg starting at `first`; Philox only.
inline Philox keyed_stream(const KernelContext& c, size_t first) {
  constexpr int64_t kWords = 2;
  const Tensor &key = c.inputs[first], &counter = c.inputs[first + 1], &alg = c.inputs[first + 2];
  if (key.elements() < 1 || counter.elements() < kWords || alg.elements() < 1)
    invalid("key and alg must have an element and counter ", kWords, ", their shapes are ", key.shape().brackets(),
            ", ", alg.shape().brackets(), " and ", counter.shape().brackets(), " [Op:", c.row.name, "]");
  if (*c.in<int32_t>(first + 2) == 2)
    fail(ErrorKind::kUnimplemented, "this distribution has no form for Threefry: use Philox [Op:", c.row.name, "]");
  const uint64_t* words = counter.data<uint64_t>();
  return philox_at(*key.data<uint64_t>(), words[0], words[1]);
}

// Advances the counter of the generator's state (input 0) by `blocks`: counter, key. Returns its previous value.
inline Tensor advance_state(KernelContext& c, int64_t algorithm, uint64_t blocks) {
  Variable* v = variable_of(c.inputs[0]);
  if (!v) fail(ErrorKind::kFailedPrecondition, "the state of the generator was deleted [Op:", c.row.name, "]");
  const int64_t counters = algorithm == 2 ? 1 : 2;
  Tensor before;
  v->update([&](Tensor& value) {
    value = gpu::on_host(value);
    if (value.dtype() != DType::kInt64) invalid("the state of a generator is int64, not ", name_of(value.dtype()));
    if (value.shape().rank() != 1 || value.elements() < counters + 1)
      invalid("the state of this generator has at least ", counters + 1, " numbers, its shape is ",
              value.shape().brackets(), " [Op:", c.row.name, "]");
    before = value;
    Tensor after = Tensor::empty(DType::kInt64, value.shape());
    std::copy_n(value.data<int64_t>(), value.elements(), after.data<int64_t>());
    const uint64_t low = static_cast<uint64_t>(after.data<int64_t>()[0]) + blocks;
    after.data<int64_t>()[0] = static_cast<int64_t>(low);
    if (counters == 2 && low < blocks) after.data<int64_t>()[1] = static_cast<int64_t>(
        static_cast<uint64_t>(after.data<int64_t>()[1]) + 1);
    value = after;
  });
  return before;
}

inline Philox take_from_state(KernelContext& c, uint64_t blocks) {
  if (const int64_t algorithm = *c.in<int64_t>(1); algorithm != 1 && algorithm != 3)
    invalid("Unsupported algorithm id: ", algorithm, " [Op:", c.row.name, "]");
  const Tensor state = advance_state(c, 1, blocks);
  const int64_t* s = state.data<int64_t>();
  return philox_at(static_cast<uint64_t>(s[2]), static_cast<uint64_t>(s[0]), static_cast<uint64_t>(s[1]));
}

// Functions that draw in bulk, in the file compiled for the machine's instruction set (kernels/cpu/random.cpp).
struct BulkDraws {
  // The words of `blocks` blocks, starting `first` blocks after the stream's position.
  void (*words)(const Philox&, uint64_t first, int64_t blocks, uint32_t* out);
  // For each of `count` (at most 64) numbers from `first` on that have kBlocksPerElement blocks of their own: the last
  // normal number of the first block, and both uniform ones of the second, the last before the first.
  void (*normal_and_uniform)(const Philox&, uint64_t first, int64_t count, double* normal, double (*uniform)[64]);
};
extern BulkDraws bulk_draws;

// The offset, for element i of `out`, of its value in a tensor of shape `in`, which broadcasts to it.
class BroadcastPlaces {
 public:
  BroadcastPlaces(const Shape& in, const Shape& out) {
    same_ = in == out;
    one_ = in.elements() == 1;
    int64_t stride = 1;
    for (int d = out.rank() - 1, k = in.rank() - 1; d >= 0; --d, --k) {
      const int64_t size = k >= 0 ? in[k] : 1;
      sizes_.push_back(out[d]);
      strides_.push_back(size == 1 ? 0 : stride);
      stride *= size;
    }
  }
  int64_t operator()(int64_t i) const {
    if (same_) return i;
    if (one_) return 0;
    int64_t at = 0;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      at += i % sizes_[d] * strides_[d];
      i /= sizes_[d];
    }
    return at;
  }

 private:
  bool same_, one_;
  std::vector<int64_t> sizes_, strides_;  // innermost first
};
inline BroadcastPlaces broadcast_places(const Shape& in, const Shape& out) { return {in, out}; }

inline Shape broadcast_shape_of(std::initializer_list<Shape> shapes, const OpRow& row) {
  int rank = 0;
  for (const Shape& s : shapes) rank = std::max(rank, s.rank());
  Shape out;
  for (int d = 0; d < rank; ++d) {
    int64_t size = 1;
    for (const Shape& s : shapes) {
      const int k = d - (rank - s.rank());
      if (k < 0 || s[k] == 1) continue;
      if (size != 1 && size != s[k])
        invalid("the parameters have shapes that do not broadcast: ", s.brackets(), " has ", s[k],
                " where another has ", size, " [Op:", row.name, "]");
      size = s[k];
    }
    out.append(size);
  }
  return out;
}

// Calls body(T{}) for the dtypes of counts: floats, int32, int64.
template <class Body>
void with_number(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kFloat16: return body(Float16{});
    case DType::kBFloat16: return body(BFloat16{});
    case DType::kFloat32: return body(float{});
    case DType::kFloat64: return body(double{});
    case DType::kInt32: return body(int32_t{});
    case DType::kInt64: return body(int64_t{});
    default: invalid("numbers of this kind come as floats, int32 or int64, not ", name_of(dtype));
  }
}

}  // namespace footlight
