// What reading a session may cost: no more than a file of its size can honestly hold, in rows, bytes, work and time.
// A file can say anything of itself; pages that name one page again and again hold a billion rows in 16 KB.
#pragma once

#include "engine/base/errors.h"
#include "engine/session/reader.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace footlight::session {

class Budget {
 public:
  explicit Budget(ReadOptions options) : options_(std::move(options)) {}

  // One reading (opening, refreshing, fetching a chunk) of a file of that many bytes begins: work and time start anew.
  void begin(int64_t file_bytes);
  // `done` of them were read so far, `steps` of work were done since the last time; false: enough, check() says why.
  // Asks whoever wanted it read, now and then.
  bool go_on(uint64_t steps, int64_t done) noexcept;
  // A row of the tables of a database, with that many bytes of texts: each is a cell of the file.
  void row(uint64_t text_bytes);
  // What the records take in memory by now.
  void records(uint64_t count, uint64_t bytes);
  // Rows of a chunk of events that the index names; false: more than the file can hold, they are left out.
  bool events(uint64_t rows);
  uint64_t left_out_events() const { return left_out_events_; }
  std::string left_out_words() const;

  void check() const;  // throws what was exceeded

 private:
  using Clock = std::chrono::steady_clock;
  bool stop(ErrorKind kind, std::string words) noexcept;
  ReadOptions options_;
  uint64_t file_bytes_ = 0;
  uint64_t steps_ = 0, rows_ = 0, text_bytes_ = 0, events_ = 0, left_out_events_ = 0;
  Clock::time_point began_{}, asked_{};
  std::optional<Error> exceeded_;
};

}  // namespace footlight::session
