// Kernels that read and write slices by index.
#include "engine/tensor/size.h"
#include "kernels/cpu/elements.h"
#include "kernels/cpu/scalar/columns.h"
#include "kernels/functors/common.h"

#include <utility>

namespace footlight::FL_ISA {

namespace {

bool ignores_bad_indices(const Attrs& attrs) {
  const AttrValue* v = attrs.empty() ? nullptr : attrs.find("bad_indices_policy"_attr);
  if (!v) return false;
  const std::string& policy = std::get<std::string>(*v);
  if (policy.empty() || policy == "DEFAULT" || policy == "ERROR") return false;
  if (policy != "IGNORE") invalid("bad_indices_policy is DEFAULT, ERROR or IGNORE, not '", policy, "'");
  return true;
}

// The offset of each index vector's slice of `inner` elements; -1 for one to be
// ignored.
struct Places {
  std::vector<int64_t> at;
  int64_t inner = 1;
};

// find_places() for index vectors of a length known at compile time. False if one is out of bounds; find_places() then
// reports which.
template <int kDepth, class Int>
bool find_plainly(const Int* indices, const Shape& shape, std::vector<int64_t>& out) {
  int64_t dims[kDepth];
  for (int d = 0; d < kDepth; ++d) dims[d] = shape[d];
  bool inside = true;
  int64_t* at = out.data();
  for (int64_t k = 0, n = static_cast<int64_t>(out.size()); k < n; ++k) {
    uint64_t flat = 0;  // out of bounds it may overflow
    for (int d = 0; d < kDepth; ++d) {
      const auto index = static_cast<uint64_t>(indices[k * kDepth + d]);
      inside &= index < static_cast<uint64_t>(dims[d]);
      flat = flat * static_cast<uint64_t>(dims[d]) + index;
    }
    at[k] = static_cast<int64_t>(flat);
  }
  return inside;
}

template <class Int>
void find_places(const Int* indices, const Tensor& of, const Shape& shape, int depth, bool ignore,
                 Places& out, const char* op) {
  if (depth == 1 && find_plainly<1>(indices, shape, out.at)) return;
  if (depth == 2 && find_plainly<2>(indices, shape, out.at)) return;
  for (size_t k = 0; k < out.at.size(); ++k) {
    const Int* vector = indices + k * static_cast<size_t>(depth);
    int64_t flat = 0;
    for (int d = 0; d < depth; ++d) {
      const auto index = static_cast<int64_t>(vector[d]);
      if (index < 0 || index >= shape[d]) [[unlikely]] {
        if (ignore) {
          flat = -1;
          break;
        }
        std::string text;
        for (int e = 0; e < depth; ++e) append_to(text, str(e ? ", " : "", static_cast<int64_t>(vector[e])));
        const Shape outer(of.shape().dims().first(static_cast<size_t>(of.shape().rank() - 1)));
        invalid("indices[", place_in(outer, static_cast<int64_t>(k)), "] = [", text,
                "] does not index into a tensor of shape ", shape.brackets(), " [Op:", op, "]");
      }
      flat = flat * shape[d] + index;
    }
    out.at[k] = flat;
  }
}

Places places_of(const Tensor& indices, const Shape& shape, const Attrs& attrs, const char* op) {
  Places out;
  const Shape& s = indices.shape();
  const auto depth = static_cast<int>(s[s.rank() - 1]);
  out.inner = product(shape, depth, shape.rank());
  out.at.resize(static_cast<size_t>(product(s, 0, s.rank() - 1)));
  const bool ignore = ignores_bad_indices(attrs);
  switch (indices.dtype()) {
    case DType::kInt64: find_places(indices.data<int64_t>(), indices, shape, depth, ignore, out, op); break;
    case DType::kInt16: find_places(indices.data<int16_t>(), indices, shape, depth, ignore, out, op); break;
    case DType::kUInt16: find_places(indices.data<uint16_t>(), indices, shape, depth, ignore, out, op); break;
    default: find_places(indices.data<int32_t>(), indices, shape, depth, ignore, out, op); break;
  }
  return out;
}

void gather_nd(KernelContext& c) {
  const Shape& params = c.inputs[0].shape();
  const Shape& indices = c.inputs[1].shape();
  if (product(indices, 0, indices.rank() - 1) > 0 && c.inputs[0].elements() == 0)
    invalid("Requested more than 0 entries, but params is empty. Params shape: ", params.brackets(),
            " [Op:GatherNd]");
  const Places p = places_of(c.inputs[1], params, c.attrs, "GatherNd");
  const DType dtype = c.inputs[0].dtype();
  const auto count = static_cast<int64_t>(p.at.size());
  const void* in = c.inputs[0].raw();
  void* out = c.outputs[0].raw();
  const auto singly = [&](auto type) {
    using T = decltype(type);
    parallel_for(count, 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t at = p.at[static_cast<size_t>(k)];
        static_cast<T*>(out)[k] = at < 0 ? T{} : static_cast<const T*>(in)[at];
      }
    });
  };
  if (p.inner == 1 && is_plain(dtype) && size_of(dtype) == 4) return singly(uint32_t{});
  if (p.inner == 1 && is_plain(dtype) && size_of(dtype) == 8) return singly(uint64_t{});
  parallel_for(count, std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, p.inner)), [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t at = p.at[static_cast<size_t>(k)];
      if (at >= 0)
        copy(dtype, in, at * p.inner, out, k * p.inner, p.inner);
      else if (is_plain(dtype))
        std::memset(static_cast<char*>(out) + static_cast<size_t>(k * p.inner) * size_of(dtype), 0,
                    static_cast<size_t>(p.inner) * size_of(dtype));
    }
  });
}

