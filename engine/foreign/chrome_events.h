// What each trace event means: its kind by its category, its times, what its arguments say.
#pragma once

#include "engine/foreign/builder.h"

#include <unordered_map>

namespace footlight::foreign {

class ChromeEvents {
 public:
  ChromeEvents(Builder& builder, FileFacts& facts) : builder_(builder), facts_(facts) {}
  // An event as JSON; false: it is damaged.
  bool add(std::string_view object);
  // Events that began and did not end are given the end of the last event.
  void finish();

 private:
  // The members of an event, as text of the JSON.
  struct Fields {
    std::string_view phase, name, category, ts, dur, pid, tid, id, args;
  };
  // The arguments that the importer understands.
  struct Arguments {
    std::string_view correlation, external, bytes, device, context, stream, sequence, forward_thread, stack;
    std::string_view dims, types, name, total_allocated, device_type, device_id, hlo_op;
  };
  struct Begun {
    int64_t start = 0;
    std::string name, category, args;
  };
  static Arguments arguments_of(std::string_view args);
  void complete(const Fields& f, int64_t start, int64_t end);
  void begin(const Fields& f, uint64_t key, uint32_t lane, int64_t start);
  void end(const Fields& f, uint64_t key, int64_t time);
  void counter(const Fields& f, int64_t time);
  void metadata(const Fields& f);
  void memory(const Fields& f, const Arguments& a, int64_t time);
  void put(EventKind kind, const Fields& f, const Arguments& a, uint32_t lane, int64_t start, int64_t end);
  EventKind kind_of(std::string_view category, std::string_view name, uint32_t lane, const Arguments& a);
  uint32_t lane_of(const Fields& f);
  void shapes(const Arguments& a, Event& event);
  LocationNumber stack(std::string_view words);

  Builder& builder_;
  FileFacts& facts_;
  struct Open { uint32_t lane = 0; std::vector<Begun> begun; };
  std::unordered_map<uint64_t, Open> open_;  // by thread, or by the id of what runs beside it
  size_t open_bytes_ = 0;
  int64_t last_ = INT64_MIN;
  std::string lane_key_, inputs_;
  std::unordered_map<std::string, uint32_t> lanes_;
  std::unordered_map<std::string, LocationNumber> stacks_;
  std::unordered_map<int64_t, uint64_t> ops_of_process_;
};

}  // namespace footlight::foreign
