// A small run for the app's tests: train_step traced six times over a changing learning rate, evaluate once.
#pragma once

#include "app/models/document.h"

#include "engine/query/store.h"

#include <QString>
#include <QTemporaryDir>

#include <memory>

namespace footlight::app {

// The records of a run as the window holds them, and the rows that stay in the file.
struct SampleRun {
  Document document;
  std::vector<session::CallRecord> calls;
  session::OpColumns ops;
  std::vector<session::DeviceRecord> device;
  std::vector<session::ComparisonRecord> comparisons;
};

// The text of the sample's script.
const std::string& sample_script();
SampleRun sample_run();
Document sample_document();
void write_session(const QString& path, const SampleRun& run, bool finished = true);
// The sample as a session file; sample_document() is what the window reads from it.
void write_sample_session(const QString& path, bool finished = true);
// A graph of `layers` layers (MatMul, AddV2, Relu), each in its own scope.
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
