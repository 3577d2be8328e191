// A small run for the app's tests: train_step traced six times over a changing learning rate, evaluate once.
#pragma once

#include "app/models/document.h"

#include <QString>

namespace footlight::app {

// Lines of the script that the sample is of.
const std::string& sample_script();
Document sample_document();
// The same as a session file; what Reader::open() gives for it is sample_document().
void write_sample_session(const QString& path, bool finished = true);
// A graph of `layers` times (MatMul, AddV2, Relu) in scopes of their own.
session::GraphRecord layered_graph(GraphId id, int layers);

}  // namespace footlight::app
