// The lab is a program of its own, onefold-lab, so that `onefold` neither waits for it to compile
// nor carries it.
#pragma once

#include "cli/verb.hpp"

namespace onefold::cli {

// Runs the verb `lab`: onefold-lab does it itself (lab/lab.cpp), onefold by that program
// (lab_elsewhere.cpp).
void run_lab(Arguments& a);

}  // namespace onefold::cli
