// Random programs: ops on vectors (random_ops.h), branches, choices, loops, calls and variables, written so that one
// body runs both op by op and traced. A seed determines the program: run twice, it makes the same choices.
#pragma once

#include "tests/trace/random_ops.h"

namespace footlight::test {

class RandomProgram : private RandomOps {
 public:
  using RandomOps::Values;

  // `finite`: nothing is divided by 0. (Of a value that does not lead to a result, the gradient of a function of it is
  // none, and that of a graph is 0, which times infinity is NaN.)
  RandomProgram(uint32_t seed, Values in, bool finite = false, int depth = 0)
      : RandomOps(seed, std::move(in), finite), depth_(depth) {}

  // One float vector, one int vector, twice; a float vector that comes from those of other dtypes.
  std::vector<Tensor> run(int most_steps = 24) {
    const int steps = 4 + below(most_steps);
    for (int i = 0; i < steps; ++i) step();
    return {values_.floats.back(), values_.ints.back(), any(values_.floats), any(values_.ints), mixed_as_floats()};
  }

 private:
  // A scalar bool that depends on the values, or is known.
  Tensor test() {
    if (below(5) == 0) return Tensor::scalar(below(2) == 0).as_constant();
    if (below(2)) return op("Less", {all(any(values_.floats)), all(any(values_.floats))});
    return op("Less", {op("FloorMod", {all(any(values_.ints)), whole(4)}), whole(1 + below(3))});
  }

  void step() {
    switch (below(depth_ < 2 ? 15 : 10)) {
      case 0:
      case 1: return values_.floats.push_back(float_op());
      case 2:
      case 3: return values_.ints.push_back(int_op());
      case 4: return values_.floats.push_back(move(any(values_.floats)));
      case 5: return below(2) ? values_.ints.push_back(move(any(values_.ints))) : variable_op();
      case 6:
      case 7: return keep(mixed_op());
      case 8: return keep(slices(vector_of_any_dtype()));
      case 9: return below(2) ? keep(move(vector_of_any_dtype())) : vector_op();
      case 10: return branch();
      case 11: return loop();
      case 12: return below(2) ? choice() : list();
      case 13: return loop_of_many_dtypes();
      default: return call();
    }
  }

  void keep(const Tensor& x) {
    if (x.dtype() == DType::kFloat32) return values_.floats.push_back(x);
    (x.dtype() == DType::kInt32 ? values_.ints : values_.mixed).push_back(x);
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
    const auto places = [&] { return op("FloorMod", {any(values_.ints), length(x)}); };
    const bool adds = x.dtype() != DType::kBool && x.dtype() != DType::kComplex64;
    switch (below(adds ? 14 : 7)) {
      case 9: return op("GatherV2", {x, places(), whole(0)});
      case 10: return op("TensorScatterAdd", {x, op("ExpandDims", {places(), whole(1)}), like(x)});
      case 11: {
        const Tensor place = op("Reshape", {whole(below(3)), axes({1, 1})});
        return op("TensorScatterUpdate", {x, place, op("Slice", {like(x), axes({0}), axes({1})})});
      }
      case 12: {
        const Tensor both = op("ConcatV2", {x, like(x), whole(0)});
        return op("Slice", {both, axes({2}), packed({length(x)})});
      }
      case 0: return op("Reshape", {op("Reshape", {x, axes({-1, 1})}), axes({-1})});
      case 1: {
        const Tensor row = op("Transpose", {op("ExpandDims", {x, whole(1)}), axes({1, 0})});
        return op("Reshape", {row, op("Shape", {x})});
      }
      case 2: return op("BroadcastTo", {x, op("Shape", {x})});
      case 3: return op("Slice", {x, axes({0}), axes({-1})});
      case 4: return op("ReverseV2", {op("ReverseV2", {x, axes({0})}), axes({0})});
      case 8: return op("Max", {op("ExpandDims", {x, whole(0)}), axes({0})});
      case 6: return op("Reshape", {op("ExpandDims", {x, whole(0)}), packed({length(x)})});
      case 7: return op("Sum", {op("Reshape", {x, packed({length(x), whole(1)})}), axes({1})});
      case 5: {
        const Tensor both = packed({x, like(x)});
        const std::vector<Tensor> rows = apply_all(Op("Unpack").row(), {&both, 1}, {{AttrName("num"), int64_t{2}}});
        return rows[random_() % 2];
      }
      default: return op("Pad", {x, op("Reshape", {axes({0, 0}), axes({1, 2})})});
    }
  }

