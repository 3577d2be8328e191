// Collects rows of each kind of event, and hands them to the recording's writer a chunk at a time.
#pragma once

#include "engine/foreign/stored.h"
#include "engine/session/chunk.h"

namespace footlight::foreign {

class Builder::Rows {
 public:
  Rows(Builder& builder, int64_t shift) : builder_(builder), shift_(shift) {}
  void add(const SortKey& key, std::string_view record);
  void flush();
  uint64_t impossible() const { return impossible_; }

 private:
  void add_op(const Stored& s, int64_t start, int64_t end);
  void add_device_event(const Stored& s, int64_t start, int64_t end, std::string_view name);
  void add_span(const Stored& s, int64_t start, int64_t end, std::string_view name, std::string_view category,
                std::string_view args);
  template <class Chunk>
  void put(Chunk& rows);

  Builder& builder_;
  const int64_t shift_;
  uint64_t impossible_ = 0, waiting_ = 0;
  session::OpColumns ops_;
  std::vector<session::DeviceRecord> device_;
  std::vector<session::SpanRecord> spans_;
  std::vector<session::CounterRecord> counters_;
};

}  // namespace footlight::foreign
