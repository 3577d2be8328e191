// The ops of random programs: single ops on vectors of one length and of all kinds of dtypes, slices with strides,
// lists of tensors. Each gives a vector of that length again.
#pragma once

#include "tests/trace/support.h"

#include <random>

namespace footlight::test {

class RandomOps {
 public:
  // Works on vectors of one length, of floats, of int32 and of any dtype (which may be none to begin with), on
  // variables of float scalars, and on some of float vectors of that length.
  struct Values {
    std::vector<Tensor> floats, ints, variables, mixed, vectors;
  };

 protected:
  RandomOps(uint32_t seed, Values in, bool finite) : random_(seed), values_(std::move(in)), finite_(finite) {}

  static Tensor whole(int32_t value) { return Tensor::scalar(value).as_constant(); }
  static Tensor axes(std::initializer_list<int64_t> of) { return ops::ints(std::vector<int64_t>(of)); }
  static Tensor cast(const Tensor& x, DType to) { return apply(Op("Cast"), {x}, {{AttrName("DstT"), to}}); }
  static Tensor all(const Tensor& x) { return ops::sum(x, axes({0})); }
  static Tensor length(const Tensor& x) { return op("GatherV2", {op("Shape", {x}), whole(0), whole(0)}); }
  static Tensor packed(std::vector<Tensor> sizes) { return footlight::apply(Op("Pack").row(), sizes); }

  int below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  Tensor any(const std::vector<Tensor>& of) { return of[random_() % of.size()]; }
  Tensor some_float() {
    static const float kSome[] = {0.f, -0.f, 1.f, -1.f, 2.f, 0.5f, 3.f, -4.f};
    return number(kSome[random_() % 8]);
  }
  Tensor some_int() {
    static const int32_t kSome[] = {0, 1, -1, 2, 7, 16, 1 << 20, INT32_MAX};
    return whole(kSome[random_() % 8]);
  }
  Tensor divisor() {
    static const int32_t kSome[] = {1, 2, 3, 8, -2, 5, 1 << 16, -1};
    return whole(kSome[random_() % 8]);
  }
  // A vector of the same dtype.
  Tensor like(const Tensor& x) {
    if (x.dtype() == DType::kInt32) return any(values_.ints);
    if (x.dtype() == DType::kFloat32) return any(values_.floats);
    std::vector<Tensor> same;
    for (const Tensor& t : values_.mixed)
      if (t.dtype() == x.dtype()) same.push_back(t);
    return same.empty() ? x : any(same);
  }
  Tensor vector_of_any_dtype() {
    const int kind = below(values_.mixed.empty() ? 2 : 3);
    return any(kind == 0 ? values_.floats : kind == 1 ? values_.ints : values_.mixed);
  }

  // Other dtypes. Where everything has to stay finite, nothing is that float16 does not hold.
  DType other_dtype() {
    static const DType kSome[] = {DType::kFloat64, DType::kInt64,    DType::kInt8,    DType::kUInt8,   DType::kInt16,
                                  DType::kBool,    DType::kUInt32,   DType::kBFloat16,
                                  DType::kFloat16, DType::kComplex64};
    return kSome[below(finite_ ? 8 : 10)];
  }
  Tensor mixed_op() {
    if (values_.mixed.empty() || below(4) == 0)
      return cast(below(2) ? any(values_.floats) : any(values_.ints), other_dtype());
    const Tensor a = any(values_.mixed), b = like(a);
    if (below(6) == 0) return cast(a, other_dtype());
    const DType type = a.dtype();
    if (type == DType::kBool) return bool_op(a, b);
    if (is_complex(type)) return complex_op(a, b);
    if (below(4) == 0) {
      static const char* const kTests[] = {"Less", "LessEqual", "Equal", "NotEqual", "GreaterEqual"};
      return op(kTests[below(5)], {a, b});
    }
    return is_float(type) ? other_float_op(a, b) : other_int_op(a, b);
  }
  // One of the mixed vectors as floats.
  Tensor mixed_as_floats() {
    if (values_.mixed.empty()) return any(values_.floats);
    const Tensor x = any(values_.mixed);
    if (!is_complex(x.dtype())) return cast(x, DType::kFloat32);
    return op("AddV2", {op("Real", {x}), op("Imag", {x})});
  }

