// Names of the categories.
#include "engine/explain/compare/share.h"

namespace footlight::explain {
namespace {

struct Words {
  const char *name, *meaning;
};
constexpr Words kWords[kShares] = {
    {"device kernels", "a kernel runs on a device"},
    {"device copies", "a copy runs on a device"},
    {"kernels", "a kernel runs on the calling thread"},
    {"waiting", "for a device or other threads"},
    {"launches", "calls that start work on a device"},
    {"allocation", "memory for results"},
    {"tracing", "making a trace: Python, AutoGraph, optimizing"},
    {"dispatch", "in the engine: binding, checks, shapes, executor"},
    {"conversion", "between Python values and tensors"},
    {"Python", "outside of the engine"},
    {"recording", "the recorder's own work"},
    {"unexplained", "nothing is known"},
};
constexpr Words kOther = {"unexplained", "nothing is known"};
const Words& words_of(Share share) {
  return static_cast<size_t>(share) < kShares ? kWords[static_cast<size_t>(share)] : kOther;
}

}  // namespace

const char* name_of(Share share) { return words_of(share).name; }
const char* meaning_of(Share share) { return words_of(share).meaning; }

}  // namespace footlight::explain
