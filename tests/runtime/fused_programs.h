// Helpers for tests of fused nodes: edge-case numbers, bitwise equality, random programs, loops with and without
// machine code.
#pragma once

#include "engine/base/text.h"
#include "engine/ops/functions.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/fused_loop.h"
#include "engine/jit/jit_loop.h"
#include "kernels/loops.h"
#include "tests/sanitizers/sanitized.h"
#include "tests/trace/support.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace footlight::test {

inline constexpr DType kPlain[] = {DType::kFloat32,  DType::kFloat64, DType::kFloat16, DType::kBFloat16,
                                   DType::kInt8,     DType::kInt16,   DType::kInt32,   DType::kInt64,
                                   DType::kUInt8,    DType::kUInt16,  DType::kUInt32,  DType::kUInt64,
                                   DType::kComplex64, DType::kComplex128, DType::kBool};

inline Tensor cast(const Tensor& x, DType to) {
  return apply(Op("Cast"), {x}, {{AttrName("DstT"), to}});
}

// Numbers of both signs, and for some dtypes what is hard: zeros of both signs, infinities, no number, denormal ones,
// the least and the greatest integers.
inline Tensor random_tensor(std::mt19937& random, DType dtype, const Shape& shape) {
  Tensor x = Tensor::empty(DType::kFloat64, shape);
  static constexpr double kHard[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 2.0, 1e-30, 3e4, 1e-42, -1e-310};
  const bool whole = !is_floating(dtype) && !is_complex(dtype);
  const bool is_signed_integer = in_set(dtype, kSignedTypes);
  for (int64_t i = 0; i < x.elements(); ++i) {
    const uint32_t n = random();
    double v = static_cast<double>(static_cast<int>(n % 4001) - 2000) / 300.0;
    if (!whole && n % 7 == 0) v = kHard[(n >> 8) % std::size(kHard)];
    if (is_signed_integer && n % 13 == 0) {
      const int bits = static_cast<int>(8 * size_of(dtype));
      const double least = -std::ldexp(1, bits - 1);
      v = n % 2 && bits < 64 ? -least - 1 : least;
      x.data<double>()[i] = v;
      continue;
    }
    x.data<double>()[i] = whole ? std::trunc(v * 10) : v;
  }
  return cast(x, dtype);
}

// The ops one by one; none where their dtype is not for one of them.
inline std::optional<std::vector<Tensor>> if_it_is_for_them(const Body& body, std::span<const Tensor> arguments) {
  try {
    return body(arguments);
  } catch (const Error&) {
    return {};
  }
}

template <class T>
inline bool same_numbers(const Tensor& a, const Tensor& b) {
  for (int64_t i = 0; i < a.elements(); ++i) {
    const T x = a.data<T>()[i], y = b.data<T>()[i];
    const bool none = std::isnan(static_cast<double>(x)) && std::isnan(static_cast<double>(y));
    if (std::memcmp(&x, &y, sizeof x) != 0 && !none) return false;
  }
  return true;
}

// A number that is none has no sign or bits of its own.
inline bool same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  switch (a.dtype()) {
    case DType::kFloat32: return same_numbers<float>(a, b);
    case DType::kFloat64: return same_numbers<double>(a, b);
    case DType::kFloat16: return same_numbers<Float16>(a, b);
    case DType::kBFloat16: return same_numbers<BFloat16>(a, b);
    case DType::kComplex64:
    case DType::kComplex128: {
      const bool wide = a.dtype() == DType::kComplex128;
      const Shape parts{a.elements() * 2};
      const DType part = wide ? DType::kFloat64 : DType::kFloat32;
      const Tensor x = Tensor::within(part, parts, Device::cpu(), a.body()->buffer, a.raw());
      const Tensor y = Tensor::within(part, parts, Device::cpu(), b.body()->buffer, b.raw());
      return same(x, y);
    }
    default: return std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
  }
}

inline size_t fused_loops(const compile::Program& program) {
  size_t n = 0;
  for (const compile::Instruction& in : program.code) n += in.opcode == compile::Opcode::kFused;
  return n;
}

inline std::shared_ptr<trace::Concrete> traced_like(const std::vector<Tensor>& arguments,
                                                    const std::vector<Shape>& shapes, const Body& body) {
  trace::GraphBuilder builder("test");
  std::vector<Tensor> parameters;
  for (size_t i = 0; i < arguments.size(); ++i)
    parameters.push_back(builder.parameter(arguments[i].dtype(), shapes[i], "x", "x"));
  {
    const PauseTapes quiet;
    const trace::Building building(&builder);
    builder.finish(body(parameters));
  }
  return std::make_shared<trace::Concrete>(builder);
}

inline std::vector<Shape> shapes_of(const std::vector<Tensor>& tensors) {
  std::vector<Shape> shapes;
  for (const Tensor& t : tensors) shapes.push_back(t.shape());
  return shapes;
}

