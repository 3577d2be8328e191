// The op that finds the files whose names match patterns.
#include "engine/data/stage_registry.h"

#include <glob.h>

#include <algorithm>
#include <set>

namespace footlight::data {
namespace {

void matching_files(KernelContext& context) {
  const Tensor& patterns = context.inputs[0];
  std::set<std::string> found;
  for (int64_t i = 0; i < patterns.elements(); ++i) {
    const std::string& pattern = patterns.data<std::string>()[i];
    glob_t matches{};
    const int result = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches);
    for (size_t k = 0; result == 0 && k < matches.gl_pathc; ++k) found.insert(matches.gl_pathv[k]);
    globfree(&matches);
    if (result == GLOB_NOSPACE) throw Error(ErrorKind::kResourceExhausted, "too many files match " + pattern);
  }
  Tensor names = Tensor::empty(DType::kString, Shape{static_cast<int64_t>(found.size())});
  std::ranges::copy(found, names.data<std::string>());
  context.outputs[0] = std::move(names);
}

const KernelRegistration kMatching("MatchingFiles", matching_files);

}  // namespace
}  // namespace footlight::data
