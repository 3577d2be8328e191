// A comparison to be made: which call, how often, for how long; what that will do, in words.
#pragma once

#include "app/models/document.h"

#include <QStringList>

namespace footlight::app {

struct ComparePlan {
  QString function;         // as recorded; empty: the first traced function that is called
  qulonglong call = 1;      // whose arguments: from 1, among the calls of the function
  int pairs = 200;           // at most
  int seconds = 10;         // of repetitions, about
};

// What the recorder is told, before the script.
QStringList words_of(const ComparePlan& plan);
// "Runs train.py --epochs 6 again. When it calls train_step for the first time, ..."
QString promise_of(const ComparePlan& plan, const Document& document);
// What the function did outside of its graph when it was recorded: "changes losses (train.py:12)".
QStringList effects_of(const Document& document, FunctionId function);
// How many calls of the function there were; at least 1.
qulonglong calls_to_choose(const Document& document, FunctionId function);

}  // namespace footlight::app
