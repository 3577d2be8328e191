// Limits the cost of reading a session to what a file of its size can honestly hold, in rows, bytes, work and time. A
// file can claim anything about itself: pages that refer to one page again and again hold a billion rows in 16 KB.
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

  // Begins a reading (opening, refreshing, fetching a chunk) of a file of that many bytes: resets work and time.
  void begin(int64_t file_bytes);
  // Counts: `done` rows were read so far, `steps` of work were done since the last call. False: reading must stop, and
  // check() says why. Calls ReadOptions::go_on now and then.
  bool go_on(uint64_t steps, int64_t done) noexcept;
  // Counts a row of a database table, with that many bytes of text: each row is a cell of the file.
  void row(uint64_t text_bytes);
  // Checks the number of records and their memory so far.
  void records(uint64_t count, uint64_t bytes);
  // Counts the rows of an event chunk in the index; false: more than the file can hold, so they are left out.
  bool events(uint64_t rows);
  uint64_t left_out_events() const { return left_out_events_; }
  std::string left_out_words() const;

  void check() const;  // throws the Error of the limit that was exceeded

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
