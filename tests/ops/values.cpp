// Reading and comparing tensors of test cases.
#include "tests/ops/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace footlight::testing {

namespace {

const std::pair<std::string_view, DType> kNames[] = {
    {"f16", DType::kFloat16}, {"bf16", DType::kBFloat16}, {"f32", DType::kFloat32},   {"f64", DType::kFloat64},
    {"i8", DType::kInt8},     {"i16", DType::kInt16},     {"i32", DType::kInt32},     {"i64", DType::kInt64},
    {"u8", DType::kUInt8},    {"u16", DType::kUInt16},    {"u32", DType::kUInt32},    {"u64", DType::kUInt64},
    {"bool", DType::kBool},   {"c64", DType::kComplex64}, {"c128", DType::kComplex128}, {"str", DType::kString},
};

DType dtype_named(std::string_view name) {
  for (auto& [text, dtype] : kNames)
    if (text == name) return dtype;
  throw std::runtime_error("no dtype is called " + std::string(name));
}

std::string_view short_text(DType d) {
  for (auto& [text, dtype] : kNames)
    if (dtype == d) return text;
  return name_of(d);
}

double number(const std::string& text) {
  if (text == "T" || text == "true") return 1;
  if (text == "F" || text == "false") return 0;
  size_t used = 0;
  const double value = std::stod(text, &used);
  if (used != text.size()) throw std::runtime_error("not a number: " + text);
  return value;
}

template <class T>
T element(const std::string& text) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    T value{};
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size())
      throw std::runtime_error("not an integer of this dtype: " + text);
    return value;
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    using Part = typename T::value_type;
    const size_t colon = text.find(':');
    return T(static_cast<Part>(number(text.substr(0, colon))),
             colon == text.npos ? Part(0) : static_cast<Part>(number(text.substr(colon + 1))));
  } else {
    return static_cast<T>(number(text));
  }
}

}  // namespace

void Reader::skip_spaces() {
  while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
}

bool Reader::done() {
  skip_spaces();
  return rest_.empty();
}

bool Reader::next_is(std::string_view word) {
  skip_spaces();
  return rest_.starts_with(word);
}

bool Reader::take(std::string_view word) {
  if (!next_is(word)) return false;
  rest_.remove_prefix(word.size());
  return true;
}

// Up to the next space or bracket; a quoted text as a whole, without its quotes.
std::string Reader::word() {
  skip_spaces();
  std::string out;
  if (!rest_.empty() && rest_.front() == '"') {
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(1);
        if (rest_.front() == 'x' && rest_.size() > 2) {  // a byte: \x0f
          out += static_cast<char>(std::stoi(std::string(rest_.substr(1, 2)), nullptr, 16));
          rest_.remove_prefix(2);
        } else {
          out += rest_.front() == 'n' ? '\n' : rest_.front();
        }
      } else {
        out += rest_.front();
      }
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) throw std::runtime_error("a text without its end");
    rest_.remove_prefix(1);
    return out;
  }
  while (!rest_.empty() && !std::strchr(" \t[]{}=,", rest_.front())) {
    out += rest_.front();
    rest_.remove_prefix(1);
  }
  if (out.empty()) throw std::runtime_error("a word was expected before: " + std::string(rest_));
  return out;
}

Tensor Reader::tensor() {
  const DType dtype = dtype_named(word());
  Shape shape;
  if (take("[")) {
    while (!take("]")) {
      shape.append(std::stoll(word()));
      take(",");
    }
  }
  if (!take("{")) throw std::runtime_error("{ was expected");
  std::vector<std::string> elements;
  while (!take("}")) elements.push_back(word());
  Tensor out = Tensor::empty(dtype, shape);
  const auto n = static_cast<size_t>(out.elements());
  if (elements.size() == 1) elements.resize(n, elements[0]);
  if (elements.size() != n) throw std::runtime_error("wrong number of elements");
  if (dtype == DType::kString) {
    std::copy(elements.begin(), elements.end(), out.data<std::string>());
  } else {
    with_plain_type(dtype, [&](auto zero) {
      using T = decltype(zero);
      for (size_t i = 0; i < n; ++i) out.data<T>()[i] = element<T>(elements[i]);
    });
  }
  return out;
}

std::string to_text(const Tensor& t) {
  if (!t) return "(no tensor)";
  std::string out(short_text(t.dtype()));
  if (t.shape().rank()) out += t.shape().brackets();
  out += '{';
  for (int64_t i = 0; i < t.elements(); ++i) {
    if (i) out += ' ';
    if (t.dtype() == DType::kString) {
      out += '"' + t.data<std::string>()[i] + '"';
    } else if (is_plain(t.dtype())) {
      with_plain_type(t.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T x = t.data<T>()[i];
        char text[64];
        if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
          std::snprintf(text, sizeof text, "%.9g:%.9g", static_cast<double>(x.real()), static_cast<double>(x.imag()));
        else if constexpr (std::is_integral_v<T>) std::snprintf(text, sizeof text, "%s", std::to_string(x).c_str());
        else std::snprintf(text, sizeof text, "%.9g", static_cast<double>(x));
        out += text;
      });
    }
  }
  return out + "}";
}

