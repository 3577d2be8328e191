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
// Selects the function of the finding, or its line if it has no function or one of a library. For an error that no
// trace failed with, it selects the error's line.
Landing landing_at(const Document& document, const FindingCard& card);
// The first finding's landing; without findings, the busiest function.
Landing landing_of(const Document& document, const FindingList& findings);

}  // namespace footlight::app
