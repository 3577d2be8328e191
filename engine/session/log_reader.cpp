// Reads the log of a running or killed session; what is appended later comes with refresh().
#include "engine/session/chunk_store.h"
#include "engine/session/log.h"
#include "engine/session/open.h"

namespace footlight::session {
namespace {

class LogReader final : public Reader {
 public:
  explicit LogReader(Descriptor file)
      : scanner_(std::move(file)), ops_(fetch()), calls_(fetch()), device_(fetch()) {
    version_ = static_cast<int>(scanner_.version());
    state_ = State::kLive;
    refresh();
  }

  const OpStore& op_events() const override { return ops_; }
  const CallStore& calls() const override { return calls_; }
  const DeviceStore& device_events() const override { return device_; }

  Changes refresh() override {
    changes_ = {};
    const bool complete = !scanner_.has_writer();  // asked first: what is written after that is seen next time
    scanner_.scan(complete, [this](std::string_view payload, int64_t at) { frame(payload, at); });
    read_slots();
    const State before = state_;
    if (contents_.end) {
      state_ = State::kFinished;
    } else {
      state_ = complete ? State::kKilled : State::kLive;
    }
    changes_.state = state_ != before;
    say_damage();
    return changes_;
  }

 private:
  std::function<std::string(const ChunkPlace&)> fetch() {
    return [this](const ChunkPlace& place) { return scanner_.read(place.at, place.size); };
  }

  void frame(std::string_view payload, int64_t at) {
    try {
      ByteReader in(payload);
      Value values[kMaxColumns];
      while (!in.done()) {
        size_t count;
        const Table table = read_row(in, values, count);
        row(table, {values, count}, payload, at);
      }
    } catch (const Error&) {
      ++bad_frames_;  // its checksum was right: written by something that is not Footlight
    }
  }

  void row(Table table, Row row, std::string_view payload, int64_t at) {
    switch (table) {
      case Table::kOpChunk: chunk(ops_, row, payload, at); break;
      case Table::kCallChunk: chunk(calls_, row, payload, at); break;
      case Table::kDeviceChunk: chunk(device_, row, payload, at); break;
      default:
        index_->add(table, row);
        changes_.records = true;
    }
  }

  template <class Store>
  void chunk(Store& store, Row row, std::string_view payload, int64_t at) {
    ChunkInfo info;
    RowDecoder decoder(row.first(3));
    decoder(info.first_ns, info.last_ns, info.count);
    const std::string_view data = row[3].bytes;
    store.add(info, at + (data.data() - payload.data()), data.size());
    changes_.chunks = true;
  }

  // A slot holds totals, not additions: what it said before is taken back first.
  void read_slots() {
    std::vector<std::string> payloads;
    if (!scanner_.slots(payloads)) return;
    Contents said;
    Assembler assembler(said);
    for (const std::string& payload : payloads) {
      try {
        ByteReader in(payload);
        Value values[kMaxColumns];
        while (!in.done()) {
          size_t count;
          const Table table = read_row(in, values, count);
          if (table == Table::kDropped || table == Table::kRunEnd) assembler.add(table, {values, count});
        }
      } catch (const Error&) {
        ++bad_frames_;
      }
    }
    const auto change = [this](const DroppedRecord& r, bool add) {
      for (DroppedRecord& known : contents_.dropped) {
        if (known.what != r.what || known.why != r.why) continue;
        known.count = add ? known.count + r.count : known.count - r.count;
        return;
      }
      if (add) contents_.dropped.push_back(r);
    };
    for (const DroppedRecord& r : in_slots_) change(r, false);
    in_slots_ = std::move(said.dropped);
    for (const DroppedRecord& r : in_slots_) change(r, true);
    std::erase_if(contents_.dropped, [](const DroppedRecord& r) { return r.count == 0; });
    if (said.end && !contents_.end) contents_.end = std::move(said.end);
    changes_.records = true;
  }

  void say_damage() {
    damage_.clear();
    if (scanner_.skipped()) damage_ = std::to_string(scanner_.skipped()) + " bytes in the middle could not be read";
    if (bad_frames_) {
      if (!damage_.empty()) damage_ += "; ";
      damage_ += std::to_string(bad_frames_) + " records make no sense";
    }
    if (state_ == State::kFinished && scanner_.torn_tail() > 0) {
      if (!damage_.empty()) damage_ += "; ";
      damage_ += std::to_string(scanner_.torn_tail()) + " bytes at the end could not be read";
    }
  }

  LogScanner scanner_;
  LazyStore<OpColumns> ops_;
  LazyStore<std::vector<CallRecord>> calls_;
  LazyStore<std::vector<DeviceRecord>> device_;
  Changes changes_;
  std::vector<DroppedRecord> in_slots_;
  uint64_t bad_frames_ = 0;
};

}  // namespace

std::unique_ptr<Reader> open_log(Descriptor file) { return std::make_unique<LogReader>(std::move(file)); }

}  // namespace footlight::session
