// Seeds are generated, not stored, so that they follow the format.
#include "tests/fuzz/session_seeds.h"

#include "engine/session/chunk.h"
#include "engine/session/database.h"
#include "engine/session/log.h"
#include "engine/session/writer.h"
#include "tests/fuzz/session_input.h"
#include "tests/session/records.h"
#include "tests/session/sample_session.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdlib>
#include <cstring>

namespace footlight::fuzz {
namespace {
using namespace session;

std::string read_file(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes(size_t{8} << 20, '\0');
  const ssize_t n = read(file.get(), bytes.data(), bytes.size());
  bytes.resize(n < 0 ? 0 : static_cast<size_t>(n));
  return bytes;
}

std::string with_mode(Mode mode, std::string_view bytes) { return std::string(1, char(mode)).append(bytes); }

std::string columns(Mode mode, uint16_t rows, std::string_view chunk) {
  chunk.remove_prefix(10);
  std::string raw(ZSTD_getFrameContentSize(chunk.data(), chunk.size()), '\0');
  ZSTD_decompress(raw.data(), raw.size(), chunk.data(), chunk.size());
  return with_mode(mode, std::string(reinterpret_cast<const char*>(&rows), 2) + raw);
}

// The payloads of a log's frames.
std::string payloads(const std::string& path) {
  std::string out;
  LogScanner scanner(Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)));
  scanner.scan(true, [&](std::string_view payload, int64_t) {
    if (payload.size() > 0xffff || out.size() > 30'000) return;
    const auto length = static_cast<uint16_t>(payload.size());
    out.append(reinterpret_cast<const char*>(&length), 2);
    out.append(payload);
  });
  return out;
}

std::string with_side_files(std::string_view file, std::string_view wal, std::string_view journal) {
  std::string out;
  for (const std::string_view part : {file, wal, journal}) {
    const auto length = static_cast<uint32_t>(part.size());
    out.append(reinterpret_cast<const char*>(&length), sizeof length);
    out.append(part);
  }
  return with_mode(kSideFiles, out);
}

// The head of a journal that SQLite would roll back with, for a file of `pages` pages.
std::string journal_head(uint32_t pages, uint32_t page_size) {
  std::string out("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  for (const uint32_t number : {1u, 7u, pages, 512u, page_size})
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(number >> shift));
  out.resize(512);
  out.append(page_size + 8, 'j');
  return out;
}

// Repetitions of a call, with everything that Compare looks at beside them.
void write_comparison(Writer& writer) {
  const FileId file = writer.file("/a/train.py", "import tf\ny = f(x)\n");
  writer.add(CodeRecord{CodeId(1), file, "f", 1, {{0, 1}, {4, 2}}});
  writer.add(FunctionRecord{FunctionId(1), "f", file, 1, 0, {}});
  GraphRecord graph;
  graph.id = GraphId(1), graph.name = "f";
  for (uint32_t i = 0; i < 3; ++i)
    graph.nodes.push_back(node_of(i, "mul_" + std::to_string(i), "Mul", {}, {CodeId(1), 4 * (i % 2)}));
  writer.add(graph);
  writer.add(trace_of(TraceId(1), FunctionId(1), 1, GraphId(1), 100, 900));
  writer.add(OpNameRecord{OpId(1), "Mul", "elementwise"});
  OpColumns ops;
  for (uint32_t i = 0; i < 6; ++i) {
    const int64_t start = 1000 + 20 * int64_t{i};
    OpEvent e = op_of(OpId(1), start, start + 10, CallId(1));
    e.set_node(GraphId(1), NodeId(i % 3));
    ops.append(0, i + 1, e);
  }
  writer.add_rows(std::move(ops));
  writer.add(CallRecord{
      CallId(1), FunctionId(1), TraceId(1), CallOutcome::kTrace, ThreadId(0), 50, 2000, {CodeId(1), 4}});
  writer.add(CallRecord{
      CallId(2), FunctionId(1), TraceId(1), CallOutcome::kHit, ThreadId(0), 2100, 2400, {CodeId(1), 4}});
  ComparisonRecord record;
  record.function = FunctionId(1), record.trace = TraceId(1), record.call = 1, record.source = {CodeId(1), 4};
  record.stopped = "all pairs were run", record.start_ns = 40, record.end_ns = 49;
  for (uint32_t i = 0; i < 8; ++i) {
    ComparisonRun& run = record.runs.emplace_back();
    run.pair = i / 2, run.traced = i % 2, run.with_events = i < 4;
    run.start_ns = 3000 + 100 * int64_t{i}, run.end_ns = run.start_ns + 90;
    for (int64_t mark = 0; run.with_events && mark < 4; ++mark) {
      ComparisonMark& made = run.marks.emplace_back();
      made.start_ns = run.start_ns + 20 * mark;
      made.activity = mark % 2 ? footlight::Activity::kKernel : footlight::Activity::kDispatch;
      made.op = OpId(1);
      if (run.traced) made.graph = GraphId(1), made.node = NodeId(1);
      else made.source = {CodeId(1), 4};
    }
  }
  record.changes.push_back({GraphId(1), NodeId(2), "prune", Fate::kNothing, {}});
  record.notes = {"prints: 3 bytes"};
  writer.add(std::move(record));
}

}  // namespace