  void variable_op() {
    if (values_.variables.empty()) return;
    const Tensor variable = any(values_.variables);
    switch (below(4)) {
      case 0: return assign_add(variable, all(op("Tanh", {any(values_.floats)})));
      case 1: return update("AssignVariableOp", variable, all(op("Tanh", {any(values_.floats)})));
      default: values_.floats.push_back(op("AddV2", {any(values_.floats), read(variable)}));
    }
  }

  // A variable of a vector: as a whole, and rows of it.
  void vector_op() {
    if (values_.vectors.empty()) return;
    const Tensor variable = any(values_.vectors);
    const Tensor at = op("FloorMod", {any(values_.ints), length(any(values_.floats))});
    const Tensor value = op("Tanh", {any(values_.floats)});
    switch (below(5)) {
      case 0: return update("AssignSubVariableOp", variable, value);
      case 1: return update("AssignVariableOp", variable, any(values_.floats));
      case 2: {
        const std::vector<Tensor> inputs{variable, at, value};
        apply_all(Op("ResourceScatterAdd").row(), inputs, {{AttrName("dtype"), DType::kFloat32}});
        return;
      }
      case 3:
        return values_.floats.push_back(
            apply(Op("ResourceGather"), {variable, at}, {{AttrName("dtype"), DType::kFloat32}}));
      default: values_.floats.push_back(read(variable));
    }
  }

  // A program inside of this one, on a few of its values.
  RandomProgram inner(uint32_t seed, std::vector<Tensor> floats, std::vector<Tensor> ints) const {
    return {seed, {std::move(floats), std::move(ints), values_.variables, {}, values_.vectors}, finite_, depth_ + 1};
  }

  void take(std::vector<Tensor> results) {
    values_.floats.push_back(results[0]);
    values_.ints.push_back(results[1]);
    if (below(3) == 0) values_.floats.push_back(results[2]);  // often unused
    if (results.size() > 4 && below(3) == 0) values_.floats.push_back(results[4]);
  }

  void branch() {
    const uint32_t yes = random_(), no = random_();
    const std::vector<Tensor> floats{any(values_.floats), any(values_.floats)}, ints{any(values_.ints)};
    const Tensor taken = test();
    const auto run = [&](uint32_t seed) { return inner(seed, floats, ints).run(6); };
    if (!this_thread.builder) return take(run(*taken.data<bool>() ? yes : no));
    take(trace::build_cond(taken, [&] { return run(yes); }, [&] { return run(no); }));
  }

  void choice() {
    std::vector<uint32_t> seeds(static_cast<size_t>(2 + below(3)));
    for (uint32_t& seed : seeds) seed = random_();
    const std::vector<Tensor> floats{any(values_.floats), any(values_.floats)}, ints{any(values_.ints)};
    const Tensor index = below(4) ? op("Sub", {op("FloorMod", {all(any(values_.ints)), whole(7)}), whole(1)})
                                  : whole(below(6) - 1);
    const auto run = [&](uint32_t seed) { return inner(seed, floats, ints).run(6); };
    if (!this_thread.builder) {
      const auto at = static_cast<uint32_t>(*index.data<int32_t>());
      return take(run(seeds[std::min<size_t>(at, seeds.size() - 1)]));
    }
    std::vector<trace::Branch> branches;
    for (const uint32_t seed : seeds) branches.push_back([&run, seed] { return run(seed); });
    take(trace::build_case(index, branches));
  }

