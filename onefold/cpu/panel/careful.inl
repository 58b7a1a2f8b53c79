// Careful totals of any type, which is converted to f64 first: separate code for each type would be
// half of all code. Included inside the namespace of an instruction set, after lanes.inl; no
// include guard.
using panel_careful_of::careful;
using panel_careful_of::nonfinite;

// Converts the elements of r answers to f64. The copy has answers as rows, if elements are
// neighbours, or as columns.
template <class T>
HWY_NOINLINE HWY_ATTR void widen_elements(const std::byte*& x, int64_t& row, int64_t& element,
                                          bool by_row, Size elements, std::size_t r, double* to) {
  const V zero = hn::Zero(d64);
  constexpr int64_t bytes = sizeof *to;
  if (by_row) {
    const Size length = (elements + N - 1) / N * N;
    for (std::size_t k = 0; k < r; ++k) {
      const T* from = reinterpret_cast<const T*>(x + static_cast<int64_t>(k) * row);
      for (Size i = 0; i < elements; i += N) {
        const std::size_t m = elements - i < N ? elements - i : N;
        hn::Store(m == N ? load(from + i) : load_some(from + i, m, zero), d64, to + k * length + i);
      }
    }
    row = static_cast<int64_t>(length) * bytes;
    element = bytes;
  } else {
    for (Size i = 0; i < elements; ++i) {
      const V v = load_apart<T>(x + static_cast<int64_t>(i) * element, row, r, zero);
      hn::Store(v, d64, to + i * N);
    }
    row = bytes;
    element = static_cast<int64_t>(N) * bytes;
  }
  x = reinterpret_cast<const std::byte*>(to);
}

// How the copies lie: each as its array, or all as rows or as columns.
enum class Copies { own, rows, columns };
template <class T, bool reads_y, bool weighted, Copies copies>
HWY_NOINLINE HWY_ATTR bool gather_widened(const Panel& p, PanelTotals& totals,
                                          PanelSums::Gather gather) {
  constexpr Size most = N * panel_elements;
  alignas(64) double x[most], y[reads_y ? most : 1], w[weighted ? most : 1];
  const auto by_row = [](int64_t element) {
    return copies == Copies::own ? element == sizeof(T) : copies == Copies::rows;
  };
  for (Size a = 0; a < p.answers; a += N) {
    Panel wide = p;
    wide.answers = p.answers - a < N ? p.answers - a : N;
    wide.x += static_cast<int64_t>(a) * p.row;
    widen_elements<T>(wide.x, wide.row, wide.element, by_row(p.element), p.elements, wide.answers,
                      x);
    if constexpr (reads_y) {
      wide.y += static_cast<int64_t>(a) * p.y_row;
      widen_elements<T>(wide.y, wide.y_row, wide.y_element, by_row(p.y_element), p.elements,
                        wide.answers, y);
    }
    if constexpr (weighted) {
      wide.w += static_cast<int64_t>(a) * p.w_row;
      widen_elements<T>(wide.w, wide.w_row, wide.w_element, by_row(p.w_element), p.elements,
                        wide.answers, w);
    }
    PanelTotals part = totals.at(a);
    gather(wide, part);
    totals.used = part.used;
  }
  return true;
}
template <class T, PanelTerms terms, PanelSums::Gather gather, Copies copies = Copies::own>
HWY_ATTR bool by_f64(const Panel& p, PanelTotals& totals) {
  if constexpr (std::is_same_v<T, double>) return gather(p, totals);
  return gather_widened<T, terms.reads_y(), terms.weighted, copies>(p, totals, gather);
}
