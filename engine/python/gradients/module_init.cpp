// Adds tf.GradientTape, tf.autodiff and the functions behind tf.custom_gradient to the extension module.
#include "engine/python/gradients/tape_arguments.h"
#include "engine/python/interpreter/module.h"

namespace footlight::python {

void init_gradients(PyObject* module) {
  init_tape();
  init_forward();
  init_custom_gradient(module);
}

}  // namespace footlight::python
