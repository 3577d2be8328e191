// The records in a session, independent of any engine. Writer and reader use them; each describes its own columns
// (describe.h). A new column needs a member, a line in `describe`, and code that fills it.
#pragma once

#include "engine/session/events.h"
#include "engine/session/records/code.h"
#include "engine/session/records/comparison.h"
#include "engine/session/records/function.h"
#include "engine/session/records/graph.h"
#include "engine/session/records/observation.h"
#include "engine/session/records/op.h"
#include "engine/session/records/process.h"
#include "engine/session/records/trace.h"
#include "engine/session/records/values.h"