struct Sum {
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else if constexpr (std::is_same_v<T, std::string> || !std::is_integral_v<T>)
      return static_cast<T>(a + b);
    else
      return static_cast<T>(static_cast<functors::Wrapping<T>>(a) + static_cast<functors::Wrapping<T>>(b));
  }
};
struct Difference {
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (!std::is_integral_v<T>)
      return static_cast<T>(a - b);
    else
      return static_cast<T>(static_cast<functors::Wrapping<T>>(a) - static_cast<functors::Wrapping<T>>(b));
  }
};
struct LargerOf {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Smaller {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

// out[place] = combine(out[place], update), in the order of the updates; each thread owns some columns.
template <class T, class Combine>
void write(const Places& p, const T* updates, T* out, Combine combine) {
  if (p.inner == 1) {
    for (size_t k = 0; k < p.at.size(); ++k)
      if (p.at[k] >= 0) out[p.at[k]] = combine(out[p.at[k]], updates[k]);
    return;
  }
  parallel_for(p.inner, columns_at_once(static_cast<int64_t>(p.at.size()), p.inner), [&](int64_t begin, int64_t end) {
    for (size_t k = 0; k < p.at.size(); ++k) {
      if (p.at[k] < 0) continue;
      T* __restrict__ to = out + p.at[k] * p.inner;
      const T* __restrict__ from = updates + static_cast<int64_t>(k) * p.inner;
      for (int64_t i = begin; i < end; ++i) to[i] = combine(to[i], from[i]);
    }
  });
}

// Copies the tensor into which updates are scattered.
void copy_all(const Tensor& from, Tensor& to) {
  const int64_t n = from.elements();
  copy_runs(from.dtype(), from.raw(), 0, n, to.raw(), 0, n, n, 1);
}

template <class T>
void scatter_nd(KernelContext& c) {
  clear(c.outputs[0]);
  const Tensor& indices = c.inputs[0];
  if (c.inputs[1].elements() == 0 && indices.elements() == 0) return;
  if (c.outputs[0].elements() == 0)
    invalid("Indices and updates specified for empty output: indices shape ", indices.shape().brackets(),
            " [Op:ScatterNd]");
  write(places_of(indices, c.outputs[0].shape(), c.attrs, "ScatterNd"), c.in<T>(1), c.out<T>(), Sum());
}

template <class T, class Combine>
void tensor_scatter(KernelContext& c) {
  const int64_t n = c.inputs[0].elements();
  copy_all(c.inputs[0], c.outputs[0]);
  if (n == 0 && c.inputs[2].elements() > 0)
    invalid("Indices and updates specified for empty output [Op:", c.row.name, "]");
  write(places_of(c.inputs[1], c.outputs[0].shape(), c.attrs, c.row.name), c.in<T>(2), c.out<T>(), Combine());
}

void tensor_update(KernelContext& c) {
  const DType dtype = c.inputs[0].dtype();
  const int64_t n = c.inputs[0].elements();
  copy_all(c.inputs[0], c.outputs[0]);
  if (n == 0 && c.inputs[2].elements() > 0)
    invalid("Indices and updates specified for empty output [Op:", c.row.name, "]");
  const Places p = places_of(c.inputs[1], c.outputs[0].shape(), c.attrs, c.row.name);
  for (size_t k = 0; k < p.at.size(); ++k)
    if (p.at[k] >= 0)
      copy(dtype, c.inputs[2].raw(), static_cast<int64_t>(k) * p.inner, c.outputs[0].raw(), p.at[k] * p.inner,
           p.inner);
}

// Distributes elements k of `from` for k in [begin, end): each is appended to its part, from at[p] on.
template <class T>
void distribute(const int32_t* part, int64_t begin, int64_t end, const void* from, std::span<const Tensor> parts,
                const std::vector<int64_t>& at) {
  std::vector<T*> places;
  for (size_t p = 0; p < parts.size(); ++p) places.push_back(static_cast<T*>(parts[p].raw()) + at[p]);
  T** const __restrict__ to = places.data();
  const T* const in = static_cast<const T*>(from);
  for (int64_t k = begin; k < end; ++k) *to[static_cast<size_t>(part[k])]++ = in[k];
}

// The elements are split into chunks: first each counts its elements per part, then all are distributed in parallel.
void partition(KernelContext& c) {
  const Shape& data = c.inputs[0].shape();
  const DType dtype = c.inputs[0].dtype();
  const Tensor& partitions = c.inputs[1];
  const int rank = partitions.shape().rank();
  const int64_t inner = product(data, rank, data.rank());
  const size_t parts = c.outputs.size();
  const int32_t* part = c.in<int32_t>(1);
  const int64_t n = partitions.elements();
  constexpr int64_t kPiece = 1 << 15;
  const int64_t pieces = std::clamp<int64_t>(n / kPiece, 1, std::max<int64_t>(1, kPiece / static_cast<int64_t>(parts)));
  const auto piece_begin = [&](int64_t piece) { return n * piece / pieces; };
  std::vector<std::vector<int64_t>> before(static_cast<size_t>(pieces));  // counts, then start offsets
  parallel_for(pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      std::vector<int64_t>& counts = before[static_cast<size_t>(piece)];
      counts.assign(4 * parts, 0);  // four counters side by side: equal neighbours do not wait for each other
      for (int64_t k = piece_begin(piece), end = piece_begin(piece + 1); k < end; ++k)
        if (static_cast<uint32_t>(part[k]) < parts)
          ++counts[static_cast<size_t>(k & 3) * parts + static_cast<size_t>(part[k])];
      for (size_t p = 0; p < parts; ++p) counts[p] += counts[parts + p] + counts[2 * parts + p] + counts[3 * parts + p];
    }
  });
  int64_t placed = 0;
  std::vector<int64_t> totals(parts, 0);
  for (std::vector<int64_t>& counts : before)
    for (size_t p = 0; p < parts; ++p) {
      placed += counts[p];
      totals[p] += std::exchange(counts[p], totals[p]);
    }
  for (int64_t k = 0; placed < n && k < n; ++k)
    if (part[k] < 0 || static_cast<size_t>(part[k]) >= parts)
      invalid("partitions", partitions.shape().rank() ? str("[", place_in(partitions.shape(), k), "]") : "", " = ",
              part[k], " is not in [0, ", parts, ") [Op:DynamicPartition]");
  for (size_t p = 0; p < parts; ++p) {
    Shape shape{totals[p]};
    for (int d = rank; d < data.rank(); ++d) shape.append(data[d]);
    c.set_output(p, dtype, shape);
  }
  const size_t bytes = is_plain(dtype) ? static_cast<size_t>(inner) * size_of(dtype) : 0;
  const void* from = c.inputs[0].raw();
  parallel_for(pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      std::vector<int64_t>& at = before[static_cast<size_t>(piece)];
      const int64_t begin = piece_begin(piece), end = piece_begin(piece + 1);
      switch (bytes) {
        case 1: distribute<uint8_t>(part, begin, end, from, c.outputs, at); break;
        case 2: distribute<uint16_t>(part, begin, end, from, c.outputs, at); break;
        case 4: distribute<uint32_t>(part, begin, end, from, c.outputs, at); break;
        case 8: distribute<uint64_t>(part, begin, end, from, c.outputs, at); break;
        case 16: distribute<std::complex<double>>(part, begin, end, from, c.outputs, at); break;
        default:
          for (int64_t k = begin; k < end; ++k) {
            const auto p = static_cast<size_t>(part[k]);
            copy(dtype, from, k * inner, c.outputs[p].raw(), at[p]++ * inner, inner);
          }
      }
    }
  });
}

