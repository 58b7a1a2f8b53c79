// A product of matrices by residues, or by f64: `dot` of rows and columns, each answer rounded
// once.
//
//   launches  survey; then for blocks of rows and columns: split of each factor, multiply, answer;
//             for short vectors entries instead of the last two. Or survey, and doubles. Behind
//             them `undecided` (undecided.hpp) computes what they have noted
//   bits      of the answers do not depend on blocks, grids, or how many moduli are used
#pragma once

#include "onefold/cuda/kernel/matrix/answer.hpp"
#include "onefold/cuda/kernel/matrix/doubles.hpp"
#include "onefold/cuda/kernel/matrix/entries.hpp"
#include "onefold/cuda/kernel/matrix/multiply.hpp"
#include "onefold/cuda/kernel/matrix/split.hpp"
#include "onefold/cuda/kernel/matrix/survey.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, Walk step, class M>
ONEFOLD_KERNEL void matrix(M m, const Matrix<M, T>& in, const Scratch<M>& scratch,
                           const Results<M, ops>& results) {
  if constexpr (step == Walk::matrix_survey) {
    survey_matrix(m, in, scratch, results.nan);
  } else if constexpr (step == Walk::matrix_split) {
    split_matrix(m, in);
  } else if constexpr (step == Walk::matrix_multiply) {
    multiply_matrix(m, in);
  } else if constexpr (step == Walk::matrix_answer) {
    answer_matrix(m, in, scratch, results);
  } else if constexpr (step == Walk::matrix_doubles) {
    doubles_of_matrix(m, in, scratch, results);
  } else {
    entries_of_matrix(m, in, scratch, results);
  }
}

}  // namespace onefold::kernel
