// The guards of a trace of TorchDynamo, as it prints them: a tree, with a guard in each leaf.
#pragma once

#include "engine/session/records.h"

#include <string_view>
#include <vector>

namespace footlight::foreign {

std::vector<session::KeyLeaf> torch_guards(std::string_view tree);
// What the program calls the first value that an expression of a guard names: "x" of "L['x'].size()[0] == 4",
// "self.rate" of "L['self'].rate"; empty: it names none.
std::string torch_source(std::string_view expression);

}  // namespace footlight::foreign