bool equal(const Tensor& got, const Tensor& wanted, double tolerance) {
  if (!got || got.dtype() != wanted.dtype() || !(got.shape() == wanted.shape())) return false;
  for (int64_t i = 0; i < got.elements(); ++i) {
    if (got.dtype() == DType::kString) {
      if (got.data<std::string>()[i] != wanted.data<std::string>()[i]) return false;
      continue;
    }
    const bool same = with_plain_type(got.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T a = got.data<T>()[i];
      const T b = wanted.data<T>()[i];
      if constexpr (std::is_integral_v<T>) {
        return a == b;
      } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
        return static_cast<double>(std::abs(a - b)) <= tolerance * (1 + static_cast<double>(std::abs(b)));
      } else {
        const double x = static_cast<double>(a);
        const double y = static_cast<double>(b);
        return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= tolerance * (1 + std::abs(y));
      }
    });
    if (!same) return false;
  }
  return true;
}

namespace {

// `name=value`: the form of the value depends on the type in the row; `_name`, which no row lists, is an integer.
void read_attr(Reader& r, const OpRow& row, Case& c) {
  const std::string name = r.word();
  r.take("=");
  const AttrName key(name);
  std::string_view type = name.starts_with('_') ? "int" : "";
  for (const AttrSpec& spec : row.attrs)
    if (name == spec.name) type = spec.type;
  auto list = [&](auto read_one) {
    if (!r.take("[")) throw std::runtime_error("a list was expected");
    while (!r.take("]")) {
      read_one(r.word());
      r.take(",");
    }
  };
  if (type == "int") c.attrs.set(key, int64_t{std::stoll(r.word())});
  else if (type == "bool") c.attrs.set(key, r.word() == "true");
  else if (type == "float") c.attrs.set(key, std::stof(r.word()));
  else if (type == "string") c.attrs.set(key, r.word());
  else if (type == "type") c.attrs.set(key, dtype_named(r.word()));
  else if (type == "tensor") c.attrs.set(key, r.tensor());
  else if (type == "list(int)") {
    std::vector<int64_t> values;
    list([&](const std::string& w) { values.push_back(std::stoll(w)); });
    c.attrs.set(key, values);
  } else if (type == "list(float)") {
    std::vector<float> values;
    list([&](const std::string& w) { values.push_back(std::stof(w)); });
    c.attrs.set(key, values);
  } else if (type == "list(string)") {
    std::vector<std::string> texts;
    list([&](const std::string& w) { texts.push_back(w); });
    c.attrs.set(key, texts);
  } else if (type == "list(type)") {
    std::vector<DType> types;
    list([&](const std::string& w) { types.push_back(dtype_named(w)); });
    c.attrs.set(key, types);
  } else if (type == "list(shape)") {  // scalars and vectors: their sizes, -1 for a scalar
    std::vector<Shape> shapes;
    list([&](const std::string& w) { shapes.push_back(w == "-1" ? Shape() : Shape{std::stoll(w)}); });
    c.attrs.set(key, shapes);
  } else if (type == "shape") {
    Shape shape;
    list([&](const std::string& w) { shape.append(std::stoll(w)); });
    c.attrs.set(key, shape);
  } else {
    throw std::runtime_error("no such attribute, or a type that cases do not know: " + name);
  }
}

}  // namespace

// OP inputs... attr=value... -> outputs...      or      !! kind "text in the message"...
Case parse_case(const std::string& line) {
  Case c;
  c.line = line;
  Reader r(line);
  c.op = r.word();
  const OpRow* row = find_row(c.op);
  if (!row) throw std::runtime_error("no row is called " + c.op);
  while (!r.done() && !r.next_is("->") && !r.next_is("!!")) {
    Reader ahead = r;
    ahead.word();
    if (ahead.next_is("=")) read_attr(r, *row, c);
    else c.inputs.push_back(r.tensor());
  }
  if (r.take("!!")) {
    c.error_kind = r.word();
    while (!r.done()) c.error_says.push_back(r.word());
  } else if (r.take("->")) {
    while (!r.done()) c.outputs.push_back(r.tensor());
  } else {
    throw std::runtime_error("-> or !! was expected");
  }
  return c;
}

std::vector<Case> read_cases(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Case> cases;
  for (auto& file : files) {
    std::ifstream in(file);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      if (line.empty() || line[0] == '#') continue;
      try {
        cases.push_back(parse_case(line));
      } catch (const std::exception& e) {
        throw std::runtime_error(file.filename().string() + ":" + std::to_string(number) + ": " + e.what() +
                                 " in: " + line);
      }
    }
  }
  return cases;
}

}  // namespace footlight::testing
