// Gives ops the families that the recorder gives them when it records these engines.
#include "engine/foreign/families.h"

#include <algorithm>
#include <span>

namespace footlight::foreign {
namespace {

struct Family {
  std::string_view name;
  std::span<const std::string_view> ops;
};

std::string family_in(std::span<const Family> families, std::string_view op) {
  for (const Family& family : families)
    if (std::ranges::find(family.ops, op) != family.ops.end()) return std::string(family.name);
  return "elementwise";
}

constexpr std::string_view kHloVariables[] = {"parameter"};
constexpr std::string_view kHloConstants[] = {"constant", "iota"};
constexpr std::string_view kHloProducts[] = {"dot", "dot-general", "convolution", "fft", "cholesky",
                                             "triangular-solve", "dynamic-conv", "ragged-dot"};
constexpr std::string_view kHloReductions[] = {"reduce", "sort", "reduce-window", "topk", "all-reduce",
                                               "reduce-scatter", "select-and-scatter"};
constexpr std::string_view kHloMoves[] = {
    "broadcast", "broadcast-in-dim", "dynamic-broadcast-in-dim", "reshape", "dynamic-reshape", "transpose", "slice",
    "dynamic-slice", "dynamic-update-slice", "gather", "dynamic-gather", "scatter", "concatenate", "pad", "reverse",
    "copy", "bitcast", "tuple", "get-tuple-element", "all-gather", "all-to-all", "collective-permute"};
constexpr std::string_view kHloControl[] = {"while", "conditional", "case", "if", "call", "fusion", "custom-call",
                                            "async-start", "composite"};
constexpr std::string_view kHloRandom[] = {"rng", "rng-bit-generator"};
constexpr std::string_view kHloIo[] = {"infeed", "outfeed", "send", "recv"};
constexpr Family kHlo[] = {{"variable", kHloVariables}, {"constant", kHloConstants}, {"product", kHloProducts},
                           {"reduction", kHloReductions}, {"move", kHloMoves}, {"control", kHloControl},
                           {"random", kHloRandom}, {"io", kHloIo}};

constexpr std::string_view kTorchProducts[] = {
    "matmul", "mm", "bmm", "linear", "einsum", "conv1d", "conv2d", "conv3d", "convolution", "addmm", "baddbmm",
    "bilinear", "scaled_dot_product_attention", "fft", "svd", "cholesky", "inv", "solve", "__matmul__"};
constexpr std::string_view kTorchReductions[] = {
    "sum", "mean", "max", "min", "argmax", "argmin", "prod", "norm", "std", "var", "any", "all", "amax", "amin",
    "softmax", "log_softmax", "logsumexp", "cumsum", "cumprod", "sort", "topk", "layer_norm", "batch_norm",
    "group_norm", "cross_entropy", "mse_loss", "nll_loss", "var_mean", "native_layer_norm", "native_batch_norm"};
constexpr std::string_view kTorchMoves[] = {
    "getitem", "setitem", "view", "reshape", "transpose", "permute", "contiguous", "cat", "stack", "chunk", "split",
    "unsqueeze", "squeeze", "expand", "repeat", "roll", "gather", "scatter", "index_select", "flatten", "pad", "flip",
    "clone", "to", "size", "new_zeros", "zeros", "ones", "arange", "detach", "embedding", "T", "t", "slice", "select",
    "numpy_T", "_to_copy", "alias", "full"};
constexpr std::string_view kTorchRandom[] = {"rand", "randn", "randint", "dropout", "bernoulli", "multinomial",
                                             "normal", "rand_like", "randn_like"};
constexpr std::string_view kTorchControl[] = {"cond", "while_loop", "map", "scan", "checkpoint", "wrap",
                                              "invoke_subgraph"};
constexpr std::string_view kTorchVariables[] = {"input"};
constexpr std::string_view kTorchConstants[] = {"constant", "literal"};
constexpr Family kTorch[] = {{"product", kTorchProducts}, {"reduction", kTorchReductions}, {"move", kTorchMoves},
                             {"random", kTorchRandom}, {"control", kTorchControl}, {"variable", kTorchVariables},
                             {"constant", kTorchConstants}};

}  // namespace

std::string hlo_family(std::string_view opcode) { return family_in(kHlo, opcode); }

std::string stablehlo_family(std::string_view op) {
  if (const size_t dot = op.rfind('.'); dot != op.npos) op = op.substr(dot + 1);
  if (op == "input" || op == "captured") return "variable";
  std::string name(op);
  std::ranges::replace(name, '_', '-');
  return hlo_family(name);
}

std::string torch_family(std::string_view op) {
  // "add.Tensor" is an overload of "add", and "add_" works in place.
  if (const size_t dot = op.find('.'); dot != op.npos) op = op.substr(0, dot);
  if (op.ends_with('_') && !op.ends_with("__")) op.remove_suffix(1);
  return family_in(kTorch, op);
}

}  // namespace footlight::foreign
