// Reads the log of a running or killed session; what is appended later comes with refresh().
#include "engine/session/budget.h"
#include "engine/session/chunk_store.h"
#include "engine/session/log.h"
#include "engine/session/open.h"

namespace footlight::session {
namespace {

class LogReader final : public Reader {
 public:
  LogReader(Descriptor file, ReadOptions options)
      : scanner_(std::move(file)),
        frames_(scanner_.version()),
        budget_(std::move(options)),
        lazy_(stores(std::make_index_sequence<kChunkKinds>())) {
    version_ = static_cast<int>(scanner_.version());
    std::apply([this](auto&... store) { stores_ = {&store...}; }, lazy_);
    state_ = State::kLive;
    refresh();
  }

  Changes refresh() override {
    changes_ = {};
    const bool complete = !scanner_.has_writer();  // checked first: what is written after that is seen next time
    budget_.begin(scanner_.stored());
    const auto go_on = [this](int64_t at) {
      if (!budget_.go_on(0, at)) budget_.check();
    };
    scanner_.scan(complete, go_on, [this](std::string_view payload, int64_t at) {
      frame(payload, at);
    });
    read_slots();
    const State before = state_;
    if (contents_.end) {
      state_ = State::kFinished;
    } else {
      state_ = complete ? State::kKilled : State::kLive;
    }
    changes_.state = state_ != before;
    say_damage();
    left_out_ = words_for(frames_.left_out());
    return changes_;
  }

 private:
  template <size_t... I>
  LazyStores stores(std::index_sequence<I...>) {
    const auto fetch = [this](const ChunkPlace& place) { return scanner_.read(place.at, place.size); };
    return LazyStores((static_cast<void>(I), fetch)...);
  }

  void frame(std::string_view payload, int64_t at) {
    try {
      frames_.read(payload, [&](const Binding& binding, Row row) {
        const auto table = static_cast<size_t>(binding.table);
        if (table >= schema().first_chunk_table) {
          chunk(table - schema().first_chunk_table, binding, row, payload, at);
        } else {
          index_->add(binding, row);
          budget_.records(index_->rows(), index_->bytes());
          changes_.records = true;
        }
      });
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kResourceExhausted) throw;
      ++bad_frames_;  // its checksum was right: written by something that is not Footlight
    }
  }

  void chunk(size_t kind, const Binding& binding, Row row, std::string_view payload, int64_t at) {
    const ChunkRow chunk = decode_chunk_row(row, binding);
    for_each_chunk_kind([&]<class Chunk, size_t I>() {
      if (I == kind && (chunk.info.count > kMaxChunkRows || budget_.events(chunk.info.count)))
        std::get<I>(lazy_).add(chunk.info, at + (chunk.data.data() - payload.data()), chunk.data.size());
    });
    changes_.chunks = true;
  }

  // A slot holds totals, not increments: its former contents are subtracted first.
  void read_slots() {
    std::vector<std::string> payloads;
    if (!scanner_.slots(payloads)) return;
    Contents said;
    Assembler assembler(said);
    for (const std::string& payload : payloads) {
      try {
        frames_.read(payload, [&](const Binding& binding, Row row) {
          if (static_cast<size_t>(binding.table) < schema().first_chunk_table) assembler.add(binding, row);
        });
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
    damage_ = budget_.left_out_words();
    if (scanner_.skipped() && !damage_.empty()) damage_ += "; ";
    if (scanner_.skipped()) damage_ += std::to_string(scanner_.skipped()) + " bytes in the middle could not be read";
    if (bad_frames_) {
      if (!damage_.empty()) damage_ += "; ";
      damage_ += std::to_string(bad_frames_) + " records are damaged";
    }
    if (state_ == State::kFinished && scanner_.torn_tail() > 0) {
      if (!damage_.empty()) damage_ += "; ";
      damage_ += std::to_string(scanner_.torn_tail()) + " bytes at the end could not be read";
    }
  }

  LogScanner scanner_;
  FrameReader frames_;
  Budget budget_;
  LazyStores lazy_;
  Changes changes_;
  std::vector<DroppedRecord> in_slots_;
  uint64_t bad_frames_ = 0;
};

}  // namespace

std::unique_ptr<Reader> open_log(Descriptor file, ReadOptions options) {
  return std::make_unique<LogReader>(std::move(file), std::move(options));
}

}  // namespace footlight::session
