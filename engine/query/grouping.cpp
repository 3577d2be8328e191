// Looks up each place once: events of one run have few different ones.
#include "engine/query/grouping.h"

namespace footlight::query {

uint64_t Grouping::place_of(const session::OpColumns& e, size_t i) {
  const bool is_node = e.node[i].valid();
  if (!is_node && !e.code[i].valid() && e.location[i].valid()) return place_of(e.location[i]);
  if (is_node ? !e.graph[i].valid() : !e.code[i].valid()) return kUnknown;
  const uint64_t place = is_node ? uint64_t{e.graph[i].value} << 32 | e.node[i].value
                                 : uint64_t{e.code[i].value} << 32 | e.offset[i];
  if (place == last_place_ && is_node == last_is_node_) return last_key_;
  const auto [it, added] = (is_node ? of_node_ : of_source_).try_emplace(place, kUnknown);
  if (added) {
    const session::GraphRecord* graph = is_node ? reader_.graph(e.graph[i]) : nullptr;
    if (!is_node) {
      it->second = place_of(e.source(i));
    } else if (graph && e.node[i].value < graph->nodes.size()) {
      it->second = place_of(graph->nodes[e.node[i].value].source);
    }
  }
  last_place_ = place;
  last_is_node_ = is_node;
  return last_key_ = it->second;
}

// Functions are told apart by their code objects, which such an event does not have.
uint64_t Grouping::place_of(session::LocationId id) const {
  const session::LocationRecord* const l = by_ == GroupBy::kLine ? reader_.location(id) : nullptr;
  if (!l || !l->file.valid() || l->line <= 0) return kUnknown;
  return uint64_t{l->file.value} << 32 | static_cast<uint32_t>(l->line);
}

uint64_t Grouping::place_of(SourceRef source) {
  if (by_ == GroupBy::kLine) {
    const session::Reader::SourcePlace place = reader_.place(source);
    if (!place.file.valid() || place.line <= 0) return kUnknown;
    return uint64_t{place.file.value} << 32 | static_cast<uint32_t>(place.line);
  }
  const session::CodeRecord* code = reader_.code(source.code);
  if (!code) return kUnknown;
  return functions_.try_emplace({code->file.value, code->first_line, code->qualname}, code->id.value).first->second;
}

}  // namespace footlight::query
