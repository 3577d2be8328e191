// Builds records from rows, and finds records by id. Rows may come in any order in which owners precede what they own;
// rows of missing owners are skipped, so that the rest of a damaged file can be read.
#pragma once

#include "engine/session/rows.h"

#include <array>
#include <unordered_map>

namespace footlight::session {

class Assembler {
 public:
  explicit Assembler(Contents& contents) : contents_(contents) {}
  void add(const Binding& binding, Row row);

  // Rows assembled so far, and the memory that they take (approximate).
  uint64_t rows() const { return rows_; }
  uint64_t bytes() const { return bytes_; }

  // Null if not found.
  template <class R>
  const R* find(uint32_t id) const {
    const Positions& positions = positions_[table_of<R>()];
    const auto it = positions.find(id);
    return it == positions.end() ? nullptr : &(contents_.*std::get<table_of<R>()>(kRecordTables))[it->second];
  }

 private:
  template <class R, size_t I>
  void add_to(const Binding& binding, Row row);
  template <class R>
  void put(std::vector<R>& records, size_t table, R record);
  void put(std::vector<DroppedRecord>& records, size_t table, DroppedRecord record);
  template <class R>
  void put(std::optional<R>& kept, size_t, R record) { kept = std::move(record); }
  void meta(const Binding& binding, Row row);

  using Positions = std::unordered_map<uint32_t, uint32_t>;
  Contents& contents_;
  uint64_t rows_ = 0, bytes_ = 0;
  std::array<Positions, kRecordTableCount> positions_;
};

}  // namespace footlight::session
