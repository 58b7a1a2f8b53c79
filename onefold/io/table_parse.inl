// parse_rows for one way to read a number quickly. Included inside a namespace that has
// read_quickly; no include guard.

template <class T, bool blanks>
struct RowParser {
  const RowLayout& layout;
  const char* const begin;
  const char* const end;
  T* const values;
  const Size capacity;
  ParsedRows out{};

  static bool ends_field(char c) {
    return blanks ? c == ' ' || c == '\t' || c == '\n' || c == '\r' : c == ',' || c == '\n';
  }
  static const char* skip_blanks(const char* p) {
    while (*p == ' ' || (blanks && (*p == '\t' || *p == '\r'))) ++p;
    return p;
  }

  // Reads the number at p quickly, and moves p to the end of its field. Returns false if it cannot.
  [[gnu::always_inline]] bool quick(const char*& p, T& value) {
    const char* q = p;
    Spelt spelt;
    if constexpr (dtype_of<T> == DType::f64 || dtype_of<T> == DType::f32) {
      if (!read_quickly(p, value, q, spelt)) return false;
      if (dtype_of<T> == DType::f64 && layout.refuses && !(std::fabs(value) < 0x1p53)) return false;
    } else {
      return false;
    }
    if constexpr (!blanks) {
      while (*q == ' ') ++q;
      if (*q == '\r') ++q;
    }
    if (!ends_field(*q)) return false;
    if (layout.quoted_commas && std::find(p, q, '.') != q) return false;
    note(spelt, {p, static_cast<std::size_t>(q - p)}, value);
    p = q;
    return true;
  }
  // Notes the digits of a number that its f64 cannot hold.
  [[gnu::always_inline]] void note(const Spelt& spelt, std::string_view field, const T& value) {
    if constexpr (dtype_of<T> == DType::f64) {
      const bool is_short = is_short_decimal(spelt.digits, spelt.exponent);
      if (!layout.exact || (is_short && spelt.exponent <= 0)) return;
      note_pointed(field, value);
      if (is_short) return;
      if (out.terms.empty()) out.terms.reserve(capacity);
      out.terms.push_back({static_cast<Size>(&value - values), spelt.digits,
                           static_cast<int32_t>(spelt.exponent), field[0] == '-'});
    }
  }
  void note_pointed(std::string_view field, const T& value) {
    if (std::fabs(value) < 0x1p53 || field.find_first_of(".eE") == field.npos) return;
    out.pointed.push_back(static_cast<Size>(&value - values));
  }

  // Sets a missing value in a row that may still be dropped.
  bool set_missing(T& value, T with) {
    value = with;
    out.missing.push_back(static_cast<Size>(&value - values));
    return true;
  }
  // Drops what was noted for rows from `row` on.
  struct NoteCounts {
    std::size_t missing, texts, integers, terms, pointed;
  };
  NoteCounts noted() const {
    return {out.missing.size(), out.texts.places.size(), out.integers.places.size(),
            out.terms.size(), out.pointed.size()};
  }
  void forget(const NoteCounts& before, Size row) {
    const auto drop = [&](std::vector<Size>& places, std::size_t from) {
      const auto is_dropped = [&](Size place) { return place % capacity >= row; };
      const auto first = places.begin() + static_cast<std::ptrdiff_t>(from);
      places.erase(std::remove_if(first, places.end(), is_dropped), places.end());
    };
    if (out.missing.size() > before.missing) drop(out.missing, before.missing);
    if (out.pointed.size() > before.pointed) drop(out.pointed, before.pointed);
    const auto drop_others = [&](OtherPlaces& others, std::size_t from) {
      if (others.places.size() == from) return;
      drop(others.places, from);
      std::erase_if(others.first, [&](const auto& f) { return f.second.place % capacity >= row; });
    };
    drop_others(out.texts, before.texts);
    drop_others(out.integers, before.integers);
    const auto first = out.terms.begin() + static_cast<std::ptrdiff_t>(before.terms);
    const auto is_dropped = [&](const DecimalTerm& t) { return t.place % capacity >= row; };
    out.terms.erase(std::remove_if(first, out.terms.end(), is_dropped), out.terms.end());
  }