  // The same elements in other places, by slices.
  Tensor slices(const Tensor& x) {
    switch (below(8)) {
      case 0: return part(x, {0}, {0}, {-1}, {.begin = 1, .end = 1});
      case 1: {
        const int64_t k = below(7) - 3;
        return joined(part(x, {k}, {0}, {1}, {.end = 1}), part(x, {0}, {k}, {1}, {.begin = 1}));
      }
      case 2: return joined(part(x, {0}, {0}, {2}, {.begin = 1, .end = 1}), part(x, {1}, {0}, {2}, {.end = 1}));
      case 3: {
        const int64_t row = below(4) - 2;
        return part(packed({x, like(x)}), {row, 0}, {0, 0}, {1, -1}, {.begin = 2, .end = 2, .shrink = 1});
      }
      case 4: {
        const Tensor wide = part(x, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {.ellipsis = 2, .new_axis = 5});
        return part(wide, {0, 0, -1}, {0, 0, 0}, {1, 1, 1}, {.begin = 2, .end = 2, .shrink = 5});
      }
      case 5: {
        const Tensor at = op("FloorMod", {all(any(values_.ints)), length(x)});
        return joined(part(x, packed({at}), axes({0}), {1}, {.end = 1}),
                      part(x, axes({0}), packed({at}), {1}, {.begin = 1}));
      }
      case 6:
        return joined(part(x, {-1}, {0}, {-2}, {.end = 1}), part(x, {-2}, {0}, {-2}, {.end = 1}));
      default: {  // far beyond the ends
        return part(x, {-100}, {100}, {1}, {});
      }
    }
  }

  // Vectors become a list in one of several ways, which is read in another. `repeat` runs a loop.
  template <class Repeat>
  Tensor through_list(const Repeat& repeat) {
    const Tensor a = vector_of_any_dtype(), b = like(a);
    const int64_t size = 2 + below(2);
    Tensor list;
    switch (below(5)) {
      case 0:
        list = reserved(a, size);
        for (int32_t i = 0; i < size; ++i) list = with(list, whole(i), i % 2 ? b : a);
        break;
      case 1:
        list = list_op("EmptyTensorList", {shape_of_elements(a), whole(-1)}, a)[0];
        for (int i = 0; i < size; ++i) list = list_op("TensorListPushBack", {list, i % 2 ? a : b}, a)[0];
        break;
      case 2: {
        const std::vector<Tensor> rows = size == 2 ? std::vector{a, b} : std::vector{b, a, b};
        list = list_op("TensorListFromTensor", {packed(rows), shape_of_elements(a)}, a)[0];
        break;
      }
      case 3:
        list = repeat({reserved(a, size)}, whole(static_cast<int32_t>(size)), [&](std::span<const Tensor> now) {
          return std::vector{with(now[0], now[1], op("Roll", {below(2) ? a : b, now[1], whole(0)}))};
        })[0];
        break;
      default: {  // one place stays without a value, or both sides of a swap come from the same list
        list = with(with(reserved(a, size), whole(0), a), whole(1), b);
        const Tensor first = item(list, whole(0), a);
        list = with(with(list, whole(0), item(list, whole(1), a)), whole(1), first);
      }
    }
    const bool adds = a.dtype() != DType::kBool;
    switch (below(adds ? 6 : 3)) {
      case 0: return item(list, op("FloorMod", {all(any(values_.ints)), whole(2)}), a);
      case 1: return list_op("TensorListPopBack", {list, op("Shape", {a})}, a)[1];
      case 2: {
        const Tensor flat = list_op("TensorListStack", {list, op("Shape", {a})}, a)[0];
        return part(flat, {1, 0}, {0, 0}, {1, 1}, {.begin = 2, .end = 2, .shrink = 1});
      }
      case 3: return all(list_op("TensorListStack", {list, op("Shape", {a})}, a)[0]);
      case 4: return all(list_op("TensorListGather", {list, axes({1, 0, 1}), op("Shape", {a})}, a)[0]);
      default:
        return repeat({b, list}, op("TensorListLength", {list}), [&](std::span<const Tensor> now) {
          return std::vector{op("AddV2", {now[0], item(now[1], now[2], a)}), now[1]};
        })[0];
    }
  }

  std::mt19937 random_;
  Values values_;
  const bool finite_;

 private:
  static bool is_float(DType type) {
    return type == DType::kFloat64 || type == DType::kFloat32 || type == DType::kFloat16 || type == DType::kBFloat16;
  }
  static bool is_complex(DType type) { return type == DType::kComplex64; }

