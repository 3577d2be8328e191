// make_export_session OUT.footlight [SEED [CHUNKS]]: a session with every kind of event, several threads and two
// processes, for the tests of exports; with SEED, a random one, as an unfinished log of many chunks if these are given.
#include "tests/query/random_session.h"
#include "tests/session/records.h"
#include "tests/session/sample_session.h"

#include "engine/base/errors.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace footlight;
using namespace footlight::session;

namespace {

constexpr int64_t kStart = 1'767'225'600'000'000'000;  // of the sample session
constexpr uint64_t kFirstOp = ThreadRings::op_event_id(0, 0);

void add_op(OpColumns& ops, uint16_t thread, uint32_t number, int64_t start, int64_t end) {
  ops.append(thread, ThreadRings::op_event_id(thread, number), op_of(OpId(3), kStart + start, kStart + end));
}

// Two kernels and their launches, caused by the sample's first two ops; work without a cause, and without a time.
void write_device(Writer& w) {
  const auto add = [&](const char* kind, const char* name, int64_t start, int64_t end, uint32_t stream,
                       uint32_t correlation, uint64_t op) {
    DeviceRecord d = device_work(kind, name, start ? kStart + start : 0, start ? kStart + end : 0, op);
    d.stream = stream;
    d.thread = 4711;
    d.correlation = correlation;
    d.bytes = correlation == 3 ? 4096 : 0;
    w.add(std::move(d));
  };
  add("runtime", "cudaLaunchKernel", 1'000, 1'500, 0, 1, kFirstOp);
  add("kernel", "mean_kernel", 2'000, 9'000, 7, 1, kFirstOp);
  add("runtime", "cudaLaunchKernel", 3'600, 3'900, 0, 2, kFirstOp + 1);
  add("kernel", "sub_kernel", 9'000, 9'500, 7, 2, kFirstOp + 1);
  add("runtime", "cudaMemcpyAsync", 20'000, 20'100, 0, 3, 0);
  add("memcpy", "copy to device", 20'050, 21'000, 8, 3, 0);
  add("memset", "memset", 20'500, 21'500, 8, 0, 0);  // overlaps the copy
  add("sync", "stream synchronize", 20'000, 22'000, 8, 0, 0);
  add("overhead", "flush of CUPTI buffers", 30'000, 31'000, 0, 0, 0);
  add("kernel", "untimed_kernel", 0, 0, 7, 9, 0);
}

void write_more(Writer& w, int64_t last) {
  w.add(ThreadRecord{ThreadId(1), 4712, "worker"});
  // Recorded when they end, so the inner ones first: equal starts, equal ends, equal times, and neighbours.
  OpColumns ops;
  int64_t start = last - kStart + 1000;
  const int64_t outer = start;
  uint32_t number = 0;
  for (int i = 0; i < 4; ++i, start += 100) {
    add_op(ops, 1, number++, start, start + 50);
    add_op(ops, 1, number++, start, start + 100);
  }
  add_op(ops, 1, number++, outer, start);
  add_op(ops, 1, number++, outer, start);
  w.add_rows(ops);
  w.add(WaitRecord{FunctionId(0), ThreadId(1), kStart + start, kStart + start + 500, {CodeId(0), 124}});

  w.add(TrackRecord{TrackId(2), {}, {}, "thread", "python3", ThreadId(0), {}});
  w.add(TrackRecord{TrackId(3), {}, {}, "process", "loader", {}, {}});
  SpanRecord span{TrackId(2), kStart, last, "epoch", "train", R"({"number": 1, "tags": ["a", null, -1.5e3]})"};
  span.flow_out = 5;
  w.add(span);
  span = {TrackId(3), kStart + 1'000, kStart + 9'000, "load", "input", "no JSON"};
  span.flow_in = 5;
  w.add(span);
  w.add(SpanRecord{TrackId(3), kStart + 5'000, kStart + 12'000, "load", "input"});  // overlaps the one before
  w.add(CounterRecord{TrackId(1), kStart + 6'000'000, std::nan("")});
  write_device(w);
  w.add_dropped("op events", "the thread's ring was full", 12'000);
}

// A rank on another machine with the same process id, whose clock is late.
void write_rank(const std::string& path) {
  const auto w = Writer::attach(path);
  ProcessRecord process;
  process.rank = 1;
  process.pid = 4711;
  process.clock_offset_ns = 1'000'000;
  w->add(process);
  w->add(OpNameRecord{OpId(3), "AddV2", "elementwise"});
  w->add(ThreadRecord{ThreadId(0), 4711, "python3"});
  OpColumns ops;
  for (uint32_t i = 0; i < 10; ++i) add_op(ops, 0, i, 1'000 + 100 * i, 1'100 + 100 * i);
  w->add_rows(ops);
  w->close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    if (argc > 2) {
      const query::RandomSession random(static_cast<uint32_t>(std::atoi(argv[2])), 20'000, 3);
      random.write(argv[1], argc > 3 ? std::atoi(argv[3]) : 1, argc == 3);
      return 0;
    }
    const auto writer = Writer::create(argv[1], sample::run_record(), RecordingLevel::kOps);
    const int64_t last = sample::write_session(*writer);
    write_more(*writer, last);
    write_rank(argv[1]);
    writer->finish({last + 1'000'000, 0, 0, "finished"});
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
