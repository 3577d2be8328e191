// Bare prototypes that the benchmarks divide by: the same work in C, with the smallest overhead that Python allows.
// A boxed number with a free list, an int32 10x10 product, a call that returns its argument.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

namespace {

struct Box {
  PyObject_HEAD
  float value;
};

// Ten numbers in a vector of sixteen: a floor may choose its layout.
using Row = int32_t __attribute__((vector_size(64), aligned(8)));

struct Matrix {
  PyObject_HEAD
  Row rows[10];
};

PyTypeObject* box_type = nullptr;
PyTypeObject* matrix_type = nullptr;
PyObject* kept_box = nullptr;
PyObject* kept_matrix = nullptr;

// Objects of one type pass through a free list of one, like a result that is dropped at once.
PyObject* take(PyObject*& kept, PyTypeObject* type) {
  if (PyObject* object = kept) {
    kept = nullptr;
    Py_SET_REFCNT(object, 1);
    return object;
  }
  return type->tp_alloc(type, 0);
}

void give_back(PyObject*& kept, PyObject* object) {
  if (kept) {
    Py_TYPE(object)->tp_free(object);
  } else {
    kept = object;
  }
}

PyObject* add(PyObject* a, PyObject* b) {
  if (Py_TYPE(a) != box_type || Py_TYPE(b) != box_type) Py_RETURN_NOTIMPLEMENTED;
  PyObject* sum = take(kept_box, box_type);
  if (sum) reinterpret_cast<Box*>(sum)->value = reinterpret_cast<Box*>(a)->value + reinterpret_cast<Box*>(b)->value;
  return sum;
}

void multiply(const Row* a, const Row* b, Row* out) {
  for (int row = 0; row < 10; ++row) {
    Row line = a[row][0] * b[0];
    for (int k = 1; k < 10; ++k) line += a[row][k] * b[k];
    out[row] = line;
  }
}

PyObject* product(PyObject* a, PyObject* b) {
  if (Py_TYPE(a) != matrix_type || Py_TYPE(b) != matrix_type) Py_RETURN_NOTIMPLEMENTED;
  PyObject* out = take(kept_matrix, matrix_type);
  if (out) {
    multiply(reinterpret_cast<Matrix*>(a)->rows, reinterpret_cast<Matrix*>(b)->rows,
             reinterpret_cast<Matrix*>(out)->rows);
  }
  return out;
}

// power(matrix): a hundred products in one call, the best that a traced function could do.
PyObject* power(PyObject*, PyObject* x) {
  if (Py_TYPE(x) != matrix_type) return PyErr_Format(PyExc_TypeError, "a Matrix is needed");
  Row result[2][10] = {};
  for (int i = 0; i < 10; ++i) result[0][i][i] = 1;
  for (int n = 0; n < 100; ++n) multiply(reinterpret_cast<Matrix*>(x)->rows, result[n & 1], result[~n & 1]);
  PyObject* out = take(kept_matrix, matrix_type);
  if (out) {
    for (int i = 0; i < 10; ++i) reinterpret_cast<Matrix*>(out)->rows[i] = result[0][i];
  }
  return out;
}

// Arrays(n).add(): reads two arrays of n floats and writes a third, in one thread.
struct Arrays {
  PyObject_HEAD
  Py_ssize_t n;
  float* memory;  // all three
};

PyObject* make_arrays(PyTypeObject* type, PyObject* args, PyObject*) {
  Py_ssize_t n = 0;
  if (!PyArg_ParseTuple(args, "n", &n)) return nullptr;
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  auto* arrays = reinterpret_cast<Arrays*>(object);
  arrays->n = n;
  arrays->memory = static_cast<float*>(PyMem_Calloc(static_cast<size_t>(3 * n + 1), sizeof(float)));
  return object;
}

PyObject* add_arrays(PyObject* self, PyObject*) {
  const auto* arrays = reinterpret_cast<Arrays*>(self);
  const Py_ssize_t n = arrays->n;
  const float* __restrict__ a = arrays->memory;
  const float* __restrict__ b = arrays->memory + n;
  float* __restrict__ out = arrays->memory + 2 * n;
  for (Py_ssize_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
  Py_RETURN_NONE;
}

// Computes the same as chain.py, from the first array into the third.
PyObject* chain_of_array(PyObject* self, PyObject*) {
  const auto* arrays = reinterpret_cast<Arrays*>(self);
  const Py_ssize_t n = arrays->n;
  const float* __restrict__ a = arrays->memory;
  float* __restrict__ out = arrays->memory + 2 * n;
  for (Py_ssize_t i = 0; i < n; ++i) {
    const float x = a[i] * 2.0f - 1.0f;
    const float y = x > 0 ? x : 0;
    out[i] = __builtin_sqrtf(y * y + 3.0f);
  }
  Py_RETURN_NONE;
}

PyObject* same(PyObject*, PyObject* x) { return Py_NewRef(x); }

PyType_Slot box_slots[] = {
    {Py_nb_add, reinterpret_cast<void*>(add)},
    {Py_tp_dealloc, reinterpret_cast<void*>(+[](PyObject* o) { give_back(kept_box, o); })},
    {0, nullptr}};
PyType_Spec box_spec = {"_floor.Box", sizeof(Box), 0, Py_TPFLAGS_DEFAULT, box_slots};
PyType_Slot matrix_slots[] = {
    {Py_nb_matrix_multiply, reinterpret_cast<void*>(product)},
    {Py_tp_dealloc, reinterpret_cast<void*>(+[](PyObject* o) { give_back(kept_matrix, o); })},
    {0, nullptr}};
PyType_Spec matrix_spec = {"_floor.Matrix", sizeof(Matrix), 0, Py_TPFLAGS_DEFAULT, matrix_slots};

PyMethodDef arrays_methods[] = {
    {"add", add_arrays, METH_NOARGS, nullptr}, {"chain", chain_of_array, METH_NOARGS, nullptr}, {}};
PyType_Slot arrays_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(make_arrays)},
    {Py_tp_methods, arrays_methods},
    {Py_tp_dealloc, reinterpret_cast<void*>(+[](PyObject* o) {
       PyMem_Free(reinterpret_cast<Arrays*>(o)->memory);
       Py_TYPE(o)->tp_free(o);
     })},
    {0, nullptr}};
PyType_Spec arrays_spec = {"_floor.Arrays", sizeof(Arrays), 0, Py_TPFLAGS_DEFAULT, arrays_slots};

PyMethodDef functions[] = {{"power", power, METH_O, nullptr}, {"same", same, METH_O, nullptr}, {}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_floor", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__floor() {
  PyObject* module = PyModule_Create(&definition);
  if (!module) return nullptr;
  box_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&box_spec));
  matrix_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&matrix_spec));
  if (!box_type || !matrix_type) return nullptr;
  PyObject* arrays_type = PyType_FromSpec(&arrays_spec);
  if (!arrays_type) return nullptr;
  PyModule_AddObjectRef(module, "Arrays", arrays_type);
  Py_DECREF(arrays_type);
  PyModule_AddObjectRef(module, "Box", reinterpret_cast<PyObject*>(box_type));
  PyModule_AddObjectRef(module, "Matrix", reinterpret_cast<PyObject*>(matrix_type));
  return module;
}
