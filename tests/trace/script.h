// A front end without a language: traced functions whose bodies are C++ lambdas, called the way an interpreter calls
// them, under a lock like the GIL.
#pragma once

#include "engine/trace/function.h"
#include "engine/trace/function_scope.h"
#include "engine/trace/key_spec.h"
#include "tests/trace/support.h"

#include <atomic>
#include <map>
#include <mutex>

namespace footlight::test {

// Stands for the interpreter's lock.
inline std::mutex& interpreter() {
  static std::mutex lock;
  return lock;
}

// Releases the interpreter's lock while it lives.
class OutsideOfInterpreter {
 public:
  OutsideOfInterpreter() { interpreter().unlock(); }
  ~OutsideOfInterpreter() { interpreter().lock(); }
};

// The arguments of a call: tensors, an object by number, a literal.
struct Given {
  std::vector<Tensor> tensors;
  uint64_t object = 0;
  int64_t literal = 0;
};

class Script : public trace::FrontEnd {
 public:
  // Its arguments are symbolic tensors in place of the given ones.
  using ScriptBody = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

  Script(std::string name, ScriptBody body, trace::FunctionOptions options = {}, const std::string& place = {})
      : body(std::move(body)), function(*this, options, trace::definition_at(name, place)) {
    source_.name = std::move(name);
    source_.file = "/home/ada/script.txt";
    source_.line = 4;
    source_.decorator_line = 3;
  }

  ScriptBody body;
  std::map<uint64_t, std::string> object_names;
  std::vector<std::string> warnings;
  int runs = 0;                      // runs of the body
  std::atomic<int> waiting{0};       // threads waiting for the tracing lock
  std::function<void()> while_running;  // called when a trace runs
  trace::Function function;

  Tensor operator()(const Given& given) {
    keys::KeyWriter key = write(given);
    const trace::Arguments arguments{given.tensors};
    const int64_t start = recording_structure() ? 1 : 0;
    return function.call(words(key), arguments, start, [&](trace::Trace& trace, CallId call) {
      if (while_running) while_running();
      std::vector<Tensor> results(trace.concrete->outputs());
      trace.concrete->call(arguments.tensors, results, call);
      return results.empty() ? Tensor() : results[0];
    });
  }
  float number(const Given& given) { return *(*this)(given).data<float>(); }

  std::shared_ptr<trace::Trace> get_concrete(const Given& given, bool& traced) {
    keys::KeyWriter key = write(given);
    return function.find_or_trace(words(key), trace::Arguments{given.tensors},
                                  session::TraceReason::kGetConcreteFunction, traced);
  }

  std::string graph_name() const override { return "__inference_" + source_.name; }
  const trace::FunctionSource& source() override { return source_; }
  std::vector<std::string> parameters() const override { return {"x", "object", "literal"}; }
  std::shared_ptr<const keys::Names> names(std::span<const uint64_t>) const override {
    return std::make_shared<keys::Names>(object_names.begin(), object_names.end());
  }
  std::vector<Tensor> run_body(trace::TraceRun& run) override {
    ++runs;
    std::vector<Tensor> parameters;
    for (size_t at = 0; at < run.key.size();) {
      const keys::Item item = keys::read(run.key, at);
      if (item.token == keys::Token::kTensor)
        parameters.push_back(run.builder.parameter(trace::dtype_of(item), trace::shape_of(item), "x", "x"));
    }
    return body(parameters);
  }
  void wait(std::recursive_mutex& tracing) override {
    ++waiting;
    {
      const OutsideOfInterpreter outside;
      tracing.lock();
    }
    --waiting;
  }
  void warn(const std::string& text) override { warnings.push_back(text); }

 private:
  static keys::KeyWriter write(const Given& given) {
    keys::KeyWriter key;
    key.context(0);
    for (const Tensor& tensor : given.tensors) key.tensor(trace::key_spec(tensor.dtype(), tensor.shape()));
    if (given.object) key.numbered(keys::Token::kObject, given.object);
    key.integer(given.literal);
    return key;
  }
  static std::span<const uint64_t> words(const keys::KeyWriter& key) { return {key.words.data(), key.words.size()}; }

  trace::FunctionSource source_;
};

}  // namespace footlight::test
