// The functions of RowKernels for vectors L. Included after row_loops.inl; no include guard.

template <class L, class T>
struct RowFunctions {
  ONEFOLD_ROW_FN static double greatest(const void* x, Size n) {
    return greatest_of<L>(static_cast<const T*>(x), n);
  }
  ONEFOLD_ROW_FN static DoublePair direct_sum(const void* x, Size n) {
    return direct_sum_of<L>(static_cast<const T*>(x), n);
  }
  ONEFOLD_ROW_FN static RowSum quick_sum(const void* x, Size n, double greatest, double* kept) {
    const auto* const from = static_cast<const T*>(x);
    return kept == nullptr ? quick_sum_of<L, T, false>(from, n, greatest, kept)
                           : quick_sum_of<L, T, true>(from, n, greatest, kept);
  }
  ONEFOLD_ROW_FN static RowSum pair_sum(const void* x, Size n, double greatest, double* kept) {
    const auto* const from = static_cast<const T*>(x);
    const PowerTables& tables = power_tables();
    return kept == nullptr ? pair_sum_of<L, T, false>(from, n, greatest, kept, tables)
                           : pair_sum_of<L, T, true>(from, n, greatest, kept, tables);
  }
  ONEFOLD_ROW_FN static void terms(const void* x, Size n, const ExponentialTerms& to) {
    terms_of<L>(static_cast<const T*>(x), n, to, power_tables());
  }
  ONEFOLD_ROW_FN static bool elements(const void* x, Size n, const RowLog& row, bool log,
                                      const double* kept, void* out, uint8_t* decided) {
    const auto* const from = static_cast<const T*>(x);
    auto* const to = static_cast<T*>(out);
    const PowerTables& tables = power_tables();
    const bool all =
        log ? elements_of<L, T, false>(from, n, row, true, tables, nullptr, to, nullptr)
        : kept == nullptr
            ? elements_of<L, T, false>(from, n, row, false, tables, nullptr, to, nullptr)
            : elements_of<L, T, false>(from, n, row, false, tables, kept, to, nullptr);
    if (!all) elements_of<L, T, true>(from, n, row, log, tables, nullptr, to, decided);
    return all;
  }
  ONEFOLD_ROW_FN static Deviations deviations(const void* x, Size n, double pivot) {
    return quick_deviations_of<L>(static_cast<const T*>(x), n, pivot);
  }
  ONEFOLD_ROW_FN static Deviations pair_deviations(const void* x, Size n, double pivot) {
    return pair_deviations_of<L>(static_cast<const T*>(x), n, pivot);
  }
  ONEFOLD_ROW_FN static bool normalized(const void* x, Size n, const NormRow& row, bool centred,
                                        const double* w, const double* b, void* out,
                                        uint8_t* decided) {
    const auto* const from = static_cast<const T*>(x);
    auto* const to = static_cast<T*>(out);
    const auto run = [&](auto is_centred) ONEFOLD_QUICK_ATTR {
      constexpr bool on = decltype(is_centred)::value;
      const bool all = normalized_of<L, T, on, false>(from, n, row, w, b, to, nullptr);
      if (!all) normalized_of<L, T, on, true>(from, n, row, w, b, to, decided);
      return all;
    };
    return centred ? run(std::true_type{}) : run(std::false_type{});
  }
  static constexpr RowKernels all{greatest,
                                  sizeof(T) == 8 ? nullptr : direct_sum,
                                  quick_sum,
                                  pair_sum,
                                  L::fuses ? terms : nullptr,
                                  elements,
                                  sizeof(T) == 8 ? nullptr : deviations,
                                  pair_deviations,
                                  normalized};
};

template <class L>
const RowKernels* find_row_functions(DType t) {
  switch (t) {
    case DType::f64:
      return &RowFunctions<L, double>::all;
    case DType::f32:
      return &RowFunctions<L, float>::all;
    case DType::bf16:
      return &RowFunctions<L, bfloat16>::all;
    case DType::f16:
      if constexpr (L::template takes_type<float16>) return &RowFunctions<L, float16>::all;
      return nullptr;
    default:
      return nullptr;
  }
}
