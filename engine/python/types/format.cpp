// NumPy's array2string for tensors: one format for all elements of an array, line breaks at 75 columns, a
// summary past 1000 elements. The rules are NumPy's, so that what a script prints is the same with and
// without it.
#include "engine/python/types/format.h"

#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/array_memory.h"
#include "engine/python/types/float_text.h"
#include "engine/python/interpreter/module.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <optional>
#include <vector>

namespace footlight::python {
namespace {

constexpr int kPrecision = 8;
constexpr int kLineWidth = 75;
constexpr int64_t kThreshold = 1000;
constexpr int64_t kEdge = 3;

FloatKind kind_of(DType d) {
  switch (d) {
    case DType::kFloat16: return FloatKind::kHalf;
    case DType::kBFloat16: return FloatKind::kBFloat16;
    case DType::kFloat32:
    case DType::kComplex64: return FloatKind::kSingle;
    default: return FloatKind::kDouble;
  }
}

double real_at(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kFloat16: return float{t.data<Float16>()[i]};
    case DType::kBFloat16: return float{t.data<BFloat16>()[i]};
    case DType::kFloat32: return t.data<float>()[i];
    case DType::kFloat64: return t.data<double>()[i];
    case DType::kComplex64: return t.data<std::complex<float>>()[i].real();
    case DType::kComplex128: return t.data<std::complex<double>>()[i].real();
    default: return 0;
  }
}
double imaginary_at(const Tensor& t, int64_t i) {
  return t.dtype() == DType::kComplex64 ? double{t.data<std::complex<float>>()[i].imag()}
                                        : t.data<std::complex<double>>()[i].imag();
}

std::string integer_at(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kInt8: return std::to_string(t.data<int8_t>()[i]);
    case DType::kInt16: return std::to_string(t.data<int16_t>()[i]);
    case DType::kInt32: return std::to_string(t.data<int32_t>()[i]);
    case DType::kInt64: return std::to_string(t.data<int64_t>()[i]);
    case DType::kUInt8: return std::to_string(t.data<uint8_t>()[i]);
    case DType::kUInt16: return std::to_string(t.data<uint16_t>()[i]);
    case DType::kUInt32: return std::to_string(t.data<uint32_t>()[i]);
    default: return std::to_string(t.data<uint64_t>()[i]);
  }
}