  // Notes a field that leaves its column out.
  bool leave_out(T& value, const char* from, const std::string& stood, OtherPlaces& others) {
    const auto place = static_cast<Size>(&value - values);
    value = T{};
    others.places.push_back(place);
    if (!others.first.contains(place / capacity)) {
      others.first[place / capacity] = {place, static_cast<Size>(from - begin), stood};
    }
    return true;
  }
  // Returns whether a field that is no number leaves its column out: not if the column was chosen,
  // nor if the field looks like a number with other marks and the table has no header.
  bool is_left_out(Fields fields, const std::string& stood) const {
    if (fields == Fields::unknown) return true;
    const Table& table = *layout.table;
    return !table.insists && !table.plain && !layout.skip_bad &&
           (!is_marked(stood) || leaves_marked_out());
  }
  bool leaves_marked_out() const { return layout.table->header && !layout.table->chosen; }
  // Returns whether a field looks like a number with other marks.
  bool is_marked(const std::string& stood) const {
    return is_broken_number(stood) || !hint_for(stood, *layout.table).empty();
  }
  // Returns the options that a field of a type needs to be a number, as a hint; empty: none.
  std::string hints_for(const std::string& stood) const {
    const Table& table = *layout.table;
    return hint_for(stood, table) + loose_hint_for(stood, table, !is_floating(dtype_of<T>)) +
           date_hint_for(stood);
  }
  // Returns whether the line of a field is a copy of the header: then the field is a column's name.
  //   name  of the column
  bool repeats_header(const char* p, const std::string& name, const std::string& stood) const {
    const std::string& header = layout.table->header_line;
    if (header.empty() || stood != name) return false;
    while (p > begin && p[-1] != '\n') --p;
    const char* const to = std::find(p, end, '\n');
    return trimmed(layout.as_it_stood({p, static_cast<std::size_t>(to - p)})) == header;
  }

  // Reads any field, and moves p to its end. Returns false if it cannot be folded; `problem` says
  // why.
  [[gnu::noinline]] bool slow(const char*& p, T& value, RowProblem& problem) {
    std::string field;
    const char *const start = p, *q = p;
    bool quoted = false;
    if (*q == '"') {
      quoted = true;
      for (++q;; ++q) {
        if (q >= end) {
          problem = {.what = "a quote is not closed"};
          p = end;
          return false;
        }
        if (*q == '\n') ++out.line_ends;
        if (*q != '"') {
          field += *q;
        } else if (q[1] == '"') {
          field += *++q;
        } else {
          break;
        }
      }
      ++q;
      // The message quotes what the file spells: the bytes of delimiter and marks have been
      // exchanged here.
    }
    const char* const from = q;
    while (q < end && !ends_field(*q)) ++q;
    std::string_view rest(from, static_cast<std::size_t>(q - from));
    if (quoted || !rest.empty()) field += rest;
    p = q;
    const std::string stood = trimmed(layout.as_it_stood(field));
    const auto place = static_cast<Size>(&value - values);
    const Fields fields = layout.fields[place / capacity];
    const auto take_missing = [&] {
      if constexpr (Floating<T>) {
        return set_missing(value, quiet_nan<T>());
      } else {
        if (!layout.table->missing_is_nan) return set_missing(value, T{});
        problem = {.what = (stood.empty() ? std::string("the value is missing")
                                          : quote_text(stood) + " means a missing value") +
                           ", but " + name_of(dtype_of<T>) +
                           " cannot hold missing values; pass --dtype f64"};
        return false;
      }
    };
    if (is_missing(stood, layout.table->missing)) return take_missing();
    if (fields == Fields::truths && is_truth(stood)) {
      value = truth<T>(stood.size() == 4);
      return true;
    }
    std::string plain;
    const NumberError e = parse_field(stood, *layout.table, layout.refuses, value, plain);
    if (e == NumberError::none) {
      if constexpr (dtype_of<T> == DType::f64) {
        if (layout.exact) {
          note_pointed(plain, value);
          append_terms({plain.data(), plain.data() + plain.size()}, place, true, out.terms);
        }
      }
      return true;
    }
    if (e == NumberError::not_a_number &&
        repeats_header(start, layout.table->folded[place / capacity], stood)) {
      problem.repeats_header = true;
      return false;
    }
    const bool only_counted =
        fields == Fields::something || fields == Fields::rows || fields == Fields::values;
    if (only_counted && !(fields == Fields::values && is_marked(stood))) {
      if (is_no_date(place / capacity, stood)) return take_missing();
      value = T{};
      return true;
    }
    if (e == NumberError::not_a_number) {
      if (layout.table->others_are_missing && !is_marked(stood)) return take_missing();
      if (is_left_out(fields, stood)) return leave_out(value, start, stood, out.texts);
    }
    if (Floating<T> && e == NumberError::beyond && leaves_marked_out() && !layout.skip_bad) {
      return leave_out(value, start, stood, out.texts);
    }
    // An integer that f64 cannot hold: a column that the user did not choose is left out.
    if (e == NumberError::inexact && !layout.table->plain &&
        (!layout.table->insists || layout.leaves_integers)) {
      return leave_out(value, start, stood, out.integers);
    }
    problem = {.code = e == NumberError::beyond || e == NumberError::inexact
                           ? ErrorCode::out_of_range
                           : ErrorCode::bad_token,
               .what = explain(e, {stood.data(), stood.data() + stood.size()}, dtype_of<T>) +
                       (e == NumberError::not_a_number ? hints_for(stood) : "")};
    return false;
  }

  // Whether a field is missing, since its column has a format of dates that it does not fit.
  bool is_no_date(Size slot_of_field, const std::string& field) const {
    if (!layout.table->others_are_missing || layout.dates.empty()) return false;
    const auto c = std::ranges::find(layout.slot, static_cast<int>(slot_of_field));
    const auto& format = layout.dates[static_cast<Size>(c - layout.slot.begin())];
    return format && !format->fits(field);
  }