  using Body = std::function<std::vector<Tensor>(std::span<const Tensor>)>;
  using Test = std::function<Tensor(std::span<const Tensor>)>;
  // A loop until the test fails; vectors have any length in it.
  static std::vector<Tensor> repeat(std::vector<Tensor> now, const Test& test, const Body& body) {
    if (!this_thread.builder) {
      while (*test(now).data<bool>()) now = body(now);
      return now;
    }
    trace::WhileOptions options;
    for (const Tensor& t : now)
      options.shape_invariants.push_back(t.shape().has_rank() && t.shape().rank() == 1
                                             ? std::optional(Shape{kUnknownDim})
                                             : std::nullopt);
    return trace::build_while(now, test, body, options);
  }
  // A loop with this many iterations, whose number the body gets after the variables.
  static std::vector<Tensor> turn(std::vector<Tensor> start, const Tensor& bound, const Body& body) {
    start.push_back(whole(0));
    std::vector<Tensor> end = repeat(
        std::move(start), [&](std::span<const Tensor> now) { return op("Less", {now.back(), bound}); },
        [&](std::span<const Tensor> now) {
          std::vector<Tensor> next = body(now);
          next.push_back(op("AddV2", {now.back(), whole(1)}));
          return next;
        });
    end.pop_back();
    return end;
  }
  // A body is run once per turn here, and once at all in a trace: each time with the same draws.
  void list() {
    keep(through_list([this](std::vector<Tensor> start, const Tensor& bound, const Body& body) {
      const std::mt19937 draws = random_;
      std::vector<Tensor> end = turn(std::move(start), bound, [&](std::span<const Tensor> now) {
        random_ = draws;
        return body(now);
      });
      random_ = draws;
      return end;
    }));
  }
  Tensor some_turns() { return below(2) ? whole(below(4)) : op("FloorMod", {all(any(values_.ints)), whole(4)}); }

  // Variables: a float and an int vector that change, one that does not, one that nothing else reads.
  void loop() {
    const uint32_t seed = random_();
    const Tensor bound = some_turns(), outside = any(values_.floats);
    const std::vector<Tensor> end =
        turn({any(values_.floats), any(values_.ints), any(values_.floats), any(values_.ints)}, bound,
             [&](std::span<const Tensor> now) {
               const std::vector<Tensor> made = inner(seed, {now[0], now[2], outside}, {now[1]}).run(6);
               return std::vector{made[0], made[1], now[2], op("AddV2", {now[3], made[3]})};
             });
    take({end[0], end[1], end[2]});
    if (below(3) == 0) values_.ints.push_back(end[3]);
  }

  // Two float vectors that change places, an int vector, longs, a double, and a bool that ends the loop early.
  void loop_of_many_dtypes() {
    const uint32_t seed = random_();
    const Tensor bound = some_turns(), limit = some_float();
    const Tensor first = any(values_.ints);
    const std::vector<Tensor> start{any(values_.floats), any(values_.floats), first,
                                    cast(first, DType::kInt64),
                                    cast(all(any(values_.floats)), DType::kFloat64),
                                    op("Less", {limit, number(3)}), whole(0)};
    const std::vector<Tensor> end = repeat(
        start,
        [&](std::span<const Tensor> now) {
          const Tensor starts = op("Less", {now[6], whole(2)}), more = op("Less", {now[6], bound});
          return op("LogicalAnd", {more, op("LogicalOr", {now[5], starts})});
        },
        [&](std::span<const Tensor> now) {
          const std::vector<Tensor> made = inner(seed, {now[0], now[1]}, {now[2]}).run(6);
          const Tensor total = all(op("Tanh", {made[4]}));
          return std::vector{now[1],
                             made[0],
                             made[1],
                             op("AddV2", {now[3], cast(made[3], DType::kInt64)}),
                             op("AddV2", {now[4], cast(total, DType::kFloat64)}),
                             op("Less", {total, limit}),
                             op("AddV2", {now[6], whole(1)})};
        });
    take({end[0], end[2], end[1]});
    values_.mixed.push_back(end[3]);
    if (below(2)) values_.floats.push_back(op("AddV2", {any(values_.floats), cast(end[4], DType::kFloat32)}));
  }

  static void update(const char* name, const Tensor& variable, const Tensor& value) {
    const std::vector<Tensor> inputs{variable, value};
    apply_all(Op(name).row(), inputs, {{AttrName("dtype"), DType::kFloat32}});
  }

  void call() {
    const uint32_t seed = random_();
    const std::vector<Tensor> arguments{any(values_.floats), any(values_.floats), any(values_.ints)};
    const auto body = [&](std::span<const Tensor> in) { return inner(seed, {in[0], in[1]}, {in[2]}).run(8); };
    const int times = 1 + below(2);
    if (!this_thread.builder) {
      for (int i = 0; i < times; ++i) take(body(arguments));
      return;
    }
    const Shape any_length{kUnknownDim};
    const Spec floats{DType::kFloat32, any_length}, ints{DType::kInt32, any_length};
    const auto function = traced({floats, floats, ints}, body);
    for (int i = 0; i < times; ++i) take(function->call(arguments));
  }

  const int depth_;
};

}  // namespace footlight::test
