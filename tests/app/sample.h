// A small run for the app's tests: train_step traced six times over a changing learning rate, evaluate once.
#pragma once

#include "app/models/document.h"

#include "engine/query/store.h"

#include <QString>
#include <QTemporaryDir>

#include <memory>

namespace footlight::app {

// The records of a run as the window has them, and the rows that stay in the file.
struct SampleRun {
  Document document;
  std::vector<session::CallRecord> calls;
  session::OpColumns ops;
  std::vector<session::DeviceRecord> device;
};

// Lines of the script that the sample is of.
const std::string& sample_script();
SampleRun sample_run();
Document sample_document();
void write_session(const QString& path, const SampleRun& run, bool finished = true);
// The sample as a session file; what the window reads of it is sample_document().
void write_sample_session(const QString& path, bool finished = true);
// A graph of `layers` times (MatMul, AddV2, Relu) in scopes of their own.
session::GraphRecord layered_graph(GraphId id, int layers);

// A run in a file, with a store over it.
class SampleStore {
 public:
  explicit SampleStore(const SampleRun& run);
  const query::Store& operator*() const { return *store_; }
  const query::Store* operator->() const { return store_.get(); }

 private:
  QTemporaryDir folder_;
  std::unique_ptr<session::Reader> reader_;
  std::unique_ptr<query::Store> store_;
};

}  // namespace footlight::app
