// Joins short pieces of work, so that a stage of a million elements has only hundreds of spans.
#include "engine/data/watch.h"

#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/data/run.h"
#include "engine/data/stage.h"

#include <cctype>

namespace footlight::data {


namespace {

constexpr int64_t kShortWait = 20'000;    // shorter waits count as work
constexpr int64_t kNoGap = 100'000;       // pieces with a smaller gap are joined
constexpr int64_t kLongest = 5'000'000;   // up to this length
constexpr int64_t kQueueEvery = 200'000;  // interval between two values of a counter

session::TrackRecord track_record(const char* kind, std::string name, SourceRef source, session::TrackId parent) {
  session::TrackRecord record;
  record.kind = kind;
  record.name = std::move(name);
  record.parent = parent;
  record.source = source;
  return record;
}

session::TrackRecord root_record(session::TrackRecord record) {
  record.thread = session::ThreadId(thread_rings().number());
  return record;
}

}  // namespace

std::string stage_name(std::string_view op) {
  constexpr std::pair<std::string_view, const char*> kOthers[] = {
      {"TensorDataset", "from_tensors"},      {"TensorSliceDataset", "from_tensor_slices"},
      {"HostGeneratorDataset", "from_generator"}, {"TFRecordDatasetV2", "TFRecordDataset"},
      {"TextLineDataset", "TextLineDataset"}, {"FixedLengthRecordDatasetV2", "FixedLengthRecordDataset"},
      {"ElementFileDataset", "load"},         {"ElementFileCacheDataset", "snapshot"}};
  for (const auto& [row, name] : kOthers)
    if (row == op) return name;
  if (op.starts_with("Parallel")) op.remove_prefix(8);
  op = op.substr(0, op.find("Dataset"));
  std::string name;
  for (const char c : op) {
    if (std::isupper(static_cast<unsigned char>(c)) && !name.empty()) name += '_';
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

StageTrack::StageTrack(std::string name, SourceRef source, const StageTrack* consumer, bool counts_steps)
    : name_(std::move(name)), source_(source),
      track_(counts_steps
                 ? root_record(track_record(session::TrackRecord::kStage, name_, source, {}))
                 : track_record(session::TrackRecord::kStage, name_, source,
                                consumer ? consumer->id() : session::TrackId())) {}

void StageTrack::record_length(size_t elements) {
  const int64_t now = now_ns();
  int64_t told = queue_told_ns_.load(std::memory_order_relaxed);
  if (now - told < kQueueEvery || !queue_told_ns_.compare_exchange_strong(told, now, std::memory_order_acq_rel)) return;
  std::call_once(has_queue_, [this] {
    queue_ = record::OwnTrack(track_record(session::TrackRecord::kQueue, name_, source_, track_.id()));
  });
  queue_.add_value(static_cast<double>(elements), now);
}

void SpanRecorder::end(int64_t now, int64_t elements) {
  // The wait of this turn is recorded; the rest of the turn is too short for a span.
  if (any_ && last_.wait && last_.end == since_) {
    last_.elements += std::exchange(elements, 0);
    if (now - since_ < kShortWait / 10) return;
  }
  add({false, nullptr, nullptr, since_, now, now - since_, elements});
  since_ = now;
}

void SpanRecorder::waited(const StageTrack* whom, const char* what, int64_t from, int64_t to) {
  if (to - from < kShortWait) return;
  if (from > since_) add({false, nullptr, nullptr, since_, from, from - since_, 0});
  add({true, whom, what, from, to, to - from, 0});
  since_ = to;
}

void SpanRecorder::add(const Part& part) {
  const bool near = any_ && part.start - last_.end < kNoGap;
  const bool same = near && part.wait == last_.wait && part.whom == last_.whom && part.what == last_.what;
  if (same && part.end - last_.start < kLongest) {
    last_.end = part.end;
    last_.busy += part.busy;
    last_.elements += part.elements;
    return;
  }
  tell();
  last_ = part;
  any_ = true;
}

void SpanRecorder::tell() {
  if (!std::exchange(any_, false)) return;
  session::SpanRecord span;
  span.start_ns = last_.start;
  span.end_ns = last_.end;
  span.category = last_.wait ? "wait" : "work";
  if (!last_.wait) span.name = track_->name_;
  else span.name = str(track_->name_, " waits for ", last_.whom ? last_.whom->name_ : std::string(last_.what));
  span.args = str("{\"elements\": ", last_.elements, ", \"busy_ns\": ", last_.busy, "}");
  track_->track_.add(std::move(span));
}

void WorkScope::enter() {
  begin_ = now_ns();
  before_ = std::exchange(this_thread.span_recorder, is_consumer_ ? nullptr : recorder_);
  recorder_->begin(begin_);
}

void WorkScope::leave() {
  const int64_t now = now_ns();
  this_thread.span_recorder = before_;
  if (!is_consumer_) recorder_->end(now, elements_);
  if (before_) before_->waited(&recorder_->track(), nullptr, begin_, now);
}

namespace {

class Watched final : public Cursor {
 public:
  Watched(RunPtr run, TrackPtr track, CursorPtr inner)
      : run_(std::move(run)), recorder_(std::move(track)), inner_(std::move(inner)) {}
  bool next(Element& out) override {
    WorkScope work(&recorder_, recorder_.track().own_threads());
    const bool got = inner_->next(out);
    work.made(got);
    return got;
  }
  int64_t skip(int64_t count) override {
    WorkScope work(&recorder_, recorder_.track().own_threads());
    const int64_t passed = inner_->skip(count);
    work.made(passed);
    return passed;
  }
  void state(State& s) override { inner_->state(s); }

 private:
  const RunPtr run_;  // keeps the tracks of all stages alive
  SpanRecorder recorder_;
  CursorPtr inner_;
};

}  // namespace

CursorPtr open_watched(Stage& stage, const Start& start) {
  Start below = start;
  // A stage that is created for each element of another has one track for all its instances.
  below.track = start.run->track(str(stage.op, '@', stage.source.code.value, ':', stage.source.offset, '<',
                                     start.track ? start.track->id().value : UINT32_MAX),
                                 [&] {
                                   const bool known = stage.source.code.valid() || !start.track;
                                   return std::make_shared<StageTrack>(
                                       stage_name(stage.op), known ? stage.source : start.track->source(),
                                       start.track.get(), false);
                                 });
  CursorPtr inner = stage.open(below);
  return std::make_unique<Watched>(start.run, below.track, std::move(inner));
}

}  // namespace footlight::data