std::string right(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

// The common form of many floats.
class FloatFormat {
 public:
  FloatFormat(const std::vector<double>& values, FloatKind kind, bool plus) : kind_(kind), plus_(plus) {
    double largest = 0, smallest = 0;
    bool any = false, special = false, negative_infinity = false;
    size_t finite = 0;
    for (double v : values) {
      if (!std::isfinite(v)) {
        special = true;
        negative_infinity |= std::isinf(v) && v < 0;
        continue;
      }
      ++finite;
      if (const double a = std::fabs(v); a != 0) {
        largest = any ? std::max(largest, a) : a;
        smallest = any ? std::min(smallest, a) : a;
        any = true;
      }
    }
    // A large value is one that the type no longer holds to the unit.
    const double large = kind == FloatKind::kHalf ? 1e3 : kind == FloatKind::kSingle ? 1e6 : 1e8;
    exponential_ = any && (largest >= large || smallest < 0.0001 || largest / smallest > 1000.0);
    if (finite && exponential_) {
      size_t fraction = 0;
      for (double v : values) {
        if (!std::isfinite(v)) continue;
        const ScientificText t = scientific(limited_scientific(v, kind_, kPrecision), plus_);
        left_ = std::max(left_, t.whole.size());
        fraction = std::max(fraction, t.fraction.size());
        exponent_ = std::max(exponent_, t.exponent.size() - 1);
      }
      places_ = fraction;
      right_ = exponent_ + 2 + places_;
    } else if (finite) {
      for (double v : values) {
        if (!std::isfinite(v)) continue;
        const std::string t = positional(limited(v, kind_, kPrecision), plus_);
        const size_t point = t.find('.');
        left_ = std::max(left_, point);
        right_ = std::max(right_, t.size() - point - 1);
      }
    }
    if (special) {
      const size_t infinity = 3 + (plus_ || negative_infinity ? 1 : 0);
      const size_t after = right_ + 1;
      left_ = std::max({left_, 3 > after ? 3 - after : 0, infinity > after ? infinity - after : 0});
    }
  }

  std::string operator()(double v) const {
    if (!std::isfinite(v)) {
      const std::string sign = std::isnan(v) ? "" : v < 0 ? "-" : plus_ ? "+" : "";
      return right(sign + (std::isnan(v) ? "nan" : "inf"), left_ + right_ + 1);
    }
    if (exponential_) {
      ScientificText t = scientific(limited_scientific(v, kind_, kPrecision), plus_);
      if (t.fraction.size() < places_) {  // more digits than it needs: those of the exact value, not zeros
        char exact[40];
        std::snprintf(exact, sizeof exact, "%.*e", static_cast<int>(places_), std::fabs(v));
        const std::string text = exact;
        const size_t point = text.find('.'), e = text.find('e');
        t.whole = (std::signbit(v) ? "-" : plus_ ? "+" : "") + text.substr(0, 1);
        t.fraction = point == std::string::npos ? "" : text.substr(point + 1, e - point - 1);
        t.exponent = text.substr(e + 1);
      }
      while (t.exponent.size() - 1 < exponent_) t.exponent.insert(1, "0");
      return right(t.whole, left_) + "." + t.fraction + "e" + t.exponent;
    }
    const std::string t = positional(limited(v, kind_, kPrecision), plus_);
    const size_t point = t.find('.');
    const size_t after = t.size() - point - 1;
    return (left_ > point ? std::string(left_ - point, ' ') : "") + t +
           std::string(right_ > after ? right_ - after : 0, ' ');
  }

 private:
  FloatKind kind_;
  bool plus_;
  bool exponential_ = false;
  size_t left_ = 0, right_ = 0;       // columns before and after the point
  size_t places_ = 0, exponent_ = 0;  // exponential: digits after the point, of the exponent
};

using Element = std::function<std::string(int64_t)>;

// Flat indexes of the elements that will be shown.
void shown(const Shape& s, bool summary, int axis, int64_t base, std::vector<int64_t>& out) {
  if (axis == s.rank()) {
    out.push_back(base);
    return;
  }
  const int64_t n = s[axis];
  for (int64_t i = 0; i < n; ++i) {
    if (summary && n > 2 * kEdge && i == kEdge) i = n - kEdge;
    shown(s, summary, axis + 1, base * n + i, out);
  }
}

Element element_format(const Tensor& t, bool summary) {
  std::vector<int64_t> indexes;
  shown(t.shape(), summary, 0, 0, indexes);
  const DType d = t.dtype();
  if (d == DType::kString) return [&t](int64_t i) { return bytes_repr(t.data<std::string>()[i]); };
  if (d == DType::kBool) {
    const bool pad = t.shape().rank() > 0;
    return [&t, pad](int64_t i) { return t.data<bool>()[i] ? pad ? " True" : "True" : "False"; };
  }
  if (d == DType::kBFloat16)
    return [&t](int64_t i) { return scalar_text(real_at(t, i), FloatKind::kBFloat16); };
  if (is_complex(d)) {
    std::vector<double> real, imaginary;
    for (int64_t i : indexes) {
      real.push_back(real_at(t, i));
      imaginary.push_back(imaginary_at(t, i));
    }
    return [&t, r = FloatFormat(real, kind_of(d), false),
            m = FloatFormat(imaginary, kind_of(d), true)](int64_t i) {
      std::string text = m(imaginary_at(t, i));
      const size_t end = text.find_last_not_of(' ') + 1;
      return r(real_at(t, i)) + text.insert(end, "j");  // the j goes before the padding
    };
  }
  if (is_floating(d)) {
    std::vector<double> values;
    for (int64_t i : indexes) values.push_back(real_at(t, i));
    return [&t, format = FloatFormat(values, kind_of(d), false)](int64_t i) { return format(real_at(t, i)); };
  }
  size_t width = 0;
  for (int64_t i : indexes) width = std::max(width, integer_at(t, i).size());
  return [&t, width](int64_t i) { return right(integer_at(t, i), width); };
}

class Layout {
 public:
  Layout(const Shape& shape, const Element& element, std::string separator, bool summary)
      : shape_(shape), element_(element), separator_(std::move(separator)), summary_(summary) {}

  std::string block(int axis, int64_t base, const std::string& indent, int width) const {
    if (axis == shape_.rank()) return element_(base);
    const int64_t n = shape_[axis];
    const bool cut = summary_ && 2 * kEdge < n;
    const std::string deeper = indent + " ";
    std::string out;
    if (axis + 1 == shape_.rank()) {
      const std::string bare = stripped(separator_);
      const int room = width - std::max<int>(static_cast<int>(bare.size()), 1);
      std::string line = indent;
      for (int64_t i = 0; i < n; ++i) {
        if (cut && i == kEdge) {
          add(out, line, "...", room, indent);
          line += separator_;
          i = n - kEdge;
        }
        add(out, line, element_(base * n + i), room, indent);
        if (i + 1 < n) line += separator_;
      }
      out += line;
    } else {
      const std::string between =
          stripped(separator_) + std::string(static_cast<size_t>(shape_.rank() - axis - 1), '\n');
      for (int64_t i = 0; i < n; ++i) {
        if (cut && i == kEdge) {
          out += indent + "..." + between;
          i = n - kEdge;
        }
        out += indent + block(axis + 1, base * n + i, deeper, width - 1);
        if (i + 1 < n) out += between;
      }
    }
    return "[" + out.substr(std::min(indent.size(), out.size())) + "]";
  }

 private:
  static std::string stripped(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  }
  static void add(std::string& out, std::string& line, const std::string& word, int room,
                  const std::string& indent) {
    if (static_cast<int>(line.size() + word.size()) > room && line.size() > indent.size()) {
      out += stripped(line) + "\n";
      line = indent;
    }
    line += word;
  }

  const Shape& shape_;
  const Element& element_;
  std::string separator_;
  bool summary_;
};

std::string array_text(const Tensor& t, const std::string& separator, size_t prefix, int suffix) {
  if (t.elements() == 0) return "[]";
  const bool summary = t.elements() > kThreshold;
  const Element element = element_format(t, summary);
  return Layout(t.shape(), element, separator, summary)
      .block(0, 0, std::string(prefix + 1, ' '), kLineWidth - suffix);
}

std::string complex_repr(double real, double imaginary, FloatKind kind) {
  const auto part = [kind](double v) {
    std::string text = scalar_text(v, kind);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  };
  const std::string i = part(imaginary);
  if (real == 0 && !std::signbit(real)) return i + "j";
  return "(" + part(real) + (i[0] == '-' ? "" : "+") + i + "j)";
}

std::string scalar(const Tensor& t, bool repr) {
  const DType d = t.dtype();
  if (d == DType::kString) return bytes_repr(*t.data<std::string>());
  if (d == DType::kBool) return *t.data<bool>() ? "True" : "False";
  if (is_complex(d))
    return complex_repr(real_at(t, 0), imaginary_at(t, 0), repr ? FloatKind::kDouble : kind_of(d));
  if (is_floating(d)) return scalar_text(real_at(t, 0), repr ? FloatKind::kDouble : kind_of(d));
  return integer_at(t, 0);
}

std::string dtype_text(DType d) { return d == DType::kString ? "object" : std::string(name_of(d)); }

// Whether NumPy's print options were changed, if it is loaded at all.
bool numpy_prints_otherwise(PyObject* numpy) {
  static PyObject* usual = nullptr;
  if (!usual)
    usual = checked(Py_BuildValue("{s:i,s:i,s:s,s:i,s:O,s:i,s:s,s:s,s:s,s:O,s:O}", "edgeitems", 3, "threshold", 1000,
                                  "floatmode", "maxprec", "precision", 8, "suppress", Py_False, "linewidth", 75,
                                  "nanstr", "nan", "infstr", "inf", "sign", "-", "formatter", Py_None, "legacy",
                                  Py_False))
                .release();
  Ref options = checked(PyObject_CallMethod(numpy, "get_printoptions", nullptr));
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(usual, &at, &key, &value);) {
    PyObject* now = PyDict_Check(options.get()) ? find_item(options.get(), key) : nullptr;
    if (now && !are_equal(now, value)) return true;
  }
  return false;
}

