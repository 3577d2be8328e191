// The notes of observations of kind "tensor leak", beside those that say where a symbolic tensor was kept.
#pragma once

namespace footlight::session {

// A later call of the trace ran with what the trace had read at `path`, while the program had something else there.
inline constexpr const char* kUsedOldValue = "a later call used the old value";
// Before this later call the program stored at `path` what the trace had read, so the call was right.
inline constexpr const char* kPutBack = "put back before this call";

}  // namespace footlight::session
