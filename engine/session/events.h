// What comes at a high rate, as columns: a chunk of op events, and the index entry of any chunk.
#pragma once

#include "engine/session/records.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace footlight::session {

// Struct of arrays; all vectors are equally long. An id that is none is the all-ones value of its column.
struct OpColumns {
  std::vector<int64_t> start_ns, end_ns;
  std::vector<uint64_t> id;    // unique in the session; DeviceRecord::op_event names it
  std::vector<uint64_t> call;  // CallId: the traced call; none: eager
  std::vector<uint32_t> code, offset;  // SourceRef; eager ops only
  std::vector<uint32_t> node;  // of the trace's graph
  std::vector<uint32_t> bytes;  // of the outputs, in sessions of version 1; later the signature says it
  std::vector<uint16_t> op;    // OpId, named by OpNameRecord
  std::vector<uint16_t> thread;
  std::vector<uint8_t> device;
  std::vector<uint32_t> signature;  // SignatureId

  size_t size() const { return start_ns.size(); }
  SourceRef source(size_t i) const { return {CodeId(code[i]), offset[i]}; }
  void reserve(size_t n);
  void append(uint16_t thread_number, uint64_t event_id, const OpEvent& event);
  void append(const OpColumns& other);
  void clear();
};

// One chunk, known without decoding it.
struct ChunkInfo {
  int64_t first_ns = 0, last_ns = 0;  // least start, greatest end
  uint32_t count = 0;
  uint64_t first_row = 0;             // how many rows are in the chunks before it
};

}  // namespace footlight::session