void stitch(KernelContext& c) {
  const size_t n = c.inputs.size() / 2;
  int64_t rows = 0;
  for (size_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < c.inputs[k].elements(); ++i) {
      const int32_t index = c.in<int32_t>(k)[i];
      if (index < 0)
        invalid("indices[", k, "][", place_in(c.inputs[k].shape(), i), "] = ", index,
                " is out of range: it is negative [Op:DynamicStitch]");
      rows = std::max(rows, int64_t{index} + 1);
    }
  Shape shape{rows};
  for (int d = c.inputs[0].shape().rank(); d < c.inputs[n].shape().rank(); ++d)
    shape.append(c.inputs[n].shape()[d]);
  const int64_t inner = product(shape, 1, shape.rank());
  Tensor& out = c.set_output(0, c.inputs[n].dtype(), shape);
  clear(out);  // elements that no index names
  for (size_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < c.inputs[k].elements(); ++i)
      copy(out.dtype(), c.inputs[n + k].raw(), i * inner, out.raw(), c.in<int32_t>(k)[i] * inner, inner);
}

template <class T>
void unravel(KernelContext& c) {
  const T* dims = c.in<T>(1);
  const int64_t rank = c.inputs[1].elements();
  const int64_t n = c.inputs[0].elements();
  if (n == 0)
    invalid("UnravelIndex received no indices: their shape is ", c.inputs[0].shape().brackets(),
            " [Op:UnravelIndex]");
  int64_t total = 1;
  for (int64_t d = 0; d < rank; ++d) {
    if (dims[d] < 0) invalid("dims[", d, "] = ", dims[d], " is negative [Op:UnravelIndex]");
    if (dims[d] == 0)
      invalid("Input dims cannot contain a dim of zero, but dims contains zero at index ", d,
              " [Op:UnravelIndex]");
    total = multiply_sizes(total, dims[d]);
  }
  T* out = c.out<T>();
  for (int64_t k = 0; k < n; ++k) {
    int64_t rest = c.in<T>(0)[k];
    if (rest < 0 || rest >= total)
      invalid("index is out of bound as with dims: ", rest, " is not in [0, ", total, ") [Op:UnravelIndex]");
    for (int64_t d = rank - 1; d >= 0; --d) {
      out[d * n + k] = static_cast<T>(rest % dims[d]);
      rest /= dims[d];
    }
  }
}

