// Tracing C++ functions through apply(), for the tests of trace, compile and runtime.
#pragma once

#include "engine/base/cancel.h"
#include "engine/base/errors.h"
#include "engine/eager/execute.h"
#include "engine/ops/functions.h"
#include "engine/tensor/variable.h"
#include "engine/trace/concrete.h"
#include "engine/trace/control_flow.h"
#include "engine/trace/derivative.h"
#include "engine/trace/init.h"
#include "tests/eager/watching_tape.h"

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <thread>

namespace footlight::test {

using Body = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

struct Spec {
  DType dtype;
  Shape shape;
};

inline void start() {
  eager::init();
  trace::init();
}

inline std::shared_ptr<trace::Concrete> traced(std::initializer_list<Spec> specs, const Body& body) {
  trace::GraphBuilder builder("test");
  std::vector<Tensor> parameters;
  for (const Spec& spec : specs) parameters.push_back(builder.parameter(spec.dtype, spec.shape, "x", "x"));
  {
    const PauseTapes quiet;
    const trace::Building building(&builder);
    builder.finish(body(parameters));
  }
  return std::make_shared<trace::Concrete>(builder);
}

// The error of a call that another thread cancels while it runs; kValue if it does not fail.
template <class Call>
ErrorKind stopped_in_the_middle(Call&& call) {
  ErrorKind kind = ErrorKind::kValue;
  std::thread runner([&] {
    try {
      call();
    } catch (const Error& e) {
      kind = e.kind();
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cancel_requested = true;
  runner.join();
  cancel_requested = false;
  return kind;
}

inline Tensor real(float value) { return Tensor::scalar<float>(value); }
inline Tensor number(float value) { return real(value).as_constant(); }
inline float value(const Tensor& t) { return *t.data<float>(); }
inline Tensor op(const char* name, std::initializer_list<Tensor> inputs) { return footlight::apply(Op(name), inputs); }
inline const Spec kScalar{DType::kFloat32, {}};

inline Tensor read(const Tensor& handle) {
  return apply(Op("ReadVariableOp"), {handle}, {{AttrName("dtype"), DType::kFloat32}});
}
inline void assign_add(const Tensor& handle, const Tensor& delta) {
  const std::vector<Tensor> inputs{handle, delta};
  apply_all(Op("AssignAddVariableOp").row(), inputs, {{AttrName("dtype"), DType::kFloat32}});
}
inline Tensor variable(const Tensor& value) {
  auto* v = new Variable(value.dtype(), value.shape());
  v->assign(value);
  return Tensor::resource(v);
}
inline Tensor variable(float value) { return variable(real(value)); }

// Runs the program's steps in parallel from now on, as if each had taken long.
inline void split(const compile::Program& program, int threads = 2) {
  const std::vector<compile::Cost> costs(program.code.size(), compile::Cost{100'000, 0});
  program.schedule.decide_now(program, costs, threads);
}
inline bool is_split(const compile::Program& program) {
  return program.schedule.state() == compile::ParallelSchedule::State::kParallel;
}
// Splits the program and all that it calls; returns how many could be split.
inline size_t split_all(const compile::Program& program) {
  split(program, 4);
  size_t all = is_split(program);
  for (const compile::ProgramPtr& callee : program.callees) all += split_all(*callee);
  return all;
}

}  // namespace footlight::test
