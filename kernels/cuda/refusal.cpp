// The message for a machine whose GPU cannot be used.
#include "kernels/cuda/refusal.h"

#include "engine/base/text.h"

namespace footlight::cuda {
namespace {

std::string version_text(int version) { return str(version / 1000, ".", version % 1000 / 10); }

}  // namespace

std::string refusal_in_words(const Answer& a) {
  if (a.result == 0 && a.devices > 0) return {};
  if (a.driver == 0 && a.result != kNoDevice) return "no CUDA driver is installed (libcuda.so.1 was not found)";
  // One driver serves all minor versions of its major one.
  if (a.result == kInsufficientDriver || (a.result != 0 && a.driver / 1000 < a.runtime / 1000))
    return str("the CUDA driver is too old: it is for CUDA ", version_text(a.driver), ", and ", a.runtime / 1000,
               ".0 is needed");
  if (a.result == kNoDevice || a.result == 0)
    return a.visible ? str("the CUDA driver shows no device (CUDA_VISIBLE_DEVICES is \"", a.visible, "\")")
                     : std::string("the CUDA driver finds no device");
  return str("the CUDA driver does not start: ", a.text, " (CUDA error ", a.result, ")");
}

}  // namespace footlight::cuda
