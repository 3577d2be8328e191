// A comparison to be made: which call, how often, for how long; what that will do, in words.
#pragma once

#include "app/models/document.h"

#include <QStringList>

namespace footlight::app {

struct ComparePlan {
  QString function;         // the recorded name; empty: the first traced function that is called
  qulonglong call = 1;      // number of the call whose arguments are used, from 1
  int pairs = 200;           // at most
  int seconds = 10;         // approximate duration of the repetitions
};

// Words for the recorder, which come before the script.
QStringList words_of(const ComparePlan& plan);
// "Runs train.py --epochs 6 again. When it calls train_step for the first time, ..."
QString promise_of(const ComparePlan& plan, const Document& document);
// Recorded effects of the function outside of its graph: "changes losses (train.py:12)".
QStringList effects_of(const Document& document, FunctionId function);
// How many calls of the function there were; at least 1.
qulonglong calls_to_choose(const Document& document, FunctionId function);

}  // namespace footlight::app
