// Random programs: arithmetic and moves of vectors, branches, loops, calls and variables, written so that one body runs
// both op by op and traced. A seed determines the program: run twice, it makes the same choices.
#pragma once

#include "tests/trace/support.h"

#include <cstring>
#include <random>

namespace footlight::test {

class RandomProgram {
 public:
  // Works on vectors of one length, of floats and of int32, and on variables of float scalars.
  struct Values {
    std::vector<Tensor> floats, ints, variables;
  };

  // `finite`: nothing is divided by 0. (Of a value that does not lead to a result, the gradient of a function of it is
  // none, and that of a graph is 0, which times infinity is NaN.)
  RandomProgram(uint32_t seed, Values in, bool finite = false, int depth = 0)
      : random_(seed), values_(std::move(in)), finite_(finite), depth_(depth) {}

  // One float vector, one int vector.
  std::vector<Tensor> run(int most_steps = 24) {
    const int steps = 4 + below(most_steps);
    for (int i = 0; i < steps; ++i) step();
    return {values_.floats.back(), values_.ints.back(), any(values_.floats), any(values_.ints)};
  }

 private:
  static Tensor whole(int32_t value) { return Tensor::scalar(value).as_constant(); }
  static Tensor axes(std::initializer_list<int64_t> of) { return ops::ints(std::vector<int64_t>(of)); }
  static Tensor cast(const Tensor& x, DType to) { return apply(Op("Cast"), {x}, {{AttrName("DstT"), to}}); }
  static Tensor all(const Tensor& x) { return ops::sum(x, axes({0})); }

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
  // A scalar bool that depends on the values, or is known.
  Tensor test() {
    if (below(5) == 0) return Tensor::scalar(below(2) == 0).as_constant();
    if (below(2)) return op("Less", {all(any(values_.floats)), all(any(values_.floats))});
    return op("Less", {op("FloorMod", {all(any(values_.ints)), whole(4)}), whole(1 + below(3))});
  }

  void step() {
    switch (below(depth_ < 2 ? 9 : 6)) {
      case 0:
      case 1: return values_.floats.push_back(float_op());
      case 2:
      case 3: return values_.ints.push_back(int_op());
      case 4: return values_.floats.push_back(move(any(values_.floats)));
      case 5: return below(2) ? values_.ints.push_back(move(any(values_.ints))) : variable_op();
      case 6: return branch();
      case 7: return loop();
      default: return call();
    }
  }

  Tensor float_op() {
    const Tensor a = any(values_.floats), b = any(values_.floats);
    switch (below(18)) {
      case 0: return op("AddV2", {a, b});
      case 1: return op("Sub", {a, b});
      case 2: return op("Mul", {op("Tanh", {a}), b});
      case 3: return op("Maximum", {a, some_float()});
      case 4: return op("Neg", {a});
      case 5: return op("Neg", {op("Neg", {a})});
      case 6: return op("Identity", {a});
      case 7: return op("Square", {op("Tanh", {a})});
      case 8: return op("AddV2", {a, some_float()});
      case 9: return op("Mul", {some_float(), a});
      case 10: return op("Sub", {a, some_float()});
      case 11: return op("RealDiv", {a, finite_ ? number(4) : some_float()});
      case 12: return cast(any(values_.ints), DType::kFloat32);
      case 13: return op("SelectV2", {op("Less", {a, b}), a, b});
      case 14: return op("Relu", {op("Relu", {a})});
      case 15: return op("AddV2", {a, op("ZerosLike", {b})});
      case 16: return op("Mul", {op("OnesLike", {a}), b});
      default: return op("AddV2", {a, ops::sum(b, axes({0}))});
    }
  }

  Tensor int_op() {
    const Tensor a = any(values_.ints), b = any(values_.ints);
    switch (below(16)) {
      case 0: return op("AddV2", {a, b});
      case 1: return op("Sub", {a, b});
      case 2: return op("Mul", {a, b});
      case 3: return op("AddV2", {a, some_int()});
      case 4: return op("Mul", {some_int(), a});
      case 5: return op("FloorDiv", {a, divisor()});
      case 6: return op("FloorMod", {a, divisor()});
      case 7: return op("Pow", {a, whole(below(4))});
      case 8: return op("BitwiseXor", {a, b});
      case 9: return op("BitwiseAnd", {a, some_int()});
      case 10: return op("Sub", {a, a});
      case 11: return cast(op("Mul", {op("Tanh", {any(values_.floats)}), number(100)}), DType::kInt32);
      case 12: return cast(cast(a, DType::kInt64), DType::kInt32);
      case 13: return cast(cast(a, below(2) ? DType::kFloat64 : DType::kInt8), DType::kInt32);
      case 14: return op("AddV2", {a, op("FloorDiv", {op("Size", {b}), whole(2)})});
      default: return op("AddV2", {a, op("Rank", {b})});
    }
  }

