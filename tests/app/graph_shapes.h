// Graphs for tests and benchmarks in the shapes that programs make: a chain, and a residual network with its gradient
// and its update. In a file whose line N is made by instruction N of code 1.
#pragma once

#include "app/models/document.h"
#include "tests/session/records.h"

namespace footlight::app {

class GraphMaker {
 public:
  explicit GraphMaker(GraphId id) { graph_.id = id; }

  uint32_t add(const std::string& op, std::vector<uint32_t> from, uint32_t line, const char* family = "elementwise",
               const std::string& output = "float32 (4, 8)", const std::string& attributes = "T=float32") {
    const auto id = static_cast<uint32_t>(graph_.nodes.size());
    session::NodeRecord n = node_of(id, op + "_" + std::to_string(id), op, from, {CodeId(1), line});
    n.family = family;
    if (!output.empty()) n.outputs.push_back(output);
    n.attributes = attributes;
    graph_.nodes.push_back(std::move(n));
    return static_cast<uint32_t>(graph_.nodes.size()) - 1;
  }
  uint32_t parameter(const std::string& output, uint32_t line) {
    const uint32_t made = add("Placeholder", {}, line, "constant", output);
    graph_.inputs.push_back(made);
    return made;
  }
  session::NodeRecord& node(uint32_t id) { return graph_.nodes[id]; }
  session::GraphRecord done(uint32_t result) {
    graph_.outputs = {{result, 0}};
    return std::move(graph_);
  }

 private:
  session::GraphRecord graph_;
};

// A chain of `count` ops. Regular: one op again and again; otherwise as many kinds as are needed to avoid repetition.
inline session::GraphRecord chain_graph(GraphId id, uint32_t count, bool regular) {
  static const char* const kOps[] = {"Sin", "Cos", "Tanh", "Exp", "Log", "Relu", "Abs", "Neg"};
  GraphMaker g(id);
  uint32_t at = g.parameter("float32 (4, 8)", 1), random = 12345;
  for (uint32_t i = 1; i < count; ++i) {
    random = random * 1664525 + 1013904223;
    at = g.add(regular ? "Sin" : kOps[random >> 29], {at}, regular ? 3 : 3 + (random >> 20) % 40);
  }
  return g.done(at);
}

// `layers` of x + relu(x @ w + b), the mean of it, its gradient and an update of every w and b: 20 nodes a layer.
inline session::GraphRecord training_graph(GraphId id, uint32_t layers) {
  const std::string handle = "resource ()";
  GraphMaker g(id);
  uint32_t x = g.parameter("float32 (4, 8)", 1);
  std::vector<uint32_t> w, b, read, in, relu;
  for (uint32_t i = 0; i < layers; ++i) {
    in.push_back(x);
    w.push_back(g.parameter(handle, 6));
    read.push_back(g.add("ReadVariableOp", {w.back()}, 6, "variable", "float32 (8, 8)"));
    const uint32_t product = g.add("MatMul", {x, read.back()}, 6, "product", "float32 (4, 8)", "transpose_a=false");
    b.push_back(g.parameter(handle, 6));
    const uint32_t bias = g.add("ReadVariableOp", {b.back()}, 6, "variable", "float32 (8,)");
    const uint32_t sum = g.add("AddV2", {product, bias}, 6);
    relu.push_back(g.add("Relu", {sum}, 6));
    x = g.add("AddV2", {x, relu.back()}, 7);
  }
  const uint32_t axes = g.add("Const", {}, 9, "constant", "int32 (2,)");
  const uint32_t loss = g.add("Mean", {x, axes}, 9, "reduction", "float32 ()");
  uint32_t back = g.add("OnesLike", {loss}, 11, "constant");
  std::vector<uint32_t> of_w(layers), of_b(layers);
  for (uint32_t i = layers; i-- > 0;) {
    const uint32_t slope = g.add("ReluGrad", {back, relu[i]}, 11);
    const uint32_t axis = g.add("Const", {}, 11, "constant", "int32 (1,)");
    of_b[i] = g.add("Sum", {slope, axis}, 11, "reduction", "float32 (8,)");
    const uint32_t through = g.add("MatMul", {slope, read[i]}, 11, "product", "float32 (4, 8)", "transpose_b=true");
    of_w[i] = g.add("MatMul", {in[i], slope}, 11, "product", "float32 (8, 8)", "transpose_a=true");
    back = g.add("AddN", {back, through}, 11);
  }
  for (uint32_t i = 0; i < layers; ++i) {
    for (const auto& [variable, gradient] : {std::pair(w[i], of_w[i]), std::pair(b[i], of_b[i])}) {
      const uint32_t rate = g.add("Const", {}, 13, "constant", "float32 ()");
      const uint32_t step = g.add("Mul", {rate, gradient}, 13);
      g.add("AssignSubVariableOp", {variable, step}, 13, "variable", "");
    }
  }
  return g.done(g.add("Identity", {loss}, 14, "move", "float32 ()"));
}

inline const char* training_source() {
  return "@tf.function\n"                          // 1
         "def train_step(x):\n"                    // 2
         "    with tf.GradientTape() as tape:\n"   // 3
         "        h = x\n"                         // 4
         "        for w, b in layers:\n"           // 5
         "            r = tf.nn.relu(h @ w + b)\n"  // 6
         "            h = h + r\n"                 // 7
         "\n"                                      // 8
         "        loss = tf.reduce_mean(h)\n"      // 9
         "\n"                                      // 10
         "    grads = tape.gradient(loss, vs)\n"   // 11
         "    for v, g in zip(vs, grads):\n"       // 12
         "        v.assign_sub(0.01 * g)\n"        // 13
         "    return loss\n";                      // 14
}

// The records around such a graph: a file, its code, a function and a trace of it.
inline Document document_around(session::GraphRecord graph) {
  Document d;
  const session::FileId file(1);
  d.add(session::FileRecord{file, "/tmp/train.py", training_source()});
  d.add(code_of(CodeId(1), file, "train_step", 60));
  d.add(session::FunctionRecord{FunctionId(1), "train_step", file, 2, 1, {"x"}});
  session::TraceRecord t =
      trace_of(TraceId(1), FunctionId(1), 1, graph.id, 1'700'000'000'000'000'000, 1'700'000'000'001'000'000);
  t.source = {CodeId(1), 1};
  d.add(std::move(graph));
  d.add(t);
  return d;
}

}  // namespace footlight::app
