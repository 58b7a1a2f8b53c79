// parse_chunk for one way of reading a number quickly. Included inside a namespace that has
// read_quickly, so without an include guard.

template <class T>
[[gnu::always_inline]] inline NumberError read_number(const char* p, const char* end, bool refuses,
                                                      T& value, const char*& stop, Spelt& spelt) {
  if constexpr (dtype_of<T> == DType::f64) {
    // Integers below 2^53 are exact; 2^53 + 1 would become 2^53.
    if (read_quickly(p, value, stop, spelt) && (!refuses || std::fabs(value) < 0x1p53)) {
      return NumberError::none;
    }
  } else if constexpr (dtype_of<T> == DType::f32) {
    if (read_quickly(p, value, stop, spelt)) return NumberError::none;
  }
  spelt = unread;
  return parse_number(p, end, refuses, value, stop);
}

template <class T, bool binned = false>
ParsedChunk parse(const char* const begin, const char* const end, LineState state,
                  Integers integers, bool last, NumberSink sink, void* context,
                  [[maybe_unused]] decimal::Bins* bins = nullptr) {
  const bool exact = integers != Integers::rounded, refuses = integers == Integers::refused;
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
    problem(ErrorCode::bad_token, at,
            "a field is empty; write a number before and after each comma");
  };
  std::vector<DecimalTerm> terms;
  const auto note = [&](const char* from, const char* to, const Spelt& s) {
    if (s.exponent == unread.exponent) return append_terms({from, to}, held, !binned, terms);
    if (s.digits == 0) return;
    terms.push_back({held, s.digits, static_cast<int32_t>(s.exponent), *from == '-'});
  };
  // Integers are first added in a register: adding each to its bin in memory takes a third longer.
  [[maybe_unused]] constexpr uint64_t most_whole = (uint64_t{1} << 62) / batch;
  int64_t whole = 0;
  const auto send = [&] {
    if constexpr (binned) bins->add(Int128{std::exchange(whole, 0)}, 0);
    sink(context, values, held, terms);
    seen.numbers += held;
    held = 0;
    terms.clear();
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
      if (out.comma == none) out.comma = static_cast<Size>(line - begin);
      state = LineState::after_comma;
      continue;
    }
    if (is_separator(c)) continue;
    if (state == LineState::after_token && out.blank == none) {
      out.blank = static_cast<Size>(line - begin);
    }
    const char* stop = p;
    Spelt spelt;
    const NumberError e = read_number(p, end, refuses, values[held], stop, spelt);
    if (e != NumberError::none) {
      problem(e == NumberError::beyond || e == NumberError::inexact ? ErrorCode::out_of_range
                                                                    : ErrorCode::bad_token,
              p, explain(e, {p, stop}, dtype_of<T>));
      break;
    }
    ++columns;
    state = LineState::after_token;
    if constexpr (binned) {
      if (spelt.exponent == 0 && spelt.digits < most_whole) {
        const int64_t sign = -static_cast<int64_t>(*p == '-');  // no branch, since signs are random
        whole += (static_cast<int64_t>(spelt.digits) ^ sign) - sign;
      } else if (decimal::Bins::has(spelt.exponent)) {
        bins->add(spelt.digits, static_cast<int>(spelt.exponent), *p == '-');
      } else {
        note(p, stop, spelt);
      }
    } else if constexpr (dtype_of<T> == DType::f64) {
      if (exact && !is_short_decimal(spelt.digits, spelt.exponent)) note(p, stop, spelt);
    }
    if (++held == batch) send();
    p = stop - 1;  // the separator, or the byte before the end
  }
  if (last && state == LineState::after_comma && !out.problem) empty_field(end);
  if (held > 0) send();
  seen.tail = columns;
  seen.tail_bytes = static_cast<Size>(p - line);
  return out;
}
