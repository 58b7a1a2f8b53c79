// Includes all parts of the feeds of products, in the order in which they need each other.
//
// Included inside the namespace of an instruction set; no include guard.

#include "onefold/cpu/exact/ahead.inl"
#include "onefold/cpu/exact/special_counts.inl"
#include "onefold/cpu/exact/window.inl"

#include "onefold/cpu/product/chain.inl"

#include "onefold/cpu/product/range.inl"

#include "onefold/cpu/product/special.inl"

#include "onefold/cpu/product/extremes.inl"

#include "onefold/cpu/product/wide_f64.inl"
#include "onefold/cpu/product/wide_integers.inl"
#include "onefold/cpu/product/wide_moments.inl"

#include "onefold/cpu/product/traits.inl"

#include "onefold/cpu/product/anchors.inl"

#include "onefold/cpu/product/tile.inl"

#include "onefold/cpu/product/products.inl"
