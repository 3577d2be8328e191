// Questions and answers are small files, which are written whole: under another name first.
#include "engine/record/clock_handshake.h"

#include "engine/base/background_thread.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

namespace footlight::record {
namespace {

constexpr int kRounds = 16;               // of which the quickest counts
constexpr int kQuick = 500, kSlow = 20'000;  // us between two looks: while answers come, and else
constexpr int64_t kQuickFor = 500'000'000;   // ns without an answer until looks become seldom
constexpr int64_t kLongest = 600'000'000'000;  // ns until nobody is waited for any more

int64_t passed_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool write_whole(const std::string& path, const std::string& text) {
  const std::string other = path + ".new";
  std::ofstream out(other);
  out << text;
  out.close();
  return out && std::rename(other.c_str(), path.c_str()) == 0;
}

std::string read_whole(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

ClockHandshake::ClockHandshake(std::string folder, int rank, int world, Clock clock, Found found)
    : folder_(std::move(folder)), rank_(rank), world_(world), clock_(std::move(clock)), found_(std::move(found)) {
  thread_ = quiet_thread([this] {
    if (rank_ == 0) answer();
    else ask();
    rmdir(folder_.c_str());  // fails while others use it
  });
}

ClockHandshake::~ClockHandshake() {
  stop_.store(true);
  if (thread_.joinable()) thread_.join();
}

bool ClockHandshake::pause(int microseconds) const {
  if (!stop_.load()) usleep(static_cast<useconds_t>(microseconds));
  return !stop_.load();
}

std::string ClockHandshake::file(const char* kind, int rank) const {
  return folder_ + "/" + kind + "." + std::to_string(rank);
}

void ClockHandshake::ask() {
  const int64_t began = passed_ns();
  const std::string question = file("question", rank_), reply = file("answer", rank_);
  ClockOffset best;
  int rounds = 0;
  for (; rounds < kRounds && passed_ns() - began < kLongest; ++rounds) {
    // Another run may have left files here.
    const std::string text = std::to_string(getpid()) + "-" + std::to_string(began) + "-" + std::to_string(rounds);
    mkdir(folder_.c_str(), 0777);
    const int64_t before = clock_();
    if (!write_whole(question, text)) break;
    const int64_t asked = passed_ns();
    std::string said;
    while (!said.starts_with(text + " ")) {
      if (!pause(passed_ns() - asked < kQuickFor ? kQuick : kSlow) || passed_ns() - began > kLongest) break;
      said = read_whole(reply);
    }
    const int64_t after = clock_();
    int64_t theirs = 0;
    const size_t at = text.size() + 1;
    if (said.size() <= at || std::from_chars(said.data() + at, said.data() + said.size(), theirs).ec != std::errc())
      break;
    const int64_t error = (after - before + 1) / 2;
    if (rounds == 0 || error < best.error_ns) best = {theirs - (before + (after - before) / 2), error};
  }
  unlink(question.c_str());
  unlink(reply.c_str());
  if (rounds > 0) found_(best);
}

void ClockHandshake::answer() {
  mkdir(folder_.c_str(), 0777);
  const int64_t began = passed_ns();
  int64_t last = 0;
  std::map<int, std::string> answered;
  std::map<int, int> rounds;
  const auto is_done = [&](int rank) { return rounds[rank] >= kRounds; };
  while (passed_ns() - began < kLongest) {
    int open = 0;
    for (int rank = 1; rank < world_; ++rank) {
      if (is_done(rank)) continue;
      ++open;
      const std::string text = read_whole(file("question", rank));
      const int64_t now = clock_();
      if (text.empty() || text == answered[rank]) continue;
      if (!write_whole(file("answer", rank), text + " " + std::to_string(now))) continue;
      answered[rank] = text;
      last = passed_ns();
      ++rounds[rank];
    }
    if (!open || !pause(passed_ns() - last < kQuickFor ? kQuick : kSlow)) return;
  }
}

std::string handshake_folder(const std::string& recording, int world) {
  for (const char* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                           "SLURM_NTASKS_PER_NODE"})
    if (const char* const text = std::getenv(name); text && std::to_string(world) == text) return {};
  uint64_t hash = 14695981039346656037u;
  const auto add = [&](const char* text) {
    for (; text && *text; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 1099511628211u;
    hash = (hash ^ '/') * 1099511628211u;
  };
  for (const char* name : {"MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "SLURM_STEP_ID",
                           "PMIX_NAMESPACE", "PMI_JOBID"})
    add(std::getenv(name));
  const size_t slash = recording.rfind('/');
  const std::string folder = slash == recording.npos ? "." : recording.substr(0, slash + 1);
  char name[80];
  std::snprintf(name, sizeof name, "/.footlight-clocks-%d-%016llx", world, static_cast<unsigned long long>(hash));
  return folder + name;
}

}  // namespace footlight::record
