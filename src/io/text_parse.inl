// parse_chunk for one way to read a number quickly. Included inside a namespace that has
// read_quickly; no include guard.

template <class T>
[[gnu::always_inline]] inline NumberError read_number(const char* p, const char* end, bool exact,
                                                      T& value, const char*& stop) {
  if constexpr (dtype_of<T> == DType::f64) {
    // Below 2^53 every integer is exact; 2^53 + 1 becomes 2^53.
    if (read_quickly(p, value, stop) && (!exact || std::fabs(value) < 0x1p53)) {
      return NumberError::none;
    }
  } else if constexpr (dtype_of<T> == DType::f32) {
    if (read_quickly(p, value, stop)) return NumberError::none;
  }
  return parse_number(p, end, exact, value, stop);
}

template <class T>
ParsedChunk parse(const char* const begin, const char* const end, LineState state, bool exact,
                  bool last, NumberSink sink, void* context) {
  ParsedChunk out;
  LineCounts& seen = out.lines;
  T values[batch];
  Size held = 0, columns = 0;
  const char* line = begin;
  const char* p = begin;
  const auto problem = [&](ErrorCode code, const char* at, std::string what) {
    out.problem = TextProblem{code, static_cast<Size>(at - begin), std::move(what)};
  };
  const auto empty_field = [&](const char* at) {
    problem(ErrorCode::bad_token, at, "an empty field; there must be a number beside each comma");
  };
  for (; p != end; ++p) {
    const char c = *p;
    if (c == '\n') {
      if (state == LineState::after_comma) {
        empty_field(p);
        break;
      }
      if (seen.ended) {
        seen.lines.add(columns);
      } else {
        seen.head = columns;
        seen.ended = true;
      }
      ++seen.line_ends;
      columns = 0;
      state = LineState::start;
      line = p + 1;
      continue;
    }
    if (c == ',') {
      if (state != LineState::after_token) {
        empty_field(p);
        break;
      }
      state = LineState::after_comma;
      continue;
    }
    if (is_separator(c)) continue;
    const char* stop = p;
    const NumberError e = read_number(p, end, exact, values[held], stop);
    if (e != NumberError::none) {
      problem(e == NumberError::beyond || e == NumberError::inexact ? ErrorCode::out_of_range
                                                                    : ErrorCode::bad_token,
              p, explain(e, {p, stop}, dtype_of<T>));
      break;
    }
    ++columns;
    state = LineState::after_token;
    if (++held == batch) {
      sink(context, values, held);
      seen.numbers += held;
      held = 0;
    }
    p = stop - 1;  // the separator, or what stands before the end
  }
  if (last && state == LineState::after_comma && !out.problem) empty_field(end);
  if (held > 0) sink(context, values, held);
  seen.numbers += held;
  seen.tail = columns;
  seen.tail_bytes = static_cast<Size>(p - line);
  return out;
}