  // The same elements, or others in the same shape.
  Tensor move(const Tensor& x) {
    const auto length = [&] { return op("GatherV2", {op("Shape", {x}), whole(0), whole(0)}); };
    const auto packed = [&](std::vector<Tensor> sizes) { return footlight::apply(Op("Pack").row(), sizes); };
    const auto like_x = [&] { return any(x.dtype() == DType::kInt32 ? values_.ints : values_.floats); };
    const auto places = [&] { return op("FloorMod", {any(values_.ints), length()}); };
    switch (below(14)) {
      case 9: return op("GatherV2", {x, places(), whole(0)});
      case 10: return op("TensorScatterAdd", {x, op("ExpandDims", {places(), whole(1)}), like_x()});
      case 11: {
        const Tensor place = op("Reshape", {whole(below(3)), axes({1, 1})});
        return op("TensorScatterUpdate", {x, place, op("Slice", {like_x(), axes({0}), axes({1})})});
      }
      case 12: {
        const Tensor both = op("ConcatV2", {x, like_x(), whole(0)});
        return op("Slice", {both, axes({2}), packed({length()})});
      }
      case 0: return op("Reshape", {op("Reshape", {x, axes({-1, 1})}), axes({-1})});
      case 1: {
        const Tensor row = op("Transpose", {op("ExpandDims", {x, whole(1)}), axes({1, 0})});
        return op("Reshape", {row, op("Shape", {x})});
      }
      case 2: return op("BroadcastTo", {x, op("Shape", {x})});
      case 3: return op("Slice", {x, axes({0}), axes({-1})});
      case 4: return op("ReverseV2", {op("ReverseV2", {x, axes({0})}), axes({0})});
      case 5: return op("Max", {op("ExpandDims", {x, whole(0)}), axes({0})});
      case 6: return op("Reshape", {op("ExpandDims", {x, whole(0)}), packed({length()})});
      case 7: return op("Sum", {op("Reshape", {x, packed({length(), whole(1)})}), axes({1})});
      case 8: {
        const Tensor both = packed({x, any(x.dtype() == DType::kInt32 ? values_.ints : values_.floats)});
        const std::vector<Tensor> rows = apply_all(Op("Unpack").row(), {&both, 1}, {{AttrName("num"), int64_t{2}}});
        return rows[random_() % 2];
      }
      default: return op("Pad", {x, op("Reshape", {axes({0, 0}), axes({1, 2})})});
    }
  }

  void variable_op() {
    if (values_.variables.empty()) return;
    const Tensor variable = any(values_.variables);
    if (below(2)) {
      assign_add(variable, all(op("Tanh", {any(values_.floats)})));
    } else {
      values_.floats.push_back(op("AddV2", {any(values_.floats), read(variable)}));
    }
  }

  // A program inside of this one, on a few of its values.
  RandomProgram inner(uint32_t seed, std::vector<Tensor> floats, std::vector<Tensor> ints) const {
    return {seed, {std::move(floats), std::move(ints), values_.variables}, finite_, depth_ + 1};
  }

  void take(std::vector<Tensor> results) {
    values_.floats.push_back(results[0]);
    values_.ints.push_back(results[1]);
    if (below(3) == 0) values_.floats.push_back(results[2]);  // often unused
  }

  void branch() {
    const uint32_t yes = random_(), no = random_();
    const std::vector<Tensor> floats{any(values_.floats), any(values_.floats)}, ints{any(values_.ints)};
    const Tensor taken = test();
    const auto run = [&](uint32_t seed) { return inner(seed, floats, ints).run(6); };
    if (!current_graph_builder) return take(run(*taken.data<bool>() ? yes : no));
    take(trace::build_cond(taken, [&] { return run(yes); }, [&] { return run(no); }));
  }

  // Variables: a float and an int vector that change, one that does not, one that nothing else reads, the turns.
  void loop() {
    const uint32_t seed = random_();
    const bool known = below(2);
    const Tensor bound = known ? whole(below(4)) : op("FloorMod", {all(any(values_.ints)), whole(4)});
    const Tensor outside = any(values_.floats);
    const std::vector<Tensor> start{any(values_.floats), any(values_.ints), any(values_.floats), any(values_.ints),
                                    whole(0)};
    const auto again = [&](std::span<const Tensor> now) { return op("Less", {now[4], bound}); };
    const auto body = [&](std::span<const Tensor> now) {
      const std::vector<Tensor> made = inner(seed, {now[0], now[2], outside}, {now[1]}).run(6);
      return std::vector{made[0], made[1], now[2], op("AddV2", {now[3], made[3]}), op("AddV2", {now[4], whole(1)})};
    };
    std::vector<Tensor> end = start;
    if (current_graph_builder) {
      trace::WhileOptions options;
      for (size_t k = 0; k < 4; ++k) options.shape_invariants.push_back(Shape{kUnknownDim});
      options.shape_invariants.push_back(std::nullopt);
      end = trace::build_while(start, again, body, options);
    } else {
      while (*again(end).data<bool>()) end = body(end);
    }
    take({end[0], end[1], end[2]});
    if (below(3) == 0) values_.ints.push_back(end[3]);
  }

  void call() {
    const uint32_t seed = random_();
    const std::vector<Tensor> arguments{any(values_.floats), any(values_.floats), any(values_.ints)};
    const auto body = [&](std::span<const Tensor> in) { return inner(seed, {in[0], in[1]}, {in[2]}).run(8); };
    const int times = 1 + below(2);
    if (!current_graph_builder) {
      for (int i = 0; i < times; ++i) take(body(arguments));
      return;
    }
    const Shape any_length{kUnknownDim};
    const Spec floats{DType::kFloat32, any_length}, ints{DType::kInt32, any_length};
    const auto function = traced({floats, floats, ints}, body);
    for (int i = 0; i < times; ++i) take(function->call(arguments));
  }

  std::mt19937 random_;
  Values values_;
  const bool finite_;
  const int depth_;
};

}  // namespace footlight::test
