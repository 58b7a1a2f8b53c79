#pragma once

#define ONEFOLD_VERSION "0.1.0"
