// The engines beside Footlight's whose runs are recorded.
#pragma once

namespace footlight::session {

struct OtherEngine {
  const char* package;  // as a process of a recording names its engine: "torch"
  const char* title;    // "PyTorch"
};

inline constexpr OtherEngine kOtherEngines[] = {{"tensorflow", "TensorFlow"}, {"jax", "JAX"}, {"torch", "PyTorch"}};

}  // namespace footlight::session
