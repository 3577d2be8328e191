// Resolves names to selections: "#3", "train_step", "train_step#3", "file.py:12", "file.py:12#3", a node's name.
#pragma once

#include "app/models/selection.h"

#include <QString>

#include <optional>

namespace footlight::app {

struct Named {
  std::optional<Selection> selection;
  QString why_not;  // "there are 2 functions 'step'; say which: train.py:4#2, train.py:9#2"
};

// A trace's number alone, and a node's name, are looked for in what `current` selects.
Named selection_named(const Document& document, const Selection& current, const QString& text);

}  // namespace footlight::app
