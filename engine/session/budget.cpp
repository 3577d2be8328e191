// The limits, and the messages for exceeding them.
#include "engine/session/budget.h"

#include "engine/session/bytes.h"

#include <algorithm>

namespace footlight::session {
namespace {
using std::chrono::seconds;

// Honest sessions need at most one SQLite step per byte, and take a second for 30 MB.
constexpr uint64_t kStepsAtLeast = 1'000'000, kStepsOfByte = 20;
constexpr seconds kTimeAtLeast{60};
constexpr uint64_t kBytesOfSecond = 1'000'000;
// A cell and its pointer in the page.
constexpr uint64_t kMinRowBytes = 5;
constexpr uint64_t kMaxRecords = 20'000'000;
constexpr uint64_t kMaxRecordBytes = uint64_t{4} << 30;
// An event takes at least 0.3 bytes.
constexpr uint64_t kEventsAtLeast = 4'000'000, kEventsOfByte = 16;

std::string megabytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }
}  // namespace

void Budget::begin(int64_t file_bytes) {
  file_bytes_ = static_cast<uint64_t>(std::max<int64_t>(file_bytes, 0));
  steps_ = 0;
  exceeded_.reset();
  began_ = asked_ = Clock::now();
}

bool Budget::stop(ErrorKind kind, std::string words) noexcept {
  exceeded_.emplace(kind, std::move(words));
  return false;
}

bool Budget::go_on(uint64_t steps, int64_t done) noexcept {
  if (exceeded_) return false;
  steps_ += steps;
  if (steps_ > kStepsAtLeast + kStepsOfByte * file_bytes_)
    return stop(ErrorKind::kDataLoss, "broken: reading its tables takes more steps than a file of " +
                                          std::to_string(file_bytes_) + " bytes has rows for");
  const auto now = Clock::now();
  const auto most = kTimeAtLeast + seconds(file_bytes_ / kBytesOfSecond);
  if (now - began_ > most)
    return stop(ErrorKind::kResourceExhausted, "reading it took longer than " + std::to_string(most.count()) + " s");
  if (options_.go_on && now - asked_ >= options_.ask_every) {
    asked_ = now;
    try {
      const double share = file_bytes_ ? static_cast<double>(done) / static_cast<double>(file_bytes_) : 1;
      if (!options_.go_on(std::clamp(share, 0.0, 1.0))) return stop(ErrorKind::kCancelled, "reading it was cancelled");
    } catch (...) {
      return stop(ErrorKind::kCancelled, "reading it was cancelled");
    }
  }
  return true;
}

void Budget::row(uint64_t text_bytes) {
  ++rows_;
  text_bytes_ += text_bytes;
  if (rows_ * kMinRowBytes > file_bytes_)
    throw_broken("its tables say more rows than a file of " + std::to_string(file_bytes_) + " bytes can hold");
  if (text_bytes_ > file_bytes_)
    throw_broken("its tables say more bytes than a file of " + std::to_string(file_bytes_) + " bytes can hold");
}

void Budget::records(uint64_t count, uint64_t bytes) {
  if (count > kMaxRecords)
    throw Error(ErrorKind::kResourceExhausted,
                "it has more than " + std::to_string(kMaxRecords) + " records: too many to open");
  if (bytes > kMaxRecordBytes)
    throw Error(ErrorKind::kResourceExhausted,
                "its records take more than " + megabytes(kMaxRecordBytes) + " of memory: too much to open");
}

bool Budget::events(uint64_t rows) {
  if (events_ + rows > kEventsAtLeast + kEventsOfByte * file_bytes_) {
    left_out_events_ += rows;
    return false;
  }
  events_ += rows;
  return true;
}

std::string Budget::left_out_words() const {
  if (!left_out_events_) return {};
  return std::to_string(left_out_events_) + " events are left out: a file of " + std::to_string(file_bytes_) +
         " bytes can hold at most " + std::to_string(kEventsAtLeast + kEventsOfByte * file_bytes_);
}

void Budget::check() const {
  if (exceeded_) throw *exceeded_;
}

}  // namespace footlight::session
