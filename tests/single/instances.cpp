// Every class for some types, with all members, so that a compiler warns about what is in them.
#include "onefold_exact.hpp"

template class onefold::ExactSum<float>;
template class onefold::ExactSum<double>;
template class onefold::ExactSum<onefold::float16>;
template class onefold::ExactSum<onefold::bfloat16>;
template class onefold::ExactSum<onefold::Bool8>;
template class onefold::ExactSum<int8_t>;
template class onefold::ExactSum<uint64_t>;
template class onefold::ExactVar<float>;
template class onefold::ExactVar<onefold::float16>;
template class onefold::ExactVar<int64_t>;
template class onefold::ExactMoments<onefold::bfloat16>;
template class onefold::ExactMoments<int32_t>;
template class onefold::ExactDot<onefold::float16>;
template class onefold::ExactDot<onefold::Bool8>;
template class onefold::ExactDot<uint8_t>;

double answers(const onefold::ExactMoments<double>& m, const onefold::ExactDot<double>& d) {
  return m.sum() + m.mean() + m.var(1) + m.std(1) + m.skewness() + m.kurtosis() +
         static_cast<double>(d.value<float>());
}
long long whole(const onefold::ExactSum<int64_t>& s) { return s.value<int32_t>(); }
