// For the Python module: which ops take weights (weighted_ops).
#pragma once

#include "onefold/engine/plan/weighted.hpp"
