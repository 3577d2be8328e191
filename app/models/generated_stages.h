// What another engine made of a function on the way to what runs, as stages of texts: which there are, why one is
// missing, and which lines of the program the lines of a text come from.
#pragma once

#include "app/models/view_leads.h"

#include <string>
#include <vector>

namespace footlight::app {

struct GeneratedPart {
  QString title;         // "Forward"; the stage's own title where it has one part
  std::string artifact;  // its name in the trace
  QString about;         // a sentence about it
  QString absent;        // why it was not recorded; empty: it was
};
struct GeneratedStage {
  QString title;  // "AOT"
  std::vector<GeneratedPart> parts;
  bool recorded() const;
};
// The stages in the order in which the engine makes them; none if the trace is not of JAX or PyTorch. `missing`: what
// the recorder said it could not record.
std::vector<GeneratedStage> generated_stages(const Document& document, TraceId trace,
                                             const std::vector<std::string>& missing);

// What to show instead if nothing that has stages is selected.
ViewLead stages_nothing(const Document& document, const Selection& selection);

struct StageText {
  std::vector<CodeLine> lines;
  std::vector<std::vector<SourcePlace>> origins;  // of each line
  // The numbers of the lines that come from that line of the program.
  std::vector<int> lines_from(SourcePlace place) const;
  size_t with_origin() const;
};
// Throws Error if the text is damaged.
StageText stage_text(const Document& document, TraceId trace, const std::string& artifact);

// The function of the program that TorchDynamo continues in a resume function; else the function itself.
const session::FunctionRecord* continued_function(const Document& document, FunctionId function);
// "4, 9-11": with dashes between first and last.
QString line_ranges(const std::vector<int>& lines);

}  // namespace footlight::app