// np.printoptions hold for tensors as well: then the text is NumPy's own.
std::optional<std::string> as_asked_of_numpy(const Tensor& t, bool repr) {
  PyObject* numpy = find_item(PyImport_GetModuleDict(), "numpy");
  if (!numpy || t.dtype() == DType::kBFloat16) return {};
  try {
    if (!numpy_prints_otherwise(numpy)) return {};
    const Ref array = numpy_value(t);
    const Ref text = checked(repr ? PyObject_Repr(array.get()) : PyObject_Str(array.get()));
    return readable(text.get());
  } catch (const PythonErrorSet&) {  // a user's formatter failed: the usual text
    clear_only(PyExc_Exception);
    return {};
  }
}

}  // namespace

std::string array_str(const Tensor& t) {
  if (t.shape().rank() == 0) return scalar(t, false);
  if (std::optional<std::string> text = as_asked_of_numpy(t, false)) return *text;
  return array_text(t, " ", 0, 0);
}

std::string array_repr(const Tensor& t) {
  const Shape& s = t.shape();
  if (s.rank() == 0) return scalar(t, true);
  if (std::optional<std::string> text = as_asked_of_numpy(t, true)) return *text;
  const DType d = t.dtype();
  const int64_t n = t.elements();
  const bool implied =
      n > 0 && (d == DType::kInt64 || d == DType::kFloat64 || d == DType::kComplex128 || d == DType::kBool);
  std::string extra;
  if ((n == 0 && !(s.rank() == 1)) || n > kThreshold) extra = "shape=" + s.to_string();
  if (!implied) extra += (extra.empty() ? "" : ", ") + ("dtype=" + dtype_text(d));
  std::string out = "array(" + array_text(t, ", ", 6, 1);
  if (extra.empty()) return out + ")";
  out += ",";
  extra += ")";
  const size_t newline = out.rfind('\n');
  const size_t last = out.size() - (newline == std::string::npos ? 0 : newline + 1);
  return out + (last + extra.size() + 1 > kLineWidth ? "\n      " : " ") + extra;
}

std::string bytes_repr(const std::string& bytes) {
  const char quote =
      bytes.find('\'') != std::string::npos && bytes.find('"') == std::string::npos ? '"' : '\'';
  std::string out = {'b', quote};
  for (char c : bytes) {
    const auto u = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (u < 32 || u > 126) {
      char text[8];
      std::snprintf(text, sizeof text, "\\x%02x", u);
      out += text;
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string float_repr(double v) { return scalar_text(v, FloatKind::kDouble); }

}  // namespace footlight::python
