// Kernels that read and write slices by index.
#include "kernels/cpu/elements.h"
#include "kernels/functors/common.h"

namespace footlight {
namespace FL_ISA {

namespace {

bool ignores_bad_indices(const Attrs& attrs) {
  static const AttrName kPolicy{"bad_indices_policy"};
  const AttrValue* v = attrs.empty() ? nullptr : attrs.find(kPolicy);
  if (!v) return false;
  const std::string& policy = std::get<std::string>(*v);
  if (policy.empty() || policy == "DEFAULT" || policy == "ERROR") return false;
  if (policy != "IGNORE") invalid("bad_indices_policy is DEFAULT, ERROR or IGNORE, not '", policy, "'");
  return true;
}

// Where each vector of indices points into a shape: flat, in slices of `inner` elements; -1 for one to be
// ignored.
struct Places {
  std::vector<int64_t> at;
  int64_t inner = 1;
};

template <class Int>
void find_places(const Int* indices, const Tensor& of, const Shape& shape, int depth, bool ignore,
                 Places& out, const char* op) {
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
  for (size_t k = 0; k < p.at.size(); ++k) {
    const int64_t to = static_cast<int64_t>(k) * p.inner;
    if (p.at[k] >= 0)
      copy(dtype, c.inputs[0].raw(), p.at[k] * p.inner, c.outputs[0].raw(), to, p.inner);
    else if (is_plain(dtype))
      std::memset(static_cast<char*>(c.outputs[0].raw()) + static_cast<size_t>(to) * size_of(dtype), 0,
                  static_cast<size_t>(p.inner) * size_of(dtype));
  }
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
struct Larger {
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

// out[place] = combine(out[place], update), in the order of the updates.
template <class T, class Combine>
void write(const Places& p, const T* updates, T* out, Combine combine) {
  for (size_t k = 0; k < p.at.size(); ++k) {
    if (p.at[k] < 0) continue;
    T* to = out + p.at[k] * p.inner;
    const T* from = updates + static_cast<int64_t>(k) * p.inner;
    for (int64_t i = 0; i < p.inner; ++i) to[i] = combine(to[i], from[i]);
  }
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
  copy(c.inputs[0].dtype(), c.inputs[0].raw(), 0, c.outputs[0].raw(), 0, n);
  if (n == 0 && c.inputs[2].elements() > 0)
    invalid("Indices and updates specified for empty output [Op:", c.row.name, "]");
  write(places_of(c.inputs[1], c.outputs[0].shape(), c.attrs, c.row.name), c.in<T>(2), c.out<T>(), Combine());
}

void tensor_update(KernelContext& c) {
  const DType dtype = c.inputs[0].dtype();
  const int64_t n = c.inputs[0].elements();
  copy(dtype, c.inputs[0].raw(), 0, c.outputs[0].raw(), 0, n);
  if (n == 0 && c.inputs[2].elements() > 0)
    invalid("Indices and updates specified for empty output [Op:", c.row.name, "]");
  const Places p = places_of(c.inputs[1], c.outputs[0].shape(), c.attrs, c.row.name);
  for (size_t k = 0; k < p.at.size(); ++k)
    if (p.at[k] >= 0)
      copy(dtype, c.inputs[2].raw(), static_cast<int64_t>(k) * p.inner, c.outputs[0].raw(), p.at[k] * p.inner,
           p.inner);
}

void partition(KernelContext& c) {
  const Shape& data = c.inputs[0].shape();
  const Tensor& partitions = c.inputs[1];
  const int rank = partitions.shape().rank();
  const int64_t inner = product(data, rank, data.rank());
  const auto parts = static_cast<int64_t>(c.outputs.size());
  std::vector<int64_t> counts(c.outputs.size(), 0);
  const int32_t* part = c.in<int32_t>(1);
  const int64_t n = partitions.elements();
  for (int64_t k = 0; k < n; ++k) {
    if (part[k] < 0 || part[k] >= parts)
      invalid("partitions[", place_in(partitions.shape(), k), "] = ", part[k], " is not in [0, ", parts,
              ") [Op:DynamicPartition]");
    ++counts[static_cast<size_t>(part[k])];
  }
  for (size_t p = 0; p < c.outputs.size(); ++p) {
    Shape shape{counts[p]};
    for (int d = rank; d < data.rank(); ++d) shape.append(data[d]);
    c.set_output(p, c.inputs[0].dtype(), shape);
    counts[p] = 0;
  }
  for (int64_t k = 0; k < n; ++k) {
    const auto p = static_cast<size_t>(part[k]);
    copy(c.inputs[0].dtype(), c.inputs[0].raw(), k * inner, c.outputs[p].raw(), counts[p]++ * inner, inner);
  }
}

void stitch(KernelContext& c) {
  const size_t n = c.inputs.size() / 2;
  int64_t rows = 0;
  for (size_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < c.inputs[k].elements(); ++i) {
      const int32_t index = c.in<int32_t>(k)[i];
      if (index < 0)
        invalid("indices[", k, "][", place_in(c.inputs[k].shape(), i), "] = ", index,
                " is negative [Op:DynamicStitch]");
      rows = std::max<int64_t>(rows, index + 1);
    }
  Shape shape{rows};
  for (int d = c.inputs[0].shape().rank(); d < c.inputs[n].shape().rank(); ++d)
    shape.append(c.inputs[n].shape()[d]);
  const int64_t inner = product(shape, 1, shape.rank());
  Tensor& out = c.set_output(0, c.inputs[n].dtype(), shape);
  clear(out);  // what no index names
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
    total *= dims[d];
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
  (on_cpu("TensorScatterMax", bit_of(dtype_of<Types>), tensor_scatter<Types, Larger>), ...);
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

}  // namespace FL_ISA
}  // namespace footlight
