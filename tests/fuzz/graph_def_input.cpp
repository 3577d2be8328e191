// Limits are low, so that no input takes long; what is checked is that they hold.
#include "tests/fuzz/graph_def_input.h"

#include "engine/base/errors.h"
#include "engine/formats/graph_def.h"
#include "engine/formats/import_graph.h"
#include "engine/formats/read.h"
#include "engine/graph/constant_of.h"
#include "engine/graph/verify.h"

#include <cstdio>
#include <cstdlib>

namespace footlight::fuzz {
namespace {

unsigned count = 0;

// Shape rules ask whoever builds for values that are known; nothing is built here.
class Asked final : public Builder {
 public:
  std::vector<Tensor> emit(const OpRow&, std::span<const Tensor>, const Attrs&, std::string_view) override {
    std::abort();
  }
  Tensor constant_value(const Tensor& t) override {
    return t.is_symbolic() ? constant_of(*t.graph(), {t.node(), t.output()}) : t;
  }
  bool is_graph() const override { return true; }
};

formats::Limits limits() {
  formats::Limits low;
  low.bytes = 1 << 20;
  low.messages = 1 << 16;
  low.constant_bytes = 1 << 20;
  low.arguments = 1 << 12;
  low.calls = 32;
  low.program_nodes = 1 << 14;
  return low;
}

GraphPtr read(const formats::GraphDef& def) {
  auto graph = std::make_shared<Graph>("fuzz");
  GraphImport into{*graph, [&](Node node) { return graph->add_named(std::move(node)); }, {}, {}, {}, {}, {}};
  formats::import_graph_def(def, into, nullptr, limits());
  verify(*graph);
  for (const GraphPtr& function : library_of(*graph)) verify(*function);
  return graph;
}

[[noreturn]] void differs(const std::string& what) {
  std::fprintf(stderr, "a graph that was read and written: %s\n", what.c_str());
  std::abort();
}

}  // namespace

void read_graph_def(std::string_view input, GraphForm form) {
  static Asked asked;
  this_thread.builder = &asked;
  formats::GraphDef def, again;
  GraphPtr graph;
  try {
    form == GraphForm::kText ? formats::read_text(def, input, limits()) : formats::read_bytes(def, input, limits());
    graph = read(def);
  } catch (const Error&) {
    return;
  }
  ++count;
  const formats::GraphDef written = formats::to_graph_def(*graph);
  try {
    // What is written may be larger than what was read: constants are not compressed.
    formats::read_bytes(again, formats::bytes_of(written));
    const GraphPtr copy = read(again);
    if (copy->size() != graph->size()) differs("it has another number of nodes");
    if (formats::bytes_of(formats::to_graph_def(*copy)) != formats::bytes_of(written)) differs("it is another graph");
    formats::GraphDef from_text;
    formats::read_text(from_text, formats::text_of(written));
  } catch (const Error& error) {
    differs(error.message());
  }
}

unsigned graphs_read() { return count; }

}  // namespace footlight::fuzz
