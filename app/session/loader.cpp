// Turns what a reader has into batches of records, and puts events and calls into a store.
#include "app/session/loader.h"

#include "app/session/recording_for.h"

#include <algorithm>

namespace footlight::app {
namespace {

constexpr int kPollMs = 100;
constexpr int kSliceMs = 15;    // spent reading before queries are checked again
constexpr int kBatchMs = 100;   // between two batches while there is much to read

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

// A session cannot name more ops than fit an id.
constexpr size_t kMaxOps = 1 << 16;
constexpr size_t kMaxDevices = 1 << 8;

uint64_t mixed(std::initializer_list<uint64_t> words) {
  uint64_t h = 1;
  for (const uint64_t w : words) h = (h ^ w) * 0x9E3779B97F4A7C15ull, h ^= h >> 29;
  return h;
}

void take_time(const session::ChunkInfo& chunk, int64_t& first, int64_t& last) {
  if (chunk.first_ns <= 0) return;  // CUPTI: no time
  first = first ? std::min(first, chunk.first_ns) : chunk.first_ns;
  last = std::max(last, chunk.last_ns);
}

}  // namespace

void apply(Batch&& b, Document& document) {
  document.run = std::move(b.run);
  document.processes = std::move(b.processes);
  for (auto& f : b.files) document.add(std::move(f));
  for (auto& c : b.codes) document.add(std::move(c));
  for (auto& l : b.locations) document.add(std::move(l));
  for (auto& f : b.functions) document.add(std::move(f));
  for (auto& t : b.traces) document.add(std::move(t));
  for (auto& g : b.graphs) document.add(std::move(g));
  for (auto& s : b.signatures) document.add(std::move(s));
  for (auto& g : b.generated) document.add(std::move(g));
  for (auto& d : b.decisions) document.decisions.push_back(std::move(d));
  for (auto& o : b.observations) document.observations.push_back(std::move(o));
  for (auto& k : b.keys) document.keys.push_back(std::move(k));
  for (const auto& c : b.console) document.console.push_back(c);
  std::vector<session::ConsoleRecord>().swap(b.console);
  for (auto& c : b.comparisons) document.comparisons.push_back(std::move(c));
  for (auto& v : b.values) document.values.push_back(std::move(v));
  document.checked_calls.insert(document.checked_calls.end(), b.checked_calls.begin(), b.checked_calls.end());
  for (auto& c : b.distinct_calls) document.distinct_calls.push_back(std::move(c));
  if (!b.ops.empty()) document.ops = std::move(b.ops);
  document.eager = std::move(b.eager);
  if (!b.device_names.empty()) document.device_names = std::move(b.device_names);
  document.end = std::move(b.end);
  document.level = b.level;
  document.dropped = b.dropped;
  document.damage = b.damage;
  document.live = b.state == session::State::kLive;
  document.calls = b.calls;
  document.events = b.events;
  document.device_events = b.device_events;
  for (const auto& [id, sums] : b.calls_of_functions) document.set_calls(id, sums);
  for (const auto& [id, sums] : b.calls_of_traces) document.set_calls(id, sums);
  document.note_time(b.first_ns, b.last_ns);
  document.first_device_ns = b.first_device_ns;
  document.first_span_ns = b.first_span_ns;
  document.last_device_ns = b.last_device_ns;
}

Loader::Loader(std::shared_ptr<Questions> questions) : questions_(std::move(questions)), timer_(this), index_(this) {
  timer_.setInterval(kPollMs);
  connect(&timer_, &QTimer::timeout, this, &Loader::poll);
  index_.setInterval(0);
  connect(&index_, &QTimer::timeout, this, &Loader::go_on);
}

void Loader::open(const QString& path, bool live) {
  path_ = path;
  timer_.stop();
  try {
    const auto go_on = [this](double share) {
      Q_EMIT reading(share);
      return !stop_;
    };
    reader_ = session::Reader::open(recording_for(path, folder_, go_on), {go_on});
  } catch (const std::exception& e) {
    // A run that has just started may not have written its first bytes yet.
    if (live) {
      QTimer::singleShot(kPollMs, this, [this, path] {
        if (!stop_ && !reader_) open(path, true);
      });
      return;
    }
    Q_EMIT failed(QString::fromStdString(e.what()));
    return;
  }
  if (stop_) return;
  tracing_ = session::TracingSpans(reader_->contents().traces);
  store_ = std::make_unique<query::Store>(*reader_);
  send();
  index_.start();
  if (reader_->state() == session::State::kLive) timer_.start();
}

void Loader::poll() {
  if (stop_ || !reader_) return;
  try {
    const session::Changes changes = reader_->refresh();
    if (changes) unsent_ = true;
    if (changes) tracing_ = session::TracingSpans(reader_->contents().traces);
    if (changes.chunks) index_.start();
    if (unsent_ && waiting_ <= 0 && !index_.isActive()) send();
    if (reader_->state() != session::State::kLive && !unsent_) timer_.stop();
  } catch (const std::exception& e) {
    timer_.stop();
    Q_EMIT failed(QString::fromStdString(e.what()));
  }
}

void Loader::answer() {
  // While chunks are being read, go_on() runs long queries.
  const auto which = index_.isActive() ? Questions::kShortOnes : Questions::kAll;
  while (!stop_ && store_ && questions_->answer_one(store_.get(), which)) {
  }
}

bool Loader::read_one() {
  try {
    return store_->index(1);
  } catch (...) {
    index_.stop();  // it would fail again at once
    throw;
  }
}

void Loader::sum_eager_ops() {
  if (summed_ops_ < store_->op_chunks()) summed_live_ |= reader_->state() == session::State::kLive;
  for (; summed_ops_ < store_->op_chunks(); ++summed_ops_)
    if (store_->op_chunk_readable(static_cast<uint32_t>(summed_ops_)))
      eager_.add(*store_->op_store().chunk(summed_ops_), tracing_, reader_->contents().op_names);
}

void Loader::go_on() {
  if (stop_ || !store_) {
    index_.stop();
    return;
  }
  QElapsedTimer clock;
  clock.start();
  while (read_one()) {
    unsent_ = true;
    sum_eager_ops();
    answer();
    if (stop_ || clock.elapsed() >= std::max<qint64>(kSliceMs, owed_ms_)) break;
  }
  const bool complete = store_->progress().complete();
  if (complete) index_.stop();
  clock.start();
  if (complete) {
    answer();
  } else {
    questions_->answer_one(store_.get(), Questions::kAll);
  }
  owed_ms_ = clock.elapsed();
  // Report the end of a finished session at once; otherwise leave the window time between two batches.
  const bool last = complete && reader_->state() != session::State::kLive;
  if (unsent_ && (last || (waiting_ <= 0 && (complete || sent_.elapsed() >= kBatchMs)))) send();
}

template <class Record, class Of>
std::vector<Record> Loader::changed(const std::vector<Record>& all, std::vector<Print>& known, Of&& print) {
  std::vector<Record> more;
  for (size_t i = 0; i < all.size(); ++i) {
    const Print now = print(all[i]);
    if (i < known.size() && known[i] == now) continue;
    known.resize(std::max(known.size(), i + 1));
    known[i] = now;
    more.push_back(all[i]);
  }
  return more;
}

void Loader::take_times(Batch& b) {
  const auto take = [](const std::vector<session::ChunkInfo>& index, size_t& taken, int64_t& first, int64_t& last) {
    for (; taken < index.size(); ++taken) take_time(index[taken], first, last);
  };
  take(reader_->op_events().index(), timed_ops_, first_ns_, last_ns_);
  take(reader_->calls().index(), timed_calls_, first_ns_, last_ns_);
  take(reader_->device_events().index(), timed_device_, first_device_ns_, last_device_ns_);
  take(reader_->spans().index(), timed_spans_, first_span_ns_, last_span_ns_);
  b.first_span_ns = first_span_ns_;
  b.first_ns = first_ns_, b.last_ns = last_ns_;
  b.first_device_ns = first_device_ns_, b.last_device_ns = last_device_ns_;
}

// Made here, beside the window: their repetitions may have many thousand marks.
void Loader::take_comparisons(Batch& b) {
  const size_t count = reader_->contents().comparisons.size();
  if (count <= comparisons_) return;
  try {
    std::vector<explain::Comparison> all = explain::comparisons_of(*reader_);
    for (size_t i = comparisons_; i < all.size(); ++i)
      b.comparisons.push_back(std::make_shared<const explain::Comparison>(std::move(all[i])));
  } catch (const std::exception& e) {
    if (!b.damage.isEmpty()) b.damage += QStringLiteral("; ");
    b.damage += QStringLiteral("The comparisons could not be read: ") + QString::fromStdString(e.what());
  }
  comparisons_ = count;
}

void Loader::send() {
  auto made = std::make_shared<Batch>();
  Batch& b = *made;
  const session::Contents& c = reader_->contents();
  b.first = first_;
  first_ = false;
  b.state = reader_->state();
  b.run = c.run;
  b.end = c.end;
  b.level = level_word(c.level);
  b.damage = QString::fromStdString(reader_->damage());
  if (!reader_->left_out().empty()) {
    if (!b.damage.isEmpty()) b.damage += QStringLiteral("; ");
    b.damage += QString::fromStdString(reader_->left_out());
  }
  if (const uint64_t lost = store_->unreadable_rows()) {
    if (!b.damage.isEmpty()) b.damage += QStringLiteral("; ");
    b.damage += QStringLiteral("%1 events could not be read").arg(lost);
  }
  for (const auto& d : c.dropped) b.dropped += d.count;
  b.functions = changed(c.functions, functions_, [](const session::FunctionRecord& f) {
    return mixed({f.name.size(), f.parameters.size(), f.file.value, static_cast<uint64_t>(f.line)});
  });
  b.traces = changed(c.traces, traces_, [](const session::TraceRecord& t) {
    return mixed({static_cast<uint64_t>(t.end_ns), t.phases.size(), t.graphs.size(), t.graph().value, t.nearest.value,
                  t.error.size(), t.why.size(), t.signature.size(), t.key.size(), t.differing.size(),
                  t.captures.size()});
  });
  b.generated = changed(c.generated, generated_, [](const session::GeneratedRecord& g) {
    return mixed({g.text.size(), g.line_map.size(), g.statements.size()});
  });
  if (summed_live_ && reader_->state() != session::State::kLive) {
    eager_ = {};
    summed_ops_ = 0;
    sum_eager_ops();
    summed_live_ = false;
  }
  b.eager = eager_.sums();
  b.decisions = tail(c.decisions, decisions_);
  b.observations = tail(c.observations, observations_);
  b.keys = tail(c.keys, keys_);
  b.files = tail(c.files, files_);
  b.codes = tail(c.codes, codes_);
  b.locations = tail(c.locations, locations_);
  b.graphs = tail(c.graphs, graphs_);
  b.signatures = tail(c.signatures, signatures_);
  b.console = reader_->take_console();
  if (ops_ != c.op_names.size()) {
    ops_ = c.op_names.size();
    for (const auto& op : c.op_names) {
      const size_t at = op.id.value;
      if (at >= kMaxOps) continue;
      if (b.ops.size() <= at) b.ops.resize(at + 1);
      b.ops[at] = {op.name, op.family};
    }
  }
  if (device_names_ != c.device_names.size()) {
    device_names_ = c.device_names.size();
    for (const auto& d : c.device_names) {
      const size_t at = d.number.value;
      if (at >= kMaxDevices) continue;
      if (b.device_names.size() <= at) b.device_names.resize(at + 1);
      b.device_names[at] = d.name;
    }
  }
  b.distinct_calls = tail(store_->calls().distinct(), distinct_calls_);
  b.calls = store_->calls().rows();
  b.events = store_->op_rows();
  b.device_events = store_->device_rows();
  b.calls_of_functions = store_->calls().changed_functions();
  b.calls_of_traces = store_->calls().changed_traces();
  take_comparisons(b);
  for (; values_ < c.values.size(); ++values_)
    b.values.push_back(std::make_shared<const session::CallValues>(c.values[values_]));
  b.checked_calls = tail(c.checked_calls, checked_calls_);
  b.processes = c.processes;
  take_times(b);
  const query::Progress progress = store_->progress();
  b.complete = progress.complete();
  b.progress = progress.of ? static_cast<double>(progress.chunks) / static_cast<double>(progress.of) : 1;
  unsent_ = false;
  sent_.start();
  ++waiting_;
  Q_EMIT batch(made);
}

}  // namespace footlight::app