// A random program over values of several dtypes and shapes: the same for the same seed.
inline std::vector<Tensor> program(uint32_t seed, std::span<const Tensor> in) {
  static constexpr const char* kUnary[] = {"Neg",  "Abs", "Square", "Sign",    "Relu",
                                           "Tanh", "Exp", "Sqrt",   "Sigmoid", "Floor"};
  static constexpr const char* kBinary[] = {"AddV2",   "Sub",     "Mul",              "Maximum",
                                            "Minimum", "RealDiv", "SquaredDifference"};
  static constexpr const char* kCompare[] = {"Less", "GreaterEqual", "Equal", "NotEqual"};
  std::mt19937 random(seed);
  std::vector<Tensor> values(in.begin(), in.end());
  const auto pick = [&](auto&& suits) {
    std::vector<Tensor> some;
    for (const Tensor& v : values)
      if (suits(v)) some.push_back(v);
    return some.empty() ? Tensor() : some[random() % some.size()];
  };
  const auto works = [](const char* name, DType dtype) { return bool(loop_for(Op(name).id(), dtype, dtype)); };
  const int steps = 6 + static_cast<int>(random() % 20);
  for (int i = 0; i < steps; ++i) {
    const Tensor a = values[random() % values.size()];
    const Tensor b = pick([&](const Tensor& v) { return v.dtype() == a.dtype(); });
    const uint32_t kind = random() % 8, which = random();
    if (kind < 3) {
      const char* name = kUnary[which % std::size(kUnary)];
      if (works(name, a.dtype())) values.push_back(op(name, {a}));
    } else if (kind < 6) {
      const char* name = kBinary[which % std::size(kBinary)];
      if (works(name, a.dtype())) values.push_back(op(name, {a, b}));
    } else if (kind == 6 && which % 2) {
      if (!works("AddN", a.dtype())) continue;
      std::vector<Tensor> alike{a, op("AddV2", {a, a})};
      for (uint32_t k = 0; k < which % 5; ++k) alike.push_back(k % 2 ? op("Mul", {alike[k], alike[1]}) : a);
      values.push_back(apply_all(Op("AddN").row(), alike, {})[0]);
    } else if (kind == 6) {
      const char* name = kCompare[which % std::size(kCompare)];
      if (!loop_for(Op(name).id(), a.dtype(), DType::kBool)) continue;
      const Tensor test = op(name, {a, b});
      const Tensor c = pick([&](const Tensor& v) { return v.dtype() == a.dtype(); });
      values.push_back(op("SelectV2", {test, a, c}));
    } else {
      values.push_back(cast(a, kPlain[which % 12]));
    }
  }
  return {values.back(), values[values.size() / 2], values[random() % values.size()]};
}

// The number of fused loops of a program that have machine code.
inline size_t jit_loops(const compile::Program& program) {
  size_t n = 0;
  for (const fusion::FusedGroup& group : program.groups) n += group.jit && group.jit->code.load();
  return n;
}
// Whether code is made for fused loops that have none yet. Tests call a function without it first.
inline void with_machine_code(bool at_once) { jit::set_jit_threshold(at_once ? 0 : jit::kJitOff); }

// Memory that begins, or ends, where memory that is not there begins: whoever reads or writes past it gets a signal.
class Guarded {
 public:
  Guarded(size_t bytes, bool at_end) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inside = (bytes + page - 1) / page * page;
    bytes_ = inside + 2 * page;
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (inside) mprotect(memory_ + page, inside, PROT_READ | PROT_WRITE);
    at_ = memory_ + page + (at_end ? inside - bytes : 0);
  }
  Guarded(Guarded&& from) noexcept
      : memory_(std::exchange(from.memory_, nullptr)), at_(from.at_), bytes_(from.bytes_) {}
  ~Guarded() {
    if (memory_) munmap(memory_, bytes_);
  }
  std::byte* at() const { return at_; }

 private:
  std::byte* memory_;
  std::byte* at_;
  size_t bytes_;
};

// Whether a fused loop with machine code gives what it gives without, and touches no memory beside its values.
inline bool stays_inside(const fusion::FusedGroup& group, std::mt19937& random) {
  using fusion::Spread;
  std::vector<Tensor> inputs;
  for (uint32_t i = 0; i < group.num_outside; ++i) {
    const Spread& over = group.known_spreads()[i];
    int64_t n = over.kind == Spread::Kind::kContiguous ? group.shape_of(group.values[i], group.shape).elements() : 1;
    for (int d = 0; over.kind == Spread::Kind::kStrided && d < over.rank; ++d) n *= over.stride[d] ? over.size[d] : 1;
    inputs.push_back(random_tensor(random, group.values[i].dtype, {n}));
  }
  fusion::FusedGroup own = group;
  const auto run = [&own](std::span<const Tensor> from, auto&& memory_of) {
    std::vector<Tensor> results;
    std::vector<void*> to;
    for (const fusion::FusedGroup::Result& r : own.results) {
      results.push_back(memory_of(r.dtype, own.shape_of(own.values[r.value], own.shape)));
      to.push_back(results.back().raw());
    }
    runtime::run_fused_loop(own, from, own.known_spreads(), own.shape, to);
    return results;
  };
  own.jit = nullptr;
  const auto expected = run(inputs, [](DType d, const Shape& s) { return Tensor::empty(d, s); });
  with_machine_code(true);
  bool all_same = true;
  for (const auto& [at_end, narrow] : {std::pair(true, false), {false, false}, {true, true}}) {
    std::vector<Guarded> memory;
    const auto guarded = [&](DType d, const Shape& s) {
      memory.emplace_back(static_cast<size_t>(s.elements()) * size_of(d), at_end);
      return Tensor::within(d, s, Device::cpu(), {}, memory.back().at());
    };
    std::vector<Tensor> from;
    for (const Tensor& t : inputs) {
      from.push_back(guarded(t.dtype(), t.shape()));
      std::memcpy(from.back().raw(), t.raw(), t.bytes());
    }
    own.jit = group.jit ? std::make_shared<fusion::JitState>() : nullptr;
    jit::force_avx2(narrow);
    const auto made = run(from, guarded);
    for (size_t k = 0; k < made.size(); ++k) all_same = all_same && same(made[k], expected[k]);
  }
  jit::force_avx2(false);
  return all_same;
}

}  // namespace footlight::test
