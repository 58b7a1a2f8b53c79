// A reducer of Kokkos: Kokkos::parallel_reduce(n, body, ExactSumReducer<double>(sum)), where
// body(i, part) calls part.add(x[i]). Without Kokkos (ONEFOLD_WITH_KOKKOS) a stand-in has what is
// used.
#pragma once

#if defined(ONEFOLD_WITH_KOKKOS)
#include <Kokkos_Core.hpp>
#else
#define KOKKOS_INLINE_FUNCTION inline
namespace Kokkos {
struct HostSpace {};
template <class T, class Space>
struct View {
  T* p;
  explicit View(T* to) : p(to) {}
  T* data() const { return p; }
};
}  // namespace Kokkos
#endif

#include "onefold_exact.hpp"

template <class T, class Space = Kokkos::HostSpace>
struct ExactSumReducer {
  using reducer = ExactSumReducer;
  using value_type = onefold::ExactSum<T>;
  using result_view_type = Kokkos::View<value_type, Space>;

  KOKKOS_INLINE_FUNCTION explicit ExactSumReducer(value_type& result) : result_(&result) {}
  KOKKOS_INLINE_FUNCTION void init(value_type& part) const { part = value_type(); }
  KOKKOS_INLINE_FUNCTION void join(value_type& to, const value_type& part) const { to.merge(part); }
  KOKKOS_INLINE_FUNCTION value_type& reference() const { return *result_.data(); }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return result_; }
  KOKKOS_INLINE_FUNCTION bool references_scalar() const { return true; }

 private:
  result_view_type result_;
};
