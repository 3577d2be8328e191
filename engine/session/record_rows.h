// A record as rows (one log frame each), and rows back into the records of a Contents.
#pragma once

#include "engine/session/reader.h"
#include "engine/session/rows.h"

#include <unordered_map>

namespace footlight::session {

void encode(ByteWriter& out, RunRecord& record);
void encode(ByteWriter& out, EndRecord& record);
void encode(ByteWriter& out, DroppedRecord& record);
void encode(ByteWriter& out, FileRecord& record);
void encode(ByteWriter& out, CodeRecord& record);
void encode(ByteWriter& out, FunctionRecord& record);
void encode(ByteWriter& out, TraceRecord& record);
void encode(ByteWriter& out, GraphRecord& record);
void encode(ByteWriter& out, GeneratedRecord& record, uint32_t number);
void encode(ByteWriter& out, DecisionRecord& record);
void encode(ByteWriter& out, ConsoleRecord& record);
void encode(ByteWriter& out, OpNameRecord& record);
void encode(ByteWriter& out, SignatureRecord& record);
void encode(ByteWriter& out, ThreadRecord& record);
void encode(ByteWriter& out, DeviceNameRecord& record);
void encode_meta(ByteWriter& out, std::string_view key, std::string_view text);
void encode_meta(ByteWriter& out, std::string_view key, int64_t number);

// Adds rows to a Contents. Rows of owners that are not there are passed over: a damaged file keeps the rest.
class Assembler {
 public:
  explicit Assembler(Contents& contents) : contents_(contents) {}
  void add(Table table, Row row);

  // Position by id; npos: not there.
  static constexpr size_t npos = static_cast<size_t>(-1);
  size_t find(Table table, uint32_t id) const;

 private:
  using Positions = std::unordered_map<uint32_t, uint32_t>;
  template <class Record>
  void put(std::vector<Record>& records, Positions& positions, uint32_t id, Record record);
  template <class Record>
  Record* owner(std::vector<Record>& records, const Positions& positions, uint32_t id);
  NodeRecord* node(uint32_t graph, uint32_t position);
  void meta(Row row);

  Contents& contents_;
  Positions files_, codes_, functions_, traces_, graphs_, generated_, ops_, signatures_, threads_, devices_;
};

}  // namespace footlight::session