  // Returns whether the field at p is a date, if its column has a format of dates.
  [[gnu::noinline]] bool is_date(Size c, const char* p, RowProblem& problem) const {
    const std::optional<std::string> other = other_date(layout, c, p, end);
    if (!other) return true;
    if (repeats_header(p, layout.table->columns[c].name, *other)) {
      problem.repeats_header = true;
      return false;
    }
    if (layout.table->others_are_missing) return true;
    problem = {.column = c, .what = no_date(*layout.dates[c], *other)};
    return false;
  }

  // Skips a field that is not folded. Returns false if its quote is not closed.
  bool skip(const char*& p) {
    if (*p != '"') {
      if constexpr (blanks) {
        while (!ends_field(*p)) ++p;
      } else {
        p = end_of_field(p);
      }
      return true;
    }
    for (++p;; ++p) {
      if (p >= end) return false;
      if (*p == '\n') ++out.line_ends;
      if (*p != '"') continue;
      if (p[1] != '"') break;
      ++p;
    }
    while (p < end && !ends_field(*p)) ++p;
    return true;
  }

  // Skips a bad line; if its quote is not closed, up to the next line end.
  void skip_line(const char*& p) {
    const char* const start = p;
    const Size line_ends = out.line_ends;
    for (p = skip_blanks(p); p < end && *p != '\n'; p = skip_blanks(p)) {
      if (!skip(p)) {
        out.line_ends = line_ends;
        for (p = start; p < end && *p != '\n';) ++p;
        return;
      }
      if (!blanks && p < end && *p == ',') ++p;
    }
  }

  // Parses a line that is not blank, from p to its end, as row `out.rows`.
  [[gnu::always_inline]] bool line(const char*& p, RowProblem& problem) {
    const int* const slot = layout.slot.data();
    const Size columns = layout.slot.size();
    Size c = 0;
    for (;; ++c) {
      if (c == columns) {
        // Blanks at the end of a line are no field.
        if (blanks && (*p == '\n' || p >= end)) return true;
        Size more = c + 1;
        for (const char* q = p; *q != '\n'; ++q) more += !blanks && *q == ',';
        problem = {.column = c,
                   .what = "there are " + std::to_string(more) + (blanks ? " or more" : "") +
                           " fields, but the first line has " + std::to_string(columns)};
        return false;
      }
      if (blanks && *p == '\n') break;
      if (!layout.dates.empty() && !is_date(c, skip_blanks(p), problem)) return false;
      if (slot[c] < 0) {
        p = skip_blanks(p);
        if (!skip(p)) {
          problem = {.column = c, .what = "a quote is not closed"};
          return false;
        }
      } else {
        p = skip_blanks(p);
        T& value = values[static_cast<Size>(slot[c]) * capacity + out.rows];
        if (!quick(p, value)) {
          if (!slow(p, value, problem)) {
            problem.column = c;
            return false;
          }
        }
        if constexpr (std::is_floating_point_v<T>) {
          for (const double s : layout.sentinels) {
            if (value == static_cast<T>(s)) set_missing(value, quiet_nan<T>());
          }
        }
      }
      if constexpr (blanks) {
        p = skip_blanks(p);
      } else {
        if (p >= end || *p == '\n') {
          ++c;
          break;
        }
        ++p;
      }
    }
    if (c == columns) return true;
    problem = {.column = c,
               .what = "there " +
                       std::string(c == 1 ? "is 1 field" : "are " + std::to_string(c) + " fields") +
                       ", but the first line has " + std::to_string(columns)};
    return false;
  }

  // Parses the line at p, and moves p to the next one. Returns false for a bad line, unless bad
  // lines are skipped.
  bool step(const char*& p) {
    const char* const start = p;
    const Size line_ends = out.line_ends;
    while (*p == ' ' || *p == '\r' || (blanks && *p == '\t')) ++p;
    if (*p != '\n') {
      if (!blanks) p = start;
      RowProblem problem;
      const NoteCounts before = noted();
      if (line(p, problem)) {
        if (layout.keeps_starts) out.starts.push_back(static_cast<Size>(start - begin));
        ++out.rows;
      } else {
        forget(before, out.rows);
        if (problem.repeats_header) {
          ++out.headers;
        } else {
          problem.line = line_ends;
          if (!out.problem) out.problem = std::move(problem);
          if (!layout.skip_bad) return false;
          ++out.bad;
        }
        p = start;
        out.line_ends = line_ends;
        skip_line(p);
      }
    }
    ++p;
    ++out.line_ends;
    return true;
  }

  ParsedRows run() {
    for (const char* p = begin; p < end && step(p);) {
    }
    return std::move(out);
  }
};

template <class T, bool blanks>
ParsedRows parse(const RowLayout& layout, const char* begin, const char* end, void* values,
                 Size capacity) {
  return RowParser<T, blanks>{layout, begin, end, static_cast<T*>(values), capacity}.run();
}
