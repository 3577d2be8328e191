// Comparisons with numbers that tests know: made of what each part takes on each side.
#pragma once

#include "tests/app/sample.h"

#include "engine/explain/compare/comparison.h"

#include <memory>

namespace footlight::app {

// Compares the sample's train_step, call 1, trace #1, on its lines and nodes: 40 us eagerly, 16 us traced, on the host.
explain::Comparison made_comparison();
// The same with calls and a stream of a simulated device.
explain::Comparison made_device_comparison();
// Repetitions of the sample's train_step as a recorder writes them, all alike: 30 us eagerly (Python 10, MatMul 12,
// Relu 8), 12 us traced (dispatch 1, MatMul 9, Python 2); with events as long as without.
session::ComparisonRecord repetitions();
// The sample with comparisons: of call 1 (host), of call 5 (device).
Document compared_document();

}  // namespace footlight::app
