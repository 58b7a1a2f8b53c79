// The simulated machine, compiled once for the lab and for tests of kernels.
#include "onefold/machine/sim.inl"
