// A recording with known times, for tests that compare recordings.
#pragma once

#include "engine/explain/compare/recorded.h"
#include "engine/session/writer.h"
#include "tests/session/records.h"

#include <QTemporaryDir>

#include <map>
#include <utility>

namespace footlight::explain {

// A recording that is written moment by moment; knows what each moment was.
class Recording {
 public:
  static constexpr int64_t kStart = 1'700'000'000'000'000'000;
  static constexpr const char* kOps[] = {"MatMul", "Mul", "Sin", "Relu"};
  static constexpr uint32_t kLines = 200;

  explicit Recording(const char* name, const std::string& text = "", const char* script = "/a/train.py",
                     const char* engine = "")
      : path_(folder_.filePath(QString::fromLatin1(name) + QStringLiteral(".footlight")).toStdString()) {
    session::RunRecord run;
    run.script = script;
    run.engine = engine;
    run.started_ns = kStart;
    writer_ = session::Writer::create(path_, run, RecordingLevel::kOps);
    const session::FileId file = writer_->file(script, text);
    session::CodeRecord code{CodeId(1), file, "train", 1, {}};
    for (uint32_t i = 0; i < kLines; ++i) code.lines.push_back({i, i + 1});
    writer_->add(code);
    writer_->add(session::FunctionRecord{FunctionId(1), "Model.step", file, 3, 0, {}});
    writer_->add(session::FunctionRecord{FunctionId(2), "other", file, 3, 0, {}});
    for (uint16_t i = 0; i < std::size(kOps); ++i) writer_->add(session::OpNameRecord{OpId(i), kOps[i], "elementwise"});
  }

  void python(int64_t ns) { spend(Share::kPython, ns); }
  void eager_op(int op, int line, int64_t ns, uint16_t thread = 0) {
    add_line_op(op, line, ns, thread);
    if (!thread) spend_in_kernel(line, ns);
  }
  void begin_call(uint32_t function = 1, uint32_t trace = 1, CallOutcome outcome = CallOutcome::kHit) {
    call_ = call_of(CallId(next_call_++), FunctionId(function), TraceId(trace), outcome, now_);
    call_.thread = session::ThreadId(0);
    call_.source = {CodeId(1), 30};
  }
  void in_call(int64_t ns) { spend(Share::kDispatch, ns); }
  void trace(uint32_t id, int64_t ns, uint32_t function = 1, int number = 0) {
    session::TraceRecord t = trace_of(TraceId(id), FunctionId(function), number ? number : static_cast<int>(id),
                                      GraphId(id), now_, now_ + ns);
    // An op that runs while a trace is made is a part of that.
    add_line_op(0, 1, ns / 2);
    spend(Share::kTracing, ns);
    t.phases = {{"python", "trace", -1, t.start_ns, t.end_ns, session::ThreadId(0)}};
    writer_->add(t);
  }
  // Nodes of graph `trace`: one for each line from 1 on, op `line % 4`.
  void node(uint32_t trace, int line, int64_t ns) {
    add_node(trace, line, ns, 0);
    spend_in_kernel(line, ns);
  }
  // The same on a thread that helps with the graph: it takes no time of the caller's.
  void node_elsewhere(uint32_t trace, int line) { add_node(trace, line, 50, 3); }
  void end_call() {
    call_.end_ns = now_;
    writer_->add(call_);
  }
  void graph(uint32_t id) {
    session::GraphRecord g;
    g.id = GraphId(id), g.name = "step";
    for (uint32_t line = 1; line < kLines; ++line)
      g.nodes.push_back(node_of(line - 1, "n" + std::to_string(line), kOps[line % 4], {}, {CodeId(1), line - 1}));
    writer_->add(g);
  }
  void add(const session::DeviceRecord& device) { writer_->add(device); }
  // Machine code is made within a call, on the thread's own track.
  void machine_code(int64_t ns) {
    add_span(50, "thread", session::SpanRecord::kMachineCode, {}, ns);
    spend(Share::kMachineCode, ns);
  }
  // Elements of a pipeline, for which the thread waited `ns` in the next `over` of its time.
  void takes_elements(int64_t ns, int64_t over) {
    add_span(51, session::TrackRecord::kStage, "wait",
             "{\"elements\": 3, \"busy_ns\": " + std::to_string(ns) + "}", over);
  }
  void waited(int64_t ns) { spend(Share::kInput, ns); }
  void was_compared(int64_t ns) {
    session::ComparisonRecord compared;
    compared.function = FunctionId(1), compared.trace = TraceId(1);
    compared.start_ns = now_, compared.end_ns = now_ += ns;
    writer_->add(compared);
  }
  int64_t now() const { return now_; }
  // Without this, the thread that records first counts.
  void name_main_thread() {
    session::ProcessRecord process;
    process.pid = 4711;
    writer_->add(process);
    writer_->add(session::ThreadRecord{session::ThreadId(3), 4712, "pool"});
    writer_->add(session::ThreadRecord{session::ThreadId(0), 4711, "python"});
  }
  void drop(uint64_t ops) { writer_->add_dropped("op events", "the ring was full", ops); }

