// The possible sides of a comparison of recordings: which recording, which function, which of its traces or calls.
#pragma once

#include "app/models/document.h"

#include "engine/explain/compare/recorded.h"

#include <QStringList>

namespace footlight::app {

// `path` empty: of the recording that is open.
struct CompareSide {
  QString path;
  explain::Recorded what;
};

// Functions by the names under which they are found.
std::vector<std::pair<QString, FunctionId>> functions_to_compare(const Document& document);
QString name_to_compare(const Document& document, FunctionId function);   // empty: none
// The sides that are offered first: two traces of the function, else two of its calls, else an earlier recording and
// this one.
std::pair<CompareSide, CompareSide> sides_to_offer(const Document& document, FunctionId function, TraceId trace,
                                                   const QString& earlier);
// Lines and nodes of a comparison of recordings become those of the open one; a side from another recording has none.
void bind_to_document(explain::Comparison& comparison, bool left_is_open, bool right_is_open);

}  // namespace footlight::app
