// Reads the rank from what launchers put into the environment, and compares the recorder's clock with the steady one.
#include "engine/record/this_process.h"

#include "engine/base/clock.h"
#include "engine/record/clock_handshake.h"
#include "engine/session/writer.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>

namespace footlight::record {
namespace {

// What launchers put into the environment: torchrun, Open MPI, MPICH and Intel MPI, Slurm. A Slurm batch script has
// SLURM_PROCID too, but no step.
struct Launcher { const char *rank, *world, *local_rank; };
constexpr Launcher kLaunchers[] = {{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
                                   {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
                                   {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
                                   {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"}};

std::optional<int> number_in(const char* name) {
  const char* const text = std::getenv(name);
  if (!text) return {};
  int number = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
  if (error != std::errc() || *end || end == text || number < 0) return {};
  return number;
}

// The kernel makes it when the machine starts, and the steady clock starts with it.
std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

int64_t steady_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// The closest of a few readings.
session::ClockReading read_clocks() {
  session::ClockReading best;
  for (int i = 0; i < 8; ++i) {
    const int64_t before = steady_ns(), clock = now_ns(), after = steady_ns();
    const int64_t error = (after - before + 1) / 2;
    if (i == 0 || error < best.error_ns) best = {clock, before + (after - before) / 2, error};
  }
  return best;
}

struct Known {
  std::mutex mutex;
  session::ProcessRecord process;
  std::unique_ptr<ClockHandshake> handshake;
};

// Never destroyed: exit handlers use it.
Known& known() {
  static Known* it = new Known;
  return *it;
}

// Ranks on different machines compare their clocks while the program runs.
void begin_handshake() {
  const session::ProcessRecord process = this_process();
  session::Writer* const writer = session::active_writer();
  if (!writer || process.kind != session::ProcessRecord::kRank) return;
  const std::string folder = handshake_folder(writer->path(), process.world);
  if (folder.empty()) return;
  known().handshake = std::make_unique<ClockHandshake>(
      folder, process.rank, process.world, [] { return now_ns(); },
      [](const ClockOffset& offset) {
        change_this_process([&](session::ProcessRecord& p) {
          p.clock_offset_ns = offset.ns;
          p.clock_error_ns = offset.error_ns;
        });
      });
}

// Ray Train starts its workers first, and puts their ranks into the environment later. Other programs that change it do
// so for those that they start.
void take_late_rank(session::ProcessRecord& process) {
  const bool is_of_ray = std::getenv("RAY_JOB_ID") || std::getenv("RAY_RAYLET_PID");
  if (!is_of_ray || process.world > 1 || process.kind == session::ProcessRecord::kFork) return;
  const std::optional<Rank> rank = rank_from_launcher();
  if (!rank) return;
  process.rank = rank->rank;
  process.world = rank->world;
  process.local_rank = rank->local_rank;
  process.kind = session::ProcessRecord::kRank;
}

}  // namespace

std::optional<Rank> rank_from_launcher() {
  for (const Launcher& launcher : kLaunchers) {
    const std::optional<int> rank = number_in(launcher.rank), world = number_in(launcher.world);
    if (rank && world && *world > 1 && *rank < *world)
      return Rank{*rank, *world, number_in(launcher.local_rank).value_or(0)};
  }
  return {};
}

session::ProcessRecord this_process() {
  std::lock_guard lock(known().mutex);
  return known().process;
}

void change_this_process(const std::function<void(session::ProcessRecord&)>& change) {
  session::ProcessRecord process;
  {
    std::lock_guard lock(known().mutex);
    change(known().process);
    process = known().process;
  }
  if (session::Writer* const writer = session::active_writer()) writer->add(std::move(process));
}

void process_begins() {
  change_this_process([](session::ProcessRecord& process) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    process.host = host;
    process.pid = getpid();
    process.machine = boot_id();
    process.clocks = {read_clocks()};
    process.clock_offset_ns = process.clock_error_ns = 0;
    const std::optional<Rank> rank = process.world < 2 ? rank_from_launcher() : std::nullopt;
    if (!rank) return;
    process.rank = rank->rank;
    process.world = rank->world;
    process.local_rank = rank->local_rank;
    if (process.kind.empty()) process.kind = session::ProcessRecord::kRank;
  });
  begin_handshake();
}

void process_ends() {
  known().handshake.reset();
  change_this_process([](session::ProcessRecord& process) {
    take_late_rank(process);
    process.clocks.resize(1);
    process.clocks.push_back(read_clocks());
  });
}

void process_forked() {
  new (&known().mutex) std::mutex;
  (void)known().handshake.release();  // its thread does not exist here
  session::ProcessRecord& process = known().process;
  process.kind = session::ProcessRecord::kFork;
  process.parent_pid = static_cast<int>(process.pid);
  process.pid = getpid();
  process.clocks.clear();
}

}  // namespace footlight::record
