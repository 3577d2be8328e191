// A change of a text as lines to read: what goes, what comes, and a few lines around.
#pragma once

#include <QString>

#include <vector>

namespace footlight::app {

struct EditLine {
  enum Kind : char { kSame = ' ', kGone = '-', kNew = '+' };
  Kind kind = kSame;
  int number = 0;  // line in the old text; for new lines, in the new text; 0: equal lines that are left out
  QString text;
};

// The lines that differ, with up to `around` equal lines on either side of each; empty if the texts are equal.
std::vector<EditLine> edit_lines(const QString& before, const QString& after, int around = 2);
// The indentation that all lines share, taken away.
std::vector<EditLine> dedented(std::vector<EditLine> lines);
// Writes the lines in the format of `patch`.
QString as_patch(const QString& path, const std::vector<EditLine>& lines);

}  // namespace footlight::app