  const session::Reader& reader() {
    if (reader_) return *reader_;
    flush();
    writer_->finish({now_, 0, 0, "finished"});
    writer_.reset();
    reader_ = session::Reader::open(path_);
    return *reader_;
  }
  RecordedSide side(std::string_view words = "") { return {reader(), path_, recorded_named(words)}; }
  std::map<Share, int64_t> spent() const { return spent_; }
  std::map<int, int64_t> lines() const { return lines_; }
  // What was spent so far is forgotten: it is not in the part that is compared.
  void forget() { spent_.clear(), lines_.clear(); }

 private:
  void add_span(uint32_t id, const char* kind, const std::string& category, const std::string& args, int64_t ns) {
    session::TrackRecord track;
    track.id = session::TrackId(id), track.kind = kind, track.thread = session::ThreadId(0);
    if (!std::exchange(tracks_[id], true)) writer_->add(track);
    session::SpanRecord span;
    span.track = track.id, span.start_ns = now_, span.end_ns = now_ + ns;
    span.name = span.category = category;
    span.args = args;
    writer_->add(std::move(span));
  }
  OpEvent op_now(int op, int64_t ns) const { return op_of(OpId(static_cast<uint16_t>(op)), now_, now_ + ns); }
  void add_line_op(int op, int line, int64_t ns, uint16_t thread = 0) {
    OpEvent event = op_now(op, ns);
    event.set_source({CodeId(1), static_cast<uint32_t>(line - 1)});
    add_op(event, thread);
  }
  void add_node(uint32_t trace, int line, int64_t ns, uint16_t thread) {
    OpEvent event = op_now(line % 4, ns);
    event.call = call_.id;
    event.set_node(GraphId(trace), NodeId(static_cast<uint32_t>(line - 1)));
    add_op(event, thread);
  }
  void add_op(const OpEvent& event, uint16_t thread) {
    if (ops_.size() >= 5000) flush();
    ops_.append(thread, next_op_++, event);
  }
  void flush() {
    if (ops_.size()) writer_->add_rows(std::move(ops_));
    ops_ = {};
  }
  void spend(Share share, int64_t ns) {
    spent_[share] += ns;
    now_ += ns;
  }
  void spend_in_kernel(int line, int64_t ns) {
    spend(Share::kHostKernel, ns);
    lines_[line] += ns;
  }

  QTemporaryDir folder_;
  std::string path_;
  std::unique_ptr<session::Writer> writer_;
  std::unique_ptr<session::Reader> reader_;
  session::OpColumns ops_;
  session::CallRecord call_;
  int64_t now_ = kStart;
  uint64_t next_call_ = 1, next_op_ = 1;
  std::map<Share, int64_t> spent_;
  std::map<int, int64_t> lines_;
  std::map<uint32_t, bool> tracks_;
};

}  // namespace footlight::explain
