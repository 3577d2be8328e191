// Owns the store of a session and its reader, on a thread of their own: reads new chunks one by one, sends new records
// to the window in batches, and answers queries in between. A live file is polled every 100 ms.
#pragma once

#include "app/models/document.h"
#include "app/session/queries.h"

#include "engine/query/store.h"
#include "engine/session/reader.h"

#include <QObject>
#include <QTemporaryDir>
#include <QTimer>

#include <atomic>
#include <memory>

namespace footlight::app {

// New records since the previous batch.
struct Batch {
  bool first = false;
  // Records that were added, or changed since they were sent.
  std::vector<session::FunctionRecord> functions;
  std::vector<session::TraceRecord> traces;
  std::vector<session::GeneratedRecord> generated;
  std::vector<session::DecisionRecord> decisions;
  std::vector<session::ObservationRecord> observations;
  std::vector<session::KeyRecord> keys;
  std::vector<session::FileRecord> files;
  std::vector<session::CodeRecord> codes;
  std::vector<session::LocationRecord> locations;
  std::vector<session::GraphRecord> graphs;
  std::vector<session::SignatureRecord> signatures;
  std::vector<session::ConsoleRecord> console;
  std::vector<session::CallRecord> distinct_calls;
  // Few and small: sent whole when any are new.
  std::vector<OpInfo> ops;
  std::vector<std::string> device_names;
  explain::EagerSums eager;
  std::vector<std::shared_ptr<const explain::Comparison>> comparisons;
  std::vector<std::shared_ptr<const session::CallValues>> values;
  std::vector<session::CheckedCall> checked_calls;
  // Always set.
  session::RunRecord run;
  std::vector<session::ProcessRecord> processes;
  std::optional<session::EndRecord> end;
  QString level, damage;
  uint64_t dropped = 0;
  session::State state = session::State::kFinished;
  // Totals of what has been read.
  uint64_t calls = 0, events = 0, device_events = 0;
  std::vector<std::pair<FunctionId, query::CallSums>> calls_of_functions;
  std::vector<std::pair<TraceId, query::CallSums>> calls_of_traces;
  int64_t first_ns = 0, last_ns = 0;                // range of calls and op events; 0 without any
  int64_t first_device_ns = 0, last_device_ns = 0, first_span_ns = 0;
  bool complete = true;  // false: more of the file is still to be read
  double progress = 1;   // of reading the file
};

// Adds the batch to the document.
void apply(Batch&& batch, Document& document);

class Loader : public QObject {
  Q_OBJECT

 public:
  explicit Loader(std::shared_ptr<Questions> questions);
  void ask_to_stop() { stop_ = true; }
  // The window has processed a batch. Until then, polling a live file sends no other.
  void taken() { --waiting_; }

 public Q_SLOTS:
  void open(const QString& path, bool live);
  void poll();
  void answer();

 Q_SIGNALS:
  void batch(const std::shared_ptr<footlight::app::Batch>& batch);
  void failed(const QString& message);
  void reading(double share);  // progress while the file is opened

 private:
  void go_on();  // reads some chunks
  bool read_one();
  void send();
  void take_times(Batch& batch);
  void take_comparisons(Batch& batch);
  void sum_eager_ops();

  // Detects whether a record has changed since it was sent.
  using Print = uint64_t;
  template <class Record, class Of>
  static std::vector<Record> changed(const std::vector<Record>& all, std::vector<Print>& known, Of&& print);

  QString path_;
  std::unique_ptr<QTemporaryDir> folder_;  // folder of the session into which a model is converted
  std::shared_ptr<Questions> questions_;
  std::unique_ptr<session::Reader> reader_;
  std::unique_ptr<query::Store> store_;
  QTimer timer_, index_;
  QElapsedTimer sent_;
  qint64 owed_ms_ = 0;  // reading time that the last long query used up
  std::atomic<bool> stop_{false};
  std::atomic<int> waiting_{0};
  bool first_ = true, unsent_ = false;
  std::vector<Print> functions_, traces_, generated_;
  size_t files_ = 0, codes_ = 0, locations_ = 0;
  size_t graphs_ = 0, signatures_ = 0, decisions_ = 0, observations_ = 0;
  size_t keys_ = 0, distinct_calls_ = 0, comparisons_ = 0, values_ = 0, checked_calls_ = 0, timed_spans_ = 0;
  int64_t first_span_ns_ = 0, last_span_ns_ = 0;
  explain::EagerOps eager_;
  session::TracingSpans tracing_;
  size_t summed_ops_ = 0;     // chunks that eager_ has
  bool summed_live_ = false;  // some were added while the run was live, when a trace under way was not known yet
  size_t ops_ = 0, device_names_ = 0;
  size_t timed_ops_ = 0, timed_calls_ = 0, timed_device_ = 0;  // chunks already counted in first_ns_ etc.
  int64_t first_ns_ = 0, last_ns_ = 0, first_device_ns_ = 0, last_device_ns_ = 0;
};

}  // namespace footlight::app
