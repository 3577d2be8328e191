// What a session holds, in words that belong to no engine. Writer and reader speak in these; each record describes its
// own columns (describe.h). A new column is a member, a line in `describe`, and who fills it.
#pragma once

#include "engine/session/events.h"
#include "engine/session/records/code.h"
#include "engine/session/records/function.h"
#include "engine/session/records/graph.h"
#include "engine/session/records/op.h"
#include "engine/session/records/process.h"
#include "engine/session/records/trace.h"
