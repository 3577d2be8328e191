// Groups op events for tables: by op, by op and shapes, by line or by Python function. Each event gets a number, and
// equal numbers form a group.
#pragma once

#include "engine/session/reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

namespace footlight::query {

enum class GroupBy : uint8_t { kOp, kShape, kLine, kFunction };

class Grouping {
 public:
  static constexpr uint64_t kUnknown = UINT64_MAX;  // events that do not say where they come from

  Grouping(const session::Reader& reader, GroupBy by) : reader_(reader), by_(by) {}
  uint64_t key(const session::OpColumns& e, size_t i) {
    switch (by_) {
      case GroupBy::kOp: return e.op[i].value;
      case GroupBy::kShape: return uint64_t{e.op[i].value} << 32 | e.signature[i].value;
      default: return place_of(e, i);
    }
  }

 private:
  uint64_t place_of(const session::OpColumns& e, size_t i);
  uint64_t place_of(SourceRef source);
  uint64_t place_of(session::LocationId location) const;

  const session::Reader& reader_;
  GroupBy by_;
  std::unordered_map<uint64_t, uint64_t> of_node_, of_source_;  // keyed by (graph, node) and by (code, offset)
  std::map<std::tuple<uint32_t, int, std::string>, uint64_t> functions_;  // the code that represents all of its copies
  uint64_t last_place_ = kUnknown, last_key_ = kUnknown;
  bool last_is_node_ = false;
};

// The meaning of a key. Line: file and line; function: a code object; op and shape as the names say.
struct GroupPlace {
  session::FileId file;
  int line = 0;
};
constexpr GroupPlace line_of(uint64_t key) {
  return {session::FileId(static_cast<uint32_t>(key >> 32)), static_cast<int>(key & UINT32_MAX)};
}

}  // namespace footlight::query
