// The kernel that parses lines of CSV (RFC 4180).
#include "kernels/cpu/register.h"

#include "engine/base/text.h"
#include "engine/wire/csv.h"

#include <algorithm>
#include <charconv>

namespace footlight::FL_ISA {

namespace {

using wire::CsvField;

struct CsvOptions {
  char delimiter;
  bool quotes;
  std::string missing;
  std::vector<int64_t> selected;
};

// Reads the selected fields of a line.
void fields_of(const std::string& line, const CsvOptions& o, std::vector<std::string>& out) {
  out.clear();
  if (line.empty()) return;
  int64_t number = 0;
  size_t next = 0;  // index in `selected`
  for (size_t at = 0;; ++number) {
    const bool wanted = o.selected.empty() || (next < o.selected.size() && o.selected[next] == number);
    std::string field;
    const bool in_quotes = o.quotes && at < line.size() && line[at] == '"';
    const CsvField how = wire::take_csv_field(line, at, o.delimiter, o.quotes, field, [] { return false; });
    if (how == CsvField::kUnclosed)
      invalid("Quoted field has to end with quote followed by delim or end [Op:DecodeCSV]");
    if (how == CsvField::kLooseQuote)
      invalid("Quote inside a string has to be escaped by another quote [Op:DecodeCSV]");
    if (how == CsvField::kQuoteInside || (!in_quotes && field.find_first_of("\r\n") != field.npos))
      invalid("Unquoted fields cannot have quotes/CRLFs inside [Op:DecodeCSV]");
    if (wanted) {
      out.push_back(std::move(field));
      ++next;
    }
    if (at >= line.size()) return;
    if (++at == line.size()) {  // the line ends with a delimiter
      if (o.selected.empty() || (next < o.selected.size() && o.selected[next] == number + 1)) out.emplace_back();
      return;
    }
  }
}

template <class T>
T number(const std::string& field, size_t column, int64_t record, DType dtype) {
  const char *begin = field.data(), *end = begin + field.size();
  while (begin < end && (*begin == ' ' || *begin == '\t')) ++begin;
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) --end;
  if (begin + 1 < end && *begin == '+' && begin[1] != '-') ++begin;
  T found{};
  const auto [stopped, error] = std::from_chars(begin, end, found);
  if (error != std::errc() || stopped != end || begin == end) {
    const std::string_view name = dtype == DType::kFloat32   ? "float"
                                  : dtype == DType::kFloat64 ? "double"
                                                             : name_of(dtype);
    invalid("Field ", column, " in record ", record, " is not a valid ", name, ": ", field, " [Op:DecodeCSV]");
  }
  return found;
}

void decode_csv(KernelContext& c) {
  const CsvOptions options{c.attrs.get_or("field_delim"_attr, std::string(","))[0],
                           c.attrs.get_or("use_quote_delim"_attr, true), c.attrs.get_or("na_value"_attr, std::string()),
                           c.attrs.get_or("select_cols"_attr, std::vector<int64_t>())};
  const size_t columns = c.outputs.size();
  for (size_t k = 0; k < columns; ++k) c.set_output(k, c.inputs[k + 1].dtype(), c.inputs[0].shape());
  std::vector<std::string> fields;
  for (int64_t i = 0; i < c.inputs[0].elements(); ++i) {
    fields_of(c.in<std::string>(0)[i], options, fields);
    if (fields.size() != columns)
      invalid("Expect ", columns, " fields but have ", fields.size(), " in record ", i, " [Op:DecodeCSV]");
    for (size_t k = 0; k < columns; ++k) {
      const Tensor& otherwise = c.inputs[k + 1];
      const bool missing = fields[k].empty() || fields[k] == options.missing;
      if (missing && otherwise.elements() == 0)
        invalid("Field ", k, " is required but missing in record ", i, "! [Op:DecodeCSV]");
      const DType dtype = otherwise.dtype();
      const auto put = [&](auto zero) {
        using T = decltype(zero);
        c.out<T>(k)[i] = missing ? otherwise.data<T>()[0] : number<T>(fields[k], k, i, dtype);
      };
      switch (dtype) {
        case DType::kString: c.out<std::string>(k)[i] = missing ? otherwise.data<std::string>()[0] : fields[k]; break;
        case DType::kInt32: put(int32_t{}); break;
        case DType::kInt64: put(int64_t{}); break;
        case DType::kFloat32: put(float{}); break;
        case DType::kFloat64: put(double{}); break;
        default: invalid("csv: data type ", name_of(dtype), " not supported in field ", k, " [Op:DecodeCSV]");
      }
    }
  }
}

}  // namespace

FL_CPU_KERNELS { on_cpu("DecodeCSV", kAllTypes, decode_csv); }

}  // namespace footlight::FL_ISA
