// How far the clocks of ranks on different machines are apart, found out over the folder into which they all record.
//
// A rank writes a file, rank 0 answers with its own time in another one. That time lies between the rank's writing and
// its reading, on the rank's clock: half of that is the error. Where the machines share no folder nobody answers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace footlight::record {

struct ClockOffset {
  int64_t ns = 0;        // to be added to times of this process to get those of rank 0
  int64_t error_ns = 0;  // how wrong that may be
};

class ClockHandshake {
 public:
  using Clock = std::function<int64_t()>;
  using Found = std::function<void(const ClockOffset&)>;
  // Begins on a thread of its own, which calls `found` once for a rank above 0, if rank 0 answers.
  ClockHandshake(std::string folder, int rank, int world, Clock clock, Found found);
  ~ClockHandshake();  // ends it
  ClockHandshake(const ClockHandshake&) = delete;
  ClockHandshake& operator=(const ClockHandshake&) = delete;

 private:
  void ask();
  void answer();
  bool pause(int microseconds) const;  // false: it is to end
  std::string file(const char* kind, int rank) const;

  const std::string folder_;
  const int rank_, world_;
  const Clock clock_;
  const Found found_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// The folder beside a recording by which the ranks of one job find each other, and no others do. Empty: they all run on
// one machine, whose steady clock compares them.
std::string handshake_folder(const std::string& recording, int world);

}  // namespace footlight::record