  Tensor bool_op(const Tensor& a, const Tensor& b) {
    switch (below(6)) {
      case 0: return op("LogicalAnd", {a, b});
      case 1: return op("LogicalOr", {a, op("LogicalNot", {b})});
      case 2: return op("LogicalNot", {op("LogicalNot", {a})});
      case 3: return op("SelectV2", {a, any(values_.floats), any(values_.floats)});
      case 4: return op("SelectV2", {a, any(values_.ints), any(values_.ints)});
      default: return op("LogicalOr", {a, op("Any", {b, axes({0})})});
    }
  }
  Tensor complex_op(const Tensor& a, const Tensor& b) {
    switch (below(6)) {
      case 0: return op("AddV2", {a, b});
      case 1: return op("Mul", {a, op("Conj", {b})});
      case 2: return op("Complex", {op("Imag", {a}), any(values_.floats)});
      case 3: return op("Sub", {op("Neg", {a}), op("Conj", {op("Conj", {b})})});
      case 4: return op("ComplexAbs", {a});
      default: return op("Real", {a});
    }
  }
  Tensor other_float_op(const Tensor& a, const Tensor& b) {
    const Tensor two = cast(number(2), a.dtype());
    switch (below(9)) {
      case 0: return op("AddV2", {a, b});
      case 1: return op("Mul", {op("Tanh", {a}), b});
      case 2: return op("Sub", {a, two});
      case 3: return op("Maximum", {a, b});
      case 4: return op("Neg", {op("Abs", {a})});
      case 5: return op("Mul", {a, cast(some_float(), a.dtype())});
      case 6: return finite_ ? op("Square", {op("Tanh", {a})}) : op("Sqrt", {op("Abs", {a})});
      case 7: return op("Cumsum", {op("Tanh", {a}), whole(0)});
      default: return op("AddV2", {a, op("Mean", {b, axes({0})})});
    }
  }
  Tensor other_int_op(const Tensor& a, const Tensor& b) {
    const Tensor three = cast(whole(3), a.dtype());
    switch (below(9)) {
      case 0: return op("AddV2", {a, b});
      case 1: return op("Mul", {a, b});
      case 2: return op("Sub", {a, op("Mul", {b, three})});
      case 3: return op("FloorMod", {a, three});
      case 4: return op("FloorDiv", {a, cast(whole(1 << below(4)), a.dtype())});
      case 5: return op("Minimum", {a, b});
      case 6: return op("BitwiseOr", {a, op("RightShift", {b, three})});
      case 7: return op("Cumsum", {a, whole(0)});
      default: return op("AddV2", {a, op("Max", {b, axes({0})})});
    }
  }

  struct Masks {
    int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
  };
  static Tensor part(const Tensor& x, const Tensor& begin, const Tensor& end, std::initializer_list<int64_t> strides,
                     const Masks& masks) {
    return apply(Op("StridedSlice"), {x, begin, end, axes(strides)},
                 {{AttrName("begin_mask"), masks.begin},
                  {AttrName("end_mask"), masks.end},
                  {AttrName("ellipsis_mask"), masks.ellipsis},
                  {AttrName("new_axis_mask"), masks.new_axis},
                  {AttrName("shrink_axis_mask"), masks.shrink}});
  }
  static Tensor part(const Tensor& x, std::initializer_list<int64_t> begin, std::initializer_list<int64_t> end,
                     std::initializer_list<int64_t> strides, const Masks& masks) {
    return part(x, axes(begin), axes(end), strides, masks);
  }
  static Tensor joined(const Tensor& a, const Tensor& b) { return op("ConcatV2", {a, b, whole(0)}); }

  static std::vector<Tensor> list_op(const char* name, std::vector<Tensor> inputs, const Tensor& element) {
    return apply_all(Op(name).row(), inputs, {{AttrName("element_dtype"), element.dtype()}});
  }
  // Declares nothing of the elements' shape, its rank, or all of it.
  Tensor shape_of_elements(const Tensor& element) {
    const int kind = below(3);
    return kind == 0 ? whole(-1) : kind == 1 ? axes({-1}) : op("Shape", {element});
  }
  Tensor reserved(const Tensor& element, int64_t size) {
    return list_op("TensorListReserve", {shape_of_elements(element), whole(static_cast<int32_t>(size))}, element)[0];
  }
  static Tensor with(const Tensor& list, const Tensor& at, const Tensor& item) {
    return list_op("TensorListSetItem", {list, at, item}, item)[0];
  }
  static Tensor item(const Tensor& list, const Tensor& at, const Tensor& element) {
    return list_op("TensorListGetItem", {list, at, op("Shape", {element})}, element)[0];
  }
};

}  // namespace footlight::test
