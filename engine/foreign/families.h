// What kind of work an op of another program is, which is its colour in the window.
#pragma once

#include <string>
#include <string_view>

namespace footlight::foreign {

std::string hlo_family(std::string_view opcode);        // "dynamic-slice"
std::string stablehlo_family(std::string_view op);      // "stablehlo.dynamic_slice"
std::string torch_family(std::string_view op);          // "layer_norm"

}  // namespace footlight::foreign
