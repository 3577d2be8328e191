// The guards of a trace of TorchDynamo, as it prints them: a tree, with a guard in each leaf.
#pragma once

#include "engine/session/records.h"

#include <string_view>
#include <vector>

namespace footlight::foreign {

std::vector<session::KeyLeaf> torch_guards(std::string_view tree);
// The program's name for the first value in the expression of a guard: "x" in "L['x'].size()[0] == 4", "self.rate" in
// "L['self'].rate"; empty: the expression names no value.
std::string torch_source(std::string_view expression);

}  // namespace footlight::foreign
