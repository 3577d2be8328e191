// Names of the categories.
#include "engine/explain/compare/share.h"

namespace footlight::explain {
namespace {

struct Words {
  const char *name, *meaning;
};
constexpr Words kWords[kShares] = {
    {"device kernels", "A kernel runs on a device"},
    {"device copies", "A copy runs on a device"},
    {"machine code", "Machine code is compiled, once, for ops that run together"},
    {"kernels", "A kernel runs on the calling thread"},
    {"waiting for the device", "The calling thread waits until the device has finished"},
    {"launches", "Calls that start work on a device"},
    {"allocation", "Memory for results is allocated"},
    {"tracing", "A function is traced: Python, AutoGraph, optimizing"},
    {"input", "An element of a tf.data pipeline is produced or waited for"},
    {"guards", "The trace that serves the call is looked for: arguments are bound, keys made, guards checked"},
    {"dispatch", "The engine works outside of kernels: binding, checks, shapes, executor"},
    {"conversion", "Values are converted between Python and tensors"},
    {"Python", "Python code runs, outside of the engine"},
    {"recording", "The recorder's own work"},
    {"unexplained", "Nothing was recorded that explains this time"},
};
constexpr Words kOther = {"unexplained", "Nothing was recorded that explains this time"};
const Words& words_of(Share share) {
  return static_cast<size_t>(share) < kShares ? kWords[static_cast<size_t>(share)] : kOther;
}

}  // namespace

const char* name_of(Share share) { return words_of(share).name; }
const char* meaning_of(Share share) { return words_of(share).meaning; }

}  // namespace footlight::explain
