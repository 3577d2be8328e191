// Reads a session file in a thread of its own and hands what is new to the window, piece by piece. A live file is
// looked at again every 100 ms.
#pragma once

#include "app/models/document.h"

#include "engine/session/reader.h"

#include <QObject>
#include <QTimer>

#include <atomic>
#include <memory>

namespace footlight::app {

// What is new since the last one. Small kinds come whole when any of them changed.
struct Batch {
  bool first = false;
  bool records = false;
  session::RunRecord run;
  std::vector<session::FunctionRecord> functions;
  std::vector<session::TraceRecord> traces;
  std::vector<session::GeneratedRecord> generated;
  std::vector<session::DecisionRecord> decisions;
  std::vector<OpInfo> ops;
  std::vector<std::string> device_names;
  std::optional<session::EndRecord> end;
  QString level, damage;
  uint64_t dropped = 0;
  session::State state = session::State::kFinished;
  // Only what was added:
  std::vector<session::FileRecord> files;
  std::vector<session::CodeRecord> codes;
  std::vector<session::GraphRecord> graphs;
  std::vector<session::SignatureRecord> signatures;
  std::vector<session::ConsoleRecord> console;
  std::vector<session::CallRecord> calls;
  std::vector<session::DeviceRecord> device;
  std::vector<std::pair<uint32_t, std::vector<OpSpan>>> events;
  bool complete = true;  // more of what is already in the file follows
  double progress = 1;   // of reading that
};

// Takes the batch into the document.
void apply(Batch&& batch, Document& document);

class Loader : public QObject {
  Q_OBJECT

 public:
  Loader();
  void ask_to_stop() { stop_ = true; }
  // The window has taken a batch: only then the next look at a live file brings another.
  void taken() { --waiting_; }

 public Q_SLOTS:
  void open(const QString& path, bool live);
  void poll();

 Q_SIGNALS:
  void batch(const std::shared_ptr<footlight::app::Batch>& batch);
  void failed(const QString& message);

 private:
  bool next(bool first);

  QString path_;
  std::unique_ptr<session::Reader> reader_;
  QTimer timer_;
  std::atomic<bool> stop_{false};
  std::atomic<int> waiting_{0};
  bool unsent_ = false;
  size_t files_ = 0, codes_ = 0, graphs_ = 0, console_ = 0, signatures_ = 0;
  size_t op_chunks_ = 0, call_chunks_ = 0, device_chunks_ = 0;
};

}  // namespace footlight::app
