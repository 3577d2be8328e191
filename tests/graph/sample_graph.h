// Graphs made node by node, for tests: placeholders of two floats, sums, and a sample of both.
#pragma once

#include "engine/graph/graph.h"
#include "engine/ops/row.h"

namespace footlight {

inline const AttrName kDType("dtype"), kShape("shape"), kValue("value"), kT("T");

inline NodeId placeholder(Graph& graph, const char* name) {
  static const Op op{"Placeholder"};
  Node node;
  node.op = &op.row();
  node.name = name;
  node.attrs = {{kDType, DType::kFloat32}, {kShape, Shape{2}}};
  node.dtypes = {DType::kFloat32};
  node.shapes = {Shape{2}};
  const NodeId id = graph.add(std::move(node));
  graph.inputs.push_back(id);
  ++graph.parameters;
  return id;
}

inline NodeId add(Graph& graph, NodeId a, NodeId b, const char* name = "add") {
  static const Op op{"AddV2"};
  Node node;
  node.op = &op.row();
  node.name = name;
  node.inputs = {{a, 0}, {b, 0}};
  node.attrs = {{kT, DType::kFloat32}};
  node.dtypes = {DType::kFloat32};
  node.shapes = {Shape{2}};
  return graph.add(std::move(node));
}

inline GraphPtr sample() {
  auto graph = std::make_shared<Graph>("sample");
  const NodeId x = placeholder(*graph, "x");
  const NodeId y = add(*graph, x, x);
  graph->outputs.push_back({add(*graph, y, x), 0});
  return graph;
}

}  // namespace footlight
