// parse_rows of what commas separate, by the ends of fields: those of many lines are found first,
// and each column of them is read at once. Included inside a namespace with any_number; no include
// guard.
//
//   odd lines  of other lengths, blank, with a quote that is not closed, or with a field that is
//              none: read by RowParser, which says what is wrong with them

template <class T>
class Windows {
 public:
  Windows(const RowLayout& layout, const char* begin, const char* end, T* values, Size capacity)
      : rows_{layout, begin, end, values, capacity},
        columns_(layout.slot.size()),
        // Text, places and numbers of some 200 lines of 10 columns stay in L1.
        ends_(std::max<Size>(2048, 4 * columns_)) {
    for (Size c = 0; c < columns_; ++c) {
      if (layout.slot[c] >= 0) folded_.push_back({c, static_cast<Size>(layout.slot[c])});
    }
  }

  ParsedRows run() {
    // Nobody would see which of its lines are blank.
    if (columns_ == 1 && folded_.empty()) return rows_.run();
    for (const char* p = rows_.begin; p < rows_.end;) {
      ends_.look(p, rows_.end);
      const char* const from = p;
      if (!lines(p)) break;
      // A line of more fields than are looked for.
      if (p == from && !rows_.step(p)) break;
    }
    return std::move(rows_.out);
  }

 private:
  struct FoldedColumn {
    Size column, slot;
  };

  // Reads the lines whose ends were found and moves p behind them. Returns false at a bad line.
  bool lines(const char*& p) {
    const char* const text = p;
    const uint32_t *const next = ends_.next(), *const next_line = ends_.next_line();
    Size field = 0, line = 0;
    while (line < ends_.lines()) {
      Size n = 0;
      for (Size k = field + columns_; n < at_once_ && line + n < ends_.lines() &&
                                      k <= ends_.fields() && next[k - 1] == next_line[line + n];
           k += columns_) {
        ++n;
      }
      if (n > 0) n = read(text, field, n);
      if (n > 0) {
        const char* const behind = text + next_line[line + n - 1];
        count_lines(p, behind, n);
        p = behind;
        field += n * columns_;
        line += n;
        at_once_ = std::min<Size>(2 * at_once_, 256);
        continue;
      }
      // Columns before the odd field were read of all lines: of few while there are odd ones.
      at_once_ = 1;
      if (!rows_.step(p)) return false;
      while (line < ends_.lines() && text + next_line[line] < p) ++line;
      // It ended elsewhere than was thought: look again.
      if (line == ends_.lines() || text + next_line[line] != p) return true;
      while (next[field] < next_line[line]) ++field;
      ++field;
      ++line;
    }
    return true;
  }

  void count_lines(const char* from, const char* behind, Size n) {
    rows_.out.line_ends += !ends_.quotes() ? n : static_cast<Size>(std::count(from, behind, '\n'));
  }

  // The columns of n lines of which each has as many fields as it should; how many of them are rows
  // indeed.
  Size read(const char* text, Size field, Size n) {
    const uint32_t* const next = ends_.next() + field;
    const auto before = rows_.noted();
    const Size lines = n;
    for (const FoldedColumn& f : folded_) {
      T* const to = rows_.values + f.slot * rows_.capacity + rows_.out.rows;
      if (f.column + 1 == columns_) {
        n = read_column<true>(text, next + f.column, n, to);
      } else {
        n = read_column<false>(text, next + f.column, n, to);
      }
      if constexpr (std::is_floating_point_v<T>) {
        for (const double s : rows_.layout.sentinels) {
          for (Size k = 0; k < n; ++k) {
            if (to[k] == static_cast<T>(s)) rows_.set_missing(to[k], quiet_nan<T>());
          }
        }
      }
    }
    if (rows_.layout.keeps_starts) {
      for (Size k = 0; k < n; ++k) {
        const char* const start = text + (next + k * columns_)[-1];
        rows_.out.starts.push_back(static_cast<Size>(start - rows_.begin));
      }
    }
    rows_.out.rows += n;
    if (n < lines) rows_.forget(before, rows_.out.rows);
    return n;
  }

  template <bool last>
  static Ends find(const char* text, const uint32_t* next) {
    Ends e{text + next[-1], text + next[0] - 1};
    if (last) e.to -= e.to > e.from && e.to[-1] == '\r';
    while (*e.from == ' ') ++e.from;
    return e;
  }

  template <bool last>
  Size read_column(const char* text, const uint32_t* next, Size n, T* values) {
    const Size step = columns_;
    for (Size k = 0; k < n;) {
      if constexpr (dtype_of<T> == DType::f64) {
        for (; k + 4 <= n; k += 4, next += 4 * step) {
          if (!four_short_numbers(find<last>(text, next), find<last>(text, next + step),
                                  find<last>(text, next + 2 * step),
                                  find<last>(text, next + 3 * step), values + k)) {
            break;
          }
        }
      }
      // Fewer than four remaining fields, or four of which one holds no short number.
      for (const Size end = std::min(n, k + 4); k < end; ++k, next += step) {
        const Ends e = find<last>(text, next);
        if constexpr (std::is_arithmetic_v<T>) {
          if (quick_ && short_number(e.from, e.to, values[k])) continue;
        }
        if constexpr (dtype_of<T> == DType::f64) {
          Spelt spelt;
          if (longer_number(e.from, e.to, values[k], &spelt) &&
              !(rows_.layout.refuses && std::fabs(values[k]) >= 0x1p53)) {
            rows_.note(spelt, {e.from, static_cast<std::size_t>(e.to - e.from)}, values[k]);
            continue;
          }
        }
        if (!read_other(e.from, e.to, values[k])) return k;
      }
    }
    return n;
  }

  // Reads a field that is no short number. Returns false if it is no number, does not end at `to`,
  // or is a blank line.
  [[gnu::noinline]] bool read_other(const char* from, const char* to, T& value) {
    if (columns_ == 1) {
      while (from < to && (*from == ' ' || *from == '\r')) ++from;
      if (from == to) return false;
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (from == to) {
        return rows_.set_missing(value, quiet_nan<T>());
      }
    }
    const char* p = from;
    const Size line_ends = rows_.out.line_ends;
    RowProblem problem;
    const bool read = rows_.quick(p, value) || rows_.slow(p, value, problem);
    rows_.out.line_ends = line_ends;
    return read && (p == to || (*p == '\n' && p == to + 1));
  }

  any_number::RowParser<T, false> rows_;
  Size columns_;
  // An integer may be a word for what is missing, and has no NaN to become.
  bool quick_ = std::is_floating_point_v<T> || rows_.layout.sentinels.empty();
  Size at_once_ = 256;
  FieldEnds ends_;
  std::vector<FoldedColumn> folded_;
};

template <class T>
ParsedRows parse(const RowLayout& layout, const char* begin, const char* end, void* values,
                 Size capacity) {
  return Windows<T>(layout, begin, end, static_cast<T*>(values), capacity).run();
}
