// The beginning of the recording that a rank of a distributed run writes.
#pragma once

#include "engine/session/writer.h"

#include <memory>
#include <string>
#include <vector>

namespace footlight {

struct RankProcess {
  int rank = 0, world = 1;
  std::string host, machine;
  std::vector<session::ClockReading> clocks;  // the first is when the run started
};

// With the rank's process, its main thread on track 0, and function 0, train_step.
inline std::unique_ptr<session::Writer> begin_rank(const std::string& path, RecordingLevel level,
                                                   const RankProcess& rank) {
  session::RunRecord run;
  run.script = "/home/ada/train.py";
  run.started_ns = rank.clocks.front().clock_ns;
  auto writer = session::Writer::create(path, run, level);
  session::ProcessRecord process;
  process.id = session::ProcessId(0);
  process.rank = rank.rank;
  process.world = rank.world;
  process.kind = session::ProcessRecord::kRank;
  process.host = rank.host;
  process.machine = rank.machine;
  process.pid = 100 + rank.rank;
  process.clocks = rank.clocks;
  writer->add(process);
  writer->add(session::ThreadRecord{session::ThreadId(0), 7, "main"});
  session::TrackRecord track;
  track.id = session::TrackId(0);
  track.kind = "thread";
  track.name = "main";
  track.thread = session::ThreadId(0);
  writer->add(track);
  writer->add(session::FunctionRecord{FunctionId(0), "train_step", session::FileId(), 0, 0, {}});
  return writer;
}

}  // namespace footlight
