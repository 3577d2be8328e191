// The hooks themselves: empty until the recorder and the front end install theirs.
#include "engine/base/hooks.h"

namespace footlight {

constinit RecorderHooks recorder_hooks;
constinit FrontEndHooks front_end_hooks;

}  // namespace footlight