template <class... Types>
void numbers() {
  (on_cpu("ScatterNd", bit_of(dtype_of<Types>), scatter_nd<Types>), ...);
  (on_cpu("TensorScatterAdd", bit_of(dtype_of<Types>), tensor_scatter<Types, Sum>), ...);
  (on_cpu("TensorScatterSub", bit_of(dtype_of<Types>), tensor_scatter<Types, Difference>), ...);
}
template <class... Types>
void ordered() {
  (on_cpu("TensorScatterMax", bit_of(dtype_of<Types>), tensor_scatter<Types, LargerOf>), ...);
  (on_cpu("TensorScatterMin", bit_of(dtype_of<Types>), tensor_scatter<Types, Smaller>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("GatherNd", kAllTypes, gather_nd);
  on_cpu("TensorScatterUpdate", kAllTypes, tensor_update);
  on_cpu("DynamicPartition", kAllTypes, partition);
  on_cpu("DynamicStitch", kAllTypes, stitch);
  on_cpu("UnravelIndex", bit_of(DType::kInt32), unravel<int32_t>);
  on_cpu("UnravelIndex", bit_of(DType::kInt64), unravel<int64_t>);
  numbers<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Float16,
          BFloat16, std::complex<float>, std::complex<double>>();
  on_cpu("ScatterNd", bit_of(DType::kBool), scatter_nd<bool>);
  on_cpu("ScatterNd", bit_of(DType::kString), scatter_nd<std::string>);
  ordered<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Float16,
          BFloat16>();
}

}  // namespace footlight::FL_ISA
