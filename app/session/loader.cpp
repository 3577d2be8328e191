// Turns what a reader has into batches.
#include "app/session/loader.h"

#include "engine/base/errors.h"

#include <algorithm>

namespace footlight::app {
namespace {

constexpr int kPollMs = 100;
constexpr size_t kRowsInBatch = 400'000;

template <class Record>
std::vector<Record> tail(const std::vector<Record>& all, size_t& taken) {
  std::vector<Record> more(all.begin() + static_cast<ptrdiff_t>(std::min(taken, all.size())), all.end());
  taken = all.size();
  return more;
}

QString level_word(RecordingLevel level) {
  switch (level) {
    case RecordingLevel::kOff: return QStringLiteral("off");
    case RecordingLevel::kStructure: return QStringLiteral("structure");
    case RecordingLevel::kOps: return QStringLiteral("ops");
  }
  return {};
}

// A session cannot name more ops than an id has room for.
constexpr size_t kMostOps = 1 << 16;

}  // namespace

void apply(Batch&& b, Document& document) {
  if (b.records) {
    document.run = std::move(b.run);
    for (auto& f : b.files) document.add(std::move(f));
    for (auto& c : b.codes) document.add(std::move(c));
    for (auto& f : b.functions) document.add(std::move(f));
    for (auto& t : b.traces) document.add(std::move(t));
    for (auto& g : b.graphs) document.add(std::move(g));
    for (auto& s : b.signatures) document.add(std::move(s));
    for (auto& g : b.generated) document.add(std::move(g));
    document.decisions = std::move(b.decisions);
    document.ops = std::move(b.ops);
    document.device_names = std::move(b.device_names);
    document.end = std::move(b.end);
    document.level = b.level;
    document.dropped = b.dropped;
    document.damage = b.damage;
    for (auto& c : b.console) document.console.push_back(std::move(c));
  }
  document.live = b.state == session::State::kLive;
  document.add_calls(b.calls);
  for (const auto& [thread, events] : b.events) document.add_events(thread, events.data(), events.size());
  for (auto& d : b.device) document.device.push_back(std::move(d));
}

Loader::Loader() : timer_(this) {
  timer_.setInterval(kPollMs);
  connect(&timer_, &QTimer::timeout, this, &Loader::poll);
}

void Loader::open(const QString& path, bool live) {
  path_ = path;
  timer_.stop();
  try {
    reader_ = session::Reader::open(path.toStdString());
  } catch (const std::exception& e) {
    // A run that has just begun may not have written its first bytes yet.
    if (live) {
      QTimer::singleShot(kPollMs, this, [this, path] {
        if (!stop_ && !reader_) open(path, true);
      });
      return;
    }
    Q_EMIT failed(QString::fromStdString(e.what()));
    return;
  }
  bool first = true;
  try {
    while (!stop_ && next(first)) first = false;
  } catch (const std::exception& e) {
    Q_EMIT failed(QString::fromStdString(e.what()));
    return;
  }
  if (!stop_ && reader_->state() == session::State::kLive) timer_.start();
}

void Loader::poll() {
  if (stop_ || !reader_ || waiting_ > 0) return;
  try {
    const session::Changes changes = reader_->refresh();
    if (changes || unsent_) unsent_ = next(false);
    if (reader_->state() != session::State::kLive && !unsent_) timer_.stop();
  } catch (const std::exception& e) {
    timer_.stop();
    Q_EMIT failed(QString::fromStdString(e.what()));
  }
}

// Sends one batch; true when more of what is there follows.
bool Loader::next(bool first) {
  auto made = std::make_shared<Batch>();
  Batch& b = *made;
  const session::Contents& c = reader_->contents();
  b.first = first;
  b.state = reader_->state();
  b.records = true;
  b.run = c.run;
  b.functions = c.functions;
  b.traces = c.traces;
  b.generated = c.generated;
  b.decisions = c.decisions;
  b.end = c.end;
  b.level = level_word(c.level);
  b.damage = QString::fromStdString(reader_->damage());
  for (const auto& d : c.dropped) b.dropped += d.count;
  for (const auto& op : c.op_names) {
    const size_t at = op.id.value;
    if (at >= kMostOps) continue;
    if (b.ops.size() <= at) b.ops.resize(at + 1);
    b.ops[at] = {op.name, op.family};
  }
  for (const auto& d : c.device_names) {
    if (b.device_names.size() <= d.number) b.device_names.resize(size_t{d.number} + 1);
    b.device_names[d.number] = d.name;
  }
  b.files = tail(c.files, files_);
  b.codes = tail(c.codes, codes_);
  b.graphs = tail(c.graphs, graphs_);
  b.signatures = tail(c.signatures, signatures_);
  b.console = tail(c.console, console_);

  size_t rows = 0;
  const auto& calls = reader_->calls();
  for (; call_chunks_ < calls.index().size() && rows < kRowsInBatch; ++call_chunks_) {
    const auto chunk = calls.chunk(call_chunks_);
    b.calls.insert(b.calls.end(), chunk->begin(), chunk->end());
    rows += chunk->size();
  }
  const auto& device = reader_->device_events();
  for (; device_chunks_ < device.index().size() && rows < kRowsInBatch; ++device_chunks_) {
    const auto chunk = device.chunk(device_chunks_);
    b.device.insert(b.device.end(), chunk->begin(), chunk->end());
    rows += chunk->size();
  }
  const auto& ops = reader_->op_events();
  for (; op_chunks_ < ops.index().size() && rows < kRowsInBatch; ++op_chunks_) {
    const auto chunk = ops.chunk(op_chunks_);
    for (size_t i = 0; i < chunk->size(); ++i) {
      const uint32_t thread = chunk->thread[i];
      auto it = std::find_if(b.events.begin(), b.events.end(), [&](const auto& e) { return e.first == thread; });
      if (it == b.events.end()) it = b.events.insert(b.events.end(), {thread, {}});
      OpSpan span;
      span.start_ns = chunk->start_ns[i];
      span.end_ns = chunk->end_ns[i];
      span.id = chunk->id[i];
      span.call = CallId(chunk->call[i]);
      span.source = chunk->source(i);
      span.node = NodeId(chunk->node[i]);
      span.bytes = chunk->bytes[i];
      span.signature = SignatureId(chunk->signature[i]);
      span.op = OpId(chunk->op[i]);
      span.device = chunk->device[i];
      it->second.push_back(span);
    }
    rows += chunk->size();
  }
  const uint64_t total = ops.index().size() + calls.index().size() + device.index().size();
  const uint64_t taken = op_chunks_ + call_chunks_ + device_chunks_;
  b.complete = taken >= total;
  b.progress = total ? static_cast<double>(taken) / static_cast<double>(total) : 1;
  ++waiting_;
  Q_EMIT batch(made);
  return !b.complete;
}

}  // namespace footlight::app
