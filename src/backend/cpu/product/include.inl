// Includes all parts of the feeds of products, in the order in which they need each other.
//
// Included inside the namespace of an instruction set; no include guard.

#include "backend/cpu/exact/ahead.inl"
#include "backend/cpu/exact/special_counts.inl"
#include "backend/cpu/exact/window.inl"

#include "backend/cpu/product/chain.inl"

#include "backend/cpu/product/range.inl"

#include "backend/cpu/product/special.inl"

#include "backend/cpu/product/extremes.inl"

#include "backend/cpu/product/wide_f64.inl"
#include "backend/cpu/product/wide_integers.inl"
#include "backend/cpu/product/wide_moments.inl"

#include "backend/cpu/product/traits.inl"

#include "backend/cpu/product/anchors.inl"

#include "backend/cpu/product/tile.inl"

#include "backend/cpu/product/products.inl"
