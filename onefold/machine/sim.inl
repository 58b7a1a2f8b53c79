// The simulated GPU's engine, to be included in one file of a program, since it takes long to
// compile.
#include "onefold/machine/sim/engine.hpp"
#include "onefold/machine/sim/engine.inl"
#include "onefold/machine/sim/flaw.inl"
#include "onefold/machine/sim/interleave.inl"
#include "onefold/machine/sim/launch.inl"
#include "onefold/machine/sim/schedule.inl"
#include "onefold/machine/sim/warp_step.inl"
