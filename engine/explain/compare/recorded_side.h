// One side of a comparison of recordings: the stretches of time that it is made of, and what each moment was given to.
#pragma once

#include "engine/explain/compare/pictures.h"
#include "engine/explain/compare/recorded.h"
#include "engine/explain/compare/waterfall.h"

#include <map>
#include <unordered_map>

namespace footlight::explain {

// An op of a line.
struct PlaceRan {
  Line at;
  std::string op, function;
  bool in_graph = false;                     // a node of a graph; else an eager op
  std::vector<session::NodeOrigin> nodes;
  std::vector<std::string> names;            // of nodes
  uint64_t ran = 0, bytes = 0, flops = 0;    // in all runs
  uint64_t first = UINT64_MAX;               // in the order of time
};

// The function that the side names, by its whole name or the end of it. Throws kNotFound.
FunctionId function_named(const RecordedSide& side);

// Where the time of ops is in a recording that does not say which ones ran: "part of calls and Python".
const char* where_ops_are(const session::Reader& reader);

class RecordedRuns {
 public:
  RecordedRuns(const RecordedSide& side, const GoOn& go_on);

  // The runs that are compared: one of each call, or one of everything together. Rows are left to the caller.
  const std::vector<SideRuns::One>& runs() const { return runs_; }
  const std::vector<PlaceRan>& places() const { return places_; }
  int64_t ns_of(size_t run, size_t place) const {
    return place < ns_[run].size() ? ns_[run][place] : 0;
  }
  FunctionId function() const { return function_; }
  const session::TraceRecord* trace() const { return trace_; }
  SourceRef source() const { return source_; }                  // of a single call
  uint64_t calls() const { return calls_; }                     // that were taken
  const std::vector<std::string>& notes() const { return notes_; }
  // `row_of`: of a place.
  Picture picture(size_t run, const RowOf& row_of);

 private:
  struct Span { int64_t start = 0, end = 0; uint32_t run = 0; };
  // A part of a span, with what happened in it.
  struct Stretch {
    Span span;
    int64_t shown_at = 0;                    // in the picture
    bool goes_on = false;                    // the same span as the one before it
    std::vector<Interval> host, devices;
    std::vector<DrawnWork> work;             // of each of `devices`
  };
  using Stretches = std::map<session::ThreadId, std::vector<Stretch>>;
  using Spans = std::map<session::ThreadId, std::vector<Span>>;
  struct Drawing {
    Picture picture;
    std::vector<Piece> host;
    std::vector<DrawnWork> work;
    bool ops = true;
    const RowOf* row_of = nullptr;
  };
  struct Key {
    uint64_t place = 0, rest = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const {
      return (k.place * 0x9E3779B97F4A7C15ull) ^ (k.rest * 0xC2B2AE3D27D4EB4Full);
    }
  };

  void find_trace_threads();
  session::ThreadId main_thread() const;
  void take_whole();
  void take_function();
  void take_trace();
  void take_call();
  void add_span(session::ThreadId thread, int64_t start, int64_t end, uint32_t run);
  void say_what_is_missing();

  void read(const Spans& spans, Drawing* drawing);
  std::vector<int64_t> cuts() const;
  void read_window(Stretches& stretches, int64_t from, int64_t to, Drawing* drawing);
  void add_calls(Stretches& stretches, int64_t from, int64_t to);
  void add_traces(Stretches& stretches, int64_t from, int64_t to);
  void add_machine_code(Stretches& stretches, int64_t from, int64_t to);
  void add_input(Stretches& all, int64_t from, int64_t to);
  void add_ops(Stretches& stretches, int64_t from, int64_t to, bool drawing);
  void count(const session::OpColumns& e, size_t i, int32_t place);  // the op ran at that place
  void add_devices(Stretches& stretches, int64_t from, int64_t to);
  void give(const Stretch& stretch);
  void draw(const Stretch& stretch, Drawing& drawing) const;
  int32_t place_of(const session::OpColumns& events, size_t i);
  int32_t place_of(const session::DeviceRecord& event) const;
  int32_t number_of(FunctionId function);
  bool in_trace(session::ThreadId thread, int64_t time) const;

  const RecordedSide& side_;
  const session::Reader& reader_;
  const GoOn& go_on_;
  const Share rest_;                                           // where nothing was recorded
  FunctionId function_;
  const session::TraceRecord* trace_ = nullptr;
  SourceRef source_;
  uint64_t calls_ = 0;
  std::vector<std::string> notes_;
  Spans spans_;
  std::map<session::ThreadId, std::vector<Span>> traces_;      // outermost, by start
  std::vector<SideRuns::One> runs_;
  std::vector<std::vector<int64_t>> ns_;
  std::vector<uint64_t> ops_of_;                               // by run
  std::vector<PlaceRan> places_;
  std::unordered_map<Key, int32_t, KeyHash> known_;
  std::unordered_map<uint64_t, int32_t> place_of_event_;       // of ops that devices worked for
  std::unordered_map<CallId, uint32_t> run_of_call_;           // of calls within the runs, and what these called
  std::unordered_map<FunctionId, int32_t> numbers_;            // of functions whose calls are drawn
  std::vector<FunctionId> named_;
  uint64_t order_ = 0, elsewhere_ = 0, helped_ = 0;
};

}  // namespace footlight::explain
