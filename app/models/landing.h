// Chooses the first selection and view, while the user has chosen nothing yet.
#pragma once

#include "app/models/findings.h"

namespace footlight::app {

struct Landing {
  Selection selection;
  QString view = QStringLiteral("retraces");
};

// The function that took most time, with all functions of the same code; of a library only if there is no other. The
// run, if there is no function.
Selection busiest_function(const Document& document);
// The function of the finding, or its line where the function is a library's or there is none; of an error that no
// trace failed with, its line.
Landing landing_at(const Document& document, const FindingCard& card);
// The first finding's landing; without findings, the busiest function.
Landing landing_of(const Document& document, const FindingList& findings);

}  // namespace footlight::app
