// The phases of a trace's time by name, in the words that every view uses.
#pragma once

#include "engine/session/records.h"

#include <QString>

#include <string>
#include <vector>

namespace footlight::app {

QString phase_word(const std::string& name);  // "Python"; "recorder" for what recording itself took
QString unexplained_word();                   // names time that no phase covers

struct PhaseTime {
  QString word;
  int64_t ns = 0;
};

// Phases without those inside them, and at last what none of them covers: they make up all of the traces' time.
std::vector<PhaseTime> own_times(const std::vector<const session::TraceRecord*>& traces);

}  // namespace footlight::app