std::vector<std::string> session_seeds() {
  char folder[] = "/tmp/footlight-seeds-XXXXXX";
  if (!mkdtemp(folder)) std::abort();
  const std::string path = std::string(folder) + "/s", small = std::string(folder) + "/small";
  std::vector<std::string> seeds;
  {
    auto writer = Writer::create(path, sample::run_record(), RecordingLevel::kOps);
    sample::write_session(*writer);
    writer->flush();
    seeds.push_back(with_mode(kFile, read_file(path)));
    seeds.push_back(with_mode(kFrames, payloads(path)));
    writer->finish({1, 0, 0, "finished"});
  }
  {
    // With small pages, to keep the input small.
    auto writer = Writer::create(small, sample::run_record(), RecordingLevel::kOps);
    writer->add(ConsoleRecord{1, ConsoleStream::kStdout, "hello\n"});
    writer->finish({1, 0, 0, "finished"});
    Database db = Database::create(small);  // opens the existing file
    db.run("PRAGMA page_size=512; VACUUM");
    db.close();
    const std::string whole = read_file(small);
    seeds.push_back(with_mode(kFile, whole));
    // Changed with SQLite by a process that was killed: the changes are in the write-ahead log.
    Database changed = Database::create(small);
    changed.run("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; INSERT INTO console VALUES(5, 0, 'more', 0)");
    const std::string wal = read_file(small + "-wal");
    if (wal.empty()) std::abort();
    seeds.push_back(with_side_files(read_file(small), wal, {}));
    seeds.push_back(with_side_files(whole, {}, journal_head(static_cast<uint32_t>(whole.size() / 512), 512)));
  }
  {
    const std::string compared = std::string(folder) + "/compared";
    auto writer = Writer::create(compared, sample::run_record(), RecordingLevel::kOps);
    write_comparison(*writer);
    writer->flush();
    seeds.push_back(with_mode(kFile, read_file(compared)));
    seeds.push_back(with_mode(kFrames, payloads(compared)));
    writer->finish({1, 0, 0, "finished"});
    seeds.push_back(with_mode(kFile, read_file(compared)));
  }
  OpColumns ops;
  std::vector<CallRecord> calls;
  std::vector<DeviceRecord> device;
  std::vector<SpanRecord> spans;
  std::vector<CounterRecord> counters;
  for (uint32_t i = 0; i < 20; ++i) {
    const OpEvent e = op_of(OpId(), 1000 * int64_t{i}, 1000 * int64_t{i} + 50);
    ops.append(0, i, e);
    calls.push_back({CallId(i), FunctionId(1), TraceId(2), CallOutcome::kHit, ThreadId(0), e.start_ns, e.end_ns, {}});
    device.push_back({"kernel", "gemm", e.start_ns, e.end_ns, 0, 0, 0, 0, i, i, {}, 64});
    spans.push_back({TrackId(i % 3), e.start_ns, e.end_ns, "step", "train", "{\"n\": 1}"});
    counters.push_back({TrackId(3), e.start_ns, 0.5 * i});
  }
  seeds.push_back(columns(kOpColumns, 20, encode_chunk(ops)));
  seeds.push_back(columns(kCallColumns, 20, encode_chunk(calls)));
  seeds.push_back(columns(kDeviceColumns, 20, encode_chunk(device)));
  seeds.push_back(columns(kSpanColumns, 20, encode_chunk(spans)));
  seeds.push_back(columns(kCounterColumns, 20, encode_chunk(counters)));
  unlink(path.c_str());
  for (const char* suffix : {"", "-wal", "-journal"}) unlink((small + suffix).c_str());
  rmdir(folder);
  return seeds;
}

std::string mutated(std::string bytes, std::mt19937& random) {
  const auto at = [&] { return 1 + random() % (bytes.size() - 1); };  // the first byte is the mode
  for (uint32_t n = 1 + random() % 8; n > 0 && bytes.size() > 4; --n) {
    switch (random() % 6) {
      case 0: bytes[at()] = static_cast<char>(random()); break;
      case 1: bytes[at()] ^= static_cast<char>(1 << (random() % 8)); break;
      case 2: bytes.resize(at() + 1); break;
      case 3: bytes.erase(at(), random() % 16); break;
      case 4: bytes.insert(at(), bytes.substr(at(), random() % 64)); break;
      default: bytes[at()] = random() % 2 ? '\xff' : '\0';
    }
  }
  return bytes;
}

}  // namespace footlight::fuzz
